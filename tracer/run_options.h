/* What the command line of `simrun run` says. */
#ifndef TRACER_RUN_OPTIONS_H
#define TRACER_RUN_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/fault_config.h"
#include "tracer/guestenv.h"
#include "tracer/options.h"
#include "tracer/run.h"
#include "tracer/scenario.h"
#include "tracer/seeds.h"

#include <stdbool.h>

struct run_options {
	struct run_config cfg; /* what is the same for every seed; cfg.seed and descriptors are filled in per run */
	struct seeds seeds;
	bool seeds_given;      /* by -seed or -seeds */
	uint64_t jobs;         /* runs at once, >= 1 */
	bool until_fail;
	uint64_t max_failures; /* 0: no limit */
	int64_t for_s;         /* 0: no limit */
	bool remember;         /* seeds that fail are remembered, and run first the next time */
	bool check;            /* every seed twice */
	bool keep;             /* run folders of passing runs too */
	bool quiet;
	const char *scenario_path; /* of -c; NULL */
	struct scenario scenario;  /* of -c, and of the options that say the same; cfg.scenario points to it */
	const char *json_path; /* "-": standard output; NULL: none */
	const char *junit_path; /* NULL: none */
	const char *trace_path; /* NULL: trace.jsonl in the run folder */
	struct strvec env_added; /* of -env */
	struct strvec env;     /* the whole environment of the guests */
	struct fault_config faults; /* cfg.faults, when there is something */
	bool faults_said;      /* by -faults or -fault, not only by the file of -c */
	struct buf repro;      /* the options that change a run, but -seed; quoted, each followed by a space */
};

extern const struct option run_option_table[];
/* Those that `simrun replay` takes too, and `own`. Heap. */
struct option *replay_option_table(const struct option *own);

void run_options_init(struct run_options *o);
void run_options_clear(struct run_options *o);
/* Parses options and program; completes o->cfg and o->env. 0, -1 with *e (bad command line), or OPTIONS_HELP. */
int run_options_parse(struct run_options *o, int argc, char **argv, struct err *e);

const char *trace_level_name(enum trace_level l);
bool trace_level_parse(const char *name, enum trace_level *out);

#endif
