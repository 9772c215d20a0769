#include "kernel/chardev.h"

#include "base/mem.h"
#include "kernel/node.h"
#include "kernel/task.h"

#include <string.h>

/* drivers/char/mem.c: null_lseek() */
static int64_t seek_start(struct kern *k, struct file *f, int64_t off, int whence)
{
	return f->pos = 0;
}

static int64_t read_none(struct kern *k, struct file *f, void *buf, size_t len)
{
	return 0;
}

static int64_t pread_none(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	return 0;
}

static int64_t write_all(struct kern *k, struct file *f, const void *buf, size_t len)
{
	return (int64_t)len;
}

static int64_t pwrite_all(struct kern *k, struct file *f, const void *buf, size_t len, int64_t pos)
{
	return (int64_t)len;
}

static int64_t read_zeros(struct kern *k, struct file *f, void *buf, size_t len)
{
	memset(buf, 0, len);
	return (int64_t)len;
}

static int64_t pread_zeros(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	return read_zeros(k, f, buf, len);
}

static int64_t write_full(struct kern *k, struct file *f, const void *buf, size_t len)
{
	return -ENOSPC;
}

static int64_t pwrite_full(struct kern *k, struct file *f, const void *buf, size_t len, int64_t pos)
{
	return -ENOSPC;
}

/* From the stream of the reader's node, whoever opened the device. */
static int64_t read_random(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct node *n = k->current ? k->current->proc->node : NULL;

	rng_bytes(n ? &n->rng : &k->guest_rng, buf, len);
	return (int64_t)len;
}

static int64_t pread_random(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	return read_random(k, f, buf, len);
}

/* random_poll() of a seeded generator: never writable */
static uint32_t poll_random(struct kern *k, struct file *f)
{
	return K_EPOLLIN | K_EPOLLRDNORM;
}

static const struct chardev {
	const char *name;
	int minor;
	bool random;
	struct file_ops ops;
} devices[] = {
	{"null", 3, false,
	 {.kind = "null", .read = read_none, .write = write_all, .pread = pread_none, .pwrite = pwrite_all, .seek = seek_start}},
	{"zero", 5, false,
	 {.kind = "zero", .read = read_zeros, .write = write_all, .pread = pread_zeros, .pwrite = pwrite_all, .seek = seek_start}},
	{"full", 7, false,
	 {.kind = "full", .read = read_zeros, .write = write_full, .pread = pread_zeros, .pwrite = pwrite_full,
	  .seek = seek_start}},
	{"random", 8, true,
	 {.kind = "random", .read = read_random, .write = write_all, .pread = pread_random, .pwrite = pwrite_all,
	  .poll = poll_random, .seek = seek_start}},
	{"urandom", 9, true,
	 {.kind = "urandom", .read = read_random, .write = write_all, .pread = pread_random, .pwrite = pwrite_all,
	  .seek = seek_start}},
};

static const struct chardev *device_of(const struct file *f)
{
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		if (f->ops == &devices[i].ops)
			return &devices[i];
	return NULL;
}

struct file *chardev_open(struct kern *k, const char *name, uint32_t flags)
{
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		if (!strcmp(name, devices[i].name))
			return file_new(k, &devices[i].ops, NULL, flags);
	return NULL;
}

int chardev_minor(const struct file *f)
{
	const struct chardev *d = device_of(f);

	return d ? d->minor : -1;
}

bool chardev_is_random(const struct file *f)
{
	const struct chardev *d = device_of(f);

	return d && d->random;
}

struct file *eof_new(struct kern *k)
{
	return chardev_open(k, "null", O_RDONLY);
}

/* ---- standard output ---- */

struct sink {
	sink_fn emit;
	void *ctx;
};

static int64_t sink_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	const struct sink *s = f->obj;

	s->emit(s->ctx, buf, len);
	return (int64_t)len;
}

static uint32_t sink_poll(struct kern *k, struct file *f)
{
	return K_EPOLLOUT | K_EPOLLWRNORM;
}

static void sink_release(struct kern *k, struct file *f)
{
	struct sink *s = f->obj;

	arena_release_of(k->arena, s);
}

static const struct file_ops sink_ops = {
	.kind = "pipe",
	.write = sink_write,
	.poll = sink_poll,
	.release = sink_release,
};

struct file *sink_new(struct kern *k, sink_fn emit, void *ctx)
{
	struct sink *s = arena_new_of(k->arena, struct sink);

	s->emit = emit;
	s->ctx = ctx;
	return file_new(k, &sink_ops, s, O_WRONLY);
}

bool file_is_sink(const struct file *f)
{
	return f->ops == &sink_ops;
}
