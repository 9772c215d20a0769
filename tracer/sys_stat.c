/* The stat family, access, and statfs: what the host says, made repeatable. */
#include "tracer/call.h"

#include "kernel/chardev.h"
#include "kernel/mqueue.h"
#include "kernel/pipe.h"
#include "tracer/procfs.h"
#include "tracer/realfile.h"
#include "tracer/resolve.h"
#include "tracer/sdk_file.h"
#include "tracer/sim.h"
#include "tracer/sys_tty.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Minor numbers of the anonymous devices that objects without a path lie on, as on a typical machine. */
enum { DEV_SOCKFS = 8, DEV_PIPEFS = 14, DEV_ANON = 15, DEV_DEVTMPFS = 5, DEV_MQUEUE = 19 };

/* --- what is shown --- */

static void show_devnode(const struct devnode *d, struct stat *st)
{
	st->st_mode = S_IFCHR | (pts_index(d) >= 0 ? st->st_mode & 07777 : 0666);
	st->st_rdev = d->rdev;
	st->st_size = 0;
	st->st_blocks = 0;
}

static void show_real(struct call *c, struct stat *st, struct timespec *btime)
{
	const struct devnode *d = vfs_devnode(c->sim->vfs, st);

	inodes_show(&c->sim->vfs->inodes, st, btime);
	if (d)
		show_devnode(d, st);
}

/* Objects without a name: see stat(2) on a pipe, a socket, an epoll descriptor. */
static void show_object(struct call *c, struct file *f, struct stat *st)
{
	const char *kind = f->ops->kind;
	int minor_nr = chardev_minor(f);

	*st = (struct stat){.st_ino = f->ino, .st_nlink = 1, .st_blksize = 4096, .st_uid = c->proc->euid, .st_gid = c->proc->egid};
	if (minor_nr >= 0) {
		st->st_mode = S_IFCHR | 0666;
		st->st_rdev = makedev(1, (unsigned)minor_nr);
		st->st_dev = makedev(0, DEV_DEVTMPFS);
		st->st_ino = (ino_t)minor_nr;
		st->st_uid = st->st_gid = 0;
	} else if (sdk_file_minor(f) >= 0) {
		st->st_mode = S_IFCHR | 0666;
		st->st_rdev = makedev(SDK_FILE_MAJOR, (unsigned)sdk_file_minor(f));
		st->st_dev = makedev(0, DEV_DEVTMPFS);
		st->st_ino = 64 + (ino_t)sdk_file_minor(f);
		st->st_uid = st->st_gid = 0;
	} else if (mq_of(f)) {
		st->st_mode = S_IFREG | mq_mode(mq_of(f), &st->st_uid, &st->st_gid);
		st->st_dev = makedev(0, DEV_MQUEUE);
		st->st_size = f->ops->end(c->k, f);
	} else if (file_pipe(f) || file_is_sink(f)) {
		st->st_mode = S_IFIFO | 0600;
		st->st_dev = makedev(0, DEV_PIPEFS);
	} else if (!strcmp(kind, "epoll") || !strcmp(kind, "eventfd") || !strcmp(kind, "timerfd") || !strcmp(kind, "signalfd") ||
		   !strcmp(kind, "pidfd") || !strcmp(kind, "inotify")) {
		st->st_mode = 0600; /* one inode for all: fs/anon_inodes.c */
		st->st_dev = makedev(0, DEV_ANON);
		st->st_ino = 1;
		st->st_uid = st->st_gid = 0;
	} else {
		st->st_mode = S_IFSOCK | 0777;
		st->st_dev = makedev(0, DEV_SOCKFS);
	}
}

/* As its name; a slave whose master is closed has none any more. */
static int stat_terminal(struct call *c, struct file *f, struct stat *st, struct timespec *btime)
{
	char path[32];

	pts_path(f, path, sizeof path);
	if (!tty_hung_up(f) && !lstat(path, st)) {
		show_real(c, st, btime);
		return 0;
	}
	*st = (struct stat){.st_ino = f->ino, .st_mode = S_IFCHR | 0620, .st_blksize = 4096};
	st->st_rdev = makedev(136, (unsigned)tty_of(f)->index);
	return 0;
}

int vfs_stat_file(struct call *c, struct file *f, struct stat *st, struct timespec *btime)
{
	struct realfile *rf = realfile_of(f);

	*btime = (struct timespec){0};
	if (rf) {
		if (fstat(rf->fd, st) < 0)
			return -errno;
		show_real(c, st, btime);
		return 0;
	}
	if (procfs_path_of(f))
		return procfs_stat(c, procfs_path_of(f), st, btime);
	if (tty_of(f))
		return stat_terminal(c, f, st, btime);
	show_object(c, f, st);
	return 0;
}

static int stat_vpath(struct call *c, struct vpath *v, struct stat *st, struct timespec *btime)
{
	*btime = (struct timespec){0};
	if (v->kind == VPATH_SYNTH)
		return procfs_stat(c, v->text, st, btime);
	if (v->kind == VPATH_FILE)
		return vfs_stat_file(c, v->file, st, btime);
	*st = v->st;
	show_real(c, st, btime);
	return 0;
}

static int stat_path(struct call *c, int dirfd, uint64_t path_addr, unsigned flags, struct stat *st, struct timespec *btime)
{
	char path[PATH_MAX];
	struct vpath v;
	int rc = path_arg(c, path_addr, path);

	if (rc < 0)
		return rc;
	/* fstat in disguise, as glibc makes it. */
	if (!path[0] && (flags & RESOLVE_F_EMPTY) && dirfd != AT_FDCWD) {
		struct file *f = call_file(c, (uint64_t)dirfd);
		return f ? vfs_stat_file(c, f, st, btime) : -EBADF;
	}
	vfs_enter_ids(c);
	rc = resolve_path(c, dirfd, path, flags, &v);
	vfs_leave_ids(c);
	if (rc < 0)
		return rc;
	rc = stat_vpath(c, &v, st, btime);
	vpath_release(&v);
	return rc;
}

static struct verdict reply_stat(struct call *c, int rc, const struct stat *st, uint64_t addr)
{
	if (rc < 0)
		return FAIL(-rc);
	return copy_out(c, addr, st, sizeof *st) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_stat(struct call *c)
{
	struct timespec btime;
	struct stat st;

	return reply_stat(c, stat_path(c, AT_FDCWD, c->arg[0], 0, &st, &btime), &st, c->arg[1]);
}

struct verdict sys_lstat(struct call *c)
{
	struct timespec btime;
	struct stat st;

	return reply_stat(c, stat_path(c, AT_FDCWD, c->arg[0], RESOLVE_F_NOFOLLOW, &st, &btime), &st, c->arg[1]);
}

struct verdict sys_fstat(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	struct timespec btime;
	struct stat st;

	if (!f)
		return FAIL(EBADF);
	return reply_stat(c, vfs_stat_file(c, f, &st, &btime), &st, c->arg[1]);
}

struct verdict sys_newfstatat(struct call *c)
{
	struct timespec btime;
	struct stat st;

	if (c->arg[3] & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return FAIL(EINVAL);
	return reply_stat(c, stat_path(c, (int)c->arg[0], c->arg[1], resolve_at_flags(c->arg[3]), &st, &btime), &st, c->arg[2]);
}

static struct statx_timestamp statx_time(struct timespec t)
{
	return (struct statx_timestamp){.tv_sec = t.tv_sec, .tv_nsec = (uint32_t)t.tv_nsec};
}

struct verdict sys_statx(struct call *c)
{
	const unsigned at_known = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_SYNC_TYPE;
	unsigned flags = (unsigned)c->arg[2], mask = (unsigned)c->arg[3];
	struct timespec btime;
	struct statx x;
	struct stat st;
	int rc;

	if ((mask & STATX__RESERVED) || (flags & ~at_known) || (flags & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
		return FAIL(EINVAL);
	/* Since Linux 6.11 a NULL path is an empty one. */
	if (!c->arg[1] && (flags & AT_EMPTY_PATH) && (int)c->arg[0] != AT_FDCWD) {
		struct file *f = call_file(c, (uint64_t)(int)c->arg[0]);
		rc = f ? vfs_stat_file(c, f, &st, &btime) : -EBADF;
	} else {
		rc = stat_path(c, (int)c->arg[0], c->arg[1], resolve_at_flags(flags), &st, &btime);
	}
	if (rc < 0)
		return FAIL(-rc);
	memset(&x, 0, sizeof x);
	x.stx_mask = STATX_BASIC_STATS | (btime.tv_sec ? STATX_BTIME : 0);
	x.stx_blksize = (uint32_t)st.st_blksize;
	x.stx_nlink = (uint32_t)st.st_nlink;
	x.stx_uid = st.st_uid;
	x.stx_gid = st.st_gid;
	x.stx_mode = (uint16_t)st.st_mode;
	x.stx_ino = st.st_ino;
	x.stx_size = (uint64_t)st.st_size;
	x.stx_blocks = (uint64_t)st.st_blocks;
	x.stx_atime = statx_time(st.st_atim);
	x.stx_mtime = statx_time(st.st_mtim);
	x.stx_ctime = statx_time(st.st_ctim);
	x.stx_btime = statx_time(btime);
	x.stx_rdev_major = major(st.st_rdev);
	x.stx_rdev_minor = minor(st.st_rdev);
	x.stx_dev_major = major(st.st_dev);
	x.stx_dev_minor = minor(st.st_dev);
	return copy_out(c, c->arg[4], &x, sizeof x) ? FAIL(EFAULT) : REPLY(0);
}

/* --- access --- */

/* Synthetic files and simulated objects have nothing but their mode bits. */
static int access_by_mode(struct call *c, const struct stat *st, unsigned mode, uint32_t uid, uint32_t gid)
{
	unsigned bits = st->st_mode & 7;

	if (uid == 0) /* capable(CAP_DAC_OVERRIDE), see generic_permission() */
		return (mode & X_OK) && !S_ISDIR(st->st_mode) && !(st->st_mode & 0111) ? -EACCES : 0;
	if (uid == st->st_uid)
		bits = (st->st_mode >> 6) & 7;
	else if (gid == st->st_gid)
		bits = (st->st_mode >> 3) & 7;
	return mode & ~bits ? -EACCES : 0;
}

static int access_vpath(struct call *c, struct vpath *v, unsigned mode, uint32_t uid, uint32_t gid)
{
	struct timespec btime;
	struct stat st;
	int rc;

	if (mode == F_OK)
		return 0;
	if (v->kind == VPATH_REAL && !vfs_devnode(c->sim->vfs, &v->st)) {
		/* By the present file-system identity: the caller of this has put on the right one. */
		long n = syscall(SYS_faccessat2, v->fd, "", mode, AT_EMPTY_PATH | AT_EACCESS);
		return n < 0 ? -errno : 0;
	}
	rc = stat_vpath(c, v, &st, &btime);
	return rc < 0 ? rc : access_by_mode(c, &st, mode, uid, gid);
}

static struct verdict do_access(struct call *c, int dirfd, uint64_t path_addr, unsigned mode, unsigned flags)
{
	bool real = !(flags & AT_EACCESS);
	uint32_t uid = real ? c->proc->uid : c->proc->euid, gid = real ? c->proc->gid : c->proc->egid;
	char path[PATH_MAX];
	struct vpath v;
	int rc;

	if ((mode & ~7u) || (flags & ~(unsigned)(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)))
		return FAIL(EINVAL);
	rc = path_arg(c, path_addr, path);
	if (rc < 0)
		return FAIL(-rc);
	/* access(2) asks for the real identity. */
	if (real)
		vfs_enter_real_ids(c);
	else
		vfs_enter_ids(c);
	rc = resolve_path(c, dirfd, path, resolve_at_flags(flags), &v);
	if (!rc) {
		rc = access_vpath(c, &v, mode, uid, gid);
		vpath_release(&v);
	}
	vfs_leave_ids(c);
	return REPLY(rc);
}

struct verdict sys_access(struct call *c)
{
	return do_access(c, AT_FDCWD, c->arg[0], (unsigned)c->arg[1], 0);
}

struct verdict sys_faccessat(struct call *c)
{
	return do_access(c, (int)c->arg[0], c->arg[1], (unsigned)c->arg[2], 0);
}

struct verdict sys_faccessat2(struct call *c)
{
	return do_access(c, (int)c->arg[0], c->arg[1], (unsigned)c->arg[2], (unsigned)c->arg[3]);
}

/* --- statfs --- */

enum fs_kind { FS_DISK, FS_TMPFS, FS_PROC, FS_SYS, FS_PIPE, FS_SOCK, FS_ANON };

/* A disk of 64 GiB, half of it free, whatever the host has. */
static void fill_statfs(struct statfs *b, enum fs_kind kind)
{
	static const long magic[] = {[FS_DISK] = EXT4_SUPER_MAGIC, [FS_TMPFS] = TMPFS_MAGIC, [FS_PROC] = PROC_SUPER_MAGIC,
				     [FS_SYS] = SYSFS_MAGIC, [FS_PIPE] = PIPEFS_MAGIC, [FS_SOCK] = SOCKFS_MAGIC,
				     [FS_ANON] = ANON_INODE_FS_MAGIC};
	bool space = kind == FS_DISK || kind == FS_TMPFS;

	memset(b, 0, sizeof *b);
	b->f_type = magic[kind];
	b->f_bsize = b->f_frsize = 4096;
	b->f_namelen = 255;
	b->f_flags = 0x20 /* ST_VALID */ | 0x1000 /* ST_RELATIME */;
	if (!space)
		return;
	b->f_blocks = kind == FS_DISK ? 1u << 24 : 1u << 18;
	b->f_bfree = b->f_bavail = b->f_blocks / 2;
	b->f_files = 1u << 22;
	b->f_ffree = 1u << 21;
}

static enum fs_kind fs_kind_real(struct call *c, const struct stat *st)
{
	return st->st_dev == c->sim->vfs->dev_dev ? FS_TMPFS : FS_DISK;
}

static enum fs_kind fs_kind_synth(const char *path)
{
	return !strncmp(path, "/proc", 5) ? FS_PROC : FS_SYS;
}

static enum fs_kind fs_kind_file(struct call *c, struct file *f)
{
	struct realfile *rf = realfile_of(f);
	struct timespec btime;
	struct stat st;

	if (rf) {
		st.st_dev = rf->dev;
		return rf->memfd ? FS_TMPFS : fs_kind_real(c, &st);
	}
	if (procfs_path_of(f))
		return fs_kind_synth(procfs_path_of(f));
	vfs_stat_file(c, f, &st, &btime);
	return S_ISFIFO(st.st_mode) ? FS_PIPE : S_ISSOCK(st.st_mode) ? FS_SOCK : S_ISCHR(st.st_mode) ? FS_TMPFS : FS_ANON;
}

struct verdict sys_statfs(struct call *c)
{
	char path[PATH_MAX];
	struct statfs b;
	struct vpath v;
	int rc = path_arg(c, c->arg[0], path);

	if (rc < 0)
		return FAIL(-rc);
	vfs_enter_ids(c);
	rc = resolve_path(c, AT_FDCWD, path, 0, &v);
	vfs_leave_ids(c);
	if (rc < 0)
		return FAIL(-rc);
	fill_statfs(&b, v.kind == VPATH_REAL  ? fs_kind_real(c, &v.st) :
			v.kind == VPATH_SYNTH ? fs_kind_synth(v.text) :
						fs_kind_file(c, v.file));
	vpath_release(&v);
	return copy_out(c, c->arg[1], &b, sizeof b) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_fstatfs(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	struct statfs b;

	if (!f)
		return FAIL(EBADF);
	fill_statfs(&b, fs_kind_file(c, f));
	return copy_out(c, c->arg[1], &b, sizeof b) ? FAIL(EFAULT) : REPLY(0);
}
