/*
 * A loss of power: which of a node's pending operations are on disk, and the state that the files are in then.
 *
 *     none-lost     everything had been written
 *     all-lost      nothing had
 *     prefix        everything up to some operation, of which a part; nothing after it: a disk that keeps order
 *     ext4-ordered  names, truncations and holes up to some commit; data that make a file longer page by page, and its size
 *                   never before them; data over data as they come; what auto_da_alloc has written before a rename
 *     posix-random  any names; of each page any version, cut at sectors; sizes apart from data
 *     adversary     one operation is lost, or torn, and all others are there; or one is there, with what
 *                   its pages had before, and no other
 *
 * A page is written as a whole: it holds all that was done to it up to some operation, and never a later one without an
 * earlier one. Only a page that is being written when the power goes may be cut, at sectors.
 */
#ifndef FSFAULTS_CRASH_H
#define FSFAULTS_CRASH_H

#include "base/rng.h"
#include "fsfaults/disk.h"

enum disk_policy {
	DISK_NONE_LOST,
	DISK_ALL_LOST,
	DISK_PREFIX,
	DISK_EXT4_ORDERED,
	DISK_POSIX_RANDOM,
	DISK_ADVERSARY,
	DISK_POLICIES,
};
const char *disk_policy_name(enum disk_policy p);
/* One that file systems of this kind can lead to; adversary and posix-random for posix only. */
enum disk_policy disk_policy_draw(enum disk_profile p, struct rng *r);

enum disk_fate {
	DISK_KEPT,
	DISK_TORN, /* some of its bytes */
	DISK_LOST,
};

/* What became of one operation. */
struct disk_loss {
	struct disk_op *op;
	enum disk_fate fate;
	uint64_t kept;     /* bytes of it that are there */
	bool size_lost;    /* it made the file longer or shorter, and that is lost */
	bool out_of_order; /* it is there, and an earlier one is not */
	/* The decision, before it is carried out. */
	bool meta;         /* its size, or its names */
	bool by_page;      /* see struct page in crash.c; else: */
	uint64_t from, to; /* bytes of it that are there, counted from op->off */
	bool size_with_data; /* the size goes to where its data end, no farther */
};

/* An entry of a directory that is not as it was. */
struct disk_entry {
	uint64_t dir;
	const char *name;
	uint64_t now, then; /* inodes, 0: none */
	struct disk_entry *next; /* of the same hash */
};

struct disk_crash {
	unsigned owner;
	enum disk_policy policy;
	int64_t pick;    /* prefix, adversary: which of the states, see disk_crash_states(); -1: drawn */
	bool garbage;    /* what is allocated but was never written reads as garbage instead of zeros */
	struct rng *rng;
	/* Answers. */
	struct disk_loss *loss; /* all that was at stake, oldest first */
	size_t nloss;
	struct disk_entry *entry;
	size_t nentries;
	struct map by_name;
};

/* How many states a policy can lead to that `pick` tells apart. */
uint64_t disk_crash_states(const struct disk *d, unsigned owner, enum disk_policy p);
/* Files are changed at once; entries are for the caller to set, before it calls disk_crash_end(). */
void disk_crash(struct disk *d, struct disk_crash *c);
void disk_crash_end(struct disk *d, struct disk_crash *c);

/* crash_decide.c */
void disk_decide(struct disk *d, struct disk_crash *c);

#endif
