/* The failures of a sweep, grouped by class, node and what they have in common. */
#ifndef TRACER_GROUPS_H
#define TRACER_GROUPS_H

#include "tracer/run.h"

#include <stdint.h>
#include <stdio.h>

struct failure_group {
	enum verdict_class cls;
	char *node, *what;
	uint64_t count;
	uint64_t seed[5]; /* the first ones, in the order in which they were finished */
};

struct groups {
	struct failure_group *v;
	size_t n;
};

/* How many of its group there have been, this one included. */
uint64_t groups_add(struct groups *g, uint64_t seed, const struct run_result *r);
/* "  3  liveness · client: did not finish after recovery (seeds 1, 5, 9)", the most frequent first. */
void groups_print(const struct groups *g, FILE *out);
void groups_clear(struct groups *g);

#endif
