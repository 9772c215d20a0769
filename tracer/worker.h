/*
 * One run in a process of its own: a fresh fork, because the run enters namespaces and gives up reading the TSC for good.
 * The result comes back through a pipe. The process dies with its parent, and everything of the run dies with it.
 */
#ifndef TRACER_WORKER_H
#define TRACER_WORKER_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/run.h"

#include <stdbool.h>
#include <sys/types.h>

typedef int run_fn(const struct run_config *cfg, struct run_result *res, struct err *e);

struct worker {
	pid_t pid;     /* 0: none */
	int pidfd;     /* readable when it has ended */
	int pipe;      /* its result arrives here */
	struct buf in;
	bool ended;    /* reaped; `status` is as wait(2) gives it */
	int status;
};

/* Starts run(cfg). 0, or -1 with *e. */
int worker_start(struct worker *w, run_fn *run, const struct run_config *cfg, struct err *e);
/* Reads what has arrived; never waits. */
void worker_read(struct worker *w);
/* After it has ended: its result. A run that broke off gives class harness. Leaves *w ready for the next start. */
void worker_result(struct worker *w, struct run_result *res);
/* Kills the run; it still has to be reaped. */
void worker_kill(struct worker *w);

#endif
