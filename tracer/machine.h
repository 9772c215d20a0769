/* The machine that guests believe to run on: what uname, sysinfo and the files of /proc say about it. */
#ifndef TRACER_MACHINE_H
#define TRACER_MACHINE_H

#include <stdint.h>

#define MACHINE_RELEASE "6.1.0-simrun"
#define MACHINE_VERSION "#1 SMP PREEMPT_DYNAMIC simrun"

#define MACHINE_MEM_TOTAL ((uint64_t)4 << 30)
#define MACHINE_MEM_FREE ((uint64_t)3 << 30)
#define MACHINE_MEM_BUFFERS ((uint64_t)64 << 20)
/* Resident set of any process: real ones depend on the host's page cache. */
#define MACHINE_RSS ((uint64_t)16 << 20)

#define MACHINE_CLK_TCK 100 /* USER_HZ */
#define MACHINE_TICK_NS ((int64_t)1000000000 / MACHINE_CLK_TCK)

#endif
