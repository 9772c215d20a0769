#include "kernel/epoll.h"

#include "base/mem.h"

/* fs/eventpoll.c */
#define EP_PRIVATE_BITS (K_EPOLLWAKEUP | K_EPOLLONESHOT | K_EPOLLET | K_EPOLLEXCLUSIVE)
#define EPOLLEXCLUSIVE_OK_BITS \
	(K_EPOLLIN | K_EPOLLOUT | K_EPOLLERR | K_EPOLLHUP | K_EPOLLWAKEUP | K_EPOLLET | K_EPOLLEXCLUSIVE)
enum { EP_MAX_NESTS = 4, EP_LOOP = 1000 };

struct epitem {
	struct list ready;   /* in epoll.ready, or alone */
	struct list of_ep;   /* in epoll.items */
	struct list of_file; /* in file.epitems */
	struct epitem *next; /* in its hash chain */
	struct epoll *ep;
	struct file *file;
	int fd;
	uint32_t events;
	uint64_t data;
};

struct epoll {
	struct file *file;
	struct list items; /* in the order they were added */
	struct list ready; /* in the order they became ready */
	unsigned nitems;
	struct epitem **chain; /* [nchains], a power of two */
	unsigned nchains;
};

static const struct file_ops epoll_ops;

bool file_is_epoll(const struct file *f)
{
	return f->ops == &epoll_ops;
}

unsigned epoll_items(const struct file *ep)
{
	return ((const struct epoll *)ep->obj)->nitems;
}

/* ---- the set: by file and descriptor number ---- */

static struct epitem **chain_of(const struct epoll *ep, const struct file *f, int fd)
{
	uint64_t h = (f->id * 64 + (unsigned)fd) * 0x9e3779b97f4a7c15u;

	return &ep->chain[(h >> 32) & (ep->nchains - 1)];
}

static struct epitem *find(const struct epoll *ep, const struct file *f, int fd)
{
	struct epitem *it = ep->nchains ? *chain_of(ep, f, fd) : NULL;

	while (it && (it->file != f || it->fd != fd))
		it = it->next;
	return it;
}

static void link_chain(struct epoll *ep, struct epitem *it)
{
	struct epitem **c = chain_of(ep, it->file, it->fd);

	it->next = *c;
	*c = it;
}

static void grow_chains(struct kern *k, struct epoll *ep)
{
	if (ep->nitems < ep->nchains)
		return;
	arena_release(k->arena, ep->chain, ep->nchains * sizeof *ep->chain);
	ep->nchains = MAX(ep->nchains * 2, 8u);
	ep->chain = arena_alloc(k->arena, ep->nchains * sizeof *ep->chain);
	list_each(it, &ep->items, struct epitem, of_ep)
		link_chain(ep, it);
}

static void remove_item(struct kern *k, struct epitem *it)
{
	struct epitem **c = chain_of(it->ep, it->file, it->fd);

	while (*c != it)
		c = &(*c)->next;
	*c = it->next;
	list_del(&it->ready);
	list_del(&it->of_ep);
	list_del(&it->of_file);
	it->ep->nitems--;
	arena_release_of(k->arena, it);
}

/* ---- readiness ---- */

static uint32_t item_poll(struct kern *k, struct epitem *it)
{
	return file_poll(k, it->file) & it->events;
}

static void make_ready(struct epitem *it)
{
	if (list_empty(&it->ready))
		list_add_tail(&it->ep->ready, &it->ready);
	file_notify(it->ep->file, K_EPOLLIN | K_EPOLLRDNORM);
}

/* Whether waking this exclusive item woke somebody, so that the others need not be: the end of ep_poll_callback(). The end
 * of an object is told to all (wake_up_all): it comes with no events, or with one of those that say so. */
static bool took_exclusively(const struct epitem *it, uint32_t events, bool had_waiters)
{
	uint32_t in_out = events & (K_EPOLLIN | K_EPOLLOUT);

	if (!(it->events & K_EPOLLEXCLUSIVE) || !had_waiters || !events)
		return false;
	if (events & (K_EPOLLHUP | K_EPOLLERR | K_EPOLLRDHUP))
		return false;
	return !in_out || (in_out != (K_EPOLLIN | K_EPOLLOUT) && (it->events & in_out));
}

void epoll_notify(struct file *f, uint32_t events)
{
	bool taken = false;

	list_each(it, &f->epitems, struct epitem, of_file) {
		bool had_waiters = !list_empty(&it->ep->file->wq.waiters);
		if ((taken && (it->events & K_EPOLLEXCLUSIVE)) || !(it->events & ~EP_PRIVATE_BITS))
			continue;
		if (events && !(events & it->events))
			continue;
		make_ready(it);
		taken = taken || took_exclusively(it, events, had_waiters);
	}
}

void epoll_forget(struct kern *k, struct file *f)
{
	list_each_safe(it, tmp, &f->epitems, struct epitem, of_file)
		remove_item(k, it);
}

/* An instance is readable when one of its ready items really is; those that no longer are leave the list. */
static uint32_t epoll_poll(struct kern *k, struct file *f)
{
	struct epoll *ep = f->obj;

	list_each_safe(it, tmp, &ep->ready, struct epitem, ready) {
		if (item_poll(k, it))
			return K_EPOLLIN | K_EPOLLRDNORM;
		list_del(&it->ready);
	}
	return 0;
}

int epoll_collect(struct kern *k, struct file *f, struct k_epoll_event *ev, int *fds, int max)
{
	struct epoll *ep = f->obj;
	struct list again;
	int n = 0;

	list_init(&again);
	while (n < max && !list_empty(&ep->ready)) {
		struct epitem *it = list_first(&ep->ready, struct epitem, ready);
		uint32_t events = item_poll(k, it);
		list_del(&it->ready);
		if (!events)
			continue;
		ev[n] = (struct k_epoll_event){events, it->data};
		fds[n++] = it->fd;
		if (it->events & K_EPOLLONESHOT)
			it->events &= EP_PRIVATE_BITS; /* until EPOLL_CTL_MOD */
		else if (!(it->events & K_EPOLLET))
			list_add_tail(&again, &it->ready);
	}
	/* Level-triggered items stand at the tail, behind those that found no room. */
	list_each_safe(it, tmp, &again, struct epitem, ready) {
		list_del(&it->ready);
		list_add_tail(&ep->ready, &it->ready);
	}
	return n;
}

/* ---- epoll_ctl ---- */

/* How deep instances are nested below this one; EP_LOOP and more: `target` is among them. */
static int depth_below(const struct epoll *ep, const struct epoll *target, int level)
{
	int depth = 0;

	if (ep == target || level > EP_MAX_NESTS)
		return EP_LOOP;
	list_each(it, &ep->items, struct epitem, of_ep)
		if (file_is_epoll(it->file))
			depth = MAX(depth, 1 + depth_below(it->file->obj, target, level + 1));
	return depth;
}

static int depth_above(const struct file *f, int level)
{
	int depth = 0;

	if (level > EP_MAX_NESTS)
		return EP_LOOP;
	list_each(it, &f->epitems, struct epitem, of_file)
		depth = MAX(depth, 1 + depth_above(it->ep->file, level + 1));
	return depth;
}

static void add_item(struct kern *k, struct epoll *ep, struct file *target, int fd, const struct k_epoll_event *ev)
{
	struct epitem *it;

	grow_chains(k, ep);
	it = arena_new_of(k->arena, struct epitem);
	it->ep = ep;
	it->file = target;
	it->fd = fd;
	it->events = ev->events | K_EPOLLERR | K_EPOLLHUP;
	it->data = ev->data;
	list_init(&it->ready);
	list_add_tail(&ep->items, &it->of_ep);
	/* As on a wait queue of the kernel: the latest is told first, exclusive ones after all others, in their order. */
	if (it->events & K_EPOLLEXCLUSIVE)
		list_add_tail(&target->epitems, &it->of_file);
	else
		list_add_head(&target->epitems, &it->of_file);
	link_chain(ep, it);
	ep->nitems++;
	if (item_poll(k, it))
		make_ready(it);
}

static int modify_item(struct kern *k, struct epitem *it, const struct k_epoll_event *ev)
{
	if (it->events & K_EPOLLEXCLUSIVE)
		return -EINVAL;
	it->events = ev->events | K_EPOLLERR | K_EPOLLHUP;
	it->data = ev->data;
	if (item_poll(k, it))
		make_ready(it);
	return 0;
}

/* The checks of do_epoll_ctl(), in its order. */
static int check(const struct file *f, int op, const struct file *target, const struct k_epoll_event *ev)
{
	if (!target->ops->poll)
		return -EPERM;
	if (f == target || !file_is_epoll(f))
		return -EINVAL;
	if (op == K_EPOLL_CTL_DEL || !(ev->events & K_EPOLLEXCLUSIVE))
		return 0;
	if (op == K_EPOLL_CTL_MOD)
		return -EINVAL;
	if (op == K_EPOLL_CTL_ADD && (file_is_epoll(target) || (ev->events & ~EPOLLEXCLUSIVE_OK_BITS)))
		return -EINVAL;
	return 0;
}

int epoll_ctl_file(struct kern *k, struct file *f, int op, int fd, struct file *target, const struct k_epoll_event *ev)
{
	struct epoll *ep = f->obj;
	struct epitem *it;
	int rc = check(f, op, target, ev);

	if (rc)
		return rc;
	if (op == K_EPOLL_CTL_ADD && file_is_epoll(target) &&
	    depth_below(target->obj, ep, 0) + 1 + depth_above(f, 0) > EP_MAX_NESTS)
		return -ELOOP;
	it = find(ep, target, fd);
	switch (op) {
	case K_EPOLL_CTL_ADD:
		if (it)
			return -EEXIST;
		add_item(k, ep, target, fd, ev);
		return 0;
	case K_EPOLL_CTL_DEL:
		if (!it)
			return -ENOENT;
		remove_item(k, it);
		return 0;
	case K_EPOLL_CTL_MOD:
		return it ? modify_item(k, it, ev) : -ENOENT;
	default:
		return -EINVAL;
	}
}

/* ---- life ---- */

static void epoll_release(struct kern *k, struct file *f)
{
	struct epoll *ep = f->obj;

	list_each_safe(it, tmp, &ep->items, struct epitem, of_ep)
		remove_item(k, it);
	arena_release(k->arena, ep->chain, ep->nchains * sizeof *ep->chain);
	arena_release_of(k->arena, ep);
}

static const struct file_ops epoll_ops = {
	.kind = "epoll",
	.poll = epoll_poll,
	.release = epoll_release,
};

struct file *epoll_new(struct kern *k, uint32_t flags)
{
	struct epoll *ep = arena_new_of(k->arena, struct epoll);

	list_init(&ep->items);
	list_init(&ep->ready);
	ep->file = file_new(k, &epoll_ops, ep, O_RDWR | flags);
	return ep->file;
}
