/* read, write and their vector and positioned forms; lseek. */
#include "tracer/sys_rw.h"

#include "base/mem.h"
#include "tracer/sys_tty.h"
#include "tracer/syscalls.h"

#include <string.h>
#include <unistd.h>

/* include/uapi/linux/fs.h */
enum { K_RWF_HIPRI = 1, K_RWF_DSYNC = 2, K_RWF_SYNC = 4, K_RWF_NOWAIT = 8, K_RWF_APPEND = 16, K_RWF_NOAPPEND = 32 };
enum { RWF_SERVED = K_RWF_HIPRI | K_RWF_DSYNC | K_RWF_SYNC | K_RWF_NOWAIT | K_RWF_APPEND | K_RWF_NOAPPEND };
enum { RLIM_FSIZE = 1 };

/* One transfer between a file and the caller's memory. */
struct io {
	struct file *f;
	const struct guest_iov *iov;
	size_t niov, total;
	bool positioned; /* pread and its kin: at pos, which is not the file's */
	int64_t pos;
	uint32_t rwf;
};

bool file_readable(const struct file *f)
{
	unsigned mode = f->flags & O_ACCMODE;

	return !(f->flags & O_PATH) && (mode == O_RDONLY || mode == O_RDWR);
}

bool file_writable(const struct file *f)
{
	unsigned mode = f->flags & O_ACCMODE;

	return !(f->flags & O_PATH) && (mode == O_WRONLY || mode == O_RDWR);
}

void rw_sigpipe(struct call *c)
{
	sig_send_simple(c->k, c->proc, c->thread, SIGPIPE, SI_USER, c->proc->pid);
}

int64_t rw_limit(struct call *c, const struct file *f, int64_t pos, size_t len)
{
	uint64_t limit = c->proc->rlim[RLIM_FSIZE][0];

	if (!f->ops->end || limit > INT64_MAX)
		return (int64_t)len;
	if (pos >= (int64_t)limit && len) {
		sig_send_simple(c->k, c->proc, c->thread, SIGXFSZ, SI_USER, c->proc->pid);
		return -EFBIG;
	}
	return (int64_t)MIN(len, limit - (uint64_t)pos);
}

static const char *wait_text(const struct file *f, bool write)
{
	static const struct {
		const char *kind, *read, *write;
	} texts[] = {
		{"pipe", "read of a pipe", "write to a pipe"},
		{"eventfd", "read of an eventfd", "write to an eventfd"},
		{"timerfd", "read of a timerfd", "write to a timerfd"},
		{"signalfd", "read of a signalfd", "write to a signalfd"},
		{"tcp", "read of a TCP socket", "write to a TCP socket"},
		{"unix", "read of a unix socket", "write to a unix socket"},
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!strcmp(f->ops->kind, texts[i].kind))
			return write ? texts[i].write : texts[i].read;
	return write ? "write" : "read";
}

struct verdict rw_wait(struct call *c, struct file *f, bool write, bool nonblock, int64_t intr)
{
	int64_t limit = f->ops->timeout ? f->ops->timeout(c->k, f, write) : 0;
	int64_t moved = intr > 0 ? intr : 0;

	if (nonblock || (f->flags & O_NONBLOCK) || (limit > 0 && c->thread->timed_out))
		return moved ? REPLY(moved) : FAIL(EAGAIN);
	call_wait_file(c, f, wait_text(f, write));
	if (limit > 0) {
		call_wait_rel(c, limit);
		if (intr == -K_ERESTARTSYS)
			intr = -EINTR; /* sock_intr_errno() */
	}
	call_keep(c, f);
	return BLOCK(intr);
}

/* ---- reading ---- */

static int64_t read_some(struct kern *k, struct io *io, void *buf, size_t len, size_t moved)
{
	const struct file_ops *ops = io->f->ops;

	if (io->positioned)
		return ops->pread(k, io->f, buf, len, io->pos + (int64_t)moved);
	if (ops->read)
		return ops->read(k, io->f, buf, len);
	return ops->pread(k, io->f, buf, len, io->f->pos + (int64_t)moved);
}

/* Bytes moved, or -errno when none were. */
static int64_t read_all(struct call *c, struct io *io)
{
	size_t moved = 0;

	for (;;) {
		size_t len = MIN(io->total - moved, (size_t)RW_CHUNK);
		void *buf = call_scratch(c, len);
		int64_t n = read_some(c->k, io, buf, len, moved), out;
		if (n < 0)
			return moved ? (int64_t)moved : n;
		out = iov_copy_out(c, io->iov, io->niov, moved, buf, (size_t)n);
		if (out < 0)
			return moved ? (int64_t)moved : out;
		moved += (size_t)out;
		if (out < n || (size_t)n < len || moved == io->total)
			return (int64_t)moved;
	}
}

static struct verdict do_read(struct call *c, struct io *io)
{
	struct file *f = io->f;
	int64_t n;

	if (!f->ops->read && !f->ops->pread)
		return FAIL(EINVAL);
	if (tty_of(f))
		return tty_read(c, f, io->iov, io->niov, io->total);
	n = read_all(c, io);
	if (n == -EAGAIN)
		return rw_wait(c, f, false, io->rwf & K_RWF_NOWAIT, -K_ERESTARTSYS);
	if (n > 0 && !io->positioned && !f->ops->read)
		f->pos += n;
	return REPLY(n);
}

/* ---- writing ---- */

static int64_t write_some(struct call *c, struct io *io, const void *buf, size_t len, size_t moved)
{
	const struct file_ops *ops = io->f->ops;
	int64_t at = (io->positioned ? io->pos : io->f->pos) + (int64_t)moved, may;

	if (!io->positioned && ops->write)
		return ops->write(c->k, io->f, buf, len);
	may = rw_limit(c, io->f, at, len);
	return may < 0 ? may : ops->pwrite(c->k, io->f, buf, (size_t)may, at);
}

/* Moves what can be moved now; *moved is kept from try to try. 0, or -errno: -EAGAIN when the rest has to wait. */
static int64_t write_all(struct call *c, struct io *io, size_t *moved)
{
	bool stream = !io->positioned && io->f->ops->write && !io->f->ops->messages;
	size_t chunk = stream ? RW_STREAM_CHUNK : RW_CHUNK;

	for (;;) {
		size_t len = MIN(io->total - *moved, chunk);
		char *buf = call_scratch(c, len);
		int64_t got = iov_copy_in(c, io->iov, io->niov, *moved, buf, len), n;
		if (got < 0)
			return got;
		n = write_some(c, io, buf, (size_t)got, *moved);
		if (n < 0)
			return n;
		*moved += (size_t)n;
		if (!n || *moved == io->total || (size_t)got < len || (n < got && !stream))
			return 0;
		/* A stream that took only a part is full, most likely: only a little is copied to find out. */
		chunk = n < got ? 4096 : RW_STREAM_CHUNK;
	}
}

/* Where a write to a seekable file begins. */
static int64_t start_of_write(struct call *c, struct io *io)
{
	bool append = (io->rwf & K_RWF_APPEND) || ((io->f->flags & O_APPEND) && !(io->rwf & K_RWF_NOAPPEND));
	int64_t end;

	if (!append || !io->f->ops->end)
		return 0;
	end = io->f->ops->end(c->k, io->f);
	if (end < 0)
		return end;
	if (io->positioned)
		io->pos = end;
	else
		io->f->pos = end;
	return 0;
}

static struct verdict do_write(struct call *c, struct io *io)
{
	struct file *f = io->f;
	size_t moved = c->s[0];
	struct verdict v;
	int64_t rc;

	if (!f->ops->write && !f->ops->pwrite)
		return FAIL(EINVAL);
	if (!moved && tty_of(f) && !tty_may_write(c, f, &v))
		return v;
	rc = start_of_write(c, io);
	if (!rc)
		rc = write_all(c, io, &moved);
	if (rc == -EPIPE && !f->ops->messages)
		rw_sigpipe(c);
	if (moved && !io->positioned && !f->ops->write)
		f->pos += (int64_t)moved;
	if (rc == -EAGAIN) {
		c->s[0] = moved;
		return rw_wait(c, f, true, io->rwf & K_RWF_NOWAIT, moved ? (int64_t)moved : -K_ERESTARTSYS);
	}
	return moved || !rc ? REPLY(moved) : REPLY(rc);
}

/* ---- the calls ---- */

enum { WRITE = 1, POSITIONED = 2 };

/* Looks the file up and checks it. NULL: *v is the answer. */
static struct file *rw_file(struct call *c, unsigned how, struct verdict *v)
{
	struct file *f = call_hold(c, c->arg[0]);

	*v = FAIL(EBADF);
	if (!f || (f->flags & O_PATH))
		return NULL;
	if ((how & POSITIONED) && !f->ops->pread) {
		*v = FAIL(ESPIPE);
		return NULL;
	}
	return (how & WRITE ? file_writable(f) : file_readable(f)) ? f : NULL;
}

static struct verdict rw_flat(struct call *c, unsigned how, int64_t pos)
{
	struct guest_iov iov = {c->arg[1], MIN(c->arg[2], (uint64_t)RW_COUNT_MAX)};
	struct io io = {.iov = &iov, .niov = 1, .total = call_cap(c, iov.len), .positioned = how & POSITIONED, .pos = pos};
	struct verdict v;

	if (pos < 0)
		return FAIL(EINVAL);
	io.f = rw_file(c, how, &v);
	if (!io.f)
		return v;
	if ((int64_t)c->arg[2] < 0)
		return FAIL(EINVAL);
	return how & WRITE ? do_write(c, &io) : do_read(c, &io);
}

static struct verdict rw_vector(struct call *c, unsigned how, int64_t pos, uint32_t rwf)
{
	struct guest_iov iov[GUEST_IOV_MAX];
	struct io io = {.iov = iov, .niov = c->arg[2], .positioned = how & POSITIONED, .pos = pos, .rwf = rwf};
	struct verdict v;
	int rc;

	if (pos < 0)
		return FAIL(EINVAL);
	io.f = rw_file(c, how, &v);
	if (!io.f)
		return v;
	rc = iov_read(c, c->arg[1], c->arg[2], iov, &io.total);
	if (rc || !io.total)
		return REPLY(rc);
	if (rwf & ~(uint32_t)RWF_SERVED)
		return call_refuse(c, EOPNOTSUPP, "flags 0x%x of %s", rwf, c->row->name);
	return how & WRITE ? do_write(c, &io) : do_read(c, &io);
}

/* preadv2 and pwritev2 at -1 mean the file's own position. On x86-64 the offset is one word: the second is ignored. */
static struct verdict rw_vector2(struct call *c, unsigned how)
{
	int64_t pos = (int64_t)c->arg[3];

	return pos == -1 ? rw_vector(c, how, 0, (uint32_t)c->arg[5]) :
			   rw_vector(c, how | POSITIONED, pos, (uint32_t)c->arg[5]);
}

struct verdict sys_read(struct call *c)
{
	return rw_flat(c, 0, 0);
}

struct verdict sys_write(struct call *c)
{
	return rw_flat(c, WRITE, 0);
}

struct verdict sys_pread64(struct call *c)
{
	return rw_flat(c, POSITIONED, (int64_t)c->arg[3]);
}

struct verdict sys_pwrite64(struct call *c)
{
	return rw_flat(c, WRITE | POSITIONED, (int64_t)c->arg[3]);
}

struct verdict sys_readv(struct call *c)
{
	return rw_vector(c, 0, 0, 0);
}

struct verdict sys_writev(struct call *c)
{
	return rw_vector(c, WRITE, 0, 0);
}

struct verdict sys_preadv(struct call *c)
{
	return rw_vector(c, POSITIONED, (int64_t)c->arg[3], 0);
}

struct verdict sys_pwritev(struct call *c)
{
	return rw_vector(c, WRITE | POSITIONED, (int64_t)c->arg[3], 0);
}

struct verdict sys_preadv2(struct call *c)
{
	return rw_vector2(c, 0);
}

struct verdict sys_pwritev2(struct call *c)
{
	return rw_vector2(c, WRITE);
}

struct verdict sys_lseek(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	int64_t off = (int64_t)c->arg[1];
	int whence = (int)c->arg[2];

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	if (whence < SEEK_SET || whence > SEEK_HOLE)
		return FAIL(EINVAL);
	if (f->ops->seek)
		return REPLY(f->ops->seek(c->k, f, off, whence));
	return f->ops->pread ? REPLY(file_seek(c->k, f, off, whence)) : FAIL(ESPIPE);
}
