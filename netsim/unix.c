/* Unix domain sockets: names, connections, ends. The kernel's functions are in net/unix/af_unix.c. */
#include "netsim/unix.h"

#include "base/err.h"
#include "base/mem.h"
#include "kernel/task.h"

static const struct sock_ops unix_ops;

static bool connection_based(const struct unix_sock *u)
{
	return u->sock.type != K_SOCK_DGRAM;
}

/* Of the process whose call this is: descriptors are passed on, credentials are the sender's. */
struct sock_cred unix_current_cred(const struct unix_sock *u)
{
	const struct thread *t = u->sock.net->k->current;

	if (!t)
		return u->sock.cred;
	return (struct sock_cred){t->proc->pid, t->proc->euid, t->proc->egid};
}

static struct unix_sock *unix_alloc(struct net *n, struct node *node, const struct sock_cred *cred, int type)
{
	struct unix_sock *u = arena_new_of(n->k->arena, struct unix_sock);

	sock_init(&u->sock, n, &unix_ops, node, cred);
	u->sock.family = K_AF_UNIX;
	u->sock.type = (uint16_t)type;
	u->sock.local.family = K_AF_UNIX;
	u->backlog = UNIX_DGRAM_QLEN;
	list_init(&u->peers);
	list_init(&u->of_peer);
	list_init(&u->in_name);
	list_init(&u->queue);
	list_init(&u->sent);
	list_init(&u->embryos);
	list_init(&u->in_listener);
	return u;
}

struct sock *unix_new(struct net *n, struct node *node, const struct sock_cred *cred, int type)
{
	return &unix_alloc(n, node, cred, type)->sock;
}

void unix_set_peer(struct unix_sock *u, struct unix_sock *peer)
{
	list_del(&u->of_peer);
	u->peer = peer;
	u->peer_died = false;
	u->state = peer ? UNIX_CONNECTED : UNIX_CLOSE;
	u->sock.remote = peer ? peer->sock.local : (struct netaddr){0};
	if (peer)
		list_add_tail(&peer->peers, &u->of_peer);
}

void unix_pair(struct sock *a, struct sock *b)
{
	unix_set_peer(unix_of(a), unix_of(b));
	unix_set_peer(unix_of(b), unix_of(a));
	a->peercred = b->peercred = unix_current_cred(unix_of(a));
}

static int unix_bind(struct sock *s, const struct netaddr *a)
{
	if (a->family != K_AF_UNIX || s->local.pathlen)
		return -EINVAL;
	return unix_name_bind(unix_of(s), a);
}

static int unix_listen(struct sock *s, int backlog)
{
	struct unix_sock *u = unix_of(s);

	if (!connection_based(u))
		return -EOPNOTSUPP;
	if (!s->local.pathlen)
		return -EINVAL;
	if (u->state == UNIX_CONNECTED)
		return -EINVAL;
	u->backlog = (unsigned)backlog > K_SOMAXCONN ? K_SOMAXCONN : backlog;
	u->state = UNIX_LISTEN;
	s->listening = true;
	s->peercred = unix_current_cred(u);
	waitq_wake(&s->room_wq, 0); /* a longer queue */
	return 0;
}

/* unix_dgram_disconnected(): what was not read is dropped, and the former peer hears of the loss. */
void unix_dgram_disconnected(struct unix_sock *u, struct unix_sock *old)
{
	if (list_empty(&u->queue))
		return;
	unix_drop_queue(u);
	waitq_wake(&u->sock.room_wq, 0);
	if (old && old->peer == u) {
		old->sock.err = ECONNRESET;
		sock_notify(&old->sock, K_EPOLLERR);
	}
}

/* A datagram socket that is connected takes from its peer only, also when that has died and it does not know yet. */
bool unix_may_send(const struct unix_sock *u, const struct unix_sock *other)
{
	return !other->peer_died && (!other->peer || other->peer == u);
}

static int dgram_connect(struct unix_sock *u, const struct netaddr *a)
{
	struct unix_sock *other = NULL, *old = u->peer;
	bool had_peer = old || u->peer_died;
	int rc = 0;

	if (a->family != K_AF_UNSPEC) {
		rc = unix_name_find(u->sock.net, a, K_SOCK_DGRAM, &other);
		if (rc)
			return rc;
		if (!unix_may_send(u, other))
			return -EPERM;
		if (u->sock.opt[OPT_PASSCRED] && !u->sock.local.pathlen)
			unix_name_bind(u, &(struct netaddr){.family = K_AF_UNIX});
	}
	unix_set_peer(u, other);
	if (had_peer && old != other)
		unix_dgram_disconnected(u, old);
	sock_notify(&u->sock, 0);
	return 0;
}

static struct unix_sock *new_embryo(struct unix_sock *l, struct unix_sock *client)
{
	struct unix_sock *e = unix_alloc(l->sock.net, l->sock.node, &l->sock.cred, l->sock.type);

	unix_set_peer(e, client);
	e->sock.local = l->sock.local;
	e->sock.opt[OPT_PASSCRED] = l->sock.opt[OPT_PASSCRED];
	e->sock.peercred = unix_current_cred(client);
	e->listener = l;
	list_add_tail(&l->embryos, &e->in_listener);
	l->nembryos++;
	return e;
}

/* unix_stream_connect(). Never under way: it waits for a place in the queue, then all is done. */
static int stream_connect(struct unix_sock *u, const struct netaddr *a)
{
	struct unix_sock *l, *e;
	int rc;

	if (a->family != K_AF_UNIX)
		return -EINVAL;
	if (u->sock.opt[OPT_PASSCRED] && !u->sock.local.pathlen)
		unix_name_bind(u, &(struct netaddr){.family = K_AF_UNIX});
	rc = unix_name_find(u->sock.net, a, u->sock.type, &l);
	if (rc)
		return rc;
	if (l->state != UNIX_LISTEN || (l->sock.shut & SOCK_SHUT_RCV))
		return -ECONNREFUSED;
	if (l->nembryos > (unsigned)l->backlog) {
		u->sock.block_on = &l->sock.room_wq;
		return -EAGAIN;
	}
	if (u->state != UNIX_CLOSE)
		return u->state == UNIX_CONNECTED ? -EISCONN : -EINVAL;
	e = new_embryo(l, u);
	unix_set_peer(u, e);
	u->sock.remote = l->sock.local;
	u->sock.peercred = l->sock.peercred;
	sock_notify(&l->sock, K_EPOLLIN | K_EPOLLRDNORM);
	return 0;
}

static int unix_connect(struct sock *s, const struct netaddr *a)
{
	struct unix_sock *u = unix_of(s);

	s->block_on = NULL;
	return connection_based(u) ? stream_connect(u, a) : dgram_connect(u, a);
}

static int unix_accept(struct sock *s, struct sock **child)
{
	struct unix_sock *u = unix_of(s), *e;

	if (!connection_based(u))
		return -EOPNOTSUPP;
	if (u->state != UNIX_LISTEN)
		return -EINVAL;
	e = list_first(&u->embryos, struct unix_sock, in_listener);
	/* Of a shutdown only those hear who would block. */
	if (!e)
		return (s->shut & SOCK_SHUT_RCV) && !(s->file->flags & O_NONBLOCK) ? -EINVAL : -EAGAIN;
	list_del(&e->in_listener);
	e->listener = NULL;
	u->nembryos--;
	waitq_wake(&s->room_wq, 0);
	*child = &e->sock;
	return 0;
}

static int unix_shutdown(struct sock *s, int how)
{
	struct unix_sock *u = unix_of(s);
	unsigned bits = (unsigned)how + 1, theirs = 0;

	s->shut |= bits;
	if (u->peer && connection_based(u)) {
		theirs |= bits & SOCK_SHUT_RCV ? SOCK_SHUT_SND : 0;
		theirs |= bits & SOCK_SHUT_SND ? SOCK_SHUT_RCV : 0;
		u->peer->sock.shut |= theirs;
		sock_notify(&u->peer->sock, 0);
	}
	/* Who waits for room here finds out that there never will be any. */
	waitq_wake(&s->room_wq, 0);
	sock_notify(s, 0);
	return 0;
}

static int unix_sock_name(struct sock *s, bool peer, struct netaddr *out)
{
	struct unix_sock *u = unix_of(s);

	if (peer && u->state != UNIX_CONNECTED)
		return -ENOTCONN;
	*out = peer ? (u->peer ? u->peer->sock.local : s->remote) : s->local;
	return 0;
}

/* unix_poll() and unix_dgram_poll(). */
static uint32_t unix_poll(struct sock *s)
{
	struct unix_sock *u = unix_of(s);
	uint32_t ev = 0;
	bool room = u->state != UNIX_LISTEN && unix_writeable(u);

	if (s->err)
		ev |= K_EPOLLERR;
	if (s->shut == SOCK_SHUT_BOTH)
		ev |= K_EPOLLHUP;
	if (s->shut & SOCK_SHUT_RCV)
		ev |= K_EPOLLRDHUP | K_EPOLLIN | K_EPOLLRDNORM;
	if (!list_empty(&u->queue) || !list_empty(&u->embryos))
		ev |= K_EPOLLIN | K_EPOLLRDNORM;
	if (connection_based(u) && u->state == UNIX_CLOSE)
		ev |= K_EPOLLHUP;
	/* Connected one way to a queue that is full. */
	if (s->type == K_SOCK_DGRAM && u->peer && u->peer->peer != u && unix_queue_full(u->peer))
		room = false;
	if (room)
		ev |= K_EPOLLOUT | K_EPOLLWRNORM | K_EPOLLWRBAND;
	return ev;
}

/* ---- the end ---- */

static void unix_free(struct unix_sock *u)
{
	struct arena *a = sock_arena(&u->sock);

	/* Not to be found by unix_collect(), which closing descriptors in its queue may start. */
	list_del(&u->sock.in_net);
	unix_name_release(u);
	list_each_safe(p, tmp, &u->peers, struct unix_sock, of_peer) {
		struct netaddr name = p->sock.remote;
		bool dgram = !connection_based(p);
		list_del(&p->of_peer);
		p->peer = NULL;
		p->peer_died = dgram;
		p->sock.remote = name;
	}
	list_del(&u->of_peer);
	unix_drop_queue(u);
	unix_disown_sent(u);
	sock_fini(&u->sock);
	arena_release_of(a, u);
}

/* An empty message at the front is not counted (Linux takes it for a mark of urgent data). */
static bool has_unread(const struct unix_sock *u)
{
	const struct unix_msg *first = list_first(&u->queue, struct unix_msg, link);

	return first && (first->len || u->nqueue > 1);
}

/* unix_release_sock(): the other end of a connection reads what is there, then the end, or a reset. */
static void end(struct unix_sock *u, bool embryo)
{
	struct unix_sock *p = connection_based(u) ? u->peer : NULL;

	if (p && p->peer == u) {
		p->sock.shut = SOCK_SHUT_BOTH;
		if (has_unread(u) || embryo)
			p->sock.err = ECONNRESET;
	} else {
		p = NULL;
	}
	/* Datagram senders that wait for room: there is none, but an error. */
	list_each(w, &u->peers, struct unix_sock, of_peer)
		if (w != p)
			sock_notify(&w->sock, 0);
	/* Before the queue goes: descriptors in it may hold the last reference to the other end. */
	if (p)
		sock_notify(&p->sock, 0);
	unix_free(u);
}

static void unix_close(struct sock *s)
{
	struct unix_sock *u = unix_of(s);
	struct net *n = s->net;

	while (!list_empty(&u->embryos)) {
		struct unix_sock *e = list_first(&u->embryos, struct unix_sock, in_listener);
		list_del(&e->in_listener);
		u->nembryos--;
		end(e, true);
	}
	end(u, false);
	if (n->unix_in_flight)
		unix_collect(n);
}

static void unix_destroy(struct sock *s)
{
	struct unix_sock *u = unix_of(s);

	list_each_safe(e, tmp, &u->embryos, struct unix_sock, in_listener) {
		list_del(&e->in_listener);
		e->listener = NULL;
	}
	list_del(&u->in_listener);
	unix_free(u);
}

static const struct sock_ops unix_ops = {
	.bind = unix_bind,
	.connect = unix_connect,
	.listen = unix_listen,
	.accept = unix_accept,
	.shutdown = unix_shutdown,
	.send = unix_send,
	.recv = unix_recv,
	.name = unix_sock_name,
	.poll = unix_poll,
	.close = unix_close,
	.destroy = unix_destroy,
	.room = unix_room,
	.inq = unix_inq,
	.outq = unix_outq,
};
