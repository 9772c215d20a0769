/*
 * ioctl. What programs try on every descriptor to see what it is (is it a terminal, can it clone extents) is answered in
 * silence; the rest that is not served is named in the report.
 */
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include "kernel/chardev.h"
#include "tracer/realfile.h"
#include "tracer/sys_net.h"
#include "tracer/sys_tty.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <sys/ioctl.h>

/* Linux types of requests: terminals, file systems, extents, file attributes, block devices, sockets. */
enum { TYPE_TTY = 'T', TYPE_FS = 'f', TYPE_BTRFS = 0x94, TYPE_XFS = 'X', TYPE_BLOCK = 0x12, TYPE_SOCK = 0x89 };
enum { POOL_BITS = 256 }; /* POOL_BITS of drivers/char/random.c */

static struct verdict set_cloexec(struct call *c, bool on)
{
	c->proc->fds->ent[(unsigned)c->arg[0]].cloexec = on;
	return REPLY(0);
}

static struct verdict set_flag(struct call *c, struct file *f, uint32_t flag)
{
	int32_t on;

	if (copy_in(c, &on, c->arg[2], sizeof on))
		return FAIL(EFAULT);
	if (on && flag == O_ASYNC)
		sim_warn(c->sim, "O_ASYNC on %s: no SIGIO is sent", f->ops->kind);
	f->flags = on ? f->flags | flag : f->flags & ~flag;
	return REPLY(0);
}

static struct verdict put_int(struct call *c, int64_t v)
{
	int32_t n = (int32_t)v;

	return v < 0 ? REPLY(v) : REPLY(copy_out(c, c->arg[2], &n, sizeof n));
}

static struct verdict bytes_readable(struct call *c, struct file *f)
{
	int64_t end;

	if (f->ops->bytes_readable)
		return put_int(c, f->ops->bytes_readable(c->k, f));
	if (!realfile_of(f) || !f->ops->end)
		return FAIL(ENOTTY);
	end = f->ops->end(c->k, f);
	return end < 0 ? REPLY(end) : put_int(c, end > f->pos ? end - f->pos : 0);
}

/* How many bytes the file system stores for it. */
static struct verdict file_size(struct call *c, struct file *f)
{
	int64_t end = realfile_of(f) && f->ops->end ? f->ops->end(c->k, f) : -ENOTTY;

	return end < 0 ? REPLY(end) : REPLY(copy_out(c, c->arg[2], &end, sizeof end));
}

/* Requests that mean the same on everything: do_vfs_ioctl(). */
static bool common(struct call *c, struct file *f, uint32_t cmd, struct verdict *v)
{
	switch (cmd) {
	case FIOCLEX:
		*v = set_cloexec(c, true);
		return true;
	case FIONCLEX:
		*v = set_cloexec(c, false);
		return true;
	case FIONBIO:
		*v = set_flag(c, f, O_NONBLOCK);
		return true;
	case FIOASYNC:
		*v = set_flag(c, f, O_ASYNC);
		return true;
	case FIONREAD:
		*v = bytes_readable(c, f);
		return true;
	case FIOQSIZE:
		*v = file_size(c, f);
		return true;
	case FICLONE:
	case FICLONERANGE:
	case FIDEDUPERANGE:
	case FS_IOC_FIEMAP:
		*v = FAIL(EOPNOTSUPP); /* neither tmpfs nor overlayfs on it can */
		return true;
	default:
		return false;
	}
}

struct verdict sys_ioctl(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	uint32_t cmd = (uint32_t)c->arg[1];
	struct verdict v;

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	if (tty_of(f) && tty_ioctl(c, f, cmd, &v))
		return v;
	if (_IOC_TYPE(cmd) == TYPE_SOCK || cmd == TIOCOUTQ) /* SIOCOUTQ */
		return sock_of(f) ? net_ioctl(c, f, cmd, c->arg[2]) : FAIL(ENOTTY);
	if (common(c, f, cmd, &v))
		return v;
	if (cmd == RNDGETENTCNT && chardev_is_random(f))
		return put_int(c, POOL_BITS);
	switch (_IOC_TYPE(cmd)) {
	case TYPE_TTY:
	case TYPE_FS:
	case TYPE_XFS:
	case TYPE_BTRFS:
	case TYPE_BLOCK:
		return FAIL(ENOTTY);
	default:
		return call_refuse(c, ENOTTY, "ioctl 0x%x on %s", cmd, f->ops->kind);
	}
}
