/* What `simrun run` and `simrun replay` say about runs: the lines for people, and the JSON objects. */
#ifndef TRACER_REPORT_RUN_H
#define TRACER_REPORT_RUN_H

#include "base/buf.h"
#include "tracer/coverage.h"
#include "tracer/fault_tally.h"
#include "tracer/groups.h"
#include "tracer/report_ci.h"
#include "tracer/run_options.h"
#include "tracer/sweep.h"

#include <stdbool.h>
#include <stdio.h>

/* A warning, and in how many seeds it came up. */
struct warning {
	char *text;
	uint64_t seeds;
};

struct reporter {
	const struct run_options *o;
	FILE *out;             /* for people */
	FILE *json;            /* NULL: none */
	bool many;             /* more than one seed */
	bool progress;         /* a progress line is wanted */
	bool progress_shown;   /* and stands on the terminal now */
	struct coverage coverage;
	struct groups groups;  /* of failures */
	struct fault_tally faults;
	uint64_t horizons, inconclusive; /* seeds that ended at their duration; whose history could not be judged */
	struct junit junit;
	struct buf verdicts;   /* the lines of the first seeds that did not pass, for the summary of a step */
	uint64_t nverdicts;
	bool missing_noted;    /* junit has the properties that were never reached */
	int64_t elapsed_ms;
	struct warning *warnings;
	size_t nwarnings;
	const char *again;     /* the command that reproduces, when it is not made from the options; NULL */
	bool has_culprit;      /* a seed that did not pass, or was looked for; of the one that comes first: */
	uint64_t culprit_index, culprit;
	enum verdict_class culprit_class;
};

/* Opens what has to be opened; -1 with *e. */
int reporter_init(struct reporter *r, const struct run_options *o, bool many, struct err *e);
/* One seed is finished. dir: its run folder, or NULL. */
void reporter_seed(struct reporter *r, const struct seed_outcome *o, const char *dir);
void reporter_progress(struct reporter *r, const struct sweep_stats *stats);
/* After the last one: summary and the command that reproduces. */
void reporter_end(struct reporter *r, struct sweep_stats *stats);
/* A message about simrun's own work, on stderr. */
void reporter_message(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Closes; false when output was lost (a full disk). */
bool reporter_clear(struct reporter *r);

/* "simrun -seed 7 -faults crash ./cluster.sh"; check: with -check. */
void repro_command(struct buf *out, const struct run_options *o, uint64_t seed, bool check);
/* What of it is the same for every seed: "-faults crash ./cluster.sh". */
void repro_arguments(struct buf *out, const struct run_options *o);

#endif
