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
};

#endif
