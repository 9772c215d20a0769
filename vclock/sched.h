/*
 * Which runnable thread goes next. The queue holds every runnable thread in the order it became runnable; the policy
 * picks one of them with the schedule's own stream.
 *
 * Yielding: a thread that gave way is not picked again before every other thread that was runnable then has had a turn,
 * or none of those is left. That bounds how long spinners with sched_yield() hold the others up, whatever the policy.
 */
#ifndef VCLOCK_SCHED_H
#define VCLOCK_SCHED_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sched_policy { SCHED_POLICY_RANDOM, SCHED_POLICY_FIFO };

struct sched_node {
	size_t pos;     /* 1 + place in the queue; 0: not queued */
	bool yielded;
	bool low;       /* goes only when no other can */
};

struct sched {
	enum sched_policy policy;
	struct rng rng;
	struct sched_node **queue;
	size_t len, cap;
	uint64_t picks; /* decisions taken */
	uint64_t *passed; /* counts the decisions in which a low one was passed over; NULL: there is none */
};

void sched_init(struct sched *s, enum sched_policy policy, uint64_t seed);
void sched_clear(struct sched *s);
void sched_add(struct sched *s, struct sched_node *n); /* harmless when queued already */
void sched_remove(struct sched *s, struct sched_node *n);
/* Removes the next node to run and returns it; NULL when none is runnable. */
struct sched_node *sched_pick(struct sched *s);
bool sched_policy_parse(const char *name, enum sched_policy *out);
const char *sched_policy_name(enum sched_policy p);

#endif
