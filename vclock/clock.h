/*
 * The one virtual clock of a run and the events that wait for it.
 *
 * Time is nanoseconds since the simulated machine booted (CLOCK_BOOTTIME = CLOCK_MONOTONIC of a node without faults).
 * It moves in two ways only: clock_advance() charges the cost of a call, and clock_jump() skips to the next timer when
 * nothing can run. Nothing here reads real time. Timers due at the same instant fire in the order they were armed.
 */
#ifndef VCLOCK_CLOCK_H
#define VCLOCK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer;
typedef void (*timer_fn)(struct timer *t);

/* Embedded in whatever waits. Zero-initialised: not armed. */
struct timer {
	int64_t at_ns;  /* absolute, on the run's clock */
	uint64_t seq;   /* order of arming, the tie-break */
	timer_fn fire;  /* called once, with the timer already disarmed */
	size_t pos;     /* 1 + place in the heap; 0: not armed */
};

struct vclock {
	int64_t now_ns;
	uint64_t seq;
	struct timer **heap;
	size_t len, cap;
};

#define NS_PER_US 1000ll
#define NS_PER_MS 1000000ll
#define NS_PER_S 1000000000ll
#define VCLOCK_NEVER INT64_MAX

void vclock_init(struct vclock *c, int64_t start_ns);
void vclock_clear(struct vclock *c);
/* Arms or re-arms. A time in the past fires at the next vclock_fire_due(). */
void timer_arm(struct vclock *c, struct timer *t, int64_t at_ns, timer_fn fire);
void timer_cancel(struct vclock *c, struct timer *t); /* harmless when not armed */
static inline bool timer_armed(const struct timer *t)
{
	return t->pos != 0;
}
void vclock_advance(struct vclock *c, int64_t ns);
int64_t vclock_next(const struct vclock *c); /* VCLOCK_NEVER when no timer is armed */
/* Moves to the next timer (never backwards) and fires what is due; false when there is none. */
bool vclock_jump(struct vclock *c);
void vclock_fire_due(struct vclock *c);
/* a + b that stops at VCLOCK_NEVER instead of overflowing; for deadlines from guests. */
int64_t vclock_add(int64_t a_ns, int64_t b_ns);

#endif
