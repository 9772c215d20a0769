/*
 * Descriptors of unix sockets can stand in the queues of unix sockets, also of those that are reachable through nothing but
 * such a queue. Then no close ever comes, so from time to time somebody must look. The kernel does the same in
 * net/unix/garbage.c.
 */
#include "netsim/unix.h"

#include "base/err.h"

static struct unix_sock *unix_file(const struct file *f)
{
	struct sock *s = sock_of(f);

	return s && s->family == K_AF_UNIX ? unix_of(s) : NULL;
}

void unix_count_in_flight(struct net *n, struct file *const *files, unsigned nfiles, int by)
{
	for (unsigned i = 0; i < nfiles; i++)
		if (unix_file(files[i]))
			n->unix_in_flight += (unsigned)by;
}

#define each_unix(u, n)                                                                                            \
	list_each(s_, &(n)->socks, struct sock, in_net)                                                            \
		for (struct unix_sock *u = s_->family == K_AF_UNIX ? unix_of(s_) : NULL; u; u = NULL)

static void reach(struct unix_sock *u, struct list *todo)
{
	if (u->reached)
		return;
	u->reached = true;
	list_add_tail(todo, &u->todo);
}

static void count(struct net *n)
{
	each_unix(u, n) {
		u->in_flight = 0;
		u->reached = false;
	}
	each_unix(u, n)
		list_each(g, &u->queue, struct unix_msg, link)
			for (unsigned i = 0; i < g->nfiles; i++)
				if (unix_file(g->files[i]))
					unix_file(g->files[i])->in_flight++;
}

/* What can be read from u, and who can be accepted. */
static void follow(struct unix_sock *u, struct list *todo)
{
	list_each(g, &u->queue, struct unix_msg, link)
		for (unsigned i = 0; i < g->nfiles; i++)
			if (unix_file(g->files[i]))
				reach(unix_file(g->files[i]), todo);
	list_each(e, &u->embryos, struct unix_sock, in_listener)
		reach(e, todo);
}

static struct unix_sock *lost(struct net *n)
{
	each_unix(u, n)
		if (!u->reached && !list_empty(&u->queue))
			return u;
	return NULL;
}

static void mark(struct net *n)
{
	struct list todo;

	list_init(&todo);
	count(n);
	/* Whoever is referred to from elsewhere as well: a descriptor, a call that waits. */
	each_unix(root, n)
		if (root->sock.file && root->sock.file->refs > root->in_flight)
			reach(root, &todo);
	while (!list_empty(&todo)) {
		struct unix_sock *u = list_first(&todo, struct unix_sock, todo);
		list_del(&u->todo);
		follow(u, &todo);
	}
}

void unix_collect(struct net *n)
{
	struct unix_sock *u;

	for (mark(n); (u = lost(n)); mark(n)) {
		/* Emptying its queue may close it, or the listener that it belongs to. */
		struct file *f = file_ref(u->sock.file ? u->sock.file : u->listener->sock.file);
		unix_drop_queue(u);
		file_unref(n->k, f);
	}
}
