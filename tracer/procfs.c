#include "tracer/procfs.h"

#include "base/mem.h"
#include "kernel/chardev.h"
#include "kernel/cred.h"
#include "kernel/mqueue.h"
#include "kernel/pipe.h"
#include "tracer/procfs_rows.h"
#include "tracer/realfile.h"
#include "tracer/sdk_file.h"
#include "tracer/sim.h"
#include "tracer/sys_tty.h"
#include "tracer/vfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PROC_MINOR = 21, SYS_MINOR = 20 }; /* anonymous devices, as in the mountinfo that procfs_sys.c shows */

/* An open synthetic file or directory. */
struct procfile {
	char *path;
	bool is_dir;
	bool filled;
	struct buf text;  /* as of the last read at position 0 */
	struct vdir dir;
};

/* --- the table --- */

static const struct procrow *row_at(size_t i)
{
	if (i < procfs_proc_nrows)
		return &procfs_proc_rows[i];
	i -= procfs_proc_nrows;
	return i < procfs_sys_nrows ? &procfs_sys_rows[i] : NULL;
}

int procfs_match(const char *pattern, const char *path, int num[PROCFS_NUMS])
{
	unsigned n = 0;

	for (;;) {
		if (*pattern == '#') {
			char *end;
			/* One spelling only: no sign, no leading zero. */
			if (*path < '0' || *path > '9' || (*path == '0' && path[1] >= '0' && path[1] <= '9'))
				return 0;
			errno = 0;
			long v = strtol(path, &end, 10);
			if (errno || v > INT32_MAX || n == PROCFS_NUMS)
				return 0;
			num[n++] = (int)v;
			path = end;
			pattern++;
		} else if (!*path) {
			return !*pattern ? 1 : *pattern == '/' ? 2 : 0;
		} else if (*pattern != *path) {
			return 0;
		} else {
			pattern++;
			path++;
		}
	}
}

static struct thread *thread_of(struct proc *p, int tid)
{
	list_each(t, &p->threads, struct thread, in_proc)
		if (t->tid == tid)
			return t;
	return NULL;
}

/* What the numbers of a path stand for must exist. */
static int check_numbers(struct call *c, const char *path, struct synth *s)
{
	struct thread *t;

	if (strncmp(path, "/proc/", 6)) {
		/* /sys/devices/system/cpu/cpu# */
		return s->num[0] >= (int)sim_cpus(c->sim) ? -ENOENT : 0;
	}
	if (path[6] < '0' || path[6] > '9')
		return 0;
	s->proc = proc_find(c->k, s->num[0]);
	t = map_get(&c->k->threads, (uint64_t)s->num[0]);
	if (!s->proc && t) /* /proc/TID works, though it is not listed: proc(5) */
		s->proc = t->proc;
	if (!s->proc)
		return -ENOENT;
	if (s->num[1] < 0)
		return 0;
	if (strstr(path, "/task/"))
		/* A leader that has exited before the others is still listed. */
		return thread_of(s->proc, s->num[1]) || s->num[1] == s->proc->pid ? 0 : -ENOENT;
	s->file = s->proc->fds ? fdtab_get(s->proc->fds, s->num[1]) : NULL;
	return s->file ? 0 : -ENOENT;
}

/* Where the special links lead. */
static void fill_target(struct call *c, struct synth *s)
{
	struct procctx x = {.sim = c->sim, .proc = s->proc, .thread = c->thread, .node = s};
	struct buf b = {0};

	if (s->row->text) {
		snprintf(s->target, sizeof s->target, "%s", s->row->text);
	} else if (s->kind == SYNTH_FD) {
		procfs_link_text(c, s->file, s->target);
	} else {
		if (!strncmp(s->row->pattern, "/proc/self", 10) || !strncmp(s->row->pattern, "/proc/thread-self", 17))
			x.proc = c->proc;
		s->row->show(&x, &b);
		snprintf(s->target, sizeof s->target, "%s", b.data ? b.data : "");
		buf_clear(&b);
	}
}

int procfs_lookup(struct call *c, const char *path, struct synth *out)
{
	const struct procrow *row;
	int rc, kind = 0;

	for (size_t i = 0; (row = row_at(i)); i++) {
		for (int n = 0; n < PROCFS_NUMS; n++)
			out->num[n] = -1;
		kind = procfs_match(row->pattern, path, out->num);
		if (kind)
			break;
	}
	if (!kind)
		return -ENOENT;
	out->kind = kind == 1 ? row->kind : SYNTH_DIR;
	out->mode = kind == 1 ? row->mode : 0555;
	out->row = kind == 1 ? row : NULL;
	out->proc = NULL;
	out->file = NULL;
	out->target[0] = 0;
	if (out->num[0] >= 0) {
		rc = check_numbers(c, path, out);
		if (rc < 0)
			return rc;
	}
	if (out->kind == SYNTH_LINK || out->kind == SYNTH_FD || out->kind == SYNTH_CWD)
		fill_target(c, out);
	return 0;
}

/* --- listing --- */

/* Inode numbers of synthetic files come from their paths (FNV-1a). */
static uint64_t synth_ino(const char *path)
{
	uint32_t h = 2166136261u;

	for (; *path; path++)
		h = (h ^ (uint8_t)*path) * 16777619u;
	return (uint64_t)h | 1ull << 32;
}

struct listing {
	struct call *c;
	struct vdir *d;
	const char *path;
};

static void list_add(struct listing *l, const char *name, uint8_t type)
{
	char full[PATH_MAX + 300];

	for (size_t i = 0; i < l->d->n; i++)
		if (!strcmp(vdir_name(l->d, i), name))
			return;
	snprintf(full, sizeof full, "%s/%s", l->path, name);
	vdir_add(l->d, name, type, synth_ino(full));
}

static void list_number(struct listing *l, const char *before, int n, uint8_t type)
{
	char name[sizeof "thread" + 64];

	snprintf(name, sizeof name, "%s%d", before, n);
	list_add(l, name, type);
}

/* A '#' in the table stands for processes, threads, descriptors or CPUs, depending on the directory. */
static void list_numbers(struct listing *l, struct proc *p, const char *before, uint8_t type)
{
	const char *dir = strrchr(l->path, '/') + 1;

	if (!strcmp(l->path, "/proc")) {
		list_each(q, &l->c->k->proc_list, struct proc, in_kern)
			list_number(l, before, q->pid, type);
	} else if (!strcmp(dir, "task") && p) {
		list_each(t, &p->threads, struct thread, in_proc)
			list_number(l, before, t->tid, type);
	} else if (p) {
		for (unsigned fd = 0; p->fds && fd < p->fds->cap; fd++)
			if (p->fds->ent[fd].file)
				list_number(l, before, (int)fd, type);
	} else {
		for (unsigned i = 0; i < sim_cpus(l->c->sim); i++)
			list_number(l, before, (int)i, type);
	}
}

static uint8_t type_of(enum synth_kind k)
{
	return k == SYNTH_DIR ? DT_DIR : k == SYNTH_FILE ? DT_REG : DT_LNK;
}

int procfs_list(struct call *c, const char *path, struct vdir *d)
{
	struct listing l = {.c = c, .d = d, .path = path};
	const struct procrow *row;
	struct synth node;
	int num[PROCFS_NUMS], rc = procfs_lookup(c, path, &node);

	if (rc < 0)
		return rc;
	list_add(&l, ".", DT_DIR);
	list_add(&l, "..", DT_DIR);
	for (size_t i = 0; (row = row_at(i)); i++) {
		const char *rest = row->pattern, *end;
		char name[40];
		if (procfs_match(row->pattern, path, num) != 2)
			continue;
		/* Init is no process of the simulation: only the rows of its own. */
		if (!strncmp(path, "/proc/1", 7) && (!path[7] || path[7] == '/') && row->pattern[6] == '#')
			continue;
		/* The component of the pattern that comes after as many as the path has. */
		for (const char *p = path; *p; p++)
			if (*p == '/')
				rest = strchr(rest + 1, '/');
		rest++;
		end = strchrnul(rest, '/');
		snprintf(name, sizeof name, "%.*s", (int)(end - rest), rest);
		if (strchr(name, '#')) {
			*strchr(name, '#') = 0;
			list_numbers(&l, node.proc, name, *end ? DT_DIR : type_of(row->kind));
		} else {
			list_add(&l, name, *end ? DT_DIR : type_of(row->kind));
		}
	}
	d->filled = true;
	return 0;
}

/* --- stat --- */

int procfs_stat(struct call *c, const char *path, struct stat *st, struct timespec *btime)
{
	struct synth s;
	int rc = procfs_lookup(c, path, &s);
	int64_t ns;

	if (rc < 0)
		return rc;
	*btime = (struct timespec){0};
	*st = (struct stat){.st_nlink = 1, .st_ino = synth_ino(path), .st_blksize = 1024};
	st->st_dev = makedev(0, strncmp(path, "/proc", 5) ? SYS_MINOR : PROC_MINOR);
	st->st_mode = s.mode | (s.kind == SYNTH_DIR ? S_IFDIR : s.kind == SYNTH_FILE ? S_IFREG : S_IFLNK);
	if (s.kind == SYNTH_FD) {
		unsigned acc = s.file->flags & O_ACCMODE;
		st->st_mode = S_IFLNK | (acc == O_WRONLY ? 0300u : acc == O_RDONLY ? 0500u : 0700u);
		st->st_size = 64; /* proc_fd_link's, fs/proc/fd.c */
	}
	if (s.proc) {
		st->st_uid = s.proc->euid;
		st->st_gid = s.proc->egid;
	}
	/* Since the process, or the machine, came into being. */
	ns = c->k->wall_offset_ns + (s.proc ? s.proc->start_ns : 0);
	st->st_mtim = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
	st->st_atim = st->st_ctim = st->st_mtim;
	return 0;
}

/* --- open files --- */

static int with_context(struct kern *k, const char *path, struct procctx *x, struct synth *node)
{
	struct sim *s = k->host;
	struct thread *t = k->current;
	struct call c = {.sim = s, .k = k, .thread = t, .proc = t ? t->proc : NULL};
	int rc = procfs_lookup(&c, path, node);

	if (rc < 0)
		return node->proc ? rc : -ESRCH;
	*x = (struct procctx){.sim = s, .proc = node->proc, .node = node};
	if (node->proc && strstr(path, "/task/"))
		x->thread = thread_of(node->proc, node->num[1]);
	else if (node->proc)
		x->thread = list_first(&node->proc->threads, struct thread, in_proc);
	return 0;
}

/* As seq_file: the contents are made when reading starts, and stay the same until it starts again. */
static int64_t proc_pread(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	struct procfile *pf = f->obj;
	struct procctx x;
	struct synth node;
	int rc;

	if (pos == 0 || !pf->filled) {
		buf_reset(&pf->text);
		rc = with_context(k, pf->path, &x, &node);
		if (rc < 0)
			return rc;
		if (node.row->text)
			buf_adds(&pf->text, node.row->text);
		else
			node.row->show(&x, &pf->text);
		pf->filled = true;
	}
	if (pos >= (int64_t)pf->text.len)
		return 0;
	len = MIN(len, pf->text.len - (size_t)pos);
	memcpy(buf, pf->text.data + pos, len);
	return (int64_t)len;
}

static int64_t proc_pwrite(struct kern *k, struct file *f, const void *buf, size_t len, int64_t pos)
{
	struct procfile *pf = f->obj;
	struct procctx x;
	struct synth node;
	int rc = with_context(k, pf->path, &x, &node);

	if (rc < 0)
		return rc;
	return node.row->store ? node.row->store(&x, buf, len) : -EIO;
}

/* seq_lseek(): no SEEK_END. */
static int64_t proc_seek(struct kern *k, struct file *f, int64_t off, int whence)
{
	if (whence == SEEK_CUR)
		off += f->pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (off < 0)
		return -EINVAL;
	return f->pos = off;
}

static int64_t proc_isdir(struct kern *k, struct file *f, void *buf, size_t len)
{
	return -EISDIR;
}

static int64_t proc_pread_isdir(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	return -EISDIR;
}

static void proc_release(struct kern *k, struct file *f)
{
	struct procfile *pf = f->obj;

	buf_clear(&pf->text);
	vdir_clear(&pf->dir);
	free(pf->path);
	free(pf);
}

static int64_t proc_end(struct kern *k, struct file *f)
{
	return 0;
}

static const struct file_ops procfile_ops = {.kind = "proc",
					     .pread = proc_pread,
					     .pwrite = proc_pwrite,
					     .seek = proc_seek,
					     .end = proc_end,
					     .release = proc_release};
static const struct file_ops procdir_ops = {
	.kind = "proc directory", .read = proc_isdir, .pread = proc_pread_isdir, .seek = proc_seek, .release = proc_release};

const char *procfs_path_of(const struct file *f)
{
	return f->ops == &procfile_ops || f->ops == &procdir_ops ? ((struct procfile *)f->obj)->path : NULL;
}

struct vdir *procfs_dir_of(struct file *f)
{
	return f->ops == &procdir_ops ? &((struct procfile *)f->obj)->dir : NULL;
}

static int may_open(struct call *c, const struct synth *s, uint32_t flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY, dir = s->kind == SYNTH_DIR;
	const struct cred *cr = cred_of(c->k, c->proc);
	mode_t need = ((flags & O_ACCMODE) != O_WRONLY ? 4u : 0u) | (writes ? 2u : 0u);
	uint32_t owner = s->proc ? s->proc->euid : 0;

	if (flags & O_PATH)
		return (flags & O_DIRECTORY) && !dir ? -ENOTDIR : 0;
	if (dir)
		return writes || (flags & O_CREAT) ? -EISDIR : 0;
	if (s->kind != SYNTH_FILE)
		return -ELOOP;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if (writes && !s->row->store)
		return -EACCES;
	if (cr->fsuid == 0)
		return 0;
	return need & ~(cr->fsuid == owner ? (s->mode >> 6) & 7 : s->mode & 7) ? -EACCES : 0;
}

int procfs_open(struct call *c, const char *path, uint32_t flags, struct file **out)
{
	struct procfile *pf;
	struct synth s;
	int rc = procfs_lookup(c, path, &s);

	if (!rc)
		rc = may_open(c, &s, flags);
	if (rc < 0)
		return rc;
	pf = xnew(struct procfile);
	pf->path = xstrdup(path);
	pf->is_dir = s.kind == SYNTH_DIR;
	*out = file_new(c->k, pf->is_dir ? &procdir_ops : &procfile_ops, pf, realfile_shown_flags(flags));
	return 0;
}

void procfs_link_text(struct call *c, const struct file *f, char out[PATH_MAX])
{
	struct realfile *rf = realfile_of(f);
	const char *kind = f->ops->kind;

	if (rf) {
		if (vfs_fd_path(c->sim, rf->fd, out) < 0)
			snprintf(out, PATH_MAX, "/");
	} else if (procfs_path_of(f)) {
		snprintf(out, PATH_MAX, "%s", procfs_path_of(f));
	} else if (chardev_minor(f) >= 0 || sdk_file_minor(f) >= 0) {
		snprintf(out, PATH_MAX, "/dev/%s", kind);
	} else if (mq_of(f)) {
		snprintf(out, PATH_MAX, "/%s", mq_name(mq_of(f)));
	} else if (tty_of(f)) {
		pts_path(f, out, PATH_MAX);
		if (tty_hung_up(f))
			snprintf(out + strlen(out), PATH_MAX - strlen(out), " (deleted)");
	} else if (file_pipe(f) || file_is_sink(f)) {
		snprintf(out, PATH_MAX, "pipe:[%llu]", (unsigned long long)f->ino);
	} else if (!strcmp(kind, "epoll")) {
		snprintf(out, PATH_MAX, "anon_inode:[eventpoll]");
	} else if (!strcmp(kind, "inotify")) {
		snprintf(out, PATH_MAX, "anon_inode:inotify");
	} else if (!strcmp(kind, "eventfd") || !strcmp(kind, "timerfd") || !strcmp(kind, "signalfd") || !strcmp(kind, "pidfd")) {
		snprintf(out, PATH_MAX, "anon_inode:[%s]", kind);
	} else {
		snprintf(out, PATH_MAX, "socket:[%llu]", (unsigned long long)f->ino);
	}
}
