/*
 * The real side of guest threads and processes: what hangs on struct thread.host and struct proc.host.
 *
 * At any moment every real thread is parked: in an unanswered seccomp notification, or in a ptrace stop; only the one that
 * the scheduler picked runs. That is the invariant everything else rests on.
 */
#ifndef TRACER_TASK_H
#define TRACER_TASK_H

#include "tracer/call.h"
#include "tracer/count.h"
#include "tracer/hwrand.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fs;
struct launch;

enum park {
	PARK_RUNNING, /* executes guest code now */
	PARK_NOTIFY,  /* in a notification, to be answered with task.reply */
	PARK_STOP,    /* in a ptrace stop, to be continued */
	PARK_VFORK,   /* in the stop after its vfork, until the child lets it go */
};

struct task {
	struct thread *thread;
	struct sim *sim;
	pid_t tid;          /* in the supervisor's pid namespace */
	pid_t tgid;
	enum park park;
	uint64_t notify_id;
	bool in_call;       /* call is valid: started and not completed */
	struct verdict reply; /* of the completed call, to be sent when the thread is picked */
	struct sigitem interrupt; /* the signal that ended its wait, to be delivered then; sig 0: none */
	struct call call;
	int64_t clock_step_ns; /* of the clock page, grown by many reads in a row; 0: the first */
	uint64_t clock_reads; /* consecutive clock calls, for their escalating cost */
	unsigned spins;       /* pure spins found since the last call: each waits twice as long as the one before */
	uint64_t spin_state;  /* digest of the registers at the last one */
	bool steppable;       /* in a stop outside of any call: it can be stepped */
	bool spinning;        /* waits for its next turn of a spin */
	uint64_t ip, sp;      /* of the last notification or stop: for reports */
	struct proc *vfork_child; /* PARK_VFORK: the child it waits for */
	struct counted counted; /* passes of counting sites */
	bool exited;        /* the real thread has exited; a leader is reaped with the last of its process */
};

/* struct proc.host */
struct hostproc {
	pid_t tgid;
	struct fs *fs;
	struct file **installed; /* real descriptor number -> the file behind it, as far as known (for mmap) */
	unsigned ninstalled;
	unsigned char *auxv;     /* what /proc/self/auxv shows */
	size_t auxv_len;
	char *exe;               /* path of the last exec */
	struct task *vfork_parent; /* waits until this process execs or ends; NULL */
	struct launch *launch;   /* how to start it again, if it becomes a node; NULL */
	uint64_t vdso;           /* where our vDSO image lies */
	struct hwrand_patches hwrand;
	struct counting count;   /* the counting sites of its code */
};

static inline struct task *thread_task(const struct thread *t)
{
	return t->host;
}
static inline struct hostproc *proc_host(const struct proc *p)
{
	return p->host;
}

struct task *task_new(struct sim *s, struct thread *t, pid_t tid, pid_t tgid);
struct hostproc *hostproc_new(struct sim *s, pid_t tgid);
struct hostproc *hostproc_copy(struct sim *s, const struct hostproc *h, pid_t tgid, bool share_fs);
void hostproc_free(struct sim *s, struct hostproc *h);

/* Puts a copy of host_fd at number guest_fd of the real process (for fchdir and mmap, which the real kernel performs).
 * Only while the thread is parked in a notification. 0 or -errno. */
int task_install_fd(struct task *t, int host_fd, int guest_fd);
struct fs *call_fs(struct call *c);

#endif
