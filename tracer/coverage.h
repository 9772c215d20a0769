/* Properties over all seeds of a sweep: the table at its end, and what was never reached or never true. */
#ifndef TRACER_COVERAGE_H
#define TRACER_COVERAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/property.h"

#include <stdint.h>
#include <stdio.h>

struct covered {
	struct property p; /* of all seeds together */
	uint64_t seeds_reached, seeds_true;
};

struct coverage {
	struct covered *v;
	size_t n, cap;
	uint64_t seeds; /* that count: those that were carried out */
};

/* What is known before any run. */
void coverage_know(struct coverage *c, const struct properties *ps);
/* The properties of one seed: the JSON array of its result. */
void coverage_add(struct coverage *c, const struct buf *properties);
/* What makes this one fail a sweep, "never reached" or "never true"; NULL: nothing. */
const char *coverage_missing_how(const struct covered *v);
/* How many fail a sweep: never reached, or never true. */
size_t coverage_missing(const struct coverage *c);
void coverage_print(const struct coverage *c, FILE *out);
void coverage_clear(struct coverage *c);

#endif
