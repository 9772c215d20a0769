/*
 * Search for a linearization in the manner of Wing and Gong, with Lowe's cache of configurations.
 *
 * A configuration is which operations have taken effect and the state they lead to. The set is kept as the words of a
 * bit set between the first missing and the last present operation (which is about as wide as the concurrency), plus a
 * count for each class of interchangeable unknown operations. The cache compares whole configurations; its hash only
 * finds a bucket. When it reaches its bound it is emptied: that costs time, never soundness.
 *
 * Four prunings, each sound:
 * - a read that is possible now takes effect now: it changes nothing, so it can be moved forward to here;
 * - of unknown operations with equal arguments only the first invoked one is tried;
 * - an unknown operation takes effect only where it changes the state: otherwise it can be left out;
 * - a write does not directly follow an unknown operation that nothing has observed, which then can be left out.
 *
 * The budget counts visited configurations, so that a verdict does not depend on the machine.
 */
#ifndef CHECKER_SEARCH_H
#define CHECKER_SEARCH_H

#include "checker/spec.h"

enum verdict { LINEARIZABLE, NOT_LINEARIZABLE, UNDECIDED };

struct limits {
	uint64_t configs; /* visited configurations */
	size_t memory;    /* bytes for cache and states */
	bool (*expired)(void *arg); /* safety net, asked now and then; NULL: none */
	void *arg;
	bool deepest;     /* remember the longest partial linearization */
};

struct found {
	enum verdict verdict;
	uint32_t *order; /* the linearization (or, if asked for, the longest partial one): lops in order */
	uint32_t norder;
	uint64_t visited;
	bool out_of_memory, out_of_time;
	uint32_t left; /* undecided: operations that the longest attempt left out */
};

void search(const struct part *p, const struct limits *lim, struct found *f);
void found_clear(struct found *f);

/* Replay `order` from the start with code of its own: every completed operation once, unknown ones at most once, real
 * time and edges respected, every step possible. NULL, or what is wrong. */
const char *verify_order(const struct part *p, const uint32_t *order, uint32_t n);

#endif
