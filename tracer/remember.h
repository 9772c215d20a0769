/*
 * The seeds that failed with a certain command, for -R: kept in RUNDIR_PARENT "/failed", a line "SEED COMMAND" each, so that
 * the next run of that command begins with them. A seed that passes is forgotten.
 */
#ifndef TRACER_REMEMBER_H
#define TRACER_REMEMBER_H

#include "base/err.h"
#include "tracer/run_options.h"
#include "tracer/seeds.h"

#include <stdbool.h>
#include <stdint.h>

/* Puts what is remembered for o's command in front of o->seeds; instead of them, when nobody said which seeds to run. */
int remember_load(struct run_options *o, struct err *e);
/* What became of a seed. */
int remember_seed(const struct run_options *o, uint64_t seed, bool failed, struct err *e);

#endif
