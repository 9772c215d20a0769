/* inotify_init(2), inotify_add_watch(2), inotify_rm_watch(2). */
#include "tracer/watch.h"

#include "tracer/resolve.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct verdict init(struct call *c, uint32_t flags)
{
	if (flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK))
		return FAIL(EINVAL);
	return REPLY(call_install(c, inotify_new(c->k, flags & O_NONBLOCK), (flags & O_CLOEXEC) != 0));
}

struct verdict sys_inotify_init(struct call *c)
{
	return init(c, 0);
}

struct verdict sys_inotify_init1(struct call *c)
{
	return init(c, (uint32_t)c->arg[0]);
}

struct adding {
	struct file *f;
	uint32_t mask;
};

/* Nothing ever happens to a synthetic file: any key that no inode has will do. */
static uint64_t synthetic_key(const char *path)
{
	uint64_t h = 14695981039346656037u;

	for (; *path; path++)
		h = (h ^ (uint8_t)*path) * 1099511628211u;
	return h | 1ull << 63;
}

static int64_t add_watch(struct call *c, struct vpath *v, void *arg)
{
	const struct adding *a = arg;

	if (v->kind == VPATH_SYNTH)
		return inotify_add(c->k, a->f, synthetic_key(v->text), a->mask);
	if (v->kind != VPATH_REAL)
		return -ENOENT;
	if ((a->mask & IN_ONLYDIR) && !S_ISDIR(v->st.st_mode))
		return -ENOTDIR;
	if (!S_ISLNK(v->st.st_mode) && syscall(SYS_faccessat2, v->fd, "", R_OK, AT_EMPTY_PATH | AT_EACCESS) < 0)
		return -errno;
	return inotify_add(c->k, a->f, inodes_key(v->st.st_dev, v->st.st_ino), a->mask);
}

struct verdict sys_inotify_add_watch(struct call *c)
{
	uint32_t mask = (uint32_t)c->arg[2];
	const uint32_t known = IN_ALL_EVENTS | IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK |
			       IN_MASK_CREATE | IN_MASK_ADD | IN_ISDIR | IN_ONESHOT;
	struct adding a = {.f = call_file(c, c->arg[0]), .mask = mask};

	if (!(mask & known))
		return FAIL(EINVAL);
	if (!a.f)
		return FAIL(EBADF);
	if ((mask & (IN_MASK_ADD | IN_MASK_CREATE)) == (IN_MASK_ADD | IN_MASK_CREATE) || !file_is_inotify(a.f))
		return FAIL(EINVAL);
	return REPLY(path_apply(c, AT_FDCWD, c->arg[1], mask & IN_DONT_FOLLOW ? RESOLVE_F_NOFOLLOW : 0, add_watch, &a));
}

struct verdict sys_inotify_rm_watch(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);

	if (!f)
		return FAIL(EBADF);
	return file_is_inotify(f) ? REPLY(inotify_remove(c->k, f, (int)c->arg[1])) : FAIL(EINVAL);
}
