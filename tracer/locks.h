/*
 * File locks: flock(2), POSIX record locks and open-file-description locks, per inode. flock does not see the other two,
 * as on every local file system of Linux.
 */
#ifndef TRACER_LOCKS_H
#define TRACER_LOCKS_H

#include "base/arena.h"
#include "base/list.h"
#include "kernel/wait.h"
#include "tracer/call.h"

#include <stdbool.h>
#include <stdint.h>

enum lock_kind { LOCK_KIND_FLOCK, LOCK_KIND_POSIX, LOCK_KIND_OFD };

/* One held lock: the bytes [start, end], end INT64_MAX for "to the end". */
struct lock {
	struct list link; /* of lock_inode, in order of start */
	enum lock_kind kind;
	bool write;
	int64_t start, end;
	const void *owner; /* struct proc for POSIX, struct file for the others */
	int pid;           /* what F_GETLK shows; -1 for open-file-description locks */
};

struct lock_inode {
	struct list link; /* of struct locks */
	uint64_t key[2];
	struct list held;
	struct waitq wq; /* woken when a lock goes, shrinks or becomes a reader's */
};

/* A POSIX lock that somebody waits for: the edges along which a deadlock is looked for. */
struct lock_wait {
	struct list link;
	int tid;
	const void *owner;
	uint64_t key[2];
	struct lock want;
};

struct locks {
	struct arena *arena;
	struct list inodes; /* with locks held or waited for */
	struct list waits;
	/* Does this thread still wait? A call that a signal ended leaves its entry behind. NULL: all do. */
	bool (*still_waits)(void *ctx, int tid);
	void *ctx;
};

void locks_init(struct locks *l, struct arena *a);
/* The first lock held by somebody else that forbids `want`; NULL: none. */
struct lock *locks_conflict(struct locks *l, const uint64_t key[2], const struct lock *want);
/* Sets or, with unlock, removes the range for want->owner; splits and joins what it holds there. No check. */
void locks_apply(struct locks *l, const uint64_t key[2], const struct lock *want, bool unlock);
void locks_release_owner(struct locks *l, const uint64_t key[2], enum lock_kind kind, const void *owner);
struct waitq *locks_waitq(struct locks *l, const uint64_t key[2]);
/* Would waiting for `want` close a circle of processes? */
bool locks_deadlock(struct locks *l, const uint64_t key[2], const struct lock *want);
void locks_wait_begin(struct locks *l, int tid, const uint64_t key[2], const struct lock *want);
void locks_wait_end(struct locks *l, int tid);

/* fcntl(2): F_GETLK, F_SETLK, F_SETLKW and the F_OFD_ forms. */
struct verdict lock_fcntl(struct call *c, struct file *f, int cmd, uint64_t arg);
/* flock(2). */
struct verdict lock_flock(struct call *c, struct file *f, int op);
/* A process closed a descriptor of the inode; a file's last descriptor is gone. */
void lock_closed(struct kern *k, const uint64_t key[2], const struct proc *p);
void lock_released(struct kern *k, const uint64_t key[2], const struct file *f);

#endif
