#include "tracer/vfs.h"

#include "base/mem.h"
#include "kernel/cred.h"
#include "kernel/pipe.h"
#include "kernel/wall.h"
#include "tracer/realfile.h"
#include "tracer/sdk_file.h"
#include "tracer/sim.h"
#include "tracer/sys_tty.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool still_waits(void *ctx, int tid)
{
	struct sim *s = ctx;
	struct thread *t = map_get(&s->kern.threads, (uint64_t)tid);

	return t && t->state == THREAD_BLOCKED && thread_task(t) && thread_task(t)->in_call;
}

/* An ordinary user's view is a user namespace in which the supervisor has every capability: permissions are to be those
 * of the user all the same. */
static void drop_file_caps(void)
{
	static const cap_value_t caps[] = {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID, CAP_CHOWN, CAP_MKNOD};
	cap_t have = cap_get_proc();

	if (!have)
		return;
	if (!cap_set_flag(have, CAP_EFFECTIVE, ARRAY_LEN(caps), caps, CAP_CLEAR))
		cap_set_proc(have);
	cap_free(have);
}

static void raise_limits(void)
{
	struct rlimit r = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};

	if (!setrlimit(RLIMIT_NOFILE, &r) || getrlimit(RLIMIT_NOFILE, &r) < 0)
		return;
	r.rlim_cur = r.rlim_max; /* an ordinary user: as far as allowed */
	setrlimit(RLIMIT_NOFILE, &r);
}

static void find_devnodes(struct vfs *v)
{
	/* Numbers of Documentation/admin-guide/devices.txt. */
	const struct devnode known[DEVNODES] = {
		{.name = "null", .rdev = makedev(1, 3)},   {.name = "zero", .rdev = makedev(1, 5)},
		{.name = "full", .rdev = makedev(1, 7)},   {.name = "random", .rdev = makedev(1, 8)},
		{.name = "urandom", .rdev = makedev(1, 9)}, {.name = "tty", .rdev = makedev(5, 0)},
		{.name = "ptmx", .rdev = makedev(5, 2)},
		{.name = "simrun/output", .rdev = makedev(SDK_FILE_MAJOR, 0)},
		{.name = "simrun/sdk.jsonl", .rdev = makedev(SDK_FILE_MAJOR, 1)},
	};
	char path[64];
	struct stat st;

	memcpy(v->node, known, sizeof v->node);
	for (size_t i = 0; i < DEVNODES; i++) {
		snprintf(path, sizeof path, "/dev/%s", v->node[i].name);
		if (!lstat(path, &st) && st.st_dev == v->dev_dev)
			v->node[i].ino = st.st_ino;
	}
}

int vfs_init(struct sim *s, struct err *e)
{
	struct vfs *v = xnew(struct vfs);
	struct stat root, st;

	s->vfs = v;
	inodes_init(&v->inodes);
	v->inodes.started = s->host_start;
	v->inodes.boot = vfs_now(s);
	locks_init(&v->locks, s->kern.arena);
	v->locks.still_waits = still_waits;
	v->locks.ctx = s;
	if (stat("/", &root) < 0 || stat("/dev", &st) < 0)
		return err_set(e, errno, "cannot look at the view's root");
	inodes_dev(&v->inodes, root.st_dev); /* the first number, /dev the second: see mountinfo in procfs_proc.c */
	v->dev_dev = st.st_dev;
	inodes_dev(&v->inodes, st.st_dev);
	if (stat("/proc", &st) < 0 || st.st_dev == root.st_dev)
		return err_set(e, errno, "the view has no /proc of its own");
	v->proc_dev = st.st_dev;
	v->proc_ino = st.st_ino;
	if (stat("/sys", &st) < 0 || st.st_dev == root.st_dev)
		return err_set(e, errno, "the view has no /sys of its own");
	v->sys_dev = st.st_dev;
	v->sys_ino = st.st_ino;
	find_devnodes(v);
	v->switch_ids = geteuid() == 0;
	v->ngroups = MAX(getgroups(ARRAY_LEN(v->groups), v->groups), 0);
	if (!v->switch_ids)
		drop_file_caps();
	raise_limits();
	umask(0);
	return 0;
}

void vfs_clear(struct sim *s)
{
	if (!s->vfs)
		return;
	inodes_clear(&s->vfs->inodes);
	map_clear(&s->vfs->fifos);
	pts_clear(s->vfs);
	free(s->vfs);
	s->vfs = NULL;
}

/* --- the caller's directory, umask and identity --- */

struct fs *call_fs(struct call *c)
{
	return proc_host(c->proc)->fs;
}

void fs_set_cwd(struct sim *s, struct fs *fs, int dir, const char *synth)
{
	char path[PATH_MAX];

	if (fs->cwd >= 0)
		close(fs->cwd);
	free(fs->cwd_synth);
	free(fs->cwd_path);
	fs->cwd = dir;
	fs->cwd_synth = dir < 0 ? xstrdup(synth) : NULL;
	if (dir >= 0 && vfs_fd_path(s, dir, path) < 0)
		strcpy(path, "/");
	fs->cwd_path = xstrdup(dir >= 0 ? path : synth);
}

struct fs *fs_new(struct sim *s, const char *cwd)
{
	struct fs *fs = xnew(struct fs);
	int dir = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		BUG("cannot open the root directory: %s", strerror(errno));
	fs->refs = 1;
	fs->cwd = -1;
	fs->umask = 022;
	fs_set_cwd(s, fs, dir, NULL);
	return fs;
}

struct fs *fs_copy(struct sim *s, const struct fs *fs)
{
	struct fs *n = xnew(struct fs);

	n->refs = 1;
	n->umask = fs->umask;
	n->followed = fs->followed;
	n->cwd = fs->cwd < 0 ? -1 : fcntl(fs->cwd, F_DUPFD_CLOEXEC, 3);
	if (fs->cwd >= 0 && n->cwd < 0)
		BUG("out of descriptors: %s", strerror(errno));
	n->cwd_synth = fs->cwd_synth ? xstrdup(fs->cwd_synth) : NULL;
	n->cwd_path = xstrdup(fs->cwd_path);
	return n;
}

struct fs *fs_ref(struct fs *fs)
{
	fs->refs++;
	return fs;
}

void fs_unref(struct sim *s, struct fs *fs)
{
	if (!fs || --fs->refs)
		return;
	if (fs->cwd >= 0)
		close(fs->cwd);
	free(fs->cwd_synth);
	free(fs->cwd_path);
	free(fs);
}

const char *fs_cwd_path(const struct fs *fs)
{
	return fs->cwd_path;
}

int fs_getcwd(struct sim *s, const struct fs *fs, char out[PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	struct stat st;
	int n;

	if (fs->cwd < 0)
		return snprintf(out, PATH_MAX, "%s", fs->cwd_synth);
	n = vfs_fd_path(s, fs->cwd, out);
	if (n < 0)
		return n;
	if ((size_t)n >= sizeof deleted && !strcmp(out + n - (sizeof deleted - 1), deleted) && lstat(out, &st) < 0)
		return -ENOENT;
	return n;
}

static void put_on(struct vfs *v, uint32_t uid, uint32_t gid, const uint32_t *groups, unsigned ngroups)
{
	if (!v->switch_ids || (!uid && !gid))
		return;
	if (uid)
		setgroups(ngroups, groups);
	setfsgid(gid);
	setfsuid(uid); /* last: it takes the file capabilities away (capabilities(7)) */
	v->switched = true;
}

void vfs_enter_ids(struct call *c)
{
	const struct cred *cr = cred_of(c->k, c->proc);

	put_on(c->sim->vfs, cr->fsuid, cr->fsgid, cr->groups, cr->ngroups);
}

void vfs_enter_real_ids(struct call *c)
{
	const struct cred *cr = cred_of(c->k, c->proc);

	put_on(c->sim->vfs, c->proc->uid, c->proc->gid, cr->groups, cr->ngroups);
}

void vfs_leave_ids(struct call *c)
{
	struct vfs *v = c->sim->vfs;

	if (!v->switched)
		return;
	setfsuid(0);
	setfsgid(0);
	setgroups((size_t)v->ngroups, v->groups);
	v->switched = false;
}

/* --- times, descriptors --- */

struct timespec vfs_now(struct sim *s)
{
	const struct node *n = s->kern.current ? s->kern.current->proc->node : NULL;
	int64_t ns = s->kern.clock.now_ns + wall_offset(&s->kern, n);

	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

void vfs_touch_fd(struct sim *s, int fd, unsigned what)
{
	struct stat st;

	if (!fstat(fd, &st))
		inodes_touch(&s->vfs->inodes, &st, what, vfs_now(s));
}

int vfs_host_fd(const struct file *f)
{
	struct realfile *rf = realfile_io(f);

	return rf ? rf->fd : -1;
}

struct fd_link vfs_fd_link(int fd)
{
	struct fd_link l;

	snprintf(l.path, sizeof l.path, "self/fd/%d", fd);
	return l;
}

int vfs_fd_path(struct sim *s, int fd, char out[PATH_MAX])
{
	ssize_t n = readlinkat(s->host_proc, vfs_fd_link(fd).path, out, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	out[n] = 0;
	return (int)n;
}

int vfs_reopen(struct sim *s, int fd, int flags)
{
	int n = openat(s->host_proc, vfs_fd_link(fd).path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return n < 0 ? -errno : n;
}

const struct devnode *vfs_devnode(const struct vfs *v, const struct stat *st)
{
	if (st->st_dev != v->dev_dev)
		return NULL;
	for (size_t i = 0; i < DEVNODES; i++)
		if (v->node[i].ino == st->st_ino)
			return &v->node[i];
	return pts_devnode(v, st);
}

void vfs_key(const struct stat *st, uint64_t key[2])
{
	key[0] = st->st_dev;
	key[1] = st->st_ino;
}

struct pipe *vfs_fifo(struct sim *s, const struct stat *st)
{
	uint64_t key = inodes_key(st->st_dev, st->st_ino);
	struct pipe *p = map_get(&s->vfs->fifos, key);

	if (!p) {
		p = pipe_new_fifo(&s->kern);
		map_put(&s->vfs->fifos, key, p);
	}
	return p;
}

void vfs_unlinked(struct sim *s, const struct stat *st)
{
	struct pipe *p = S_ISFIFO(st->st_mode) ? map_del(&s->vfs->fifos, inodes_key(st->st_dev, st->st_ino)) : NULL;

	if (p)
		pipe_unref(&s->kern, p);
	inodes_unlinked(&s->vfs->inodes, st->st_dev, st->st_ino);
}

/* --- what the real processes hold --- */

/* The file is gone, but the real process still holds the descriptor: sys_close() lets the kernel close it as well. */
#define STALE ((struct file *)(uintptr_t)1)

void hostproc_note_installed(struct hostproc *h, unsigned fd, struct file *f)
{
	if (fd >= h->ninstalled) {
		unsigned n = MAX(fd + 1, h->ninstalled * 2);
		h->installed = xrealloc(h->installed, n * sizeof *h->installed);
		memset(h->installed + h->ninstalled, 0, (n - h->ninstalled) * sizeof *h->installed);
		h->ninstalled = n;
	}
	h->installed[fd] = f;
	if (realfile_of(f))
		realfile_of(f)->noted = true;
}

struct file *hostproc_installed(const struct hostproc *h, unsigned fd)
{
	return fd < h->ninstalled && h->installed[fd] != STALE ? h->installed[fd] : NULL;
}

void hostproc_forget_fd(struct hostproc *h, unsigned fd)
{
	if (fd < h->ninstalled && h->installed[fd])
		h->installed[fd] = STALE;
}

void hostproc_forget_file(struct kern *k, const struct file *f)
{
	map_each(&k->procs, i) {
		struct hostproc *h = proc_host(k->procs.vals[i]);
		for (unsigned fd = 0; h && fd < h->ninstalled; fd++)
			if (h->installed[fd] == f)
				h->installed[fd] = STALE;
	}
}
