/* Times in the layouts of the ABI: struct timespec and struct timeval of x86-64. */
#ifndef TRACER_TIMESPEC_H
#define TRACER_TIMESPEC_H

#include "tracer/call.h"

#include <stdbool.h>
#include <stdint.h>

struct abi_timespec {
	int64_t sec, nsec;
};

/* timespec64_valid() */
static inline bool timespec_valid(const struct abi_timespec *ts)
{
	return ts->sec >= 0 && ts->nsec >= 0 && ts->nsec < NS_PER_S;
}

/* Of a valid one; too long for the clock: VCLOCK_NEVER. */
static inline int64_t timespec_ns(const struct abi_timespec *ts)
{
	return ts->sec > (VCLOCK_NEVER - NS_PER_S) / NS_PER_S ? VCLOCK_NEVER : ts->sec * NS_PER_S + ts->nsec;
}

static inline struct abi_timespec timespec_of(int64_t ns)
{
	return (struct abi_timespec){ns / NS_PER_S, ns % NS_PER_S};
}

#endif
