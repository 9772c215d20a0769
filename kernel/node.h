/* A node: a tree of processes that is started, crashed and restarted as one, with a network identity and randomness of
 * its own. Node 0 is the driver. */
#ifndef KERNEL_NODE_H
#define KERNEL_NODE_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

struct node {
	char name[64];
	unsigned index;         /* 0: the driver; order of creation */
	unsigned incarnation;   /* 0 for the first start, +1 for every restart */
	struct rng rng;         /* getrandom, AT_RANDOM, random devices of its processes */
	int64_t wall_offset_ns; /* added to the run's wall clock for this node */
	bool up;
	void *host;             /* the tracer's side: how to start it again, its output */
	/* What faults do to its wall clock besides; see wall.h. */
	int64_t wall_drift_ppm;      /* so much faster than the run's clock, > -1000000, */
	int64_t wall_drift_since_ns; /* since then */
	int64_t leap_ns;             /* leap seconds: CLOCK_TAI went on through them */
	uint64_t *wall_reads;        /* counts reads of the wall clock; NULL: nobody wants to know */
};

#endif
