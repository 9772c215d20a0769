#include "tracer/call.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/sim.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void saw_bytes(struct call *c, char dir, const void *p, size_t n)
{
	runhash_bytes(&c->sim->hash, p, n);
	if (c->sim->cfg->trace == TRACE_BYTES) {
		buf_addf(&c->sim->bytes, "%s%c%zu:", c->sim->bytes.len ? " " : "", dir, n);
		buf_add_escaped(&c->sim->bytes, p, MIN(n, (size_t)256));
	}
}

int copy_in_raw(struct call *c, void *dst, uint64_t src, size_t n)
{
	return gm_read(c->task->tid, dst, src, n);
}

int copy_out_raw(struct call *c, uint64_t dst, const void *src, size_t n)
{
	return gm_write(c->task->tid, dst, src, n);
}

int copy_in(struct call *c, void *dst, uint64_t src, size_t n)
{
	int rc = gm_read(c->task->tid, dst, src, n);

	if (!rc && n)
		saw_bytes(c, '<', dst, n);
	return rc;
}

int copy_out(struct call *c, uint64_t dst, const void *src, size_t n)
{
	int rc = gm_write(c->task->tid, dst, src, n);

	if (!rc && n)
		saw_bytes(c, '>', src, n);
	return rc;
}

int copy_in_str(struct call *c, char *dst, size_t n, uint64_t src)
{
	size_t at = 0;

	while (at < n) {
		/* Most paths are short: one small read first, never across a page that may not exist. */
		long got = gm_read_some(c->task->tid, dst + at, src + at, MIN(n - at, at ? (size_t)4096 : (size_t)256));
		const char *end;
		if (got <= 0)
			return -EFAULT;
		end = memchr(dst + at, 0, (size_t)got);
		if (end) {
			saw_bytes(c, '<', dst, (size_t)(end - dst));
			return (int)(end - dst);
		}
		at += (size_t)got;
	}
	return -ENAMETOOLONG;
}

void *call_scratch(struct call *c, size_t n)
{
	buf_reset(&c->sim->scratch);
	return buf_reserve(&c->sim->scratch, n);
}

int iov_read(struct call *c, uint64_t addr, uint64_t n, struct guest_iov *iov, size_t *total)
{
	*total = 0;
	if (n > GUEST_IOV_MAX)
		return -EINVAL;
	if (copy_in_raw(c, iov, addr, n * sizeof *iov))
		return -EFAULT;
	for (uint64_t i = 0; i < n; i++) {
		if ((int64_t)iov[i].len < 0)
			return -EINVAL;
		/* Shortened, not refused: see import_iovec() and MAX_RW_COUNT in the kernel. */
		if (iov[i].len > 0x7ffff000 - *total)
			iov[i].len = 0x7ffff000 - *total;
		*total += iov[i].len;
	}
	*total = call_cap(c, *total);
	return 0;
}

typedef int (*copy_fn)(struct call *c, uint64_t guest, void *mine, size_t n);

static int copy_fn_in(struct call *c, uint64_t guest, void *mine, size_t n)
{
	return copy_in(c, mine, guest, n);
}

static int copy_fn_out(struct call *c, uint64_t guest, void *mine, size_t n)
{
	return copy_out(c, guest, mine, n);
}

static int64_t iov_move(struct call *c, const struct guest_iov *iov, size_t n, size_t skip, char *flat, size_t len, copy_fn fn)
{
	size_t moved = 0;

	for (size_t i = 0; i < n && moved < len; i++) {
		size_t part;
		if (skip >= iov[i].len) {
			skip -= iov[i].len;
			continue;
		}
		part = MIN(iov[i].len - skip, len - moved);
		if (fn(c, iov[i].base + skip, flat + moved, part))
			return moved ? (int64_t)moved : -EFAULT;
		moved += part;
		skip = 0;
	}
	return (int64_t)moved;
}

int64_t iov_copy_in(struct call *c, const struct guest_iov *iov, size_t n, size_t skip, void *dst, size_t len)
{
	return iov_move(c, iov, n, skip, dst, len, copy_fn_in);
}

int64_t iov_copy_out(struct call *c, const struct guest_iov *iov, size_t n, size_t skip, const void *src, size_t len)
{
	return iov_move(c, iov, n, skip, (char *)(uintptr_t)src, len, copy_fn_out);
}

void call_note(struct call *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->note, sizeof c->note, fmt, ap);
	va_end(ap);
}

struct verdict call_refuse(struct call *c, int e, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	sim_warn(c->sim, "refused %s", what);
	return FAIL(e);
}

int call_install(struct call *c, struct file *f, bool cloexec)
{
	int fd = fdtab_add(c->k, c->proc->fds, f, 0, (unsigned)MIN(c->proc->rlim[7][0], (uint64_t)1 << 20), cloexec);

	if (fd < 0)
		file_unref(c->k, f);
	return fd;
}

void call_wait_file(struct call *c, struct file *f, const char *what)
{
	c->thread->wait_what = what;
	c->thread->wait_detail = f->id;
	thread_wait_on(c->k, c->thread, &f->wq);
}

void call_wait_rel(struct call *c, int64_t rel_ns)
{
	if (!c->s[7])
		c->s[7] = (uint64_t)vclock_add(c->k->clock.now_ns, rel_ns);
	thread_wait_until(c->k, c->thread, (int64_t)c->s[7]);
}
