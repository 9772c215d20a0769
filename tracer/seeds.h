/* A set of seeds in the order in which they are run: "1-500,7,0x1f". A seed named twice is run once. */
#ifndef TRACER_SEEDS_H
#define TRACER_SEEDS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seed_range {
	uint64_t first, last; /* both included */
};

struct seeds {
	struct seed_range *range;
	size_t n;
	size_t at;      /* the next one to give out: range, */
	uint64_t taken; /* and how many of that range have been */
};

/* Replaces what the set held. */
int seeds_parse(struct seeds *s, const char *text, struct err *e);
void seeds_set(struct seeds *s, uint64_t first, uint64_t last);
/* The next seed; false at the end. */
bool seeds_next(struct seeds *s, uint64_t *seed);
/* In front of all others. Before seeds_next(). */
void seeds_put_first(struct seeds *s, uint64_t seed);
/* How many there are in all; UINT64_MAX when that or more. */
uint64_t seeds_count(const struct seeds *s);
void seeds_clear(struct seeds *s);

#endif
