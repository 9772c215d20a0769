/* One run: everything that belongs to it. There are no other globals but the flags that signal handlers set. */
#ifndef TRACER_SIM_H
#define TRACER_SIM_H

#include "base/buf.h"
#include "base/map.h"
#include "base/runhash.h"
#include "kernel/kern.h"
#include "kernel/node.h"
#include "kernel/task.h"
#include "tracer/run.h"
#include "tracer/task.h"

#include <seccomp.h>
#include <stdbool.h>
#include <sys/types.h>

struct net;
struct clock_page;
struct view;

enum { SIM_NODES_MAX = 4096 };

struct refusal {
	char *text;
	uint64_t count;
};

struct sim {
	struct kern kern;
	struct net *net;
	const struct run_config *cfg;
	struct run_result *res;
	struct runhash hash;
	struct map tasks;            /* host tid -> struct task */
	struct node *nodes[SIM_NODES_MAX]; /* [0] the driver */
	unsigned nnodes;
	int listener;                /* seccomp notification descriptor */
	int clock_fd;                /* memfd of the clock page; every guest holds it as its real descriptor 0 */
	struct clock_page *page;
	struct buf vdso;             /* our vDSO image */
	uint64_t vvar_off, vvar_len; /* where the host's vvar pages lie below its vDSO, and their length */
	int host_proc;               /* host's /proc, opened before the view was entered */
	pid_t init_pid;              /* pid 1 of the guests' namespace */
	int next_pid;                /* the pid that the guests' namespace gives out next */
	struct task *current;
	struct proc *driver;
	struct list doomed_unused;
	struct proc **doomed;        /* processes to be really killed before anything else runs */
	size_t ndoomed, doomed_cap;
	bool unlisted_call;          /* a call number without a row was made: verdict unknown */
	struct refusal *refusals;
	size_t nrefusals;
	struct buf scratch;          /* call_scratch() */
	bool finished;
	int64_t start_real_ms;
	struct notify_bufs *nb;
};

unsigned sim_cpus(const struct sim *s);
/* A process listens: the listener rule may make its tree a node. */
void sim_listens(struct sim *s, struct proc *p);
/* Ends the run with this verdict; the first one stands. */
void sim_verdict(struct sim *s, enum verdict_class cls, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void sim_warn(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_trace(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct node *sim_node_of(struct sim *s, const struct proc *p); /* never NULL: the driver's for NULL */
int64_t real_ms(void); /* by a raw system call: the supervisor may not read the TSC */

/* dispatch.c */
void dispatch_call(struct sim *s, struct task *t);   /* first try, t->call filled in */
void dispatch_retry(struct sim *s, struct task *t);  /* the blocked thread was picked again */

/* loop.c */
void sim_loop(struct sim *s);

/* ptrace.c */
int stop_wait(struct task *t, int *status);           /* waits for t's next stop; -1: it is gone */
void task_kill_proc(struct sim *s, struct proc *p);   /* kills and reaps every real thread of p */

/* exec.c */
void exec_setup(struct sim *s, struct task *t); /* in a stop right after exec: clock page, vDSO, AT_RANDOM */

/* fault.c: a signal that the processor raised */
void guest_fault(struct sim *s, struct task *t, int sig);

#endif
