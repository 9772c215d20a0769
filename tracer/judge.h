/* The check of a run's history, after its guests are gone. Apart from the simulator: the checker knows nothing of it. */
#ifndef TRACER_JUDGE_H
#define TRACER_JUDGE_H

#include "base/err.h"
#include "tracer/run.h"

struct scenario;
struct judging;

/*
 * Judges res->history by what the scenario says (NULL: model kv). A history that fails gives the run its class, message,
 * details and timeline; one whose check ran out of its budget sets res->inconclusive. *note: a line for the trace, or empty.
 */
void judge_history(const struct scenario *sc, struct run_result *res, struct buf *note);
/* Whether model, order, level and initial value are known: 0, or -1 with *e. */
int judging_check(const struct judging *j, struct err *e);

#endif
