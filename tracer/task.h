/*
 * The real side of guest threads and processes: what hangs on struct thread.host and struct proc.host.
 *
 * At any moment every real thread is parked: in an unanswered seccomp notification, or in a ptrace stop; only the one that
 * the scheduler picked runs. That is the invariant everything else rests on.
 */
#ifndef TRACER_TASK_H
#define TRACER_TASK_H

#include "tracer/call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fs;

enum park {
	PARK_RUNNING,   /* executes guest code now */
	PARK_NOTIFY,    /* in a notification, to be answered with task.reply */
	PARK_STOP,      /* in a ptrace stop, to be continued */
	PARK_OBSERVED,  /* in the entry stop of an OBSERVE call whose handler has not let the kernel do it yet */
};

struct task {
	struct thread *thread;
	struct sim *sim;
	pid_t tid;          /* in the supervisor's pid namespace */
	pid_t tgid;
	enum park park;
	uint64_t notify_id;
	bool in_call;       /* call is valid: started and not completed */
	bool done;          /* the call is completed; `reply` waits to be sent */
	bool gone;          /* the real thread was killed or has exited */
	struct verdict reply;
	struct call call;
	uint64_t clock_reads; /* consecutive clock calls, for their escalating cost */
	struct proc *vfork_child; /* parent of a vfork: the child it waits for */
	bool leader_exited; /* called exit() while other threads live: reaped with the last of them */
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
};

static inline struct task *thread_task(const struct thread *t)
{
	return t->host;
}
static inline struct hostproc *proc_host(const struct proc *p)
{
	return p->host;
}

/* Puts a copy of host_fd at number guest_fd of the real process (for fchdir and mmap, which the real kernel performs).
 * Only while the thread is parked in a notification. 0 or -errno. */
int task_install_fd(struct task *t, int host_fd, int guest_fd);
struct fs *call_fs(struct call *c);

#endif
