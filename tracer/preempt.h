/*
 * Switches between calls: races in code that makes none.
 *
 * After a call that the seed draws, the thread is stepped up to a drawn number of accesses to memory that others could know,
 * and then gives way, right behind one: where a race can show. What is executed from the return of a call on is counted
 * exactly, so the point is the same in every run of the seed, and no performance counter is needed.
 */
#ifndef TRACER_PREEMPT_H
#define TRACER_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct task;

enum preempt_level { PREEMPT_OFF, PREEMPT_LIGHT, PREEMPT_DEFAULT, PREEMPT_HEAVY };

bool preempt_parse(const char *name, enum preempt_level *out);
const char *preempt_name(enum preempt_level l);
void preempt_init(struct sim *s);
/* How many accesses the thread, about to be let go, may make before it gives way; 0: it is let go as usual. */
unsigned preempt_draw(struct sim *s, struct task *t);

/* For how long a preempted thread is kept from running: long enough, at times, for others to be born, work and end. */
int64_t preempt_hold_ns(struct sim *s);

/* Answers the call in which the thread is parked, and holds it right behind it. False: another stop came up, *status. */
bool task_hold(struct sim *s, struct task *t, int *status);

enum preempt_end {
	PREEMPT_SWITCH, /* it stands at the switch point */
	PREEMPT_CALL,   /* in a stop, about to make a call: let it go */
	PREEMPT_STOP,   /* another stop came up: *status */
};
/* Lets the thread (parked in a notification, or in a stop outside of any call) execute up to that many accesses. */
enum preempt_end preempt_step(struct sim *s, struct task *t, unsigned accesses, int *status);

#endif
