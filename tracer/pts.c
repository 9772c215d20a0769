/* /dev/pts: for each terminal an empty file of the view, whose inode stands for the slave. */
#include "tracer/sys_tty.h"

#include "base/mem.h"
#include "kernel/cred.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PTS_MAJOR = 136, TTY_GROUP = 5, PTS_MODE = 0620 };

static void node_path(int index, char *out, size_t n)
{
	snprintf(out, n, "/dev/pts/%d", index);
}

static int make_node(struct vfs *v, const char *path, uint32_t uid, int index, struct stat *st)
{
	struct devnode *d;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, PTS_MODE);

	if (fd < 0)
		return -errno;
	if (fchown(fd, uid, TTY_GROUP) < 0)
		(void)errno; /* as an ordinary user: it is the user's anyway */
	fstat(fd, st);
	close(fd);
	d = xnew(struct devnode);
	d->name = "pts";
	d->rdev = makedev(PTS_MAJOR, (unsigned)index);
	d->ino = st->st_ino;
	map_put(&v->pts, st->st_ino, d);
	return 0;
}

int pts_make(struct call *c, int index)
{
	uint32_t uid = cred_of(c->k, c->proc)->fsuid;
	char path[32];
	struct stat st;
	int rc;

	node_path(index, path, sizeof path);
	vfs_leave_ids(c); /* the directory is not the caller's */
	rc = make_node(c->sim->vfs, path, uid, index, &st);
	vfs_enter_ids(c);
	if (!rc)
		inodes_touch(&c->sim->vfs->inodes, &st, TOUCH_CREATED, vfs_now(c->sim));
	return rc;
}

void pts_gone(struct kern *k, int index)
{
	struct sim *s = k->host;
	char path[32];
	struct stat st;

	node_path(index, path, sizeof path);
	if (!s->vfs || lstat(path, &st) < 0)
		return;
	unlink(path);
	free(map_del(&s->vfs->pts, st.st_ino));
	vfs_unlinked(s, &st);
}

void pts_clear(struct vfs *v)
{
	map_each(&v->pts, i)
		free(v->pts.vals[i]);
	map_clear(&v->pts);
}

const struct devnode *pts_devnode(const struct vfs *v, const struct stat *st)
{
	return map_get(&v->pts, st->st_ino);
}

int pts_index(const struct devnode *d)
{
	return major(d->rdev) == PTS_MAJOR ? (int)minor(d->rdev) : -1;
}

void pts_path(const struct file *f, char *out, size_t n)
{
	if (tty_is_master(f))
		snprintf(out, n, "/dev/ptmx");
	else
		node_path(tty_of(f)->index, out, n);
}
