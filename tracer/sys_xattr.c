/* Extended attributes: those of the real file. */
#include "tracer/call.h"

#include "base/mem.h"
#include "tracer/realfile.h"
#include "tracer/resolve.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"
#include "tracer/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

enum { NAME_BYTES = 256, VALUE_MAX = 65536 }; /* XATTR_NAME_MAX + 1, XATTR_SIZE_MAX: include/uapi/linux/limits.h */

enum xattr_op { XATTR_GET, XATTR_SET, XATTR_LIST, XATTR_REMOVE };

struct xattr_call {
	enum xattr_op op;
	char name[NAME_BYTES];
	char *value;
	size_t size;
	int flags;
};

/* A descriptor opened for I/O has its own calls; an O_PATH one is reached by its path. */
static int64_t perform(const struct xattr_call *x, int fd, const char *path)
{
	ssize_t n = -1;

	switch (x->op) {
	case XATTR_GET:
		n = path ? lgetxattr(path, x->name, x->value, x->size) : fgetxattr(fd, x->name, x->value, x->size);
		break;
	case XATTR_SET:
		n = path ? lsetxattr(path, x->name, x->value, x->size, x->flags) :
			   fsetxattr(fd, x->name, x->value, x->size, x->flags);
		break;
	case XATTR_LIST:
		n = path ? llistxattr(path, x->value, x->size) : flistxattr(fd, x->value, x->size);
		break;
	case XATTR_REMOVE:
		n = path ? lremovexattr(path, x->name) : fremovexattr(fd, x->name);
		break;
	}
	return n < 0 ? -errno : n;
}

static int64_t on_real(struct call *c, const struct stat *st, const struct xattr_call *x, int fd, bool opath)
{
	char path[PATH_MAX];
	int64_t n;

	if (opath && vfs_fd_path(c->sim, fd, path) < 0)
		return -ENOENT;
	n = perform(x, fd, opath ? path : NULL);
	if (n >= 0 && (x->op == XATTR_SET || x->op == XATTR_REMOVE)) {
		inodes_touch(&c->sim->vfs->inodes, st, TOUCH_CTIME, vfs_now(c->sim));
		watch_fd(c->sim, fd, IN_ATTRIB);
	}
	return n;
}

static int64_t on_vpath(struct call *c, struct vpath *v, void *arg)
{
	const struct xattr_call *x = arg;

	if (v->kind == VPATH_REAL)
		return on_real(c, &v->st, x, v->fd, true);
	return x->op == XATTR_LIST ? 0 : -EOPNOTSUPP;
}

static int64_t on_fd(struct call *c, const struct xattr_call *x)
{
	struct file *f = call_file(c, c->arg[0]);
	struct realfile *rf;
	struct stat st;
	int64_t n;

	if (!f || (f->flags & O_PATH))
		return -EBADF;
	rf = realfile_io(f);
	if (!rf)
		return x->op == XATTR_LIST ? 0 : -EOPNOTSUPP;
	if (fstat(rf->fd, &st) < 0)
		return -errno;
	vfs_enter_ids(c);
	n = on_real(c, &st, x, rf->fd, false);
	vfs_leave_ids(c);
	return n;
}

enum where { BY_PATH, BY_LINK, BY_FD };

static int64_t apply(struct call *c, enum where where, struct xattr_call *x)
{
	if (where == BY_FD)
		return on_fd(c, x);
	return path_apply(c, AT_FDCWD, c->arg[0], where == BY_LINK ? RESOLVE_F_NOFOLLOW : 0, on_vpath, x);
}

static int read_name(struct call *c, struct xattr_call *x)
{
	int n = copy_in_str(c, x->name, sizeof x->name, c->arg[1]);

	return n == -EFAULT ? n : n <= 0 ? -ERANGE : 0;
}

/* getxattr and listxattr: a buffer of no size asks for the size needed. */
static struct verdict fetch(struct call *c, enum where where, struct xattr_call *x, uint64_t addr, uint64_t size)
{
	int64_t n;

	x->size = MIN(size, (uint64_t)VALUE_MAX);
	x->value = xmalloc(VALUE_MAX);
	n = apply(c, where, x);
	if (n > 0 && x->size && copy_out(c, addr, x->value, (size_t)n))
		n = -EFAULT;
	free(x->value);
	return REPLY(n);
}

static struct verdict do_get(struct call *c, enum where where)
{
	struct xattr_call x = {.op = XATTR_GET};
	int rc = read_name(c, &x);

	return rc < 0 ? FAIL(-rc) : fetch(c, where, &x, c->arg[2], c->arg[3]);
}

static struct verdict do_list(struct call *c, enum where where)
{
	struct xattr_call x = {.op = XATTR_LIST};

	return fetch(c, where, &x, c->arg[1], c->arg[2]);
}

static struct verdict do_set(struct call *c, enum where where)
{
	struct xattr_call x = {.op = XATTR_SET, .size = c->arg[3], .flags = (int)c->arg[4]};
	int64_t n;
	int rc;

	if (x.flags & ~(XATTR_CREATE | XATTR_REPLACE))
		return FAIL(EINVAL);
	rc = read_name(c, &x);
	if (rc < 0)
		return FAIL(-rc);
	if (x.size > VALUE_MAX)
		return FAIL(E2BIG);
	x.value = xmalloc(x.size + 1);
	n = copy_in(c, x.value, c->arg[2], x.size) ? -EFAULT : apply(c, where, &x);
	free(x.value);
	return REPLY(n);
}

static struct verdict do_remove(struct call *c, enum where where)
{
	struct xattr_call x = {.op = XATTR_REMOVE};
	int rc = read_name(c, &x);

	return rc < 0 ? FAIL(-rc) : REPLY(apply(c, where, &x));
}

struct verdict sys_getxattr(struct call *c)
{
	return do_get(c, BY_PATH);
}

struct verdict sys_lgetxattr(struct call *c)
{
	return do_get(c, BY_LINK);
}

struct verdict sys_fgetxattr(struct call *c)
{
	return do_get(c, BY_FD);
}

struct verdict sys_listxattr(struct call *c)
{
	return do_list(c, BY_PATH);
}

struct verdict sys_llistxattr(struct call *c)
{
	return do_list(c, BY_LINK);
}

struct verdict sys_flistxattr(struct call *c)
{
	return do_list(c, BY_FD);
}

struct verdict sys_setxattr(struct call *c)
{
	return do_set(c, BY_PATH);
}

struct verdict sys_lsetxattr(struct call *c)
{
	return do_set(c, BY_LINK);
}

struct verdict sys_fsetxattr(struct call *c)
{
	return do_set(c, BY_FD);
}

struct verdict sys_removexattr(struct call *c)
{
	return do_remove(c, BY_PATH);
}

struct verdict sys_lremovexattr(struct call *c)
{
	return do_remove(c, BY_LINK);
}

struct verdict sys_fremovexattr(struct call *c)
{
	return do_remove(c, BY_FD);
}
