/* open(2) and its relatives. */
#include "tracer/call.h"

#include "base/err.h"
#include "base/mem.h"
#include "kernel/chardev.h"
#include "kernel/pipe.h"
#include "tracer/procfs.h"
#include "tracer/realfile.h"
#include "tracer/resolve.h"
#include "tracer/sdk_file.h"
#include "tracer/sim.h"
#include "tracer/sys_tty.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"
#include "tracer/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One open in progress. */
struct opening {
	struct call *c;
	int dirfd;
	uint64_t flags, mode, resolve;
	char path[PATH_MAX];
};

/* Not an errno: the path must be resolved step by step. */
enum { WALK = -4096 };

#define TMPFILE_BIT ((uint64_t)(O_TMPFILE & ~O_DIRECTORY))

/* What the supervisor's own open gets. Never O_APPEND: pwrite(2) would append then, whatever the position. O_NONBLOCK: a
 * fifo that turns up unexpectedly must not hold the simulator up. */
static int host_flags(const struct opening *o)
{
	uint64_t keep = O_ACCMODE | O_TRUNC | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_PATH | TMPFILE_BIT;

	return (int)(o->flags & keep) | (o->flags & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY) | O_CLOEXEC;
}

static mode_t new_mode(const struct opening *o)
{
	return (mode_t)(o->mode & 07777 & ~(uint64_t)call_fs(o->c)->umask);
}

static int open_device(struct opening *o, const struct devnode *d, struct file **out)
{
	uint32_t shown = realfile_shown_flags((uint32_t)o->flags);

	if (pts_index(d) >= 0)
		return tty_open_index(o->c, pts_index(d), o->flags, shown, out);
	if (!strcmp(d->name, "ptmx"))
		return tty_open_master(o->c, shown, out);
	if (!strcmp(d->name, "tty"))
		return tty_open_controlling(o->c, o->flags, shown, out);
	if (!strncmp(d->name, "simrun/", 7)) {
		*out = sdk_file_open(o->c->sim, !strcmp(d->name, "simrun/sdk.jsonl"), shown);
		return 0;
	}
	*out = chardev_open(o->c->k, d->name, shown);
	return *out ? 0 : (int)call_refuse(o->c, ENXIO, "open of /dev/%s", d->name).value;
}

static int open_fifo(struct opening *o, struct pipe *p, struct file **out)
{
	return pipe_open(o->c->k, p, realfile_shown_flags((uint32_t)o->flags), out);
}

/* fd, just opened, is taken over. */
static int take_real(struct opening *o, int fd, bool created, struct file **out)
{
	struct sim *s = o->c->sim;
	const struct devnode *dev;
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st) < 0)
		BUG("cannot stat an open file: %s", strerror(errno));
	dev = vfs_devnode(s->vfs, &st);
	if (st.st_dev == s->vfs->proc_dev || st.st_dev == s->vfs->sys_dev)
		rc = WALK;
	else if (S_ISDIR(st.st_mode) && (o->flags & O_CREAT))
		rc = -EISDIR;
	if (!rc && !(dev || S_ISFIFO(st.st_mode))) {
		if (created)
			inodes_touch(&s->vfs->inodes, &st, TOUCH_CREATED, vfs_now(s));
		else if ((o->flags & O_TRUNC) && S_ISREG(st.st_mode))
			inodes_touch(&s->vfs->inodes, &st, TOUCH_MTIME | TOUCH_CTIME, vfs_now(s));
		if (!(o->flags & O_PATH))
			watch_fd(s, fd, IN_OPEN);
		if (!created && (o->flags & O_TRUNC))
			watch_fd(s, fd, IN_MODIFY);
		*out = realfile_new(o->c, fd, &st, (uint32_t)o->flags);
		return 0;
	}
	if (!rc && (o->flags & O_PATH)) {
		*out = realfile_new(o->c, fd, &st, (uint32_t)o->flags);
		return 0;
	}
	close(fd);
	if (rc)
		return rc;
	return dev ? open_device(o, dev, out) : open_fifo(o, vfs_fifo(s, &st), out);
}

static int create_at(struct opening *o, int parent, const char *name, struct file **out)
{
	int fd;

	if (name[strlen(name) - 1] == '/')
		return -EISDIR;
	fd = openat(parent, name, (host_flags(o) & ~O_TRUNC) | O_CREAT | O_EXCL | O_NOFOLLOW, new_mode(o));
	if (fd < 0)
		return -errno;
	vfs_touch_fd(o->c->sim, parent, TOUCH_MTIME | TOUCH_CTIME);
	watch_entry(o->c->sim, parent, name, IN_CREATE, false, 0);
	return take_real(o, fd, true, out);
}

static int create_new(struct opening *o, struct file **out)
{
	struct vpath v;
	int rc = resolve_path(o->c, o->dirfd, o->path, RESOLVE_F_PARENT, &v);

	if (rc < 0)
		return rc;
	rc = v.kind == VPATH_REAL ? create_at(o, v.parent, v.text, out) : WALK;
	vpath_release(&v);
	/* There is a name after all: a symbolic link to nowhere (yet), or something that only the walk can reach. */
	return rc == -EEXIST && !(o->flags & O_EXCL) ? WALK : rc;
}

/* A descriptor link to an object of the simulation, opened again. */
static int reopen_virtual(struct opening *o, struct file *f, struct file **out)
{
	struct devnode dev = {.name = f->ops->kind};

	if (o->flags & O_DIRECTORY)
		return -ENOTDIR;
	if (file_pipe(f))
		return open_fifo(o, file_pipe(f), out);
	if (chardev_minor(f) >= 0 || sdk_file_minor(f) >= 0 || tty_is_master(f))
		return open_device(o, &dev, out);
	if (tty_of(f))
		return tty_open_index(o->c, tty_of(f)->index, o->flags, realfile_shown_flags((uint32_t)o->flags), out);
	if (!file_is_sink(f))
		return -ENXIO; /* sockets, and whatever has no inode of its own */
	*out = file_ref(f);
	return 0;
}

static int reopen_real(struct opening *o, struct vpath *v, struct file **out)
{
	int fd;

	if (S_ISLNK(v->st.st_mode) && !(o->flags & O_PATH))
		return -ELOOP;
	if (S_ISSOCK(v->st.st_mode) && !(o->flags & O_PATH))
		return -ENXIO;
	if (S_ISFIFO(v->st.st_mode) && !(o->flags & (O_PATH | O_DIRECTORY)))
		return open_fifo(o, vfs_fifo(o->c->sim, &v->st), out);
	if ((o->flags & O_PATH) && (!(o->flags & O_DIRECTORY) || S_ISDIR(v->st.st_mode))) {
		fd = v->fd;
		v->fd = -1;
	} else {
		fd = vfs_reopen(o->c->sim, v->fd, host_flags(o) & ~O_NOFOLLOW);
	}
	return fd < 0 ? fd : take_real(o, fd, false, out);
}

static int open_walking(struct opening *o, struct file **out)
{
	bool excl = (o->flags & O_CREAT) && (o->flags & O_EXCL);
	unsigned flags = ((o->flags & O_NOFOLLOW) || excl ? RESOLVE_F_NOFOLLOW : 0) | (o->flags & O_CREAT ? RESOLVE_F_MISSING : 0);
	struct vpath v;
	int rc = resolve_path(o->c, o->dirfd, o->path, flags, &v);

	if (rc < 0)
		return rc;
	if (v.kind == VPATH_MISSING)
		rc = create_at(o, v.parent, v.text, out);
	else if (excl)
		rc = -EEXIST;
	else if (v.kind == VPATH_REAL)
		rc = reopen_real(o, &v, out);
	else if (v.kind == VPATH_SYNTH)
		rc = procfs_open(o->c, v.text, (uint32_t)o->flags, out);
	else
		rc = reopen_virtual(o, v.file, out);
	vpath_release(&v);
	return rc;
}

/* One openat2, without creating: that is told apart by trying. WALK when it does not decide. */
static int open_short(struct opening *o, struct file **out)
{
	const uint64_t strict = RESOLVE_BENEATH | RESOLVE_IN_ROOT | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
	struct open_how how = {.flags = (uint64_t)host_flags(o), .resolve = o->resolve | RESOLVE_NO_MAGICLINKS};
	const char *synth;
	int base, fd, rc = path_base(o->c, o->dirfd, o->path, &base, &synth);

	if (rc < 0)
		return rc;
	if (synth || (path_is_special(o->path) && !(o->resolve & strict)))
		return WALK;
	how.mode = o->flags & TMPFILE_BIT ? new_mode(o) : 0;
	fd = (int)syscall(SYS_openat2, base, o->path, &how, sizeof how);
	if (fd >= 0)
		return take_real(o, fd, (o->flags & TMPFILE_BIT) != 0, out);
	if (errno == ENOENT && (o->flags & O_CREAT))
		return -ENOENT;
	if (errno == ENOENT && !path_missing(o->c, base, o->path))
		return WALK;
	if (errno == ELOOP && (o->resolve & RESOLVE_NO_SYMLINKS))
		return -ELOOP;
	return errno == ELOOP || errno == ENXIO ? WALK : -errno;
}

static int open_file(struct opening *o, struct file **out)
{
	int rc = (o->flags & O_CREAT) && (o->flags & O_EXCL) ? -ENOENT : open_short(o, out);

	if (rc == -ENOENT && (o->flags & O_CREAT))
		rc = create_new(o, out);
	if (rc != WALK)
		return rc;
	if (o->resolve & ~(uint64_t)RESOLVE_NO_MAGICLINKS)
		return (int)call_refuse(o->c, ENOSYS, "openat2 with resolve flags of %s", o->path).value;
	return open_walking(o, out);
}

/*
 * Installing costs two switches, mapping a file that is not installed several: worth it for what the dynamic linker opens,
 * in order to map its parts one by one, and for programs, which fexecve(3) has the kernel find as /proc/self/fd/N.
 */
static bool likely_mapped(const char *path, const struct file *f)
{
	const struct realfile *rf = realfile_io(f);

	return rf && (rf->executable || strstr(path, ".so"));
}

/* A fifo waits for its other end (fifo(7)); everything else gets its descriptor. f is taken over. */
static struct verdict finish_open(struct call *c, struct file *f, bool cloexec)
{
	int fd;

	if (file_pipe(f) && pipe_open_waits(f)) {
		c->thread->wait_what = "open of a fifo";
		c->thread->wait_detail = f->id;
		thread_wait_on(c->k, c->thread, pipe_open_wq(f));
		if (c->held != f)
			call_keep(c, f);
		file_unref(c->k, f);
		return BLOCK(-K_ERESTARTSYS);
	}
	fd = call_install(c, f, cloexec);
	if (fd >= 0 && likely_mapped(c->note, f))
		realfile_install(c, f, fd);
	return REPLY(fd);
}

/* The number is found before the path is looked at: a full table creates no file (do_sys_openat2()). */
static bool table_full(const struct call *c)
{
	enum { NOFILE = 7 };
	const struct fdtab *t = c->proc->fds;
	uint64_t limit = c->proc->rlim[NOFILE][0];
	unsigned fd = t->lowest;

	while (fd < t->cap && t->ent[fd].file)
		fd++;
	return fd >= limit;
}

static struct verdict do_open(struct call *c, int dirfd, uint64_t path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
	struct opening o = {.c = c, .dirfd = dirfd, .flags = flags, .mode = mode, .resolve = resolve};
	struct file *f = NULL;
	int rc;

	if (c->held)
		return finish_open(c, file_ref(c->held), (flags & O_CLOEXEC) != 0);
	if (flags & O_PATH)
		o.flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	if ((o.flags & TMPFILE_BIT) && (!(o.flags & O_DIRECTORY) || (o.flags & O_CREAT) || (o.flags & O_ACCMODE) == O_RDONLY))
		return FAIL(EINVAL);
	if ((o.flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
		return FAIL(EINVAL);
	rc = path_arg(c, path, o.path);
	if (rc < 0)
		return FAIL(-rc);
	if (table_full(c))
		return FAIL(EMFILE);
	if (!o.path[0])
		return FAIL(ENOENT);
	vfs_enter_ids(c);
	rc = open_file(&o, &f);
	vfs_leave_ids(c);
	return rc < 0 ? FAIL(-rc) : finish_open(c, f, (flags & O_CLOEXEC) != 0);
}

/* What open and openat know of; they ignore the rest (include/linux/fcntl.h, VALID_OPEN_FLAGS). */
#define OPEN_FLAGS                                                                                                 \
	((uint64_t)(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC | O_DSYNC | O_ASYNC | \
		    O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_PATH | O_TMPFILE | 0100000))

struct verdict sys_open(struct call *c)
{
	return do_open(c, AT_FDCWD, c->arg[0], c->arg[1] & OPEN_FLAGS, c->arg[2], 0);
}

struct verdict sys_creat(struct call *c)
{
	return do_open(c, AT_FDCWD, c->arg[0], O_CREAT | O_WRONLY | O_TRUNC, c->arg[1], 0);
}

struct verdict sys_openat(struct call *c)
{
	return do_open(c, (int)c->arg[0], c->arg[1], c->arg[2] & OPEN_FLAGS, c->arg[3], 0);
}

struct verdict sys_openat2(struct call *c)
{
	const uint64_t known = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH |
			       RESOLVE_IN_ROOT | RESOLVE_CACHED;
	struct open_how how = {0};
	char rest[256] = {0};
	uint64_t size = c->arg[3];

	if (size < sizeof how)
		return FAIL(EINVAL);
	if (size > sizeof how + sizeof rest)
		return FAIL(E2BIG);
	if (copy_in(c, &how, c->arg[2], sizeof how) || copy_in(c, rest, c->arg[2] + sizeof how, size - sizeof how))
		return FAIL(EFAULT);
	for (size_t i = 0; i < sizeof rest; i++)
		if (rest[i])
			return FAIL(E2BIG);
	if ((how.flags & ~OPEN_FLAGS) || (how.resolve & ~known) ||
	    (how.resolve & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)) == (RESOLVE_BENEATH | RESOLVE_IN_ROOT))
		return FAIL(EINVAL);
	if (how.flags & (O_CREAT | TMPFILE_BIT) ? (how.mode & ~07777ull) != 0 : how.mode != 0)
		return FAIL(EINVAL);
	if ((how.flags & O_PATH) && (how.flags & ~(uint64_t)(O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)))
		return FAIL(EINVAL);
	if ((how.resolve & RESOLVE_CACHED) && (how.flags & (O_TRUNC | O_CREAT | TMPFILE_BIT)))
		return FAIL(EAGAIN);
	return do_open(c, (int)c->arg[0], c->arg[1], how.flags, how.mode, how.resolve & ~(uint64_t)RESOLVE_CACHED);
}

struct verdict sys_memfd_create(struct call *c)
{
	const unsigned known = MFD_CLOEXEC | MFD_ALLOW_SEALING | 8u /* NOEXEC_SEAL */ | 0x10u /* EXEC */;
	unsigned flags = (unsigned)c->arg[1];
	char name[250]; /* MFD_NAME_MAX_LEN and its NUL, mm/memfd.c */
	struct stat st;
	struct file *f;
	int fd, n;

	if (flags & ~known)
		return call_refuse(c, EINVAL, "memfd_create with flags 0x%x", flags);
	n = copy_in_str(c, name, sizeof name, c->arg[0]);
	if (n < 0)
		return FAIL(n == -EFAULT ? EFAULT : EINVAL);
	call_note(c, "%s", name);
	fd = memfd_create(name, flags | MFD_CLOEXEC);
	if (fd < 0)
		return FAIL(errno);
	fstat(fd, &st);
	inodes_touch(&c->sim->vfs->inodes, &st, TOUCH_CREATED, vfs_now(c->sim));
	f = realfile_new(c, fd, &st, O_RDWR);
	realfile_of(f)->memfd = true;
	inodes_unlinked(&c->sim->vfs->inodes, st.st_dev, st.st_ino);
	return REPLY(call_install(c, f, (flags & MFD_CLOEXEC) != 0));
}

/* --- for execve --- */

static int exec_target(struct call *c, struct vpath *v, char **abs_path)
{
	char path[PATH_MAX];
	int fd;

	if (v->kind != VPATH_REAL || !S_ISREG(v->st.st_mode) || vfs_devnode(c->sim->vfs, &v->st))
		return v->kind == VPATH_REAL && S_ISLNK(v->st.st_mode) ? -ELOOP : -EACCES;
	if (syscall(SYS_faccessat2, v->fd, "", X_OK, AT_EMPTY_PATH | AT_EACCESS) < 0)
		return -errno;
	fd = vfs_reopen(c->sim, v->fd, O_RDONLY);
	if (fd == -EACCES) { /* may be run, but not read */
		fd = v->fd;
		v->fd = -1;
	}
	if (fd >= 0) {
		*abs_path = vfs_fd_path(c->sim, fd, path) < 0 ? NULL : xstrdup(path);
		if (!*abs_path) {
			close(fd);
			return -ENOENT;
		}
	}
	return fd;
}

int vfs_open_exec(struct call *c, int dirfd, const char *path, int flags, char **abs_path)
{
	struct vpath v;
	int rc;

	vfs_enter_ids(c);
	rc = resolve_path(c, dirfd, path, resolve_at_flags((uint64_t)flags), &v);
	if (!rc) {
		rc = exec_target(c, &v, abs_path);
		vpath_release(&v);
	}
	vfs_leave_ids(c);
	return rc;
}
