#include "kernel/file.h"

#include "kernel/epoll.h"
#include "kernel/task.h"

struct file *file_new(struct kern *k, const struct file_ops *ops, void *obj, uint32_t flags)
{
	struct file *f = arena_new_of(k->arena, struct file);

	f->ops = ops;
	f->obj = obj;
	f->refs = 1;
	f->flags = flags;
	f->id = k->next_file_id++;
	f->ino = f->id;
	f->node = k->current ? k->current->proc->node : NULL;
	waitq_init(&f->wq);
	list_init(&f->epitems);
	return f;
}

void file_unref(struct kern *k, struct file *f)
{
	if (--f->refs)
		return;
	epoll_forget(k, f);
	/* Nobody may be left waiting on memory that is about to go: they look again, and find the descriptor closed. (Threads
	 * of a process that is being killed are not woken, only unlinked.) */
	waitq_wake(&f->wq, 0);
	while (!list_empty(&f->wq.waiters))
		list_del(f->wq.waiters.next);
	if (f->ops->release)
		f->ops->release(k, f);
	arena_release_of(k->arena, f);
}

uint32_t file_poll(struct kern *k, struct file *f)
{
	/* DEFAULT_POLLMASK of include/linux/poll.h */
	return f->ops->poll ? f->ops->poll(k, f) : K_EPOLLIN | K_EPOLLOUT | K_EPOLLRDNORM | K_EPOLLWRNORM;
}

void file_notify(struct file *f, uint32_t events)
{
	waitq_wake(&f->wq, events);
	epoll_notify(f, events);
}

int64_t file_seek(struct kern *k, struct file *f, int64_t off, int whence)
{
	int64_t end = 0, base = 0;

	if (whence != SEEK_SET && whence != SEEK_CUR) {
		end = f->ops->end ? f->ops->end(k, f) : 0;
		if (end < 0)
			return end;
	}
	switch (whence) {
	case SEEK_CUR:
		base = f->pos;
		break;
	case SEEK_END:
		base = end;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		if (off < 0 || off >= end)
			return -ENXIO;
		if (whence == SEEK_HOLE)
			off = end;
		break;
	}
	if (__builtin_add_overflow(base, off, &off))
		return -EOVERFLOW;
	if (off < 0)
		return -EINVAL;
	return f->pos = off;
}
