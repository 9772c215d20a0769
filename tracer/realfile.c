#include "tracer/realfile.h"

#include "base/mem.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"
#include "tracer/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_INSTALL = 3 }; /* real descriptors 0 to 2 of a guest are the simulator's */

/* struct linux_dirent64 of the kernel: getdents(2). */
struct kernel_dirent {
	uint64_t d_ino;
	int64_t d_off;
	uint16_t d_reclen;
	uint8_t d_type;
	char d_name[];
};

static int64_t file_pread(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	struct realfile *rf = f->obj;
	ssize_t n = pread(rf->fd, buf, len, pos);

	if (n > 0)
		watch_fd(k->host, rf->fd, IN_ACCESS);
	return n < 0 ? -errno : n;
}

static int64_t file_pwrite(struct kern *k, struct file *f, const void *buf, size_t len, int64_t pos)
{
	struct realfile *rf = f->obj;
	struct vfs *v = ((struct sim *)k->host)->vfs;
	ssize_t n = pwrite(rf->fd, buf, len, pos);

	if (n < 0)
		return -errno;
	if (n > 0) {
		watch_fd(k->host, rf->fd, IN_MODIFY);
		if (!rf->times) {
			struct stat st = {.st_dev = rf->dev, .st_ino = rf->ino};
			/* The host's time is what an untouched file has shown so far. */
			fstat(rf->fd, &st);
			inodes_times(&v->inodes, &st);
			rf->times = inodes_hold(&v->inodes, rf->dev, rf->ino);
		}
		if (rf->times)
			rf->times->mtime = rf->times->ctime = vfs_now(k->host);
	}
	return n;
}

static int64_t file_end(struct kern *k, struct file *f)
{
	struct realfile *rf = f->obj;
	struct stat st;

	return fstat(rf->fd, &st) < 0 ? -errno : st.st_size;
}

/* Holes are where nothing was written, in files that the run made; in others they would be the host's. */
static int64_t file_lseek(struct kern *k, struct file *f, int64_t off, int whence)
{
	struct realfile *rf = f->obj;
	const struct vfs *v = ((struct sim *)k->host)->vfs;
	const struct inode_times *t;
	off_t at;

	if (whence != SEEK_DATA && whence != SEEK_HOLE)
		return file_seek(k, f, off, whence);
	t = inodes_find_times(&v->inodes, rf->dev, rf->ino);
	if (!t || !t->created)
		return file_seek(k, f, off, whence);
	at = lseek(rf->fd, off, whence);
	return at < 0 ? -errno : (f->pos = at);
}

static void real_release(struct kern *k, struct file *f)
{
	struct realfile *rf = f->obj;
	struct vfs *v = ((struct sim *)k->host)->vfs;
	uint64_t key[2] = {rf->dev, rf->ino};

	if (!(f->flags & O_PATH))
		watch_closing(k->host, rf->fd, (f->flags & O_ACCMODE) != O_RDONLY);
	if (rf->locked)
		lock_released(k, key, f);
	if (rf->noted)
		hostproc_forget_file(k, f);
	inodes_drop(&v->inodes, rf->times);
	vdir_clear(&rf->dir);
	close(rf->fd);
	free(rf);
}

/* Any close of any descriptor of the inode drops the process's record locks on it: fcntl_locking(2). */
static void real_closed(struct kern *k, struct file *f, struct proc *p)
{
	struct realfile *rf = f->obj;
	uint64_t key[2] = {rf->dev, rf->ino};

	lock_closed(k, key, p);
}

static int64_t fail_isdir(struct kern *k, struct file *f, void *buf, size_t len)
{
	return -EISDIR;
}

static int64_t fail_badf(struct kern *k, struct file *f, void *buf, size_t len)
{
	return -EBADF;
}

static int64_t fail_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	return -EBADF;
}

static int64_t fail_pread_isdir(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	return -EISDIR;
}

/* Positions in a directory are indices into its sorted entries. */
static int64_t dir_seek(struct kern *k, struct file *f, int64_t off, int whence)
{
	if (whence == SEEK_CUR)
		off += f->pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (off < 0)
		return -EINVAL;
	return f->pos = off;
}

static int64_t seek_badf(struct kern *k, struct file *f, int64_t off, int whence)
{
	return -EBADF;
}

static const struct file_ops realfile_ops = {.kind = "file",
					     .pread = file_pread,
					     .pwrite = file_pwrite,
					     .end = file_end,
					     .seek = file_lseek,
					     .release = real_release,
					     .closed = real_closed};
static const struct file_ops realdir_ops = {.kind = "directory",
					    .read = fail_isdir,
					    .write = fail_write,
					    .pread = fail_pread_isdir,
					    .seek = dir_seek,
					    .release = real_release,
					    .closed = real_closed};
/* An O_PATH descriptor is none for I/O (open(2)). */
static const struct file_ops pathonly_ops = {
	.kind = "path", .read = fail_badf, .write = fail_write, .seek = seek_badf, .release = real_release};

struct realfile *realfile_of(const struct file *f)
{
	return f->ops == &realfile_ops || f->ops == &realdir_ops || f->ops == &pathonly_ops ? f->obj : NULL;
}

struct realfile *realfile_io(const struct file *f)
{
	return f->ops == &realfile_ops || f->ops == &realdir_ops ? f->obj : NULL;
}

/* What F_GETFL shows: the kernel adds O_LARGEFILE and forgets what only opening is about (fs/open.c, do_dentry_open()). */
uint32_t realfile_shown_flags(uint32_t flags)
{
	enum { LARGEFILE = 0100000 };

	if (flags & O_PATH)
		return flags & (O_PATH | O_DIRECTORY | O_NOFOLLOW);
	return (flags & ~(uint32_t)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC)) | LARGEFILE;
}

struct file *realfile_new(struct call *c, int host_fd, const struct stat *st, uint32_t flags)
{
	struct realfile *rf = xnew(struct realfile);

	rf->fd = host_fd;
	rf->type = st->st_mode & S_IFMT;
	rf->executable = S_ISREG(rf->type) && (st->st_mode & 0111);
	rf->dev = st->st_dev;
	rf->ino = st->st_ino;
	rf->times = inodes_hold(&c->sim->vfs->inodes, rf->dev, rf->ino);
	return file_new(c->k, flags & O_PATH ? &pathonly_ops : S_ISDIR(rf->type) ? &realdir_ops : &realfile_ops, rf,
			realfile_shown_flags(flags));
}

int realfile_list(struct call *c, struct realfile *rf)
{
	struct inodes *in = &c->sim->vfs->inodes;
	_Alignas(8) char buf[32768];

	vdir_reset(&rf->dir);
	if (lseek(rf->fd, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		long n = syscall(SYS_getdents64, rf->fd, buf, sizeof buf);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		for (long at = 0; at < n;) {
			const struct kernel_dirent *d = (const void *)(buf + at);
			vdir_add(&rf->dir, d->d_name, d->d_type, d->d_ino);
			at += d->d_reclen;
		}
	}
	vdir_sort(&rf->dir);
	/* Numbered in the order shown. */
	for (size_t i = 0; i < rf->dir.n; i++) {
		struct vdirent *e = &rf->dir.ent[i];
		struct stat st = {.st_dev = rf->dev, .st_ino = e->ino};
		if (e->type == DT_REG && vfs_devnode(c->sim->vfs, &st))
			e->type = DT_CHR;
		e->ino = inodes_number(in, rf->dev, e->ino);
	}
	rf->dir.filled = true;
	return 0;
}

void realfile_install(struct call *c, struct file *f, int fd)
{
	struct realfile *rf = realfile_io(f);

	if (!rf || !S_ISREG(rf->type) || fd < FIRST_INSTALL || (f->flags & O_ACCMODE) == O_WRONLY)
		return;
	if (task_install_fd(c->task, rf->fd, fd))
		return; /* the slow way of mapping remains */
	hostproc_note_installed(proc_host(c->proc), (unsigned)fd, f);
}

int64_t realfile_seals(struct file *f, int cmd, uint64_t arg)
{
	struct realfile *rf = realfile_io(f);
	int n;

	if (!rf || !rf->memfd)
		return -EINVAL;
	n = fcntl(rf->fd, cmd, (int)arg);
	return n < 0 ? -errno : n;
}

/* Above this, copying costs more than the rare writer of such a file is worth; docs/limits.md says so. */
#define COPY_UP_MAX ((off_t)16 << 20)

void realfile_before_shared_map(struct call *c, struct file *f)
{
	struct realfile *rf = realfile_io(f);
	struct stat st;
	int fd;

	if (!rf || rf->memfd || (f->flags & O_ACCMODE) != O_RDONLY || fstat(rf->fd, &st) < 0 || st.st_size > COPY_UP_MAX)
		return;
	fd = vfs_reopen(c->sim, rf->fd, O_WRONLY);
	if (fd < 0)
		return; /* nobody may write it here */
	close(fd);
	fd = vfs_reopen(c->sim, rf->fd, O_RDONLY);
	if (fd < 0)
		return;
	dup3(fd, rf->fd, O_CLOEXEC);
	close(fd);
}
