/*
 * Faults that a run injects: the engine and its hooks. What can be injected is in fault_kinds.c. (Signals that the processor
 * raises are another matter: fault.c.)
 *
 * Faults start at virtual times or at calls (occurrences), end by timers, and are decided by streams of their own, one for
 * each fault: taking one out of a plan moves nothing else.
 */
#ifndef TRACER_FAULT_H
#define TRACER_FAULT_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/call.h"
#include "tracer/fault_config.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct node;
struct faults;

/* Before the filter is built: decides what this seed injects. s->faults stays NULL when that is nothing. 0 or -1. */
int faults_init(struct sim *s, struct err *e);
/* When the simulated kernel is there. */
void faults_begin(struct sim *s);
void faults_clear(struct sim *s);
/* Calls that the filter must not leave to the kernel alone; NULL: none. */
const struct callset *faults_notify(const struct sim *s);

/* ---- phases ---- */

enum fault_phase {
	PHASE_SETUP,    /* none yet */
	PHASE_FAULTS,
	PHASE_RECOVERY, /* all is healed, crashed nodes come back at once, and nothing more is injected */
	PHASE_FINALLY,  /* likewise, for the programs that check the end */
};
void fault_phase(struct sim *s, enum fault_phase p);
/* Nothing starts for so long, and what is under way ends; nodes that are down come back when they would have. */
void fault_quiet(struct sim *s, int64_t for_ns);
/* Ends partitions, clogs, slowness, pauses … The number of faults that were ended. */
unsigned fault_heal_all(struct sim *s);
/* Nodes that a fault keeps down come back now; how many. */
unsigned fault_restart_all(struct sim *s);
/* Takes part or not, whatever the configuration says: workloads and programs that check the end do not. */
void fault_exempt(struct sim *s, struct node *n, bool exempt);
/* A site of the guest's own code asks whether to misbehave. */
bool fault_buggify(struct sim *s, struct node *n, const char *site);

/* ---- hooks ---- */

void fault_node_up(struct sim *s, struct node *n);   /* for the first time, or anew by the script */
void fault_node_down(struct sim *s, struct node *n); /* its root ended, because a fault asked for it */
void fault_node_over(struct sim *s, struct node *n); /* for good */
/* The loop: when the next fault starts (VCLOCK_NEVER: none), and starting those that are due. */
int64_t fault_next(const struct sim *s);
void fault_fire(struct sim *s);

/* A call is about to be performed for the first time. */
enum fault_says { FAULT_GOES_ON, FAULT_ANSWERED /* by c->fault.answer */, FAULT_PUT_ASIDE /* to be tried again */ };
enum fault_says fault_before(struct call *c);
/* c->fault.interrupt, and its handler says that it must wait, with this answer to an interruption. False: it cannot be
 * interrupted, and is to be tried again. */
bool fault_interrupts(struct call *c, int64_t answer);
/* It is done; the guest does not know yet. */
void fault_after(struct call *c, int64_t result);
/* How much longer a call of this process takes. */
int64_t fault_slowness(struct sim *s, const struct proc *p);

/* ---- report ---- */

/* The plan as applied: a JSON object. */
void fault_plan_json(const struct sim *s, struct buf *out);
/* "KIND applied effective" lines, one for each kind that was applied, and the names of those without effect. */
void fault_summary(const struct sim *s, struct buf *kinds, struct buf *idle);

#endif
