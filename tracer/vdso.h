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
	int64_t mono_ns;     /* CLOCK_MONOTONIC; every read advances it by step_ns, which grows with many reads in a row */
	int64_t wall_off_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	int64_t step_ns;
	int64_t reads;       /* since the thread was resumed */
	int64_t limit_ns;    /* no read goes beyond: the supervisor must be entered, a timer may be due */
	int64_t cpu;         /* what getcpu shows */
	int64_t tai_off_ns;  /* CLOCK_TAI - CLOCK_REALTIME */
	int64_t wall_reads;  /* those of reads that were of the wall clock */
	int64_t site_left;   /* counted down by detours (tracer/detour.h) */
	uint64_t site_scratch;
};

/* Where the supervisor may put bytes for a call that it makes in a guest. */
enum { CLOCK_PAGE_SPARE = 2048 };
/*
 * A loop that polls the clock must end without costing real time for every read: after this many reads in a row the step
 * doubles, up to the greatest. Any other call puts it back.
 */
enum { CLOCK_READS_PER_STEP = 1024, CLOCK_STEP_MAX_NS = 1000 };
/* How far a thread may read the clock forward without a call: while another one could run, and at all. */
enum { CLOCK_TURN_NS = 1000000, CLOCK_ALONE_NS = 1000000000 };
/* Stands in the image where the page's address belongs; replaced in each copy. */
#define VDSO_PAGE_MAGIC 0x5ec0de5ec10c4a6eull

#endif
