/*
 * The phases of a run: setup, faults, recovery, the programs that check the end. What they mean for faults is the fault
 * engine's; this decides when they begin and what must have happened until when.
 */
#ifndef TRACER_PHASE_H
#define TRACER_PHASE_H

#include "tracer/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct proc;
struct phases;

void phases_init(struct sim *s);
void phases_clear(struct sim *s);
enum fault_phase phase_now(const struct sim *s);

/* A guest says that setup is complete; the first one counts. */
void phase_setup_complete(struct sim *s, const struct proc *p);
bool phase_setup_seen(const struct sim *s);
/* A guest asks for a time without faults. */
void phase_quiet(struct sim *s, const struct proc *p, int64_t for_ns);
/* The workload is done: recovery begins, unless it has already, and then the programs that check the end. */
void phase_recovery(struct sim *s, const char *why);
void phase_finally(struct sim *s);
/* At the end: a run that failed before its setup was complete is no failure of what it was to test. */
void phase_result(struct sim *s);

#endif
