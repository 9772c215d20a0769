#include "kernel/eventfd.h"

#include <string.h>

struct eventfd {
	uint64_t count;
	bool semaphore;
};

static int64_t eventfd_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct eventfd *e = f->obj;
	uint64_t v;

	if (len < sizeof v)
		return -EINVAL;
	if (!e->count)
		return -EAGAIN;
	v = e->semaphore ? 1 : e->count;
	e->count -= v;
	memcpy(buf, &v, sizeof v);
	file_notify(f, K_EPOLLOUT);
	return sizeof v;
}

static int64_t eventfd_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	struct eventfd *e = f->obj;
	uint64_t v;

	if (len != sizeof v) /* since Linux 6.9 */
		return -EINVAL;
	memcpy(&v, buf, sizeof v);
	if (v == UINT64_MAX)
		return -EINVAL;
	if (UINT64_MAX - e->count <= v)
		return -EAGAIN;
	e->count += v;
	file_notify(f, K_EPOLLIN);
	return sizeof v;
}

static uint32_t eventfd_poll(struct kern *k, struct file *f)
{
	const struct eventfd *e = f->obj;

	return (e->count ? K_EPOLLIN : 0) | (e->count < UINT64_MAX - 1 ? K_EPOLLOUT : 0);
}

static void eventfd_release(struct kern *k, struct file *f)
{
	struct eventfd *e = f->obj;

	arena_release_of(k->arena, e);
}

static const struct file_ops eventfd_ops = {
	.kind = "eventfd",
	.read = eventfd_read,
	.write = eventfd_write,
	.poll = eventfd_poll,
	.release = eventfd_release,
};

struct file *eventfd_new(struct kern *k, uint64_t count, bool semaphore, uint32_t flags)
{
	struct eventfd *e = arena_new_of(k->arena, struct eventfd);

	e->count = count;
	e->semaphore = semaphore;
	return file_new(k, &eventfd_ops, e, O_RDWR | flags);
}
