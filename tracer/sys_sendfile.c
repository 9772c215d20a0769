/* sendfile and copy_file_range: from file to file through a buffer of ours. */
#include "tracer/realfile.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"

#include "base/mem.h"

/* ---- sendfile ---- */

/* Scratch words of the call: bytes moved so far, and where it began. */
enum { S_MOVED, S_START };

struct sending {
	struct file *in, *out;
	size_t total;
};

/* Writes len bytes that were read; how many, or -errno. */
static int64_t send_chunk(struct call *c, struct file *out, const void *buf, size_t len)
{
	int64_t n;

	if (out->ops->write)
		return out->ops->write(c->k, out, buf, len);
	n = rw_limit(c, out, out->pos, len);
	if (n >= 0)
		n = out->ops->pwrite(c->k, out, buf, (size_t)n, out->pos);
	if (n > 0)
		out->pos += n;
	return n;
}

/* Moves what can be moved now; c->s[S_MOVED] counts. 0 at the end, or -errno. */
static int64_t send_some(struct call *c, const struct sending *s)
{
	while (c->s[S_MOVED] < s->total) {
		size_t len = MIN(s->total - c->s[S_MOVED], (size_t)RW_STREAM_CHUNK);
		void *buf = call_scratch(c, len);
		int64_t got = s->in->ops->pread(c->k, s->in, buf, len, (int64_t)(c->s[S_START] + c->s[S_MOVED])), n;
		if (got <= 0)
			return got;
		n = send_chunk(c, s->out, buf, (size_t)got);
		if (n <= 0)
			return n;
		c->s[S_MOVED] += (uint64_t)n;
	}
	return 0;
}

/* The checks of do_sendfile(), in its order. 0 or -errno. */
static int check_send(struct call *c, struct sending *s)
{
	s->in = call_file(c, c->arg[1]);
	if (!s->in || !file_readable(s->in))
		return -EBADF;
	if (c->arg[2] && !s->in->ops->pread)
		return -ESPIPE;
	if ((int64_t)c->s[S_START] < 0 || (int64_t)c->arg[3] < 0)
		return -EINVAL;
	s->out = call_hold(c, c->arg[0]);
	if (!s->out || !file_writable(s->out))
		return -EBADF;
	/* Only from what can be read again at a position: splice_direct_to_actor(). */
	if (!s->in->ops->pread || (!s->out->ops->write && !s->out->ops->pwrite) || (s->out->flags & O_APPEND))
		return -EINVAL;
	s->total = MIN(c->arg[3], (uint64_t)RW_COUNT_MAX);
	return 0;
}

/* The position goes back to where it came from: the caller's variable, or the file. */
static int store_position(struct call *c, struct file *in)
{
	int64_t pos = (int64_t)(c->s[S_START] + c->s[S_MOVED]);

	if (c->arg[2])
		return copy_out(c, c->arg[2], &pos, sizeof pos);
	in->pos = pos;
	return 0;
}

struct verdict sys_sendfile(struct call *c)
{
	struct sending s = {0};
	int64_t rc, moved;

	if (!c->tries && c->arg[2] && copy_in(c, &c->s[S_START], c->arg[2], sizeof c->s[S_START]))
		return FAIL(EFAULT);
	if (!c->tries && !c->arg[2] && call_file(c, c->arg[1]))
		c->s[S_START] = (uint64_t)call_file(c, c->arg[1])->pos;
	rc = check_send(c, &s);
	if (rc)
		return c->s[S_MOVED] ? REPLY(c->s[S_MOVED]) : REPLY(rc);
	rc = send_some(c, &s);
	if (rc == -EPIPE)
		rw_sigpipe(c);
	if (store_position(c, s.in))
		return FAIL(EFAULT);
	moved = (int64_t)c->s[S_MOVED];
	if (rc == -EAGAIN)
		return rw_wait(c, s.out, true, false, moved ? moved : -K_ERESTARTSYS);
	return moved ? REPLY(moved) : REPLY(rc);
}

/* ---- copy_file_range ---- */

struct copying {
	struct file *in, *out;
	int64_t from, to;
	uint64_t len;
};

static bool same_inode(const struct file *a, const struct file *b)
{
	const struct realfile *x = realfile_of(a), *y = realfile_of(b);

	return x->dev == y->dev && x->ino == y->ino;
}

/* generic_file_rw_checks() and generic_copy_checks() */
static int check_copy(struct call *c, struct copying *cp)
{
	const struct realfile *in = realfile_of(cp->in), *out = realfile_of(cp->out);
	int64_t end;

	if ((in && S_ISDIR(in->type)) || (out && S_ISDIR(out->type)))
		return -EISDIR;
	if (!in || !out || !S_ISREG(in->type) || !S_ISREG(out->type))
		return -EINVAL;
	if (!file_readable(cp->in) || !file_writable(cp->out) || (cp->out->flags & O_APPEND))
		return -EBADF;
	if (cp->from < 0 || cp->to < 0)
		return -EINVAL;
	if (cp->len > INT64_MAX - (uint64_t)MAX(cp->from, cp->to))
		return -EOVERFLOW;
	end = cp->in->ops->end(c->k, cp->in);
	if (end < 0)
		return (int)end;
	cp->len = cp->from >= end ? 0 : MIN(cp->len, (uint64_t)(end - cp->from));
	cp->len = MIN(cp->len, (uint64_t)RW_COUNT_MAX);
	if (same_inode(cp->in, cp->out) && cp->to + (int64_t)cp->len > cp->from && cp->to < cp->from + (int64_t)cp->len)
		return -EINVAL;
	return 0;
}

static int64_t copy_some(struct call *c, const struct copying *cp)
{
	uint64_t moved = 0;

	while (moved < cp->len) {
		size_t len = MIN(cp->len - moved, (uint64_t)RW_CHUNK);
		void *buf = call_scratch(c, len);
		int64_t n = cp->in->ops->pread(c->k, cp->in, buf, len, cp->from + (int64_t)moved);
		if (n > 0)
			n = rw_limit(c, cp->out, cp->to + (int64_t)moved, (size_t)n);
		if (n > 0)
			n = cp->out->ops->pwrite(c->k, cp->out, buf, (size_t)n, cp->to + (int64_t)moved);
		if (n <= 0)
			return moved ? (int64_t)moved : n;
		moved += (uint64_t)n;
	}
	return (int64_t)moved;
}

/* A position that moved on goes back to the caller's variable, or the file. */
static int put_position(struct call *c, uint64_t var, struct file *f, int64_t pos)
{
	if (var)
		return copy_out(c, var, &pos, sizeof pos);
	f->pos = pos;
	return 0;
}

struct verdict sys_copy_file_range(struct call *c)
{
	struct copying cp = {.in = call_file(c, c->arg[0]), .out = call_file(c, c->arg[2]), .len = c->arg[4]};
	int64_t n;

	if (!cp.in || !cp.out || ((cp.in->flags | cp.out->flags) & O_PATH))
		return FAIL(EBADF);
	cp.from = cp.in->pos;
	cp.to = cp.out->pos;
	if (c->arg[1] && copy_in(c, &cp.from, c->arg[1], sizeof cp.from))
		return FAIL(EFAULT);
	if (c->arg[3] && copy_in(c, &cp.to, c->arg[3], sizeof cp.to))
		return FAIL(EFAULT);
	if (c->arg[5])
		return FAIL(EINVAL);
	n = check_copy(c, &cp);
	if (!n)
		n = copy_some(c, &cp);
	if (n <= 0)
		return REPLY(n);
	if (put_position(c, c->arg[1], cp.in, cp.from + n) || put_position(c, c->arg[3], cp.out, cp.to + n))
		return FAIL(EFAULT);
	return REPLY(n);
}
