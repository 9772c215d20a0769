/*
 * Processes and threads of the simulation, as the guests see them. The tracer hangs its own side (real tids, pending
 * replies) on `host`. The real processes' tree is flat; parents, groups, sessions, zombies and orphans exist here only.
 */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include "kernel/abi.h"
#include "kernel/file.h"
#include "kernel/kern.h"
#include "kernel/wait.h"

struct node;
struct ptimers;
struct cred;
struct tty;

/* A queued signal. Real-time signals queue several; standard ones at most one per target. */
struct sigitem {
	struct list link;
	int sig;
	int code;      /* si_code: SI_USER 0, SI_TKILL -6, SI_TIMER -2, CLD_*, SI_KERNEL 0x80 … */
	int pid;       /* si_pid */
	uint32_t uid;  /* si_uid */
	int status;    /* si_status of SIGCHLD */
	int64_t value; /* si_value, si_timerid's overrun in the high half for timers */
};

struct sigpending {
	uint64_t set;
	struct list queue;
	unsigned n; /* items in the queue */
};

/* Signal actions: shared by CLONE_SIGHAND. */
struct sighand {
	unsigned refs;
	struct k_sigaction act[K_NSIG + 1]; /* [1..64] */
};

/* An address space, as far as identity goes: the key of private futexes. */
struct mm {
	unsigned refs;
	uint64_t id;
	bool has_shared; /* a MAP_SHARED mapping was ever made or inherited: shared futexes need a look at the maps */
	struct list attaches; /* struct shm_attach: System V segments mapped here */
};

/* What a thread asked of a scheduler that is not there: kept, inherited and shown. */
struct thread_attrs {
	int nice, policy, rt_prio, ioprio;
	bool reset_on_fork;
	uint64_t affinity;      /* CPUs 0..63; 0: all */
	uint64_t timerslack_ns; /* 0: the default */
	uint32_t mempolicy;     /* as set_mempolicy(2) got it */
};

enum thread_state {
	THREAD_READY,   /* in the scheduler's queue */
	THREAD_RUNNING, /* picked: at most one in the whole run */
	THREAD_BLOCKED, /* waits for its waiters, its deadline or a signal */
	THREAD_DEAD,
};

struct thread {
	struct sched_node run;
	struct list in_proc;
	struct proc *proc;
	int tid;
	enum thread_state state;
	char comm[16];

	/* What a blocked thread waits for. */
	struct list waits;     /* struct thread_wait.of_thread */
	struct timer deadline;
	bool timed_out;        /* the deadline fired; cleared when a new call starts */
	bool woken;            /* something woke it since it blocked */
	bool stopped;          /* job control stop: not scheduled */
	const char *wait_what; /* for the deadlock report: "futex", "read of a pipe" … */
	uint64_t wait_detail;

	uint64_t sigmask;
	uint64_t restore_mask; /* mask to put back when has_restore_mask (sigsuspend, ppoll …) */
	bool has_restore_mask;
	uint64_t sigwait_set;  /* signals rt_sigtimedwait waits for; 0: none */
	struct sigpending pending;
	uint64_t clear_tid_addr; /* set_tid_address / CLONE_CHILD_CLEARTID; 0: none */
	uint64_t robust_head, robust_len;
	int64_t cpu_ns; /* virtual time charged to this thread */
	void *host;

	struct kern *kern;
	struct futex_waiter *futex; /* while it waits for a futex: see futex.h */
	struct list pi_owned;       /* struct futex_queue.of_owner */
	struct thread_attrs attrs;
	struct sem_wait *sem;       /* while it waits for a System V semaphore: see sysv_sem.h */
	uint64_t *held; /* it is not scheduled, and this counts how often it would have been; NULL: see thread_hold() */
};

/* Neither stopped by job control nor held. */
static inline bool thread_may_run(const struct thread *t)
{
	return !t->stopped && !t->held;
}

struct proc {
	int pid, pgid, sid;
	struct proc *parent;
	struct list children, sibling; /* of parent */
	struct list threads;
	unsigned nthreads; /* not dead */
	struct fdtab *fds;
	struct sighand *sighand;
	struct mm *mm;
	struct sigpending pending; /* process-wide */
	struct waitq child_wq;     /* a child changed state */
	struct waitq exit_wq;      /* this process ended (pidfd) */
	bool doomed;               /* will end with exit_status; no thread runs guest code any more */
	bool zombie;               /* ended, not yet waited for */
	bool exec_done;            /* has called exec since it was forked */
	int exit_status;           /* as wait(2) encodes it */
	int exit_signal;           /* what the parent gets; SIGCHLD or 0 */
	int stop_report;           /* pending report for WUNTRACED/WCONTINUED: stop signal, 0xffff, or 0 */
	bool stopped;
	uint32_t uid, euid, suid, gid, egid, sgid;
	uint64_t rlim[16][2];      /* soft, hard */
	int64_t cpu_ns, child_cpu_ns;
	int pdeathsig;
	bool child_subreaper;
	int64_t start_ns;
	struct node *node;         /* NULL: the driver's */
	void *host;

	struct waitq sig_wq;       /* a signal became pending for the process or one of its threads (signalfd) */
	int alias_pid;             /* the pid that the parent knows it by, if not its own; 0: none. See proc_set_alias() */
	bool held;                 /* ended, but its parent is not to learn of it: it will be started again */
	struct list in_kern;       /* kern.proc_list, in order of creation */
	struct list refs;          /* struct procref */
	bool outside_parent;       /* the driver: its parent is no process of the simulation, but there is one */
	char comm[16];             /* of the leader, kept when it has exited */
	struct ptimers *timers;    /* see posix_timer.h; NULL: none */
	struct cred *cred;         /* see cred.h; NULL: as uid and gid say */
	struct list sem_undo;      /* struct sem_undo */
	struct tty *ctty;          /* controlling terminal; NULL: none */
	int tty_old_pgrp;          /* of a session leader whose terminal was hung up: the foreground group; 0: none */
};

/* The CPU that it is shown on. */
static inline unsigned thread_cpu(const struct thread *t)
{
	return t->attrs.affinity ? (unsigned)__builtin_ctzll(t->attrs.affinity) : 0;
}

/* --- threads (thread.c) --- */
struct thread *thread_new(struct kern *k, struct proc *p, int tid);
/* Registers interest: the thread's call is tried again once q is woken. Only while deciding to block. */
void thread_wait_on(struct kern *k, struct thread *t, struct waitq *q);
void thread_wait_until(struct kern *k, struct thread *t, int64_t at_ns); /* absolute; VCLOCK_NEVER: no deadline */
void thread_block(struct kern *k, struct thread *t);  /* after the registrations */
void thread_wake(struct kern *k, struct thread *t);   /* drops all registrations, makes it runnable */
void thread_yield(struct kern *k, struct thread *t);  /* runnable, but after the others */
void thread_dead(struct kern *k, struct thread *t);   /* out of all queues; frees it */
void thread_set_tid(struct kern *k, struct thread *t, int tid); /* exec from a thread: it gets the leader's */

/* --- processes (proc.c) --- */
struct proc *proc_new(struct kern *k, int pid, struct proc *parent); /* with tables of its own, one reference each */
struct proc *proc_find(struct kern *k, int pid);
/* A copy of parent, as fork makes it: tables copied, or shared (one more reference) where asked; identity, limits, group,
 * session, node inherited; nothing pending. Without threads; exit_signal SIGCHLD. */
struct proc *proc_fork(struct kern *k, struct proc *parent, int pid, bool share_mm, bool share_fds, bool share_sighand);
void proc_set_parent(struct proc *p, struct proc *parent);
/* What exec does to a process whose only thread remains: a new address space, tables no longer shared, close-on-exec,
 * signal actions, clear_child_tid and robust list of the thread dropped, exec_done. */
void proc_exec(struct kern *k, struct proc *p);
/* All threads are gone: closes, reparents children, becomes a zombie (or is freed when nobody waits), tells the parent. */
void proc_ended(struct kern *k, struct proc *p);
void proc_reap(struct kern *k, struct proc *p); /* the zombie was waited for: frees it */
/* Decides the end: status as wait(2) encodes it. Idempotent: the first decision stands. */
void proc_doom(struct kern *k, struct proc *p, int status);

/* --- signals (signal.c) --- */
enum sig_default { SIG_DEF_TERM, SIG_DEF_CORE, SIG_DEF_IGN, SIG_DEF_STOP, SIG_DEF_CONT };
enum sig_default sig_default_action(int sig);
/* To a process (t NULL) or one thread. Does what sending does: discards ignored ones, queues, wakes or picks the thread
 * that will take it, dooms or stops the process when that is the default action. */
void sig_send(struct kern *k, struct proc *p, struct thread *t, const struct sigitem *info);
/* Plain send with code and sender. */
void sig_send_simple(struct kern *k, struct proc *p, struct thread *t, int sig, int code, int pid);
/* The next signal that t would take now (unblocked, with a handler); false: none. Does not remove it. */
bool sig_deliverable(const struct kern *k, const struct thread *t);
/* Removes and gives it. */
bool sig_take(struct kern *k, struct thread *t, struct sigitem *out);
/* Removes one of `set` (sigwait, signalfd); false: none pending. */
bool sig_take_from_set(struct kern *k, struct thread *t, uint64_t set, struct sigitem *out);
uint64_t sig_pending_set(const struct thread *t);
/* The mask changed: signals may have become deliverable. */
void sig_set_mask(struct kern *k, struct thread *t, uint64_t mask);
/* After exec: handlers become default, as execve(2) says. */
void sig_exec(struct kern *k, struct proc *p);
void sig_flush(struct kern *k, struct sigpending *p);

/* --- more of processes (proc.c, procwait.c) --- */

/* The pid under which others know p: its alias, or its own. */
static inline int proc_seen_pid(const struct proc *p)
{
	return p->alias_pid ? p->alias_pid : p->pid;
}
/* The eldest living thread: the leader, unless it has exited. NULL when none is left. */
struct thread *proc_main_thread(const struct proc *p);
struct thread *thread_find(struct kern *k, int tid);
/* A process by the number of any of its threads, as most calls that take a pid accept it. */
struct proc *proc_find_any(struct kern *k, int pid);
/* A process of that group exists. */
bool proc_group_exists(const struct kern *k, int pgid);

/*
 * A node is started again under a new pid, while its parent goes on using the one it got from fork: `held` (set before
 * proc_ended) keeps the ended process as the parent's child without a report; proc_set_alias then puts newroot in its
 * place, in its group and session, findable under old_pid, and frees it. proc_end_held ends it for good after all: the
 * parent hears of it now. A fatal signal sent to a held process does the same, or calls kern.held_killed.
 */
void proc_set_alias(struct kern *k, struct proc *newroot, int old_pid);
void proc_end_held(struct kern *k, struct proc *p, int status);

/* A pointer that becomes NULL when the process is freed. */
struct procref {
	struct list link;
	struct proc *p;
};
void procref_set(struct procref *r, struct proc *p);
void procref_drop(struct procref *r);

/* Job control. */
void proc_stop(struct kern *k, struct proc *p, int sig);
void proc_continue(struct kern *k, struct proc *p);
/* No member has a parent in another group of the session: terminal stop signals are not for it (POSIX). */
bool proc_group_orphaned(const struct kern *k, int pgid, const struct proc *ignored);

/* What wait4 and waitid ask for, and get. */
enum wait_kind { WAIT_FOR_ANY, WAIT_FOR_PID, WAIT_FOR_GROUP };
struct wait_query {
	enum wait_kind kind;
	int id;
	bool exited, stopped, continued;
	bool nowait;         /* leave it waitable */
	bool all, only_clone; /* __WALL, __WCLONE */
};
struct wait_result {
	int pid;    /* as the parent knows it */
	uint32_t uid;
	int code;   /* CLD_* */
	int status; /* si_status */
	int wstatus; /* as wait4 encodes it */
	int64_t cpu_ns;
};
/* 1: *r is filled, and the child reaped or its report consumed; 0: there are children, none to report; -ECHILD. */
int proc_wait(struct kern *k, struct proc *p, const struct wait_query *q, struct wait_result *r);

/* --- more of signals --- */

/* sig_send with an answer: 0, or -EAGAIN when a queued signal exceeds RLIMIT_SIGPENDING (sigqueue(3)). */
int sig_queue(struct kern *k, struct proc *p, struct thread *t, const struct sigitem *info);
/* sigaction(2): the new action may discard what is pending, or make it fatal. */
void sig_set_action(struct kern *k, struct proc *p, int sig, const struct k_sigaction *act);
/* The temporary mask of sigsuspend, ppoll …: a second set before the end changes nothing, so retries may repeat it. */
void thread_set_temp_mask(struct kern *k, struct thread *t, uint64_t mask);
void thread_end_temp_mask(struct kern *k, struct thread *t);
/* Thread t blocked signals or went away: others of its process may take what is pending for the process. */
void sig_retarget(struct kern *k, struct proc *p, const struct thread *t);
/* The thread does not run until it is released, and nobody of the simulation can tell why; signals wait. *turns counts
 * how often it became ready meanwhile, and must outlive the hold. A thread is held once. */
void thread_hold(struct kern *k, struct thread *t, uint64_t *turns);
void thread_release(struct kern *k, struct thread *t);
/* Used among signal.c, signal_send.c, proc.c, thread.c only. */
void thread_stand_still(struct kern *k, struct thread *t); /* waits for nothing, is not scheduled */
void thread_set_stopped(struct kern *k, struct thread *t, bool stopped);
void sig_settle(struct kern *k, struct thread *t); /* performs default actions of what is pending and unblocked */
void sig_pending_init(struct sigpending *q);
void sig_drop(struct kern *k, struct sigpending *q, uint64_t set);
bool sig_dequeue(struct kern *k, struct sigpending *q, int sig, struct sigitem *out);
struct sighand *sighand_copy(struct kern *k, const struct sighand *h); /* NULL: all default */
void sighand_unref(struct kern *k, struct sighand *h);

#endif
