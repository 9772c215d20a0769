/* splice(2), tee(2), vmsplice(2): by copying, since no page is ever shared here. */
#include "tracer/sys_rw.h"

#include "base/mem.h"
#include "kernel/pipe.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <fcntl.h>

enum { SPLICE_FLAGS = SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE | SPLICE_F_GIFT };

/* One transfer. A position is the caller's variable, the file's, or none. */
struct splicing {
	struct file *in, *out;
	uint64_t in_var, out_var;
	int64_t in_pos, out_pos;
	size_t len;
	bool nonblock;
};

/* ---- moving ---- */

static bool seekable(const struct file *f)
{
	return f->ops->pread && !f->ops->read;
}

static int64_t read_in(struct call *c, struct splicing *s, void *buf, size_t len)
{
	if (s->in_var || seekable(s->in))
		return s->in->ops->pread(c->k, s->in, buf, len, s->in_pos);
	return s->in->ops->read ? s->in->ops->read(c->k, s->in, buf, len) : -EINVAL;
}

static int64_t write_out(struct call *c, struct splicing *s, const void *buf, size_t len)
{
	int64_t may;

	if (!s->out_var && s->out->ops->write)
		return s->out->ops->write(c->k, s->out, buf, len);
	may = rw_limit(c, s->out, s->out_pos, len);
	return may < 0 ? may : s->out->ops->pwrite(c->k, s->out, buf, (size_t)may, s->out_pos);
}

/* Bytes that were written are taken out of the pipe. */
static void drop(struct call *c, struct file *pipe, size_t n)
{
	pipe->ops->read(c->k, pipe, call_scratch(c, n), n);
}

/* From something into a pipe: only as much as certainly fits. */
static int64_t into_pipe(struct call *c, struct splicing *s, struct file **wait_for)
{
	size_t room = pipe_room(s->out), len = MIN(s->len, room);
	void *buf;
	int64_t n;

	*wait_for = s->out;
	if (!pipe_has_partner(s->out))
		return -EPIPE;
	if (!len)
		return -EAGAIN;
	buf = call_scratch(c, len);
	*wait_for = s->in;
	n = read_in(c, s, buf, len);
	if (n <= 0)
		return n;
	s->in_pos += n;
	return s->out->ops->write(c->k, s->out, buf, (size_t)n);
}

/* From a pipe into something: all that is there, as far as it is taken. */
static int64_t from_pipe(struct call *c, struct splicing *s, struct file **wait_for)
{
	size_t moved = 0;

	while (moved < s->len) {
		size_t len = MIN(s->len - moved, (size_t)RW_STREAM_CHUNK);
		void *buf = call_scratch(c, len);
		size_t got = pipe_peek(s->in, buf, len);
		int64_t n;
		*wait_for = s->in;
		if (!got && !moved && pipe_has_partner(s->in))
			return -EAGAIN;
		if (!got)
			break;
		*wait_for = s->out;
		n = write_out(c, s, buf, got);
		if (n < 0)
			return moved ? (int64_t)moved : n;
		drop(c, s->in, (size_t)n);
		s->out_pos += n;
		moved += (size_t)n;
		if ((size_t)n < got)
			break;
	}
	return (int64_t)moved;
}

/* From pipe to pipe; tee leaves the source as it is. */
static int64_t pipe_to_pipe(struct call *c, struct splicing *s, bool tee, struct file **wait_for)
{
	size_t len = MIN(s->len, pipe_room(s->out));
	void *buf;
	size_t got;
	int64_t n;

	*wait_for = s->out;
	if (!pipe_has_partner(s->out))
		return -EPIPE;
	if (!len)
		return -EAGAIN;
	buf = call_scratch(c, len);
	got = pipe_peek(s->in, buf, len);
	*wait_for = s->in;
	if (!got)
		return pipe_has_partner(s->in) ? -EAGAIN : 0;
	n = s->out->ops->write(c->k, s->out, buf, got);
	if (n > 0 && !tee)
		drop(c, s->in, (size_t)n);
	return n;
}

/* ---- the calls ---- */

static struct verdict finish(struct call *c, struct splicing *s, int64_t n, struct file *wait_for)
{
	bool pipe = file_pipe(wait_for) != NULL;

	if (n == -EPIPE)
		rw_sigpipe(c);
	if (n != -EAGAIN)
		return REPLY(n);
	return rw_wait(c, wait_for, wait_for == s->out, pipe && s->nonblock, -K_ERESTARTSYS);
}

/* The checks of do_splice(). 0 or -errno. */
static int check(struct call *c, struct splicing *s)
{
	bool from = file_pipe(s->in), to = file_pipe(s->out);

	if (!file_readable(s->in) || !file_writable(s->out))
		return -EBADF;
	if ((from && s->in_var) || (to && s->out_var))
		return -ESPIPE;
	if (!from && !to)
		return -EINVAL;
	if (from && to && file_pipe(s->in) == file_pipe(s->out))
		return -EINVAL;
	if ((s->in_var && !s->in->ops->pread) || (s->out_var && !s->out->ops->pwrite))
		return -EINVAL;
	if (from && !to && ((s->out->flags & O_APPEND) || (!s->out->ops->write && !s->out->ops->pwrite)))
		return -EINVAL;
	(void)c;
	return 0;
}

/* Reads the positions. 0 or -errno. */
static int get_positions(struct call *c, struct splicing *s)
{
	s->in_pos = s->in->pos;
	s->out_pos = s->out->pos;
	if (s->in_var && copy_in(c, &s->in_pos, s->in_var, sizeof s->in_pos))
		return -EFAULT;
	if (s->out_var && copy_in(c, &s->out_pos, s->out_var, sizeof s->out_pos))
		return -EFAULT;
	return s->in_pos < 0 || s->out_pos < 0 ? -EINVAL : 0;
}

static int put_positions(struct call *c, struct splicing *s)
{
	if (s->in_var)
		return copy_out(c, s->in_var, &s->in_pos, sizeof s->in_pos);
	if (s->out_var)
		return copy_out(c, s->out_var, &s->out_pos, sizeof s->out_pos);
	if (seekable(s->in))
		s->in->pos = s->in_pos;
	if (seekable(s->out))
		s->out->pos = s->out_pos;
	return 0;
}

struct verdict sys_splice(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[5];
	struct splicing s = {.in_var = c->arg[1], .out_var = c->arg[3], .nonblock = flags & SPLICE_F_NONBLOCK};
	struct file *wait_for;
	int64_t n;

	if (!c->arg[4])
		return REPLY(0);
	if (flags & ~(uint32_t)SPLICE_FLAGS)
		return FAIL(EINVAL);
	s.in = call_file(c, c->arg[0]);
	s.out = call_file(c, c->arg[2]);
	if (!s.in || !s.out)
		return FAIL(EBADF);
	s.len = MIN(c->arg[4], (uint64_t)RW_COUNT_MAX);
	n = check(c, &s);
	if (!n)
		n = get_positions(c, &s);
	if (n)
		return REPLY(n);
	if (file_pipe(s.in) && file_pipe(s.out))
		n = pipe_to_pipe(c, &s, false, &wait_for);
	else
		n = file_pipe(s.in) ? from_pipe(c, &s, &wait_for) : into_pipe(c, &s, &wait_for);
	if (n > 0 && put_positions(c, &s))
		return FAIL(EFAULT);
	return finish(c, &s, n, wait_for);
}

struct verdict sys_tee(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[3];
	struct splicing s = {.nonblock = flags & SPLICE_F_NONBLOCK, .len = MIN(c->arg[2], (uint64_t)RW_COUNT_MAX)};
	struct file *wait_for;
	int64_t n;

	if (flags & ~(uint32_t)SPLICE_FLAGS)
		return FAIL(EINVAL);
	if (!s.len)
		return REPLY(0);
	s.in = call_file(c, c->arg[0]);
	s.out = call_file(c, c->arg[1]);
	if (!s.in || !s.out || !file_readable(s.in) || !file_writable(s.out))
		return FAIL(EBADF);
	if (!file_pipe(s.in) || !file_pipe(s.out) || file_pipe(s.in) == file_pipe(s.out))
		return FAIL(EINVAL);
	n = pipe_to_pipe(c, &s, true, &wait_for);
	return finish(c, &s, n, wait_for);
}

/* ---- vmsplice ---- */

static int64_t gather(struct call *c, struct file *f, const struct guest_iov *iov, size_t niov, size_t total)
{
	size_t len = MIN(total, pipe_room(f));
	void *buf;
	int64_t n;

	if (!pipe_has_partner(f))
		return -EPIPE;
	if (!len)
		return -EAGAIN;
	buf = call_scratch(c, len);
	n = iov_copy_in(c, iov, niov, 0, buf, len);
	return n <= 0 ? n : f->ops->write(c->k, f, buf, (size_t)n);
}

static int64_t scatter(struct call *c, struct file *f, const struct guest_iov *iov, size_t niov, size_t total)
{
	size_t len = MIN(total, (size_t)PIPE_SIZE_MAX);
	void *buf = call_scratch(c, len);
	int64_t n = f->ops->read(c->k, f, buf, len);

	return n <= 0 ? n : iov_copy_out(c, iov, niov, 0, buf, (size_t)n);
}

struct verdict sys_vmsplice(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[3];
	struct guest_iov iov[GUEST_IOV_MAX];
	struct splicing s = {.nonblock = flags & SPLICE_F_NONBLOCK};
	struct file *f = call_file(c, c->arg[0]);
	size_t total;
	int64_t n;

	if (flags & ~(uint32_t)SPLICE_FLAGS)
		return FAIL(EINVAL);
	if (!f || (f->flags & O_PATH) || !file_pipe(f))
		return FAIL(EBADF);
	n = iov_read(c, c->arg[1], c->arg[2], iov, &total);
	if (n || !total)
		return REPLY(n);
	s.in = s.out = f;
	n = file_writable(f) ? gather(c, f, iov, c->arg[2], total) : scatter(c, f, iov, c->arg[2], total);
	return finish(c, &s, n, f);
}
