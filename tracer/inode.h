/*
 * What guests see of a real inode: numbers that repeat, and times of the simulation.
 *
 * The host's device and inode numbers differ between machines and checkouts, so every inode gets a number in the order in
 * which the run first shows it. A file that the run has not changed shows the host's modification time as all of its
 * times (make(1) and its like depend on it); what the run creates or changes has virtual times, kept here. Reading a file
 * does not change its access time, as with the mount option noatime. Names that the run neither made nor removed are not
 * counted: others, that the view may not even have, come and go on the host (a clone of a git repository links its objects).
 */
#ifndef TRACER_INODE_H
#define TRACER_INODE_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

struct inodes {
	struct map devs;    /* host st_dev -> 1 + order of appearance */
	struct map numbers; /* key of the host inode -> number shown */
	struct map times;   /* key -> struct inode_times, of inodes that the run touched */
	uint64_t next_number, ndevs;
	struct timespec started; /* real time at which the run began, as file systems count it */
	struct timespec boot;    /* what is shown instead of any later time of the host */
};

struct inode_times {
	struct timespec atime, mtime, ctime, btime;
	uint64_t key;
	unsigned opens; /* files that point here */
	int links;      /* names that the run gave it, less those that it took */
	bool created;   /* by this run */
	bool gone;      /* its last name was removed */
};

enum { TOUCH_ATIME = 1, TOUCH_MTIME = 2, TOUCH_CTIME = 4, TOUCH_CREATED = 15 };

/* Identity of a host inode as one map key. */
uint64_t inodes_key(dev_t dev, ino_t ino);
void inodes_init(struct inodes *in);
void inodes_clear(struct inodes *in);
uint64_t inodes_number(struct inodes *in, dev_t dev, ino_t ino);
/* Device numbers 0:30, 0:31 … in order of appearance: what anonymous ones look like. */
dev_t inodes_dev(struct inodes *in, dev_t dev);
/* The times of this inode, from now on kept here. `st` is the host's. */
struct inode_times *inodes_times(struct inodes *in, const struct stat *st);
struct inode_times *inodes_find_times(const struct inodes *in, dev_t dev, ino_t ino); /* NULL: as the host has them */
void inodes_touch(struct inodes *in, const struct stat *st, unsigned what, struct timespec now);
/* A file was opened: the times that it should hold on to (NULL: none yet), and its end. */
struct inode_times *inodes_hold(struct inodes *in, dev_t dev, ino_t ino);
void inodes_drop(struct inodes *in, struct inode_times *t); /* NULL is allowed */
/* The last name of an inode is gone. */
void inodes_unlinked(struct inodes *in, dev_t dev, ino_t ino);
/* An inode whose times are kept here got one more name; it lost one that was not its last. */
void inodes_linked(struct inodes *in, dev_t dev, ino_t ino);
void inodes_lost_name(struct inodes *in, dev_t dev, ino_t ino);
/* Turns the host's stat into what guests see; *btime gets the time of birth (may be NULL). */
void inodes_show(struct inodes *in, struct stat *st, struct timespec *btime);

#endif
