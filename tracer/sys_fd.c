/* Descriptors: close, dup, fcntl; and the file that a waiting call keeps. */
#include "tracer/sim.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"
#include "tracer/task.h"

#include "base/mem.h"
#include "kernel/pipe.h"
#include "tracer/locks.h"
#include "tracer/realfile.h"
#include "tracer/vfs.h"

#include <limits.h>
#include <unistd.h>

enum { RLIM_NOFILE = 7, FD_LIMIT_MAX = 1 << 20 };
/* include/uapi/linux/close_range.h */
enum { K_CLOSE_RANGE_UNSHARE = 2, K_CLOSE_RANGE_CLOEXEC = 4 };
/* include/uapi/linux/fcntl.h: what the C library may not know yet */
enum { K_F_DUPFD_QUERY = 1027, K_F_CREATED_QUERY = 1028, K_F_SETOWN_EX = 15, K_F_GETOWN_EX = 16 };

/* ---- a waiting call's file ---- */

struct file *call_hold(struct call *c, uint64_t fd)
{
	if (c->tries && c->held)
		return c->held;
	return call_file(c, fd);
}

void call_keep(struct call *c, struct file *f)
{
	if (c->held == f)
		return;
	file_ref(f);
	if (c->held)
		file_unref(c->k, c->held);
	c->held = f;
}

void call_end(struct call *c)
{
	struct file *f = c->held;

	c->held = NULL;
	if (f)
		file_unref(c->k, f);
}

/* ---- close ---- */

static unsigned fd_limit(const struct call *c)
{
	return (unsigned)MIN(c->proc->rlim[RLIM_NOFILE][0], (uint64_t)FD_LIMIT_MAX);
}

/* The number is also a descriptor of the real process, for mmap and fchdir: true once, for whoever closes it. */
static bool take_installed(struct call *c, unsigned fd)
{
	struct hostproc *h = proc_host(c->proc);

	if (!h || fd >= h->ninstalled || !h->installed[fd])
		return false;
	h->installed[fd] = NULL;
	return true;
}

struct verdict sys_close(struct call *c)
{
	int fd = (int)c->arg[0];

	if (fdtab_close(c->k, c->proc->fds, c->proc, fd))
		return FAIL(EBADF);
	if (c->proc->nthreads > 1) {
		/* Before the kernel would close it another thread may have got the number, and something installed under it.
		 * So it stays until the number is used again. */
		hostproc_forget_fd(proc_host(c->proc), (unsigned)fd);
		return REPLY(0);
	}
	return take_installed(c, (unsigned)fd) ? CONTINUE(0) : REPLY(0);
}

struct verdict sys_close_range(struct call *c)
{
	unsigned first = (unsigned)c->arg[0], last = (unsigned)c->arg[1], flags = (unsigned)c->arg[2];
	struct fdtab *t = c->proc->fds;

	if (flags & ~(unsigned)(K_CLOSE_RANGE_UNSHARE | K_CLOSE_RANGE_CLOEXEC))
		return FAIL(EINVAL);
	if (first > last)
		return FAIL(EINVAL);
	if ((flags & K_CLOSE_RANGE_UNSHARE) && t->refs > 1) {
		c->proc->fds = fdtab_copy(c->k, t);
		fdtab_unref(c->k, t, NULL); /* others go on using it */
		t = c->proc->fds;
	}
	for (unsigned fd = first; fd < t->cap && fd <= last; fd++) {
		if (!t->ent[fd].file)
			continue;
		if (flags & K_CLOSE_RANGE_CLOEXEC) {
			t->ent[fd].cloexec = true;
			continue;
		}
		fdtab_close(c->k, t, c->proc, (int)fd);
		take_installed(c, fd);
	}
	return REPLY(0);
}

/* ---- dup ---- */

struct verdict sys_dup(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);

	return f ? REPLY(call_install(c, file_ref(f), false)) : FAIL(EBADF);
}

static struct verdict dup_to(struct call *c, struct file *f, unsigned to, bool cloexec)
{
	if (to >= fd_limit(c) || !f)
		return FAIL(EBADF);
	take_installed(c, to);
	fdtab_set(c->k, c->proc->fds, c->proc, to, file_ref(f), cloexec);
	return REPLY(to);
}

struct verdict sys_dup2(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	unsigned to = (unsigned)c->arg[1];

	if (f && (unsigned)c->arg[0] == to)
		return REPLY(to);
	return dup_to(c, f, to, false);
}

struct verdict sys_dup3(struct call *c)
{
	unsigned flags = (unsigned)c->arg[2];

	if ((flags & ~(unsigned)O_CLOEXEC) || (unsigned)c->arg[0] == (unsigned)c->arg[1])
		return FAIL(EINVAL);
	return dup_to(c, call_file(c, c->arg[0]), (unsigned)c->arg[1], flags & O_CLOEXEC);
}

/* ---- fcntl ---- */

static struct verdict dup_from(struct call *c, struct file *f, uint64_t min, bool cloexec)
{
	int fd;

	if (min >= fd_limit(c))
		return FAIL(EINVAL);
	fd = fdtab_add(c->k, c->proc->fds, file_ref(f), (unsigned)min, fd_limit(c), cloexec);
	if (fd < 0)
		file_unref(c->k, f);
	return REPLY(fd);
}

static struct verdict set_flags(struct call *c, struct file *f, uint32_t arg)
{
	const uint32_t may = O_APPEND | O_NONBLOCK | O_ASYNC | O_DIRECT | O_NOATIME;

	/* O_DIRECT is for files, and for pipes, where it means packets: setfl() in fs/fcntl.c. */
	if ((arg & O_DIRECT) && !f->ops->pread && !file_pipe(f))
		return FAIL(EINVAL);
	if (arg & ~f->flags & O_ASYNC)
		sim_warn(c->sim, "O_ASYNC on %s: no SIGIO is sent", f->ops->kind);
	f->flags = (f->flags & ~may) | (arg & may);
	return REPLY(0);
}

static struct verdict get_owner_ex(struct call *c, const struct file *f)
{
	/* struct f_owner_ex: F_OWNER_PID 1, F_OWNER_PGRP 2 */
	int32_t ex[2] = {f->owner < 0 ? 2 : 1, f->owner < 0 ? -f->owner : f->owner};

	return REPLY(copy_out(c, c->arg[2], ex, sizeof ex));
}

/* `owner` is a process or thread, a negated group, or 0 for nobody: f_setown() and f_setown_ex() in fs/fcntl.c. */
static struct verdict set_owner(struct call *c, struct file *f, int owner)
{
	if (owner == INT_MIN)
		return FAIL(EINVAL);
	if (owner > 0 ? !proc_find_any(c->k, owner) && !thread_find(c->k, owner) :
			owner && !proc_group_exists(c->k, -owner))
		return FAIL(ESRCH);
	f->owner = owner;
	return REPLY(0);
}

static struct verdict set_owner_ex(struct call *c, struct file *f)
{
	int32_t ex[2];

	if (copy_in(c, ex, c->arg[2], sizeof ex))
		return FAIL(EFAULT);
	if (ex[0] < 0 || ex[0] > 2)
		return FAIL(EINVAL);
	if (ex[1] < 0)
		return FAIL(ESRCH);
	return set_owner(c, f, ex[0] == 2 ? -ex[1] : ex[1]);
}

static struct verdict fcntl_owner(struct call *c, struct file *f, int cmd)
{
	switch (cmd) {
	case F_GETOWN:
		return REPLY(f->owner);
	case F_SETOWN:
		return set_owner(c, f, (int)c->arg[2]);
	case K_F_GETOWN_EX:
		return get_owner_ex(c, f);
	case K_F_SETOWN_EX:
		return set_owner_ex(c, f);
	case F_GETSIG:
		return REPLY(f->owner_sig);
	default:
		if (c->arg[2] > K_NSIG)
			return FAIL(EINVAL);
		f->owner_sig = (int)c->arg[2];
		return REPLY(0);
	}
}

static struct verdict fcntl_pipe(struct call *c, struct file *f, int cmd)
{
	struct pipe *p = file_pipe(f);

	if (!p)
		return FAIL(EBADF);
	return REPLY(cmd == F_GETPIPE_SZ ? pipe_size(p) : pipe_set_size(c->k, p, c->arg[2]));
}

/* What works on every open file, O_PATH included. */
static bool fcntl_any(struct call *c, struct file *f, int cmd, struct verdict *v)
{
	struct fdent *e = &c->proc->fds->ent[(unsigned)c->arg[0]];

	switch (cmd) {
	case F_DUPFD:
		*v = dup_from(c, f, c->arg[2], false);
		return true;
	case F_DUPFD_CLOEXEC:
		*v = dup_from(c, f, c->arg[2], true);
		return true;
	case F_GETFD:
		*v = REPLY(e->cloexec ? FD_CLOEXEC : 0);
		return true;
	case F_SETFD:
		e->cloexec = c->arg[2] & FD_CLOEXEC;
		*v = REPLY(0);
		return true;
	case F_GETFL:
		*v = REPLY(f->flags);
		return true;
	case K_F_DUPFD_QUERY:
		*v = REPLY(call_file(c, c->arg[2]) == f);
		return true;
	default:
		return false;
	}
}

static struct verdict fcntl_io(struct call *c, struct file *f, int cmd)
{
	switch (cmd) {
	case F_SETFL:
		return set_flags(c, f, (uint32_t)c->arg[2]);
	case F_GETOWN:
	case F_SETOWN:
	case K_F_GETOWN_EX:
	case K_F_SETOWN_EX:
	case F_GETSIG:
	case F_SETSIG:
		return fcntl_owner(c, f, cmd);
	case F_GETPIPE_SZ:
	case F_SETPIPE_SZ:
		return fcntl_pipe(c, f, cmd);
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return lock_fcntl(c, f, cmd, c->arg[2]);
	case F_NOTIFY: /* to watch for nothing ends the watching (fcntl_dirnotify()), which nobody does */
		return (uint32_t)c->arg[2] & ~DN_MULTISHOT ? call_refuse(c, EINVAL, "fcntl F_NOTIFY") : REPLY(0);
	case F_ADD_SEALS:
	case F_GET_SEALS:
		return REPLY(realfile_seals(f, cmd, c->arg[2]));
	default:
		return call_refuse(c, EINVAL, "fcntl %d on %s", cmd, f->ops->kind);
	}
}

struct verdict sys_fcntl(struct call *c)
{
	struct file *f = call_hold(c, c->arg[0]);
	int cmd = (int)c->arg[1];
	struct verdict v;

	if (!f)
		return FAIL(EBADF);
	if (!c->tries && fcntl_any(c, f, cmd, &v))
		return v;
	v = f->flags & O_PATH ? FAIL(EBADF) : fcntl_io(c, f, cmd);
	if (v.kind == V_BLOCK)
		call_keep(c, f);
	return v;
}
