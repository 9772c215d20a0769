#include "tracer/inode.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { FIRST_NUMBER = 100, FIRST_MINOR = 30, BLOCK_SIZE = 4096, DIR_TIME_S = 1577836800 /* 2020-01-01 */ };

void inodes_init(struct inodes *in)
{
	*in = (struct inodes){.next_number = FIRST_NUMBER};
}

void inodes_clear(struct inodes *in)
{
	map_each(&in->times, i)
		free(in->times.vals[i]);
	map_clear(&in->times);
	map_clear(&in->numbers);
	map_clear(&in->devs);
}

/* A map key has 64 bits, an inode's identity more: mixed, so that two never meet by accident. */
uint64_t inodes_key(dev_t dev, ino_t ino)
{
	uint64_t h = (uint64_t)dev * 0xff51afd7ed558ccdu;

	return (uint64_t)ino ^ (h ^ (h >> 29));
}

uint64_t inodes_number(struct inodes *in, dev_t dev, ino_t ino)
{
	uint64_t key = inodes_key(dev, ino);
	void *v = map_get(&in->numbers, key);

	if (!v) {
		v = (void *)(uintptr_t)in->next_number++;
		map_put(&in->numbers, key, v);
	}
	return (uint64_t)(uintptr_t)v;
}

dev_t inodes_dev(struct inodes *in, dev_t dev)
{
	void *v = map_get(&in->devs, dev);

	if (!v) {
		v = (void *)(uintptr_t)++in->ndevs;
		map_put(&in->devs, dev, v);
	}
	return makedev(0, FIRST_MINOR + (unsigned)(uintptr_t)v - 1);
}

/* A file that was made or changed since the run began, but by no call of a guest that the table of times knows (the view
 * itself, stores to a mapping), would show real time. */
static struct timespec host_mtime(const struct inodes *in, const struct stat *st)
{
	struct timespec m = st->st_mtim, s = in->started;

	/* A directory's time tells of every file made in it, by whomever: of temporary files, of an earlier run's report. */
	if (S_ISDIR(st->st_mode))
		return (struct timespec){.tv_sec = DIR_TIME_S};
	return s.tv_sec && (m.tv_sec > s.tv_sec || (m.tv_sec == s.tv_sec && m.tv_nsec >= s.tv_nsec)) ? in->boot : m;
}

struct inode_times *inodes_find_times(const struct inodes *in, dev_t dev, ino_t ino)
{
	return map_get(&in->times, inodes_key(dev, ino));
}

struct inode_times *inodes_times(struct inodes *in, const struct stat *st)
{
	uint64_t key = inodes_key(st->st_dev, st->st_ino);
	struct inode_times *t = map_get(&in->times, key);

	if (!t) {
		t = xnew(struct inode_times);
		t->key = key;
		t->atime = t->mtime = t->ctime = t->btime = host_mtime(in, st);
		map_put(&in->times, key, t);
	}
	return t;
}

void inodes_touch(struct inodes *in, const struct stat *st, unsigned what, struct timespec now)
{
	struct inode_times *t = inodes_times(in, st);

	if (what & TOUCH_ATIME)
		t->atime = now;
	if (what & TOUCH_MTIME)
		t->mtime = now;
	if (what & TOUCH_CTIME)
		t->ctime = now;
	if (what == TOUCH_CREATED) {
		t->btime = now;
		t->created = true;
	}
}

static void forget(struct inodes *in, struct inode_times *t)
{
	map_del(&in->times, t->key);
	map_del(&in->numbers, t->key);
	free(t);
}

struct inode_times *inodes_hold(struct inodes *in, dev_t dev, ino_t ino)
{
	struct inode_times *t = inodes_find_times(in, dev, ino);

	if (t)
		t->opens++;
	return t;
}

void inodes_drop(struct inodes *in, struct inode_times *t)
{
	if (t && !--t->opens && t->gone)
		forget(in, t);
}

void inodes_unlinked(struct inodes *in, dev_t dev, ino_t ino)
{
	struct inode_times *t = inodes_find_times(in, dev, ino);

	/* Only what the run created: every file that is open on it holds it then, so nobody misses its number. */
	if (!t || !t->created)
		return;
	t->gone = true;
	if (!t->opens)
		forget(in, t);
}

void inodes_linked(struct inodes *in, dev_t dev, ino_t ino)
{
	struct inode_times *t = inodes_find_times(in, dev, ino);

	if (t) {
		t->gone = false;
		t->links++;
	}
}

void inodes_lost_name(struct inodes *in, dev_t dev, ino_t ino)
{
	struct inode_times *t = inodes_find_times(in, dev, ino);

	if (t)
		t->links--;
}

void inodes_show(struct inodes *in, struct stat *st, struct timespec *btime)
{
	struct inode_times *t = inodes_find_times(in, st->st_dev, st->st_ino);

	st->st_ino = inodes_number(in, st->st_dev, st->st_ino);
	st->st_dev = inodes_dev(in, st->st_dev);
	if (t) {
		st->st_atim = t->atime;
		st->st_mtim = t->mtime;
		st->st_ctim = t->ctime;
	} else {
		st->st_atim = st->st_ctim = st->st_mtim = host_mtime(in, st);
	}
	if (btime)
		*btime = t ? t->btime : st->st_mtim;
	/* Sizes and link counts of directories depend on the host's file system; 1 is what btrfs shows. */
	if (S_ISDIR(st->st_mode)) {
		st->st_size = BLOCK_SIZE;
		st->st_nlink = 1;
	} else if (st->st_nlink && !(t && t->created)) {
		st->st_nlink = t && t->links > 0 ? 1 + (nlink_t)t->links : 1;
	}
	st->st_blksize = BLOCK_SIZE;
	st->st_blocks = S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) ?
				(st->st_size + BLOCK_SIZE - 1) / BLOCK_SIZE * (BLOCK_SIZE / 512) : 0;
}
