/* What came of the faults of many runs, for people. */
#ifndef TRACER_FAULT_TALLY_H
#define TRACER_FAULT_TALLY_H

#include "base/buf.h"
#include "tracer/fault_config.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct fault_tally {
	struct {
		uint64_t seeds, applied, effective;
	} kind[FAULT_KINDS_MAX];
};

/* `faults`: run_result.faults of one run. */
void fault_tally_add(struct fault_tally *t, const struct buf *faults);
/* A table, a line for each kind; false, and nothing, when none was applied. */
bool fault_tally_print(const struct fault_tally *t, FILE *out);
/* One run: "faults: crash 3, clog 2 of which 1 had an effect; without effect: clog-2". False, and nothing, when there were none. */
bool fault_tally_line(const struct buf *faults, const struct buf *idle, FILE *out);
/* {"crash": {"applied": 3, "effective": 3}} */
json_t *fault_tally_json(const struct buf *faults);

#endif
