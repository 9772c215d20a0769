#include "kernel/pipe.h"

#include "base/mem.h"

#include <string.h>

struct pipe_buf {
	char *page;
	uint32_t off, len;
	bool packet; /* O_DIRECT: read alone, never appended to */
};

struct pipe {
	unsigned refs; /* ends, and the FIFO's inode */
	bool fifo;
	struct pipe_buf *buf; /* [slots] */
	unsigned slots, head, tail; /* head - tail are in use; slots is a power of two */
	unsigned readers, writers;
	unsigned reader_opens, writer_opens; /* how often it was opened so: r_counter and w_counter of the kernel */
	struct list ends; /* in the order of opening */
	struct waitq open_wq;
	uint64_t ino;
};

/* One open file of a pipe. */
struct pipe_end {
	struct list link;
	struct pipe *pipe;
	struct file *file;
	bool reads, writes;
	bool waits_for_writer, waits_for_reader; /* a FIFO's open that has not met its partner */
	bool no_hup;        /* opened with O_NONBLOCK when there was no writer: POLLHUP only after one came */
	unsigned opens_seen; /* the partner's counter at that time */
};

static const struct file_ops pipe_ops;

static struct pipe_end *end_of(const struct file *f)
{
	return f->obj;
}

static bool empty(const struct pipe *p)
{
	return p->head == p->tail;
}

static bool full(const struct pipe *p)
{
	return p->head - p->tail >= p->slots;
}

static struct pipe_buf *slot(struct pipe *p, unsigned i)
{
	return &p->buf[i & (p->slots - 1)];
}

static void tell(struct pipe *p, bool readers, bool writers, uint32_t events)
{
	list_each(e, &p->ends, struct pipe_end, link)
		if ((readers && e->reads) || (writers && e->writes))
			file_notify(e->file, events);
}

/* ---- data ---- */

static void drop_slot(struct kern *k, struct pipe *p)
{
	struct pipe_buf *b = slot(p, p->tail++);

	arena_release(k->arena, b->page, PIPE_PAGE);
	*b = (struct pipe_buf){0};
}

static int64_t pipe_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct pipe *p = end_of(f)->pipe;
	bool was_full = full(p);
	size_t done = 0;

	if (!len)
		return 0;
	if (empty(p))
		return p->writers ? -EAGAIN : 0;
	while (done < len && !empty(p)) {
		struct pipe_buf *b = slot(p, p->tail);
		size_t n = MIN(len - done, (size_t)b->len);
		bool packet = b->packet;
		memcpy((char *)buf + done, b->page + b->off, n);
		done += n;
		b->off += (uint32_t)n;
		b->len -= (uint32_t)n;
		if (packet || !b->len)
			drop_slot(k, p);
		if (packet)
			break; /* the rest of a packet that did not fit is lost: pipe(2) */
	}
	if (was_full && !full(p))
		tell(p, false, true, K_EPOLLOUT | K_EPOLLWRNORM);
	return (int64_t)done;
}

/* Appends the part of a write that does not fill a page to the last buffer, when there is room: as pipe_write() does. */
static size_t merge(struct pipe *p, const char *data, size_t len)
{
	size_t part = len & (PIPE_PAGE - 1);
	struct pipe_buf *b;

	if (!part || empty(p))
		return 0;
	b = slot(p, p->head - 1);
	if (b->packet || b->off + b->len + part > PIPE_PAGE)
		return 0;
	memcpy(b->page + b->off + b->len, data, part);
	b->len += (uint32_t)part;
	return part;
}

static int64_t pipe_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	struct pipe *p = end_of(f)->pipe;
	const char *data = buf;
	size_t done;

	if (!len)
		return 0;
	if (!p->readers)
		return -EPIPE;
	done = merge(p, data, len);
	while (done < len && !full(p)) {
		struct pipe_buf *b = slot(p, p->head++);
		b->page = arena_alloc(k->arena, PIPE_PAGE);
		b->packet = f->flags & O_DIRECT;
		b->len = (uint32_t)MIN(len - done, (size_t)PIPE_PAGE);
		memcpy(b->page, data + done, b->len);
		done += b->len;
	}
	/* Every write is an edge for epoll, not only the first one into an empty pipe, and even one that found no room
	 * (poll_usage in the kernel). */
	if (done || (f->flags & O_NONBLOCK))
		tell(p, true, false, K_EPOLLIN | K_EPOLLRDNORM);
	return done ? (int64_t)done : -EAGAIN;
}

static uint32_t pipe_poll(struct kern *k, struct file *f)
{
	const struct pipe_end *e = end_of(f);
	const struct pipe *p = e->pipe;
	uint32_t mask = 0;

	if (e->reads) {
		if (!empty(p))
			mask |= K_EPOLLIN | K_EPOLLRDNORM;
		if (!p->writers && !(e->no_hup && e->opens_seen == p->writer_opens))
			mask |= K_EPOLLHUP;
	}
	if (e->writes) {
		if (!full(p))
			mask |= K_EPOLLOUT | K_EPOLLWRNORM;
		if (!p->readers)
			mask |= K_EPOLLERR;
	}
	return mask;
}

static int64_t pipe_bytes_readable(struct kern *k, struct file *f)
{
	struct pipe *p = end_of(f)->pipe;
	int64_t n = 0;

	for (unsigned i = p->tail; i != p->head; i++)
		n += slot(p, i)->len;
	return n;
}

/* ---- life ---- */

static struct pipe *new_pipe(struct kern *k, bool fifo)
{
	struct pipe *p = arena_new_of(k->arena, struct pipe);

	p->fifo = fifo;
	p->slots = PIPE_SLOTS;
	p->buf = arena_alloc(k->arena, p->slots * sizeof *p->buf);
	list_init(&p->ends);
	waitq_init(&p->open_wq);
	return p;
}

struct pipe *pipe_new_fifo(struct kern *k)
{
	struct pipe *p = new_pipe(k, true);

	p->refs = 1;
	return p;
}

void pipe_unref(struct kern *k, struct pipe *p)
{
	if (--p->refs)
		return;
	while (!empty(p))
		drop_slot(k, p);
	arena_release(k->arena, p->buf, p->slots * sizeof *p->buf);
	arena_release_of(k->arena, p);
}

static void pipe_release(struct kern *k, struct file *f)
{
	struct pipe_end *e = end_of(f);
	struct pipe *p = e->pipe;

	list_del(&e->link);
	p->readers -= e->reads;
	p->writers -= e->writes;
	arena_release_of(k->arena, e);
	if (!p->readers != !p->writers)
		tell(p, true, true, 0);
	if (!p->readers && !p->writers)
		while (!empty(p))
			drop_slot(k, p);
	pipe_unref(k, p);
}

static const struct file_ops pipe_ops = {
	.kind = "pipe",
	.read = pipe_read,
	.write = pipe_write,
	.poll = pipe_poll,
	.release = pipe_release,
	.bytes_readable = pipe_bytes_readable,
};

static struct file *new_end(struct kern *k, struct pipe *p, uint32_t flags)
{
	struct pipe_end *e = arena_new_of(k->arena, struct pipe_end);
	unsigned mode = flags & O_ACCMODE;

	e->pipe = p;
	e->reads = mode != O_WRONLY;
	e->writes = mode != O_RDONLY;
	e->file = file_new(k, &pipe_ops, e, flags);
	if (!p->ino)
		p->ino = e->file->ino;
	e->file->ino = p->ino;
	list_add_tail(&p->ends, &e->link);
	p->refs++;
	p->readers += e->reads;
	p->writers += e->writes;
	p->reader_opens += e->reads;
	p->writer_opens += e->writes;
	return e->file;
}

void pipe_new(struct kern *k, uint32_t flags, struct file **rd, struct file **wr)
{
	struct pipe *p = new_pipe(k, false);

	*rd = new_end(k, p, (flags & ~(uint32_t)O_ACCMODE) | O_RDONLY);
	*wr = new_end(k, p, (flags & ~(uint32_t)O_ACCMODE) | O_WRONLY);
}

struct pipe *file_pipe(const struct file *f)
{
	return f->ops == &pipe_ops ? end_of(f)->pipe : NULL;
}

/* ---- opening a FIFO: fifo_open() in fs/pipe.c ---- */

int pipe_open(struct kern *k, struct pipe *p, uint32_t flags, struct file **out)
{
	unsigned mode = flags & O_ACCMODE;
	bool nonblock = flags & O_NONBLOCK;
	struct pipe_end *e;

	if (mode == O_WRONLY && p->fifo && nonblock && !p->readers)
		return -ENXIO;
	*out = new_end(k, p, flags);
	e = end_of(*out);
	if (p->fifo && mode == O_RDONLY && !p->writers) {
		e->no_hup = nonblock;
		e->waits_for_writer = !nonblock;
		e->opens_seen = p->writer_opens;
	} else if (p->fifo && mode == O_WRONLY && !p->readers) {
		e->waits_for_reader = true;
		e->opens_seen = p->reader_opens;
	}
	/* Partners that wait for this one; and pollers, for whom POLLERR or POLLHUP has gone. */
	waitq_wake(&p->open_wq, 0);
	return 0;
}

bool pipe_open_waits(const struct file *f)
{
	const struct pipe_end *e = end_of(f);

	return (e->waits_for_writer && e->opens_seen == e->pipe->writer_opens) ||
	       (e->waits_for_reader && e->opens_seen == e->pipe->reader_opens);
}

struct waitq *pipe_open_wq(const struct file *f)
{
	return &end_of(f)->pipe->open_wq;
}

/* ---- for splice ---- */

size_t pipe_peek(const struct file *f, void *buf, size_t len)
{
	struct pipe *p = end_of(f)->pipe;
	size_t done = 0;

	for (unsigned i = p->tail; i != p->head && done < len; i++) {
		const struct pipe_buf *b = slot(p, i);
		size_t n = MIN(len - done, (size_t)b->len);
		memcpy((char *)buf + done, b->page + b->off, n);
		done += n;
	}
	return done;
}

size_t pipe_room(const struct file *f)
{
	const struct pipe *p = end_of(f)->pipe;

	return (size_t)(p->slots - (p->head - p->tail)) * PIPE_PAGE;
}

bool pipe_has_partner(const struct file *f)
{
	const struct pipe_end *e = end_of(f);

	return e->reads ? e->pipe->writers > 0 : e->pipe->readers > 0;
}

/* ---- size ---- */

int64_t pipe_size(const struct pipe *p)
{
	return (int64_t)p->slots * PIPE_PAGE;
}

int64_t pipe_set_size(struct kern *k, struct pipe *p, uint64_t bytes)
{
	unsigned slots = 1, used = p->head - p->tail;
	struct pipe_buf *buf;

	bytes = (uint32_t)bytes; /* pipe_fcntl() takes an unsigned int */
	if (bytes > 1u << 31)
		return -EINVAL;
	while ((uint64_t)slots * PIPE_PAGE < bytes)
		slots *= 2;
	if (slots > p->slots && slots > PIPE_SIZE_MAX / PIPE_PAGE)
		return -EPERM; /* without CAP_SYS_RESOURCE, which guests never have */
	if (slots < used)
		return -EBUSY;
	buf = arena_alloc(k->arena, slots * sizeof *buf);
	for (unsigned i = 0; i < used; i++)
		buf[i] = *slot(p, p->tail + i);
	arena_release(k->arena, p->buf, p->slots * sizeof *p->buf);
	p->buf = buf;
	p->slots = slots;
	p->tail = 0;
	p->head = used;
	tell(p, false, true, K_EPOLLOUT | K_EPOLLWRNORM);
	return pipe_size(p);
}
