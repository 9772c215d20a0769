#include "tracer/resolve.h"

#include "base/err.h"
#include "base/mem.h"
#include "tracer/procfs.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* MAXSYMLINKS, include/linux/namei.h */

/* A path being walked. */
struct walk {
	struct call *c;
	int cur;               /* the real directory reached, owned; -1: a synthetic one */
	char synth[PATH_MAX];  /* its path then */
	char rest[2 * PATH_MAX]; /* what is left to walk */
	unsigned links;
	unsigned flags;
	struct vpath *out;
};

int open_quietly(int base, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC), .resolve = resolve | RESOLVE_NO_MAGICLINKS};
	long fd = syscall(SYS_openat2, base, path, &how, sizeof how);

	return fd < 0 ? -errno : (int)fd;
}

int path_arg(struct call *c, uint64_t addr, char out[PATH_MAX])
{
	int n = copy_in_str(c, out, PATH_MAX, addr);

	if (n >= 0)
		call_note(c, "%s", out);
	return n;
}

bool path_is_special(const char *path)
{
	static const char *const dirs[] = {"proc", "sys"};

	if (*path != '/')
		return false;
	while (*path == '/')
		path++;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		size_t n = strlen(dirs[i]);
		if (!strncmp(path, dirs[i], n) && (path[n] == '/' || !path[n]))
			return true;
	}
	return false;
}

int path_base(struct call *c, int dirfd, const char *path, int *fd, const char **synth)
{
	struct fs *fs = call_fs(c);
	struct realfile *rf;
	struct file *f;

	*synth = NULL;
	*fd = AT_FDCWD;
	if (path[0] == '/')
		return 0;
	if (dirfd == AT_FDCWD) {
		*fd = fs->cwd;
		*synth = fs->cwd_synth;
		return 0;
	}
	f = call_file(c, (uint64_t)dirfd);
	if (!f)
		return -EBADF;
	rf = realfile_of(f);
	if (rf) {
		*fd = rf->fd;
		return S_ISDIR(rf->type) ? 0 : -ENOTDIR;
	}
	*synth = procfs_dir_of(f) ? procfs_path_of(f) : NULL;
	return *synth ? 0 : -ENOTDIR;
}

static bool on_special_fs(const struct vfs *v, const struct stat *st)
{
	return st->st_dev == v->proc_dev || st->st_dev == v->sys_dev;
}

void vpath_release(struct vpath *v)
{
	if (v->fd >= 0)
		close(v->fd);
	if (v->parent >= 0)
		close(v->parent);
	v->fd = v->parent = -1;
}

/* --- the walk --- */

static void walk_to_real(struct walk *w, int fd)
{
	if (w->cur >= 0)
		close(w->cur);
	w->cur = fd;
	w->synth[0] = 0;
}

static void walk_to_synth(struct walk *w, const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof copy, "%s", path); /* path may be w->synth itself */
	walk_to_real(w, -1);
	memcpy(w->synth, copy, sizeof copy);
}

static int walk_to_root(struct walk *w)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	walk_to_real(w, fd);
	return 0;
}

/* A symbolic link was met: its target goes before what is left. */
static int walk_link(struct walk *w, const char *target)
{
	char rest[sizeof w->rest];
	int n;

	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if (!*target)
		return -ENOENT;
	n = snprintf(rest, sizeof rest, "%s%s%s", target, w->rest[0] ? "/" : "", w->rest);
	if (n < 0 || (size_t)n >= sizeof rest)
		return -ENAMETOOLONG;
	memcpy(w->rest, rest, (size_t)n + 1);
	return *target == '/' ? walk_to_root(w) : 0;
}

/* Takes the next component off w->rest. False: none is left. */
static bool next_component(struct walk *w, char name[NAME_MAX + 2], bool *last, bool *slash)
{
	char *p = w->rest, *end;
	size_t n;

	while (*p == '/')
		p++;
	end = strchrnul(p, '/');
	n = (size_t)(end - p);
	if (!n)
		return false;
	memcpy(name, p, MIN(n, (size_t)NAME_MAX + 1));
	name[MIN(n, (size_t)NAME_MAX + 1)] = 0; /* too long stays too long */
	*slash = *end == '/';
	while (*end == '/')
		end++;
	*last = !*end;
	memmove(w->rest, end, strlen(end) + 1);
	return true;
}

static int found_synth(struct walk *w, const char *path)
{
	w->out->kind = VPATH_SYNTH;
	snprintf(w->out->text, sizeof w->out->text, "%s", path);
	return 1;
}

static int found_real(struct walk *w, int fd, const struct stat *st)
{
	w->out->kind = VPATH_REAL;
	w->out->fd = fd;
	w->out->st = *st;
	return 1;
}

static int found_parent(struct walk *w, enum vpath_kind kind, const char *name, bool slash)
{
	w->out->kind = kind;
	w->out->parent = w->cur;
	w->cur = -1;
	snprintf(w->out->text, sizeof w->out->text, "%s%s", name, slash ? "/" : "");
	return 1;
}

/* A link that leads to an open file. */
static int walk_file(struct walk *w, struct file *f, bool last)
{
	struct realfile *rf = realfile_of(f);
	struct stat st;
	int fd;

	if (!rf && procfs_path_of(f)) {
		if (last)
			return found_synth(w, procfs_path_of(f));
		walk_to_synth(w, procfs_path_of(f));
		return 0;
	}
	if (!rf) {
		w->out->kind = VPATH_FILE;
		w->out->file = f;
		return last ? 1 : -ENOTDIR;
	}
	fd = fcntl(rf->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (last)
		return found_real(w, fd, &st);
	walk_to_real(w, fd);
	return 0;
}

/* One component below /proc or /sys: 1 found, 0 go on, or -errno. */
static int step_synth(struct walk *w, const char *name, bool last, bool slash)
{
	char path[PATH_MAX];
	struct synth s;
	bool follow = !last || slash || !(w->flags & RESOLVE_F_NOFOLLOW);
	int rc;

	if (!strcmp(name, ".")) {
		return 0;
	} else if (!strcmp(name, "..")) {
		char *cut = strrchr(w->synth, '/');
		if (cut == w->synth)
			return walk_to_root(w);
		*cut = 0;
		return 0;
	}
	if ((size_t)snprintf(path, sizeof path, "%s/%s", w->synth, name) >= sizeof path)
		return -ENAMETOOLONG;
	rc = procfs_lookup(w->c, path, &s);
	if (rc < 0)
		return rc;
	if (s.kind == SYNTH_DIR && !last) {
		walk_to_synth(w, path);
		return 0;
	}
	if (s.kind == SYNTH_DIR || (s.kind == SYNTH_FILE && last && !slash) || (s.kind != SYNTH_FILE && !follow))
		return found_synth(w, path);
	if (s.kind == SYNTH_FILE)
		return -ENOTDIR;
	if (s.kind == SYNTH_FD)
		return walk_file(w, s.file, last && !slash);
	if (s.kind == SYNTH_CWD && proc_host(s.proc)->fs->cwd >= 0) {
		int fd = fcntl(proc_host(s.proc)->fs->cwd, F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			return -errno;
		walk_to_real(w, fd);
		return 0;
	}
	return walk_link(w, s.target);
}

/* One component in a real directory. */
static int step_real(struct walk *w, const char *name, bool last, bool slash)
{
	const struct vfs *v = w->c->sim->vfs;
	bool follow = !last || slash || !(w->flags & RESOLVE_F_NOFOLLOW);
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd = openat(w->cur, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		if (errno != ENOENT || !last || !(w->flags & RESOLVE_F_MISSING))
			return -errno;
		return found_parent(w, VPATH_MISSING, name, slash);
	}
	if (fstat(fd, &st) < 0)
		BUG("cannot stat an open file: %s", strerror(errno));
	if (S_ISLNK(st.st_mode) && follow) {
		n = readlinkat(fd, "", target, sizeof target - 1);
		close(fd);
		if (n < 0)
			return -errno;
		target[n] = 0;
		return walk_link(w, target);
	}
	if (S_ISDIR(st.st_mode) && ((st.st_dev == v->proc_dev && st.st_ino == v->proc_ino) ||
				    (st.st_dev == v->sys_dev && st.st_ino == v->sys_ino))) {
		walk_to_synth(w, st.st_dev == v->proc_dev && st.st_ino == v->proc_ino ? "/proc" : "/sys");
		close(fd);
		return last ? found_synth(w, w->synth) : 0;
	}
	if (last && !(slash && !S_ISDIR(st.st_mode)))
		return found_real(w, fd, &st);
	if (!S_ISDIR(st.st_mode)) {
		close(fd);
		return -ENOTDIR;
	}
	walk_to_real(w, fd);
	return 0;
}

static int walk_steps(struct walk *w)
{
	char name[NAME_MAX + 2];
	bool last, slash;
	struct stat st;
	int rc, fd;

	while (next_component(w, name, &last, &slash)) {
		if (last && (w->flags & RESOLVE_F_PARENT)) {
			if (w->cur < 0)
				return found_synth(w, w->synth);
			return found_parent(w, VPATH_REAL, name, slash);
		}
		rc = w->cur < 0 ? step_synth(w, name, last, slash) : step_real(w, name, last, slash);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	if (w->cur < 0)
		return found_synth(w, w->synth) < 0;
	if (w->flags & RESOLVE_F_PARENT) /* "/" */
		return found_parent(w, VPATH_REAL, "/", false) < 0;
	fd = w->cur;
	w->cur = -1;
	if (fstat(fd, &st) < 0)
		return -errno;
	found_real(w, fd, &st);
	return 0;
}

static int walk_path(struct call *c, int base, const char *synth, const char *path, unsigned flags, struct vpath *out)
{
	struct walk w = {.c = c, .cur = -1, .flags = flags, .out = out};
	int rc = 0;

	snprintf(w.rest, sizeof w.rest, "%s", path);
	if (path[0] == '/') {
		rc = walk_to_root(&w);
	} else if (synth) {
		walk_to_synth(&w, synth);
	} else {
		w.cur = openat(base, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		rc = w.cur < 0 ? -errno : 0;
	}
	if (!rc)
		rc = walk_steps(&w);
	if (w.cur >= 0)
		close(w.cur);
	if (rc < 0)
		vpath_release(out);
	return rc < 0 ? rc : 0;
}

/* --- the short way --- */

/* Splits off the last component; the directory part (maybe empty) in dir. */
static const char *split_path(const char *path, char dir[PATH_MAX])
{
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	memcpy(dir, path, n);
	dir[n] = 0;
	return path + n;
}

/* Opens the directory that holds the last component, when nothing on the way is special. A descriptor or -errno. */
static int open_parent(struct call *c, int base, const char *path, const char **name)
{
	char dir[PATH_MAX];
	struct stat st;
	int fd;

	*name = split_path(path, dir);
	fd = open_quietly(base, dir[0] ? dir : ".", O_PATH | O_DIRECTORY, 0);
	if (fd >= 0 && (fstat(fd, &st) < 0 || on_special_fs(c->sim->vfs, &st))) {
		close(fd);
		return -ELOOP;
	}
	return fd;
}

bool path_missing(struct call *c, int base, const char *path)
{
	const char *name;
	struct stat st;
	int fd = open_parent(c, base, path, &name);
	bool missing;

	if (fd < 0)
		return false;
	missing = fstatat(fd, *name ? name : ".", &st, AT_SYMLINK_NOFOLLOW) < 0;
	close(fd);
	return missing;
}

static int resolve_parent(struct call *c, int base, const char *path, struct vpath *out)
{
	const char *name;
	int fd = open_parent(c, base, path, &name);

	if (fd < 0)
		return fd;
	out->kind = VPATH_REAL;
	out->parent = fd;
	snprintf(out->text, sizeof out->text, "%s", *name ? name : "/");
	return 0;
}

static int resolve_whole(struct call *c, int base, const char *path, unsigned flags, struct vpath *out)
{
	int fd = open_quietly(base, path, O_PATH | (flags & RESOLVE_F_NOFOLLOW ? O_NOFOLLOW : 0), 0);

	if (fd == -ENOENT && !(flags & RESOLVE_F_MISSING) && path_missing(c, base, path))
		return -ENODATA; /* final; told apart from what needs a walk */
	if (fd < 0)
		return fd;
	if (fstat(fd, &out->st) < 0 || on_special_fs(c->sim->vfs, &out->st)) {
		close(fd);
		return -ELOOP;
	}
	out->kind = VPATH_REAL;
	out->fd = fd;
	return 0;
}

/* "" with AT_EMPTY_PATH: the descriptor itself, or the current directory. */
static int resolve_self(struct call *c, int dirfd, struct vpath *out)
{
	struct file *f = NULL;
	struct fs *fs = call_fs(c);
	struct realfile *rf = NULL;
	int fd;

	if (dirfd != AT_FDCWD) {
		f = call_file(c, (uint64_t)dirfd);
		if (!f)
			return -EBADF;
		rf = realfile_of(f);
	}
	if ((f && !rf && procfs_path_of(f)) || (!f && fs->cwd < 0)) {
		out->kind = VPATH_SYNTH;
		snprintf(out->text, sizeof out->text, "%s", f ? procfs_path_of(f) : fs->cwd_synth);
		return 0;
	}
	if (f && !rf) {
		out->kind = VPATH_FILE;
		out->file = f;
		return 0;
	}
	fd = fcntl(rf ? rf->fd : fs->cwd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || fstat(fd, &out->st) < 0)
		return -errno;
	out->kind = VPATH_REAL;
	out->fd = fd;
	return 0;
}

int resolve_path(struct call *c, int dirfd, const char *path, unsigned flags, struct vpath *out)
{
	const char *synth;
	int base, rc;

	out->fd = out->parent = -1;
	out->file = NULL;
	if (!*path)
		return flags & RESOLVE_F_EMPTY ? resolve_self(c, dirfd, out) : -ENOENT;
	rc = path_base(c, dirfd, path, &base, &synth);
	if (rc < 0)
		return rc;
	if (!synth && !path_is_special(path)) {
		rc = flags & RESOLVE_F_PARENT ? resolve_parent(c, base, path, out) : resolve_whole(c, base, path, flags, out);
		if (rc == -ENODATA)
			return -ENOENT;
		if (rc != -ENOENT && rc != -ELOOP)
			return rc;
		out->fd = out->parent = -1;
	}
	return walk_path(c, base, synth, path, flags, out);
}

unsigned resolve_at_flags(uint64_t at_flags)
{
	return (at_flags & AT_SYMLINK_NOFOLLOW ? RESOLVE_F_NOFOLLOW : 0) | (at_flags & AT_EMPTY_PATH ? RESOLVE_F_EMPTY : 0);
}

int64_t path_apply(struct call *c, int dirfd, uint64_t addr, unsigned flags, vpath_fn fn, void *arg)
{
	char path[PATH_MAX];
	struct vpath v;
	int64_t rc = path_arg(c, addr, path);

	if (rc < 0)
		return rc;
	vfs_enter_ids(c);
	rc = resolve_path(c, dirfd, path, flags, &v);
	if (!rc) {
		rc = fn(c, &v, arg);
		vpath_release(&v);
	}
	vfs_leave_ids(c);
	return rc;
}
