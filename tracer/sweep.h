/*
 * Many runs: one after another or several at once, each in a process of its own, and with `check` each seed twice (and
 * several times more where the two differ).
 */
#ifndef TRACER_SWEEP_H
#define TRACER_SWEEP_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/exit_codes.h"
#include "tracer/run.h"
#include "tracer/seeds.h"
#include "tracer/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* What became of one seed. */
struct seed_outcome {
	uint64_t index;         /* its place in the order of the seeds */
	uint64_t seed;
	struct run_config cfg;  /* as run */
	struct run_result res;  /* of the first run; with check, the class says when another differed */
	bool checked;           /* two runs were compared */
	void *user;             /* of begin() */
};

struct sweep_stats {
	uint64_t total;  /* seeds to run; UINT64_MAX: without end */
	uint64_t done, failed; /* failed: status other than 0 */
	uint64_t invalid;      /* of those done: they broke off in their setup, and count neither way */
	int64_t elapsed_ms;
	bool found;            /* a seed that until_fail or until_output looked for; the one with the lowest index: */
	uint64_t found_index;
	int signal;            /* that ended the sweep early, or 0 */
	bool time_over;        /* for_ms ended it before the last seed */
	bool enough;           /* max_failures did */
	enum exit_status status; /* of all runs together */
};

struct sweep {
	run_fn *run;
	struct run_config cfg; /* for every run */
	struct seeds *seeds;
	unsigned jobs;
	bool check, until_fail;
	int64_t for_ms;        /* no seed is begun after so much real time; 0: no limit */
	uint64_t max_failures; /* nor after so many have failed; 0: no limit */
	const struct sites *sites; /* counted from the first run on; may grow meanwhile; NULL: none */
	void *ctx;             /* for the functions below */
	/* Before a seed's first run: fills in descriptors and *user. */
	void (*begin)(void *ctx, struct run_config *cfg, void **user);
	/* A seed is started again, with one more site counted: those of cfg. */
	void (*again)(void *ctx, struct run_config *cfg, void *user, const struct site *site);
	/* After its last one. The outcome is released afterwards, but for what `user` points to. */
	void (*done)(void *ctx, struct seed_outcome *o, const struct sweep_stats *stats);
	/* A seed that was begun and will not be finished, because the sweep ends. */
	void (*dropped)(void *ctx, struct run_config *cfg, void *user);
	/* From time to time; NULL: not wanted. */
	void (*progress)(void *ctx, const struct sweep_stats *stats);
};

/* Runs all of it. -1 when the sweep itself could not go on. */
int sweep_run(const struct sweep *s, struct sweep_stats *stats, struct err *e);

#endif
