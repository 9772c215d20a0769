/* Names of files: making, removing, moving and linking them. */
#include "tracer/call.h"

#include "base/mem.h"
#include "tracer/procfs.h"
#include "tracer/realfile.h"
#include "tracer/resolve.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"
#include "tracer/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A name was added to or taken from the directory v->parent. */
static void touch_parent(struct call *c, const struct vpath *v)
{
	vfs_touch_fd(c->sim, v->parent, TOUCH_MTIME | TOUCH_CTIME);
}

static void touch_stat(struct call *c, const struct stat *st, unsigned what)
{
	inodes_touch(&c->sim->vfs->inodes, st, what, vfs_now(c->sim));
}

/* The last component was just made. */
static void touch_created(struct call *c, const struct vpath *v)
{
	struct stat st;

	touch_parent(c, v);
	if (fstatat(v->parent, v->text, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	touch_stat(c, &st, TOUCH_CREATED);
	watch_entry(c->sim, v->parent, v->text, IN_CREATE, S_ISDIR(st.st_mode), 0);
}

/* An inode lost a name; st as before. */
static void lost_name(struct call *c, const struct stat *st)
{
	watch_lost_name(c->sim, st);
	touch_stat(c, st, TOUCH_CTIME);
	if (st->st_nlink > 1 && !S_ISDIR(st->st_mode))
		inodes_lost_name(&c->sim->vfs->inodes, st->st_dev, st->st_ino);
	else
		vfs_unlinked(c->sim, st);
}

/* Nothing can be made, removed or renamed below /proc (proc_root_inode_operations has no such members) and /sys. */
static int no_names(const struct vpath *v)
{
	return v->kind == VPATH_REAL ? 0 : strncmp(v->text, "/sys", 4) ? -EPERM : -EROFS;
}

/* --- mkdir, mknod --- */

struct making {
	mode_t mode;
	dev_t dev;
};

static int64_t make_node(struct call *c, struct vpath *v, void *arg)
{
	const struct making *m = arg;
	mode_t mode = m->mode & ~(mode_t)call_fs(c)->umask;
	int rc = no_names(v);

	if (rc < 0)
		return rc;
	rc = S_ISDIR(mode) ? mkdirat(v->parent, v->text, mode & 01777) : mknodat(v->parent, v->text, mode, 0);
	if (rc < 0)
		return -errno;
	touch_created(c, v);
	return 0;
}

static struct verdict do_mkdir(struct call *c, int dirfd, uint64_t path, uint64_t mode)
{
	struct making m = {.mode = S_IFDIR | ((mode_t)mode & 07777)};

	return REPLY(path_apply(c, dirfd, path, RESOLVE_F_PARENT, make_node, &m));
}

struct verdict sys_mkdir(struct call *c)
{
	return do_mkdir(c, AT_FDCWD, c->arg[0], c->arg[1]);
}

struct verdict sys_mkdirat(struct call *c)
{
	return do_mkdir(c, (int)c->arg[0], c->arg[1], c->arg[2]);
}

static struct verdict do_mknod(struct call *c, int dirfd, uint64_t path, uint64_t mode)
{
	struct making m = {.mode = (mode_t)mode};

	switch (m.mode & S_IFMT) {
	case 0:
		m.mode |= S_IFREG;
		break;
	case S_IFREG:
	case S_IFIFO:
	case S_IFSOCK:
		break;
	case S_IFCHR:
	case S_IFBLK:
	case S_IFDIR:
		return FAIL(EPERM); /* devices need CAP_MKNOD, which guests do not have */
	default:
		return FAIL(EINVAL);
	}
	return REPLY(path_apply(c, dirfd, path, RESOLVE_F_PARENT, make_node, &m));
}

struct verdict sys_mknod(struct call *c)
{
	return do_mknod(c, AT_FDCWD, c->arg[0], c->arg[1]);
}

struct verdict sys_mknodat(struct call *c)
{
	return do_mknod(c, (int)c->arg[0], c->arg[1], c->arg[2]);
}

/* --- unlink, rmdir --- */

static int64_t remove_name(struct call *c, struct vpath *v, void *arg)
{
	int flags = *(int *)arg, rc = no_names(v);
	struct stat st;

	if (rc < 0)
		return rc;
	if (fstatat(v->parent, v->text, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (unlinkat(v->parent, v->text, flags) < 0)
		return -errno;
	touch_parent(c, v);
	lost_name(c, &st);
	watch_entry(c->sim, v->parent, v->text, IN_DELETE, S_ISDIR(st.st_mode), 0);
	return 0;
}

static struct verdict do_unlink(struct call *c, int dirfd, uint64_t path, uint64_t flags)
{
	int f = (int)flags;

	if (f & ~AT_REMOVEDIR)
		return FAIL(EINVAL);
	return REPLY(path_apply(c, dirfd, path, RESOLVE_F_PARENT, remove_name, &f));
}

struct verdict sys_unlink(struct call *c)
{
	return do_unlink(c, AT_FDCWD, c->arg[0], 0);
}

struct verdict sys_rmdir(struct call *c)
{
	return do_unlink(c, AT_FDCWD, c->arg[0], AT_REMOVEDIR);
}

struct verdict sys_unlinkat(struct call *c)
{
	return do_unlink(c, (int)c->arg[0], c->arg[1], c->arg[2]);
}

/* --- symlink, link --- */

static int64_t make_symlink(struct call *c, struct vpath *v, void *arg)
{
	int rc = no_names(v);

	if (rc < 0)
		return rc;
	if (symlinkat(arg, v->parent, v->text) < 0)
		return -errno;
	touch_created(c, v);
	return 0;
}

static struct verdict do_symlink(struct call *c, uint64_t target, int dirfd, uint64_t path)
{
	char text[PATH_MAX];
	int n = copy_in_str(c, text, sizeof text, target);

	if (n < 0)
		return FAIL(-n);
	if (!n)
		return FAIL(ENOENT);
	return REPLY(path_apply(c, dirfd, path, RESOLVE_F_PARENT, make_symlink, text));
}

struct verdict sys_symlink(struct call *c)
{
	return do_symlink(c, c->arg[0], AT_FDCWD, c->arg[1]);
}

struct verdict sys_symlinkat(struct call *c)
{
	return do_symlink(c, c->arg[0], (int)c->arg[1], c->arg[2]);
}

/* Two paths of one call. */
struct pair {
	int dirfd[2];
	uint64_t path[2];
	unsigned resolve[2];
	struct vpath v[2];
};

/* Resolves both, with the caller's identity left on; the second path is the one that traces show last. */
static int resolve_pair(struct call *c, struct pair *p)
{
	char path[2][PATH_MAX];
	int rc = path_arg(c, p->path[0], path[0]);

	if (rc >= 0)
		rc = path_arg(c, p->path[1], path[1]);
	if (rc < 0)
		return rc;
	call_note(c, "%.70s -> %.70s", path[0], path[1]);
	vfs_enter_ids(c);
	rc = resolve_path(c, p->dirfd[0], path[0], p->resolve[0], &p->v[0]);
	if (!rc) {
		rc = resolve_path(c, p->dirfd[1], path[1], p->resolve[1], &p->v[1]);
		if (rc < 0)
			vpath_release(&p->v[0]);
	}
	if (rc < 0)
		vfs_leave_ids(c);
	return rc;
}

static void release_pair(struct call *c, struct pair *p)
{
	vfs_leave_ids(c);
	vpath_release(&p->v[0]);
	vpath_release(&p->v[1]);
}

static int make_link(struct call *c, struct vpath *from, struct vpath *to)
{
	struct stat st;
	int rc = no_names(to);

	if (rc < 0)
		return rc;
	if (from->kind != VPATH_REAL)
		return -EXDEV; /* another file system */
	/* Through the descriptor: AT_EMPTY_PATH would need a capability. */
	if (linkat(c->sim->host_proc, vfs_fd_link(from->fd).path, to->parent, to->text, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	touch_parent(c, to);
	if (!fstat(from->fd, &st)) {
		touch_stat(c, &st, TOUCH_CTIME);
		watch_inode(c->sim, &st, IN_ATTRIB);
		watch_entry(c->sim, to->parent, to->text, IN_CREATE, false, 0);
		inodes_linked(&c->sim->vfs->inodes, st.st_dev, st.st_ino);
	}
	return 0;
}

static struct verdict do_link(struct call *c, int from, uint64_t old, int to, uint64_t new, uint64_t flags)
{
	struct pair p = {.dirfd = {from, to}, .path = {old, new}, .resolve = {RESOLVE_F_NOFOLLOW, RESOLVE_F_PARENT}};
	int rc;

	if (flags & ~(uint64_t)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return FAIL(EINVAL);
	if (flags & AT_SYMLINK_FOLLOW)
		p.resolve[0] = 0;
	if (flags & AT_EMPTY_PATH)
		p.resolve[0] |= RESOLVE_F_EMPTY;
	rc = resolve_pair(c, &p);
	if (rc < 0)
		return FAIL(-rc);
	rc = make_link(c, &p.v[0], &p.v[1]);
	release_pair(c, &p);
	return REPLY(rc);
}

struct verdict sys_link(struct call *c)
{
	return do_link(c, AT_FDCWD, c->arg[0], AT_FDCWD, c->arg[1], 0);
}

struct verdict sys_linkat(struct call *c)
{
	return do_link(c, (int)c->arg[0], c->arg[1], (int)c->arg[2], c->arg[3], c->arg[4]);
}

/* --- rename --- */

static void tell_moved(struct call *c, const struct vpath *from, const struct vpath *to, const struct stat *st)
{
	uint32_t cookie = inotify_any(c->k) ? ++c->k->move_cookie : 0;
	bool dir = S_ISDIR(st->st_mode);

	watch_entry(c->sim, from->parent, from->text, IN_MOVED_FROM, dir, cookie);
	watch_entry(c->sim, to->parent, to->text, IN_MOVED_TO, dir, cookie);
	watch_inode(c->sim, st, IN_MOVE_SELF);
}

static int move_name(struct call *c, struct vpath *from, struct vpath *to, unsigned flags)
{
	enum { EXCHANGE = 2 };
	struct stat moved, replaced;
	bool had;
	int rc = no_names(from);

	if (!rc)
		rc = no_names(to);
	if (rc < 0)
		return rc;
	if (fstatat(from->parent, from->text, &moved, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	had = !fstatat(to->parent, to->text, &replaced, AT_SYMLINK_NOFOLLOW);
	if (syscall(SYS_renameat2, from->parent, from->text, to->parent, to->text, flags) < 0)
		return -errno;
	if (had && moved.st_dev == replaced.st_dev && moved.st_ino == replaced.st_ino)
		return 0; /* two names of one file: rename(2) does nothing */
	touch_parent(c, from);
	touch_parent(c, to);
	touch_stat(c, &moved, TOUCH_CTIME);
	tell_moved(c, from, to, &moved);
	if (had && (flags & EXCHANGE)) {
		touch_stat(c, &replaced, TOUCH_CTIME);
		tell_moved(c, to, from, &replaced);
	} else if (had) {
		lost_name(c, &replaced);
	}
	return 0;
}

static struct verdict do_rename(struct call *c, int from, uint64_t old, int to, uint64_t new, unsigned flags)
{
	struct pair p = {.dirfd = {from, to}, .path = {old, new}, .resolve = {RESOLVE_F_PARENT, RESOLVE_F_PARENT}};
	int rc;

	if (flags & ~3u) /* RENAME_NOREPLACE, RENAME_EXCHANGE; a whiteout needs CAP_MKNOD */
		return flags & ~7u ? FAIL(EINVAL) : FAIL(EPERM);
	if (flags == 3)
		return FAIL(EINVAL);
	rc = resolve_pair(c, &p);
	if (rc < 0)
		return FAIL(-rc);
	rc = move_name(c, &p.v[0], &p.v[1], flags);
	release_pair(c, &p);
	return REPLY(rc);
}

struct verdict sys_rename(struct call *c)
{
	return do_rename(c, AT_FDCWD, c->arg[0], AT_FDCWD, c->arg[1], 0);
}

struct verdict sys_renameat(struct call *c)
{
	return do_rename(c, (int)c->arg[0], c->arg[1], (int)c->arg[2], c->arg[3], 0);
}

struct verdict sys_renameat2(struct call *c)
{
	return do_rename(c, (int)c->arg[0], c->arg[1], (int)c->arg[2], c->arg[3], (unsigned)c->arg[4]);
}

/* --- readlink --- */

static int64_t read_link(struct call *c, struct vpath *v, void *arg)
{
	char *out = arg;
	struct synth s;
	ssize_t n;
	int rc;

	if (v->kind == VPATH_SYNTH) {
		rc = procfs_lookup(c, v->text, &s);
		if (rc < 0)
			return rc;
		if (s.kind == SYNTH_DIR || s.kind == SYNTH_FILE)
			return -EINVAL;
		strcpy(out, s.target);
		return (int64_t)strlen(out);
	}
	if (v->kind != VPATH_REAL || !S_ISLNK(v->st.st_mode))
		return -EINVAL;
	n = readlinkat(v->fd, "", out, PATH_MAX);
	return n < 0 ? -errno : n;
}

static struct verdict do_readlink(struct call *c, int dirfd, uint64_t path, uint64_t buf, int size)
{
	char out[PATH_MAX];
	int64_t n;

	if (size <= 0)
		return FAIL(EINVAL);
	/* An empty path stands for the descriptor of a link, without a flag: readlink(2). */
	n = path_apply(c, dirfd, path, RESOLVE_F_NOFOLLOW | (dirfd == AT_FDCWD ? 0 : RESOLVE_F_EMPTY), read_link, out);
	if (n < 0)
		return FAIL(n == -EINVAL && !c->note[0] ? ENOENT : -n);
	n = MIN(n, (int64_t)size);
	return copy_out(c, buf, out, (size_t)n) ? FAIL(EFAULT) : REPLY(n);
}

struct verdict sys_readlink(struct call *c)
{
	return do_readlink(c, AT_FDCWD, c->arg[0], c->arg[1], (int)c->arg[2]);
}

struct verdict sys_readlinkat(struct call *c)
{
	return do_readlink(c, (int)c->arg[0], c->arg[1], c->arg[2], (int)c->arg[3]);
}

/* --- names of unix sockets --- */

static int bind_at(struct call *c, struct vpath *v, mode_t mode, uint64_t key[2])
{
	struct stat st;
	int rc = no_names(v);

	if (rc < 0)
		return rc;
	if (mknodat(v->parent, v->text, S_IFSOCK | (mode & 0777 & ~(mode_t)call_fs(c)->umask), 0) < 0)
		return errno == EEXIST ? -EADDRINUSE : -errno;
	touch_created(c, v);
	if (fstatat(v->parent, v->text, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	vfs_key(&st, key);
	return 0;
}

int vfs_bind_socket(struct call *c, const char *path, uint32_t mode, uint64_t key[2])
{
	struct vpath v;
	int rc;

	vfs_enter_ids(c);
	rc = resolve_path(c, AT_FDCWD, path, RESOLVE_F_PARENT, &v);
	if (!rc) {
		rc = bind_at(c, &v, mode, key);
		vpath_release(&v);
	}
	vfs_leave_ids(c);
	return rc;
}

int vfs_find_socket(struct call *c, const char *path, uint64_t key[2])
{
	struct vpath v;
	int rc;

	vfs_enter_ids(c);
	rc = resolve_path(c, AT_FDCWD, path, 0, &v);
	if (!rc) {
		if (v.kind == VPATH_REAL && syscall(SYS_faccessat2, v.fd, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) < 0)
			rc = -errno;
		else if (v.kind != VPATH_REAL || !S_ISSOCK(v.st.st_mode))
			rc = -ECONNREFUSED;
		else
			vfs_key(&v.st, key);
		vpath_release(&v);
	}
	vfs_leave_ids(c);
	return rc;
}
