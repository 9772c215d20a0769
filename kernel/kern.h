/*
 * The state of one run's simulated kernel, and the few things the layer above (tracer) must do for it.
 * Everything reachable from here lives in `arena`. No Linux header is included below tracer.
 */
#ifndef KERNEL_KERN_H
#define KERNEL_KERN_H

#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "base/rng.h"
#include "vclock/clock.h"
#include "vclock/sched.h"

struct proc;
struct thread;
struct node;

struct kern {
	struct arena *arena;
	struct vclock clock;
	struct sched sched;
	struct map procs;     /* pid -> struct proc, zombies included */
	struct map threads;   /* tid -> struct thread */
	struct map futexes;   /* see futex.c */
	uint64_t next_file_id, next_mm_id;
	struct rng guest_rng; /* getrandom and the random devices of the driver; nodes have their own */
	struct proc *reaper;  /* who inherits orphans: the driver's root */
	int64_t wall_offset_ns; /* CLOCK_REALTIME - clock.now_ns */
	struct thread *current; /* whose call is being served */
	void *host;           /* the tracer's struct sim */
	/* The tracer must really kill the process: called once, when a fatal signal or exit_group decides its end. */
	void (*proc_doomed)(struct kern *k, struct proc *p);
	/* One trace line about an event of the simulated kernel. */
	void (*event)(struct kern *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

	struct list proc_list; /* struct proc.in_kern: all processes, zombies included, in order of creation */
	struct map aliases;    /* pid that a parent knows -> the process that has it now; see proc_set_alias() */
	/* A fatal signal was sent to a process that is held for a restart; NULL: proc_end_held(). */
	void (*held_killed)(struct kern *k, struct proc *p, int status);
	struct map watched;  /* key of an inode -> struct watched; see inotify.h */
	uint32_t move_cookie; /* of the last rename that was told */
	struct list mqueues; /* struct mqueue.link: POSIX message queues that have a name */
	struct map ttys;   /* index -> struct tty; see tty.h */
	void (*tty_gone)(struct kern *k, int index); /* a master was closed: /dev/pts/N goes. NULL: nobody wants to know */
	struct sysv *sysv; /* see sysv_ipc.h; NULL: nothing of it was used yet */
	/* The last attachment of a removed segment is gone: its memory goes. NULL: nobody holds any. */
	void (*shm_destroyed)(struct kern *k, int64_t handle);
};

void kern_init(struct kern *k, uint64_t seed, enum sched_policy policy);
void kern_clear(struct kern *k);

#endif
