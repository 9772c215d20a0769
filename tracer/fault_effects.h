/* What faults do: the functions behind the table in fault_kinds.c. */
#ifndef TRACER_FAULT_EFFECTS_H
#define TRACER_FAULT_EFFECTS_H

#include "tracer/fault_kind.h"

#define FAULT_START(name) bool name(struct faults *fs, struct fault *f)
#define FAULT_STOP(name) void name(struct faults *fs, struct fault *f)
#define FAULT_CHOOSE(name) bool name(struct faults *fs, struct fault *f, struct rng *r)
#define FAULT_ACT(name) void name(struct faults *fs, struct fault *f, struct call *c)

/* fault_who.c */
FAULT_CHOOSE(fault_choose_node);

/* fault_node.c */
FAULT_START(fault_crash_start);
FAULT_STOP(fault_crash_stop);
FAULT_START(fault_stop_start);
FAULT_STOP(fault_stop_stop);
FAULT_START(fault_pause_start);
FAULT_STOP(fault_pause_stop);
FAULT_START(fault_pause_thread_start);
FAULT_START(fault_slow_start);
FAULT_STOP(fault_slow_stop);
FAULT_START(fault_unfair_start);
FAULT_STOP(fault_unfair_stop);

/* fault_net.c */
FAULT_CHOOSE(fault_choose_groups);
FAULT_CHOOSE(fault_choose_ends);
FAULT_CHOOSE(fault_choose_some);
FAULT_START(fault_partition_start);
FAULT_START(fault_link_start);
FAULT_STOP(fault_link_stop);
FAULT_START(fault_swizzle_start);
FAULT_STOP(fault_swizzle_stop);

/* fault_call.c */
FAULT_START(fault_call_start);
FAULT_STOP(fault_call_stop);
FAULT_ACT(fault_short_act);
FAULT_ACT(fault_eintr_act);
FAULT_ACT(fault_eagain_act);
FAULT_ACT(fault_errno_act);
FAULT_ACT(fault_fork_act);
FAULT_ACT(fault_thread_act);
FAULT_ACT(fault_delay_act);
FAULT_ACT(fault_resolve_act);

/* fault_clock.c */
FAULT_START(fault_jump_start);
FAULT_STOP(fault_jump_stop);
FAULT_START(fault_drift_start);
FAULT_STOP(fault_drift_stop);
FAULT_START(fault_strobe_start);
FAULT_STOP(fault_strobe_stop);
FAULT_START(fault_leap_start);

/* fault_buggify.c */
FAULT_START(fault_buggify_start);
FAULT_STOP(fault_buggify_stop);

#endif
