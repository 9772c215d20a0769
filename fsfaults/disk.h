/*
 * What is on disk, and what only the page cache knows.
 *
 * The files themselves, as every process sees them, are somebody else's (the tracer's: real files of the view). Kept here is
 * what each change that is not yet durable replaced: an undo log, one list for all files, oldest first. What is durable is
 * therefore what one gets by taking back every operation of the log, and syncing forgets operations: nothing is copied but
 * what a write replaced, and the cost of a sync is that of what it makes durable. An operation belongs to the node that made
 * it; when a node loses power (crash.h) only its own are at stake.
 *
 * Data and names are apart. A write or truncation is an operation on an inode; the size it leaves is a matter of its own,
 * since file systems write size and data at different times. A name that is made, removed or moved is an operation on
 * directories, which a sync of the inode need not make durable: that is what the profiles differ in.
 *
 *     posix  what POSIX promises and no more: fsync(2) of a file is about its data and size, of a directory about its entries
 *     ext4   data=ordered: a commit of the journal takes all names and truncations before it along; commits come every 5 s,
 *            and with every fsync of an inode that has something to commit (ext4_sync_file() in fs/ext4/fsync.c).
 *            auto_da_alloc: what a rename replaces, and what was truncated to nothing and rewritten, is not lost for an
 *            empty file
 *     xfs    the log is forced up to the inode's last change: everything before that goes along (xfs_file_fsync())
 *     btrfs  the log tree takes the inode, its names and what they lie in (btrfs_log_inode_parent() in fs/btrfs/tree-log.c)
 */
#ifndef FSFAULTS_DISK_H
#define FSFAULTS_DISK_H

#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DISK_PAGE = 4096, DISK_SECTOR = 512 };

enum disk_profile { DISK_EXT4, DISK_XFS, DISK_BTRFS, DISK_POSIX, DISK_PROFILES };
const char *disk_profile_name(enum disk_profile p);

enum disk_kind {
	DISK_WRITE,
	DISK_RESIZE, /* truncate, or an allocation that extends */
	DISK_PUNCH,  /* zeros instead of what was there */
	DISK_NAMES,
};

/* One entry of a directory: the inode that the name stood for, and the one that it stands for now; 0: none. */
struct disk_change {
	uint64_t dir;
	const char *name;
	uint64_t before, after;
	bool durable; /* whatever comes of the operation */
};

struct disk_op {
	struct list in_all;  /* disk.ops */
	struct list in_kind; /* disk.names, or disk_file.ops */
	struct list in_meta; /* disk.metas: truncations and holes */
	enum disk_kind kind;
	uint64_t seq;
	int64_t at_ns;
	unsigned owner;      /* index of the node */
	const char *call;    /* the system call, a text that stays */
	char *text;          /* names: what people are shown; of this op */
	/* An fsync of it failed: its pages are clean, no later one makes it durable. */
	bool failed;
	/* data: */
	struct disk_file *file;
	uint64_t off, len, old_size, new_size;
	unsigned char *old;  /* the first old_len bytes that were there; the rest was zeros, or beyond the end */
	uint64_t old_len;
	bool resizes;        /* it changed the size, and that is pending too */
	unsigned fate;       /* crash.c: 1 + its place among those at stake; 0: it is not */
	/* names: */
	struct disk_change change[2];
	unsigned nchanges;
	bool replaces;       /* change[nchanges - 1] took another file's place, by rename */
};

/* An inode that something is pending of, or was. */
struct disk_file {
	struct list link;    /* disk.files */
	uint64_t id;
	struct list ops;     /* data, oldest first */
	uint64_t changed;    /* seq of its last change, names included */
	uint64_t named;      /* seq of the last change of its metadata that a commit writes: size, names */
	uint64_t bytes;      /* that ops hold */
	unsigned nops;
	uint64_t truncated;  /* seq of a truncation to nothing that has not been closed since; 0: none */
	unsigned holds;      /* not to be forgotten now, though nothing is pending */
	void *host;
};

/* What a file's contents are asked of. Files are known by the ids that the caller gave them. */
struct disk_host {
	void *ctx;
	void (*read)(void *ctx, struct disk_file *f, uint64_t off, void *buf, size_t n); /* beyond the end: zeros */
	void (*write)(void *ctx, struct disk_file *f, uint64_t off, const void *buf, size_t n);
	void (*resize)(void *ctx, struct disk_file *f, uint64_t size);
	uint64_t (*size)(void *ctx, struct disk_file *f);
	void (*forget)(void *ctx, struct disk_file *f); /* nothing is pending any more */
	/* An operation on names is durable, or was taken back: what it kept may go. NULL: nothing is kept. */
	void (*names_done)(void *ctx, const struct disk_op *op);
};

struct disk {
	struct arena *arena;
	enum disk_profile profile;
	struct list ops, names, metas, files;
	struct map by_id;
	uint64_t seq;
	unsigned nnames;
	struct disk_host host;
	/* Counted for reports. */
	uint64_t made, synced, written_back;
};

/* Who does it, when, by which call. */
struct disk_who {
	unsigned owner;
	const char *call;
	int64_t now_ns;
};

void disk_init(struct disk *d, struct arena *a, enum disk_profile p, const struct disk_host *host);
void disk_clear(struct disk *d);
struct disk_file *disk_find(const struct disk *d, uint64_t id); /* NULL: nothing is pending of it */
struct disk_file *disk_file(struct disk *d, uint64_t id);       /* made if need be */

/* ---- what happened; the files have been changed, or will be before anything else ---- */

/* old: the bytes that were at off, up to old_len (less than len at the old end, or when the rest was zeros). */
struct disk_op *disk_wrote(struct disk *d, const struct disk_who *who, struct disk_file *f, uint64_t off, uint64_t len,
			   const void *old, uint64_t old_len, uint64_t old_size);
/* old: when it shrinks, the bytes that are cut off; they are taken over where `old` lies in the arena. */
struct disk_op *disk_resized(struct disk *d, const struct disk_who *who, struct disk_file *f, uint64_t old_size, uint64_t new_size,
			     const void *old, uint64_t old_len);
struct disk_op *disk_punched(struct disk *d, const struct disk_who *who, struct disk_file *f, uint64_t off, uint64_t len,
			     const void *old, uint64_t old_len, uint64_t size);
/* One or two changes; text is copied. moved: by rename. */
struct disk_op *disk_named(struct disk *d, const struct disk_who *who, const struct disk_change *ch, unsigned n, bool moved,
			   const char *text);
/* The last descriptor of a file was closed: ext4 writes what it truncated to nothing (auto_da_alloc). */
void disk_closed(struct disk *d, struct disk_file *f);

/* ---- what becomes durable ---- */

/* fsync, fdatasync of a file. data_only: fdatasync. */
void disk_sync_file(struct disk *d, uint64_t id, bool data_only);
void disk_sync_range(struct disk *d, uint64_t id, uint64_t off, uint64_t len);
void disk_sync_dir(struct disk *d, uint64_t id);
void disk_sync_all(struct disk *d);
/* fsync fails: what is dirty is not written, and is clean from now on. btrfs takes it back. */
void disk_sync_failed(struct disk *d, uint64_t id);
/* Old enough to have been written back by now. */
void disk_expire(struct disk *d, int64_t now_ns);
/* Forgets an operation: it is durable, or gone. */
void disk_drop(struct disk *d, struct disk_op *op);
/* Everything that one node did. */
void disk_sync_owner(struct disk *d, unsigned owner);

#endif
