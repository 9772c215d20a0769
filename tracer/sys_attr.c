/* Modes, owners, times and sizes of files. */
#include "tracer/call.h"

#include "base/mem.h"
#include "tracer/realfile.h"
#include "tracer/resolve.h"
#include "tracer/sim.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"
#include "tracer/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

/* Runs fn on an open file as if a path had led to it. */
static struct verdict on_file(struct call *c, uint64_t fd, bool io_only, vpath_fn fn, void *arg)
{
	struct file *f = call_file(c, fd);
	struct vpath v = {.kind = VPATH_FILE, .fd = -1, .parent = -1, .file = f};
	struct realfile *rf;
	int64_t rc;

	if (!f || (io_only && (f->flags & O_PATH)))
		return FAIL(EBADF);
	rf = realfile_of(f);
	if (rf) {
		v.kind = VPATH_REAL;
		v.fd = rf->fd;
		if (fstat(v.fd, &v.st) < 0)
			return FAIL(errno);
	}
	vfs_enter_ids(c);
	rc = fn(c, &v, arg);
	vfs_leave_ids(c);
	return REPLY(rc);
}

static void touch(struct call *c, const struct vpath *v, unsigned what)
{
	watch_fd(c->sim, v->fd, what & TOUCH_MTIME ? IN_MODIFY : IN_ATTRIB);
	inodes_touch(&c->sim->vfs->inodes, &v->st, what, vfs_now(c->sim));
}

/* Attributes of synthetic files cannot be set (proc_setattr() refuses modes; the rest would not last). Objects without a
 * name keep theirs to themselves: accepted. */
static int unreal(const struct vpath *v)
{
	return v->kind == VPATH_SYNTH ? -EPERM : 0;
}

/* --- chmod, chown --- */

static int64_t set_mode(struct call *c, struct vpath *v, void *arg)
{
	if (v->kind != VPATH_REAL)
		return unreal(v);
	if (S_ISLNK(v->st.st_mode))
		return -EOPNOTSUPP;
	if (fchmodat(c->sim->host_proc, vfs_fd_link(v->fd).path, *(mode_t *)arg & 07777, 0) < 0)
		return -errno;
	touch(c, v, TOUCH_CTIME);
	return 0;
}

static struct verdict do_chmod(struct call *c, int dirfd, uint64_t path, uint64_t mode, unsigned resolve)
{
	mode_t m = (mode_t)mode;

	return REPLY(path_apply(c, dirfd, path, resolve, set_mode, &m));
}

struct verdict sys_chmod(struct call *c)
{
	return do_chmod(c, AT_FDCWD, c->arg[0], c->arg[1], 0);
}

struct verdict sys_fchmodat(struct call *c)
{
	return do_chmod(c, (int)c->arg[0], c->arg[1], c->arg[2], 0);
}

struct verdict sys_fchmodat2(struct call *c)
{
	if (c->arg[3] & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return FAIL(EINVAL);
	return do_chmod(c, (int)c->arg[0], c->arg[1], c->arg[2], resolve_at_flags(c->arg[3]));
}

struct verdict sys_fchmod(struct call *c)
{
	mode_t m = (mode_t)c->arg[1];

	return on_file(c, c->arg[0], true, set_mode, &m);
}

struct ids {
	uid_t uid;
	gid_t gid;
};

static int64_t set_owner(struct call *c, struct vpath *v, void *arg)
{
	const struct ids *o = arg;

	if (v->kind != VPATH_REAL)
		return unreal(v);
	/* In a user namespace other ids do not exist (EINVAL); to its user, the program just lacks the right. */
	if (fchownat(v->fd, "", o->uid, o->gid, AT_EMPTY_PATH) < 0)
		return errno == EINVAL && !c->sim->vfs->switch_ids ? -EPERM : -errno;
	touch(c, v, TOUCH_CTIME);
	return 0;
}

static struct verdict do_chown(struct call *c, int dirfd, uint64_t path, uint64_t uid, uint64_t gid, unsigned resolve)
{
	struct ids o = {.uid = (uid_t)uid, .gid = (gid_t)gid};

	return REPLY(path_apply(c, dirfd, path, resolve, set_owner, &o));
}

struct verdict sys_chown(struct call *c)
{
	return do_chown(c, AT_FDCWD, c->arg[0], c->arg[1], c->arg[2], 0);
}

struct verdict sys_lchown(struct call *c)
{
	return do_chown(c, AT_FDCWD, c->arg[0], c->arg[1], c->arg[2], RESOLVE_F_NOFOLLOW);
}

struct verdict sys_fchownat(struct call *c)
{
	if (c->arg[4] & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return FAIL(EINVAL);
	return do_chown(c, (int)c->arg[0], c->arg[1], c->arg[2], c->arg[3], resolve_at_flags(c->arg[4]));
}

struct verdict sys_fchown(struct call *c)
{
	struct ids o = {.uid = (uid_t)c->arg[1], .gid = (gid_t)c->arg[2]};

	return on_file(c, c->arg[0], true, set_owner, &o);
}

/* --- times --- */

/* Access and modification time, as utimensat(2) takes them. */
static int64_t set_times(struct call *c, struct vpath *v, void *arg)
{
	const struct timespec *ts = arg;
	struct timespec now = vfs_now(c->sim);
	struct inode_times *t;

	if (ts[0].tv_nsec == UTIME_OMIT && ts[1].tv_nsec == UTIME_OMIT)
		return 0;
	if (v->kind != VPATH_REAL)
		return unreal(v);
	/* The host's file as well: that is where the right to do so is checked. */
	if (syscall(SYS_utimensat, v->fd, "", ts, AT_EMPTY_PATH) < 0)
		return -errno;
	t = inodes_times(&c->sim->vfs->inodes, &v->st);
	if (ts[0].tv_nsec != UTIME_OMIT)
		t->atime = ts[0].tv_nsec == UTIME_NOW ? now : ts[0];
	if (ts[1].tv_nsec != UTIME_OMIT)
		t->mtime = ts[1].tv_nsec == UTIME_NOW ? now : ts[1];
	t->ctime = now;
	watch_fd(c->sim, v->fd, ts[0].tv_nsec == UTIME_OMIT ? IN_MODIFY : ts[1].tv_nsec == UTIME_OMIT ? IN_ACCESS : IN_ATTRIB);
	return 0;
}

static const struct timespec both_now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};

static bool nsec_ok(long nsec)
{
	return nsec == UTIME_NOW || nsec == UTIME_OMIT || (nsec >= 0 && nsec < 1000000000);
}

struct verdict sys_utimensat(struct call *c)
{
	struct timespec ts[2] = {both_now[0], both_now[1]};
	uint64_t flags = c->arg[3];

	if (c->arg[2] && copy_in(c, ts, c->arg[2], sizeof ts))
		return FAIL(EFAULT);
	if (!nsec_ok(ts[0].tv_nsec) || !nsec_ok(ts[1].tv_nsec))
		return FAIL(EINVAL);
	if (!c->arg[1] && (int)c->arg[0] != AT_FDCWD)
		return flags ? FAIL(EINVAL) : on_file(c, c->arg[0], true, set_times, ts);
	if (flags & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return FAIL(EINVAL);
	return REPLY(path_apply(c, (int)c->arg[0], c->arg[1], resolve_at_flags(flags), set_times, ts));
}

static struct verdict do_utimes(struct call *c, int dirfd, uint64_t path, uint64_t addr)
{
	struct timespec ts[2] = {both_now[0], both_now[1]};
	struct timeval tv[2];

	if (addr && copy_in(c, tv, addr, sizeof tv))
		return FAIL(EFAULT);
	for (int i = 0; addr && i < 2; i++) {
		if (tv[i].tv_usec < 0 || tv[i].tv_usec >= 1000000)
			return FAIL(EINVAL);
		ts[i] = (struct timespec){.tv_sec = tv[i].tv_sec, .tv_nsec = tv[i].tv_usec * 1000};
	}
	if (!path && dirfd != AT_FDCWD)
		return on_file(c, (uint64_t)dirfd, true, set_times, ts);
	return REPLY(path_apply(c, dirfd, path, 0, set_times, ts));
}

struct verdict sys_utimes(struct call *c)
{
	return do_utimes(c, AT_FDCWD, c->arg[0], c->arg[1]);
}

struct verdict sys_futimesat(struct call *c)
{
	return do_utimes(c, (int)c->arg[0], c->arg[1], c->arg[2]);
}

struct verdict sys_utime(struct call *c)
{
	struct timespec ts[2] = {both_now[0], both_now[1]};
	struct utimbuf b;

	if (c->arg[1]) {
		if (copy_in(c, &b, c->arg[1], sizeof b))
			return FAIL(EFAULT);
		ts[0] = (struct timespec){.tv_sec = b.actime};
		ts[1] = (struct timespec){.tv_sec = b.modtime};
	}
	return REPLY(path_apply(c, AT_FDCWD, c->arg[0], 0, set_times, ts));
}

/* --- sizes --- */

static int64_t set_size(struct call *c, struct vpath *v, void *arg)
{
	int64_t size = *(int64_t *)arg;
	int fd, rc;

	if (v->kind != VPATH_REAL)
		return v->kind == VPATH_SYNTH ? -EACCES : -EINVAL;
	if (S_ISDIR(v->st.st_mode))
		return -EISDIR;
	if (!S_ISREG(v->st.st_mode) || vfs_devnode(c->sim->vfs, &v->st))
		return -EINVAL;
	fd = vfs_reopen(c->sim, v->fd, O_WRONLY);
	if (fd < 0)
		return fd;
	rc = ftruncate(fd, size) < 0 ? -errno : 0;
	close(fd);
	if (!rc)
		touch(c, v, TOUCH_MTIME | TOUCH_CTIME);
	return rc;
}

struct verdict sys_truncate(struct call *c)
{
	int64_t size = (int64_t)c->arg[1];

	if (size < 0)
		return FAIL(EINVAL);
	return REPLY(path_apply(c, AT_FDCWD, c->arg[0], 0, set_size, &size));
}

/* The regular file behind a descriptor that is open for writing; NULL: *rc says why not. */
static struct realfile *writable_file(struct call *c, uint64_t fd, int e_mode, int *rc)
{
	struct file *f = call_file(c, fd);
	struct realfile *rf = f ? realfile_io(f) : NULL;

	*rc = !f || (f->flags & O_PATH) ? -EBADF : !file_writable(f) ? -e_mode : 0;
	return *rc ? NULL : rf;
}

static void touch_open(struct call *c, const struct realfile *rf)
{
	vfs_touch_fd(c->sim, rf->fd, TOUCH_MTIME | TOUCH_CTIME);
	watch_fd(c->sim, rf->fd, IN_MODIFY);
}

struct verdict sys_ftruncate(struct call *c)
{
	int64_t size = (int64_t)c->arg[1];
	struct realfile *rf;
	struct stat st;
	int rc;

	if (size < 0)
		return FAIL(EINVAL);
	rf = writable_file(c, c->arg[0], EINVAL, &rc);
	if (rc < 0)
		return FAIL(-rc);
	if (!rf || !S_ISREG(rf->type))
		return FAIL(EINVAL);
	if (!fstat(rf->fd, &st) && size > st.st_size && rw_limit(c, call_file(c, c->arg[0]), size - 1, 1) < 0)
		return FAIL(EFBIG);
	if (ftruncate(rf->fd, size) < 0)
		return FAIL(errno);
	touch_open(c, rf);
	return REPLY(0);
}

/* Space is not really set aside: it would fill the memory that holds the view's changes. */
static int reserve(struct realfile *rf, unsigned mode, int64_t end)
{
	struct stat st;

	if (mode & FALLOC_FL_KEEP_SIZE)
		return 0;
	if (fstat(rf->fd, &st) < 0)
		return -errno;
	return end > st.st_size && ftruncate(rf->fd, end) < 0 ? -errno : 0;
}

struct verdict sys_fallocate(struct call *c)
{
	const unsigned known = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE;
	unsigned mode = (unsigned)c->arg[1];
	int64_t off = (int64_t)c->arg[2], len = (int64_t)c->arg[3], end;
	struct realfile *rf;
	int rc;

	if (off < 0 || len <= 0)
		return FAIL(EINVAL);
	rf = writable_file(c, c->arg[0], EBADF, &rc);
	if (rc < 0)
		return FAIL(-rc);
	if (!rf)
		return FAIL(call_file(c, c->arg[0])->ops->pread ? ENODEV : ESPIPE);
	if (S_ISDIR(rf->type))
		return FAIL(EISDIR);
	if (mode & ~known || mode == FALLOC_FL_PUNCH_HOLE) /* vfs_fallocate(); tmpfs knows no other */
		return FAIL(EOPNOTSUPP);
	if (__builtin_add_overflow(off, len, &end))
		return FAIL(EFBIG);
	if (mode & FALLOC_FL_PUNCH_HOLE)
		rc = fallocate(rf->fd, (int)mode, off, len) < 0 ? -errno : 0;
	else
		rc = reserve(rf, mode, end);
	if (!rc)
		touch_open(c, rf);
	return REPLY(rc);
}
