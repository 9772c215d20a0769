/* The machine that guests believe to run on: what uname, sysinfo and the files of /proc say about it. */
#ifndef TRACER_MACHINE_H
#define TRACER_MACHINE_H

#define MACHINE_RELEASE "6.1.0-simrun"
#define MACHINE_VERSION "#1 SMP PREEMPT_DYNAMIC simrun"

#define MACHINE_MEM_TOTAL (4ull << 30)
#define MACHINE_MEM_FREE (3ull << 30)
#define MACHINE_MEM_BUFFERS (64ull << 20)
/* Resident set of any process: real ones depend on the host's page cache. */
#define MACHINE_RSS (16ull << 20)

#define MACHINE_CLK_TCK 100 /* USER_HZ */
#define MACHINE_TICK_NS (1000000000ll / MACHINE_CLK_TCK)

#endif
