#include "tracer/watch.h"

#include "tracer/inode.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include <limits.h>
#include <string.h>

static uint64_t key_of(const struct stat *st)
{
	return inodes_key(st->st_dev, st->st_ino);
}

/* Of the directory in which a path ends; *name is the rest. False: it has none. */
static bool directory_of(char *path, uint64_t *key, const char **name)
{
	char *slash = strrchr(path, '/');
	struct stat st;

	if (!slash || path[0] != '/' || !slash[1])
		return false;
	*slash = 0;
	*name = slash + 1;
	if (lstat(path[0] ? path : "/", &st) < 0)
		return false;
	*key = key_of(&st);
	return true;
}

void watch_fd(struct sim *s, int fd, uint32_t mask)
{
	char path[PATH_MAX];
	const char *name;
	struct stat st;
	uint64_t dir;

	if (!inotify_any(&s->kern) || fstat(fd, &st) < 0)
		return;
	if (S_ISDIR(st.st_mode))
		mask |= IN_ISDIR;
	if (vfs_fd_path(s, fd, path) > 0 && directory_of(path, &dir, &name))
		inotify_event(&s->kern, dir, mask, 0, name);
	inotify_event(&s->kern, key_of(&st), mask, 0, NULL);
}

void watch_entry(struct sim *s, int parent, const char *name, uint32_t mask, bool dir, uint32_t cookie)
{
	char text[NAME_MAX + 1];
	struct stat st;
	size_t n = strcspn(name, "/");

	if (!inotify_any(&s->kern) || fstat(parent, &st) < 0 || n >= sizeof text)
		return;
	memcpy(text, name, n);
	text[n] = 0;
	inotify_event(&s->kern, key_of(&st), mask | (dir ? IN_ISDIR : 0), cookie, text);
}

void watch_inode(struct sim *s, const struct stat *st, uint32_t mask)
{
	inotify_event(&s->kern, key_of(st), mask | (S_ISDIR(st->st_mode) ? IN_ISDIR : 0), 0, NULL);
}

/* How many open files of the simulation lead to this inode. */
static unsigned open_files(struct sim *s, const struct stat *st)
{
	unsigned n = 0;

	list_each(p, &s->kern.proc_list, struct proc, in_kern)
		for (unsigned fd = 0; p->fds && fd < p->fds->cap; fd++) {
			const struct realfile *rf = p->fds->ent[fd].file ? realfile_of(p->fds->ent[fd].file) : NULL;
			n += rf && rf->dev == st->st_dev && rf->ino == st->st_ino;
		}
	return n;
}

void watch_lost_name(struct sim *s, const struct stat *st)
{
	bool dir = S_ISDIR(st->st_mode);

	if (!inotify_watches(&s->kern, key_of(st)))
		return;
	if (!dir)
		watch_inode(s, st, IN_ATTRIB); /* the number of its links */
	if ((dir || st->st_nlink <= 1) && !open_files(s, st))
		inotify_inode_gone(&s->kern, key_of(st));
}

void watch_closing(struct sim *s, int fd, bool written)
{
	struct stat st;

	if (!inotify_any(&s->kern) || fstat(fd, &st) < 0)
		return;
	watch_fd(s, fd, written ? IN_CLOSE_WRITE : IN_CLOSE_NOWRITE);
	if (!st.st_nlink && inotify_watches(&s->kern, key_of(&st)) && !open_files(s, &st))
		inotify_inode_gone(&s->kern, key_of(&st));
}
