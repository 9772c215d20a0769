/*
 * Two runs of one seed that should have been the same: whether they were, and if not, the first host call that differs.
 *
 * Runs save the hash after every RUNHASH_WINDOW calls. The first window in which two runs differ is run again, with its
 * calls recorded as text, until two of the texts differ.
 */
#ifndef TRACER_DIVERGENCE_H
#define TRACER_DIVERGENCE_H

#include "base/buf.h"
#include "tracer/run.h"

#include <stdbool.h>
#include <stdint.h>

bool runs_differ(const struct run_result *a, const struct run_result *b);
/* The calls to be recorded, from..to-1: the first window that differs, and the call before it. */
void divergence_window(const struct run_result *a, const struct run_result *b, uint64_t *from, uint64_t *to);
/*
 * Appends one line without its end: "host call N: A vs B, after C" from the recordings in a and b. Where they agree, the
 * line names the calls from..to-1.
 */
void divergence_describe(struct buf *out, const struct run_result *a, const struct run_result *b, uint64_t from,
			 uint64_t to);

#endif
