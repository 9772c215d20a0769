/*
 * The wall clock of a node: the run's, moved by what faults did to it. Everything that shows or waits for the time of day
 * goes through here; CLOCK_MONOTONIC and the TSC never do.
 */
#ifndef KERNEL_WALL_H
#define KERNEL_WALL_H

#include "kernel/kern.h"
#include "kernel/node.h"

/* CLOCK_REALTIME - CLOCK_MONOTONIC at this moment. n NULL: the driver, whose clock faults leave alone. */
static inline int64_t wall_offset(const struct kern *k, const struct node *n)
{
	int64_t off = k->wall_offset_ns;

	if (!n)
		return off;
	off += n->wall_offset_ns;
	if (n->wall_drift_ppm)
		off += (int64_t)((__int128)(k->clock.now_ns - n->wall_drift_since_ns) * n->wall_drift_ppm / 1000000);
	return off;
}

/* When, on the run's clock, the node's wall clock shows wall_ns, if nothing happens to it until then. */
static inline int64_t wall_deadline(const struct kern *k, const struct node *n, int64_t wall_ns)
{
	int64_t at = wall_ns - wall_offset(k, n), ahead = at - k->clock.now_ns;

	if (wall_ns == VCLOCK_NEVER)
		return VCLOCK_NEVER;
	if (n && n->wall_drift_ppm && ahead > 0) {
		__int128 scaled = ((__int128)ahead * 1000000 + 1000000 + n->wall_drift_ppm - 1) / (1000000 + n->wall_drift_ppm);
		at = scaled > VCLOCK_NEVER / 2 ? VCLOCK_NEVER : vclock_add(k->clock.now_ns, (int64_t)scaled);
	}
	return at > 0 ? at : 0;
}

#endif
