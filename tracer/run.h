/* What one run of one seed is told, and what it answers: the boundary between the command line and the simulator. */
#ifndef TRACER_RUN_H
#define TRACER_RUN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "tracer/preempt.h"
#include "tracer/sites.h"
#include "vclock/sched.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the command keeps run folders, in the launch directory. No guest sees it. */
#define RUNDIR_PARENT ".simrun"

struct scenario;
struct fault_config;

enum trace_level { TRACE_OFF, TRACE_EVENTS, TRACE_CALLS, TRACE_BYTES };

struct run_config {
	char **argv;             /* program and arguments, NULL-terminated */
	uint64_t seed;
	enum sched_policy sched;
	enum preempt_level preempt; /* switches between calls */
	int64_t epoch_s;         /* CLOCK_REALTIME at boot, seconds since 1970; the seeded fraction is added */
	const char *at;          /* -at DIR, NULL: real path */
	const char *const *env;  /* NULL-terminated K=V that -env named, already resolved */
	unsigned cpus;           /* what guests see */
	int64_t call_cost_ns;    /* virtual cost of a call, default 1000 */
	int64_t clock_read_cost_ns; /* of a vDSO read, default 5 */
	int64_t timeout_s;       /* real time; 124 */
	const struct fault_config *faults; /* what is injected; NULL: nothing */
	int pin_cpu;             /* the CPU of this run, -1: any one */
	enum trace_level trace;
	int trace_fd;            /* where trace lines go, -1 with TRACE_OFF */
	int guest_out, guest_err; /* where the driver's output is copied while it runs, -1: nowhere */
	bool verbose;            /* -v: "12.345678s node | line" on guest_err for every node */
	uint64_t record_from, record_to; /* call numbers to record as text (divergence search); 0,0: none */
	const char *until_output; /* regex: stop when a line of output matches; NULL: none */
	const struct scenario *scenario; /* NULL: nothing but the driver */
	const struct sites *sites; /* where threads that wait are counted; NULL: nowhere */
	bool find_sites;         /* break off when there is one more to count: run_result.again */
	bool unjudged;           /* the history is not checked: a second run of the same seed */
	int64_t until_ns;        /* replay: stop there, in virtual time since the start; 0: no such stop */
	const char *until_event; /* replay: stop at the first line of the trace that this regex matches; NULL: none */
	const char *gdb;         /* replay: where it stops, or fails, gdb gets a process: "NODE" or "NODE:PID"; NULL: none */
	unsigned debug_leak;     /* hidden test switch: the Nth getrandom is answered by the host; 0: none */
};

enum verdict_class { CLASS_PASS, CLASS_EXIT, CLASS_DEADLOCK, CLASS_CRASH, CLASS_TIMEOUT, CLASS_UNKNOWN, CLASS_HARNESS,
	             CLASS_NONDETERMINISM, CLASS_UNREPEATABLE, CLASS_ASSERT, CLASS_PROPERTY, CLASS_LINEARIZABILITY,
	             CLASS_ISOLATION, CLASS_LIVENESS, CLASS_OUTPUT, CLASS_SETUP, VERDICT_CLASSES };

struct run_result {
	enum verdict_class cls;
	char message[512];
	int exit_status;         /* the driver's, as wait(2) encodes it */
	int64_t virtual_ns, real_ms;
	uint64_t calls, hash;
	uint64_t *windows;       /* hash after every RUNHASH_WINDOW calls; owned */
	size_t nwindows;
	struct buf details;      /* further lines of the message: every thread of a deadlock, a backtrace; owned */
	struct buf warnings;     /* one per line: "refused ioctl 0x5413 on tcp (12 times)" */
	struct buf output;       /* everything the processes wrote, prefixed lines as with -v; owned */
	struct buf plan;         /* JSON of the faults applied, with their effects; owned */
	struct buf faults;       /* "KIND applied effective", one per line; owned */
	struct buf idle_faults;  /* names of faults that did nothing, one per line; owned */
	struct buf recorded;     /* text of the calls record_from..record_to, one per line; owned */
	struct buf digests;      /* "path xxh3" of every executed binary, one per line, sorted; owned */
	bool matched_output;     /* until_output matched */
	char node[64];           /* whose fault it is, where one node's it is */
	char group[192];         /* what failures of one kind have in common, without what changes from run to run; or empty */
	bool stopped;            /* at until_ns or until_event, before its end */
	bool horizon;            /* it ended because its duration was over */
	bool judged;             /* cls was "pass" before the history was checked */
	bool inconclusive;       /* the check of the history ran out of its budget */
	struct buf properties;   /* JSON array: see property.h; owned */
	struct buf events;       /* JSON array of the events that guests reported; owned */
	struct buf history;      /* the history file; owned */
	struct buf timeline;     /* a page that shows it, where it was judged bad; owned */
	struct buf tail;         /* the trace's last lines, for people; owned */
	bool again;              /* the run was broken off, to be made again with one more site counted: */
	struct site site;
	int64_t budget_asked;    /* the greatest number given to simrun_budget; -1: it was never called */
};

/* Runs the simulation in this process, which afterwards is fit for nothing but reporting (it has entered the run's
 * namespaces). 0, or -1 when simrun could not do its job (exit 125). */
int run_seed(const struct run_config *cfg, struct run_result *res, struct err *e);
void run_result_clear(struct run_result *res);

#endif
