/*
 * The clock page, shared by the supervisor and every guest, and the vDSO image that reads it. The same struct is compiled
 * into the image (tracer/vdso/vdso.c).
 *
 * Only one guest thread runs at a time, and threads change places at calls only, so plain loads and stores suffice, and
 * one page serves all nodes: the supervisor writes the values of the node whose thread it is about to run.
 */
#ifndef TRACER_VDSO_H
#define TRACER_VDSO_H

#include <stdint.h>

struct clock_page {
	int64_t mono_ns;     /* CLOCK_MONOTONIC; every read advances it by step_ns */
	int64_t wall_off_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	int64_t step_ns;
	int64_t reads;       /* since the thread was resumed */
	int64_t budget;      /* reads left before the supervisor must be entered */
	int64_t cpu;         /* what getcpu shows */
};

/* Where the supervisor may put bytes for a call that it makes in a guest. */
enum { CLOCK_PAGE_SPARE = 2048 };
/* Reads between two entries into the supervisor: bounds how long a due timer can be overlooked by a reader in a loop. */
enum { CLOCK_READ_BUDGET = 256 };
/* Stands in the image where the page's address belongs; replaced in each copy. */
#define VDSO_PAGE_MAGIC 0x5ec0de5ec10c4a6eull

#endif
