/* One run: everything that belongs to it. There are no other globals but the flags that signal handlers set. */
#ifndef TRACER_SIM_H
#define TRACER_SIM_H

#include "base/buf.h"
#include "base/map.h"
#include "base/runhash.h"
#include "kernel/kern.h"
#include "kernel/node.h"
#include "kernel/task.h"
#include "tracer/digest.h"
#include "tracer/run.h"
#include "tracer/task.h"

#include <linux/filter.h>
#include <regex.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct net;
struct clock_page;
struct seccomp_notif;
struct faults;
struct vfs;
struct sdk;
struct phases;
struct stage;

enum { SIM_NODES_MAX = 4096, TAIL_LINES = 40 };

struct refusal {
	char *text;
	uint64_t count;
};

/* The watchdog over the thread that runs now. */
struct watch {
	int since;      /* tick at which it was let go, or last looked at */
	unsigned looks; /* without a call between */
	bool wanted;    /* interrupted: the next stop is for a look */
	int64_t cpu_ms; /* the processor time that the thread had used then; 0: not asked yet */
};

struct sim {
	struct kern kern;
	struct net *net;
	const struct run_config *cfg;
	struct run_result *res;
	struct runhash hash;
	struct map tasks;                  /* host tid -> struct task */
	struct node *nodes[SIM_NODES_MAX]; /* [0] the driver */
	unsigned nnodes;
	int listener;                /* seccomp notification descriptor */
	int clock_fd;                /* memfd of the clock page; every guest holds it as its real descriptor 0 */
	struct clock_page *page;
	uint64_t vvar_len;           /* length of the host's vvar pages, which lie directly below its vDSO */
	uint64_t vdso_len;
	int host_proc;               /* host's /proc, opened before the view was entered */
	pid_t init_pid;              /* pid 1 of the guests' namespace */
	pid_t seed_tid;              /* the template from which processes are started that no guest forked; see spawn.c */
	void *spawn_area;            /* where the arguments of its copies are prepared; same address in them */
	int next_pid;                /* the pid that the guests' namespace gives out next */
	struct sock_fprog filter;
	struct task *current;        /* whose call is being served, or who runs */
	struct proc *driver;
	struct proc **doomed;        /* processes to be really killed before anything else runs */
	size_t ndoomed, doomed_cap;
	bool unlisted_call;          /* a call number without a row was made: verdict unknown */
	struct refusal *refusals;
	size_t nrefusals;
	struct buf scratch;          /* call_scratch() */
	struct seccomp_notif *notif;
	struct faults *faults;       /* what is injected; NULL: nothing. See fault.h */
	struct executed executed;    /* programs, for the digests */
	struct timespec host_start;  /* real time of the start: files with a later time are of this run */
	int64_t boot_ns;             /* virtual uptime at the run's start */
	unsigned spin_period;        /* the longest spin found so far, in instructions */
	uint64_t spin_steps, spin_ticks; /* instructions stepped so far in search of one, and the real time it took */
	unsigned nspinning;          /* threads that wait for their next turn of a spin */
	struct map hwrand_files;     /* file -> struct hwrand_sites, see hwrand.c */
	struct map file_digests;     /* file -> uint64_t, see count.c */
	bool unrepeatable;           /* real time has decided something that guests can see */
	struct rng preempt_rng;
	unsigned preempt_rarity, preempt_reach; /* drawn: see preempt.c */
	uint64_t preempt_left;       /* instructions that may still be stepped in this run */
	struct watch watch;
	int64_t deadline_ms;         /* of real time, as real_ms() */
	bool finished;
	regex_t until;
	bool has_until;
	regex_t until_event;
	bool has_until_event;
	bool event_seen;             /* until_event matched */
	struct buf bytes;            /* bytes of the present call, for -trace bytes */
	struct buf (*partial)[2];    /* unfinished line of each node's output and error */
	struct vfs *vfs;             /* files of the view: inode numbers, times, locks */
	unsigned getrandoms;         /* calls of getrandom so far, for cfg->debug_leak */
	struct sdk *sdk;             /* what guests said by the SDK */
	struct phases *phases;
	struct stage *stage;         /* the programs of the scenario */
	char *tail[TAIL_LINES];      /* the trace's last lines, a ring */
	uint64_t ntail;
};

unsigned sim_cpus(const struct sim *s);
int64_t sim_elapsed_ns(const struct sim *s); /* virtual time since the run began: what people are shown */
/* A process listens: the listener rule may make its tree a node. */
void sim_listens(struct sim *s, struct proc *p);
/* Ends the run with this verdict; the first one stands. */
void sim_verdict(struct sim *s, enum verdict_class cls, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* One line of the report's warnings; the same text again is counted. */
void sim_warn(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An event line of the trace. */
void sim_event(struct sim *s, const struct proc *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct node *sim_node_of(struct sim *s, const struct proc *p); /* never NULL: the driver's for NULL */
int64_t real_ms(void); /* by a raw system call: the supervisor may not read the TSC */

/* output.c: what guests print. `ctx` of the sinks is the sim. */
void output_emit(struct sim *s, struct proc *p, bool err, const void *buf, size_t n);
void output_finish(struct sim *s);

/* trace.c */
bool trace_wants(const struct sim *s, enum trace_level l);
void trace_output(struct sim *s, const struct node *n, const struct proc *p, const char *line);
void trace_tail(const struct sim *s, struct buf *out);
void trace_call(struct sim *s, const struct call *c, int64_t result);
void trace_line(struct sim *s, const struct proc *p, const struct thread *t, const char *kind, const char *text);

/* dispatch.c */
void dispatch_call(struct sim *s, struct task *t);  /* first try, t->call filled in */
void dispatch_retry(struct sim *s, struct task *t); /* the blocked thread was picked again */
void dispatch_clock_insn(struct sim *s, struct task *t); /* a trapped TSC read: counts as a clock call */

void dispatch_preempt(struct sim *s, struct task *t);    /* it stands at a switch point between calls */
void dispatch_spin(struct sim *s, struct task *t);       /* it stands at its loop's least state */
void dispatch_turn(struct sim *s, struct task *t);       /* it has passed counting sites often enough */

/* loop.c */
void sim_loop(struct sim *s);
/* While held, no signal of ours is taken: host calls that a pending one would end early run as on a quiet machine. */
void sim_hold_signals(bool hold);
void sim_kill_doomed(struct sim *s);

/* exit.c */
void task_ended(struct sim *s, struct task *t);     /* the real thread is gone and reaped */
void proc_finish(struct sim *s, struct proc *p);    /* the last thread is gone */
void proc_kill_now(struct sim *s, struct proc *p);   /* a doomed process: kills and reaps its real threads */
void vfork_release(struct sim *s, struct proc *child); /* the child has called exec or ended */

/* exec.c */
int exec_setup(struct sim *s, struct task *t); /* in the stop right after exec: clock page, vDSO, AT_RANDOM */

/* deliver.c: hands one signal to the real thread while resuming it. `value` answers the call it is parked in. */
void deliver_signal(struct sim *s, struct task *t, const struct sigitem *it);

/* spawn.c */
int spawn_template(struct sim *s, struct err *e);
struct launch;
/* Starts a process from the template; 0 or -errno. */
int spawn_process(struct sim *s, struct proc *p, const struct launch *l);

/* How a process ended: "exited with status 3", "was killed by SIGKILL". */
struct ending {
	char text[40];
};
struct ending ending_of(int status);

/* trap.c: a signal that the processor raised */
void guest_fault(struct sim *s, struct task *t, int sig);
/* Reports it; the thread is parked. */
void guest_crashed(struct sim *s, struct task *t, int sig, uint64_t addr);

/* report.c */
void report_deadlock(struct sim *s);
void report_backtrace(struct sim *s, struct task *t, struct buf *out);
/* Into a ptrace stop, for looking at it only: the run is over. False when the thread is gone. */
bool report_stop_thread(struct sim *s, struct task *t);

/* gdb.c: the run is over; gdb gets the process that cfg->gdb names, until it quits. */
int gdb_hand_over(struct sim *s, struct err *e);

#endif
