#include "kernel/inotify.h"

#include "base/mem.h"

#include <string.h>

enum { QUEUE_MAX = 16384, WATCHES_MAX = 30053 }; /* /proc/sys/fs/inotify */

/* struct inotify_event of the ABI, before the name. */
struct event_head {
	int32_t wd;
	uint32_t mask, cookie, len;
};

struct event {
	struct list link;
	struct event_head head;
	size_t size; /* of the whole, as allocated */
	char name[];
};

struct inotify {
	struct file *file;
	struct list watches; /* struct watch.of_instance, in order of their numbers */
	struct list queue;
	unsigned queued;
	int last_wd;
};

/* All watches of one inode. */
struct watched {
	uint64_t key;
	struct list watches; /* struct watch.of_inode, the latest first */
};

struct watch {
	struct list of_instance, of_inode;
	struct inotify *in;
	struct watched *inode;
	int wd;
	uint32_t mask;
};

static const struct file_ops inotify_ops;

/* ---- the queue ---- */

/* The name with its NUL, padded so that the next event is aligned. */
static uint32_t name_space(const char *name)
{
	size_t unit = sizeof(struct event_head);

	return name ? (uint32_t)((strlen(name) + 1 + unit - 1) / unit * unit) : 0;
}

static bool same_as_last(const struct inotify *in, const struct event_head *h, const char *name)
{
	const struct event *e;

	if (list_empty(&in->queue))
		return false;
	e = list_entry(in->queue.prev, struct event, link);
	return e->head.wd == h->wd && e->head.mask == h->mask && e->head.cookie == h->cookie && e->head.len == h->len &&
	       (!h->len || !strcmp(e->name, name));
}

static void append(struct kern *k, struct inotify *in, int wd, uint32_t mask, uint32_t cookie, const char *name)
{
	struct event_head h = {wd, mask, cookie, name_space(name)};
	struct event *e;

	if (same_as_last(in, &h, name))
		return;
	if (in->queued >= QUEUE_MAX) {
		h = (struct event_head){-1, IN_Q_OVERFLOW, 0, 0};
		if (same_as_last(in, &h, NULL))
			return;
		name = NULL;
	}
	e = arena_alloc(k->arena, sizeof *e + h.len);
	e->size = sizeof *e + h.len;
	e->head = h;
	if (h.len)
		memcpy(e->name, name, strlen(name) + 1);
	list_add_tail(&in->queue, &e->link);
	in->queued++;
	file_notify(in->file, K_EPOLLIN | K_EPOLLRDNORM);
}

static void drop_first(struct kern *k, struct inotify *in)
{
	struct event *e = list_first(&in->queue, struct event, link);

	list_del(&e->link);
	in->queued--;
	arena_release(k->arena, e, e->size);
}

/* ---- watches ---- */

static void free_watch(struct kern *k, struct watch *w)
{
	struct watched *n = w->inode;

	list_del(&w->of_instance);
	list_del(&w->of_inode);
	arena_release_of(k->arena, w);
	if (!list_empty(&n->watches))
		return;
	map_del(&k->watched, n->key);
	arena_release_of(k->arena, n);
}

static void end_watch(struct kern *k, struct watch *w)
{
	append(k, w->in, w->wd, IN_IGNORED, 0, NULL);
	free_watch(k, w);
}

static struct watched *inode_of(struct kern *k, uint64_t key)
{
	struct watched *n = map_get(&k->watched, key);

	if (n)
		return n;
	n = arena_new_of(k->arena, struct watched);
	n->key = key;
	list_init(&n->watches);
	map_put(&k->watched, key, n);
	return n;
}

int inotify_add(struct kern *k, struct file *f, uint64_t key, uint32_t mask)
{
	const uint32_t kept = IN_ALL_EVENTS | IN_UNMOUNT | IN_EXCL_UNLINK | IN_ONESHOT;
	struct inotify *in = f->obj;
	struct watch *w;
	unsigned n = 0;

	list_each(o, &in->watches, struct watch, of_instance) {
		n++;
		if (o->inode->key != key)
			continue;
		if (mask & IN_MASK_CREATE)
			return -EEXIST;
		o->mask = (mask & kept) | (mask & IN_MASK_ADD ? o->mask : 0);
		return o->wd;
	}
	if (n >= WATCHES_MAX)
		return -ENOSPC;
	w = arena_new_of(k->arena, struct watch);
	w->in = in;
	w->inode = inode_of(k, key);
	w->wd = ++in->last_wd;
	w->mask = mask & kept;
	list_add_tail(&in->watches, &w->of_instance);
	list_add_head(&w->inode->watches, &w->of_inode);
	return w->wd;
}

int inotify_remove(struct kern *k, struct file *f, int wd)
{
	struct inotify *in = f->obj;

	list_each(w, &in->watches, struct watch, of_instance)
		if (w->wd == wd) {
			end_watch(k, w);
			return 0;
		}
	return -EINVAL;
}

/* ---- what happens ---- */

bool inotify_watches(const struct kern *k, uint64_t key)
{
	return inotify_any(k) && map_get(&k->watched, key);
}

void inotify_event(struct kern *k, uint64_t key, uint32_t mask, uint32_t cookie, const char *name)
{
	struct watched *n = inotify_any(k) ? map_get(&k->watched, key) : NULL;

	if (!n)
		return;
	for (struct list *l = n->watches.next, *next; l != &n->watches; l = next) {
		struct watch *w = list_entry(l, struct watch, of_inode);
		bool last = l->next == &n->watches, only = last && l->prev == &n->watches;
		next = l->next;
		if (!(w->mask & mask & IN_ALL_EVENTS))
			continue;
		append(k, w->in, w->wd, mask, cookie, name);
		if (w->mask & IN_ONESHOT)
			end_watch(k, w);
		if (only) /* the node may have gone with it */
			return;
	}
}

void inotify_inode_gone(struct kern *k, uint64_t key)
{
	struct watched *n;

	inotify_event(k, key, IN_DELETE_SELF, 0, NULL);
	while ((n = inotify_any(k) ? map_get(&k->watched, key) : NULL))
		end_watch(k, list_first(&n->watches, struct watch, of_inode));
}

/* ---- the file ---- */

static int64_t inotify_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct inotify *in = f->obj;
	size_t done = 0;

	if (list_empty(&in->queue))
		return -EAGAIN;
	while (!list_empty(&in->queue)) {
		const struct event *e = list_first(&in->queue, struct event, link);
		size_t n = sizeof e->head + e->head.len;
		if (len - done < n)
			break;
		memcpy((char *)buf + done, &e->head, sizeof e->head);
		memcpy((char *)buf + done + sizeof e->head, e->name, e->head.len);
		done += n;
		drop_first(k, in);
	}
	return done ? (int64_t)done : -EINVAL;
}

static uint32_t inotify_poll(struct kern *k, struct file *f)
{
	const struct inotify *in = f->obj;

	return list_empty(&in->queue) ? 0 : K_EPOLLIN | K_EPOLLRDNORM;
}

static int64_t bytes_readable(struct kern *k, struct file *f)
{
	const struct inotify *in = f->obj;
	int64_t n = 0;

	list_each(e, &in->queue, struct event, link)
		n += (int64_t)(sizeof e->head + e->head.len);
	return n;
}

static void inotify_release(struct kern *k, struct file *f)
{
	struct inotify *in = f->obj;

	while (!list_empty(&in->watches))
		free_watch(k, list_first(&in->watches, struct watch, of_instance));
	while (!list_empty(&in->queue))
		drop_first(k, in);
	arena_release_of(k->arena, in);
}

static const struct file_ops inotify_ops = {
	.kind = "inotify",
	.read = inotify_read,
	.poll = inotify_poll,
	.release = inotify_release,
	.bytes_readable = bytes_readable,
};

struct file *inotify_new(struct kern *k, uint32_t flags)
{
	struct inotify *in = arena_new_of(k->arena, struct inotify);

	list_init(&in->watches);
	list_init(&in->queue);
	in->file = file_new(k, &inotify_ops, in, O_RDONLY | flags);
	return in->file;
}

bool file_is_inotify(const struct file *f)
{
	return f->ops == &inotify_ops;
}
