/* Clock ids and time arguments, for the calls that take them. */
#ifndef TRACER_SYS_TIME_H
#define TRACER_SYS_TIME_H

#include "tracer/call.h"

#include <stdbool.h>
#include <stdint.h>

/* International atomic time minus UTC since 2017. */
#define TIME_TAI_OFFSET_NS (37 * NS_PER_S)

/* The same on a node that has seen leap seconds; NULL: the driver. */
int64_t time_tai_offset(const struct node *n);

/* Seconds and nanoseconds as ns; VCLOCK_NEVER when it does not fit, as timespec64_to_ktime() does. */
int64_t time_ns(int64_t sec, int64_t nsec);
/* The wall clock of the caller's node minus the run's clock. */
int64_t time_wall_offset(const struct call *c);

/* Whose CPU time a clock id means: exactly one is set. */
struct cpu_clock {
	struct proc *proc;
	struct thread *thread;
};
/* False: not a CPU clock, or of nobody whom the caller may ask about. */
bool time_cpu_clock(const struct call *c, int id, struct cpu_clock *out);

#endif
