/* A sweep as a command makes it: run folders, trace files, reports. Shared by `simrun run` and `simrun replay`. */
#ifndef TRACER_RUNNER_H
#define TRACER_RUNNER_H

#include "base/err.h"
#include "tracer/report_run.h"
#include "tracer/run_options.h"
#include "tracer/sweep.h"

#include <stdbool.h>

struct runner {
	struct run_options *o;
	struct reporter reporter;
	int trace_file;   /* of -trace LEVEL:FILE, or -1 */
	bool folders;     /* write run folders */
	bool many;        /* more than one seed */
	struct sites sites; /* counted; grows as seeds find more */
	/* Looks at an outcome before it is reported; NULL: nobody does. */
	void (*watch)(void *ctx, struct seed_outcome *o);
	void *ctx;
};

/* Opens the files that *o names. 0, or -1 with *e. */
int runner_open(struct runner *r, struct run_options *o, struct err *e);
/* Runs every seed of *o, reports, and closes. The command's exit status; does not return when a signal ended the sweep. */
int runner_go(struct runner *r);

#endif
