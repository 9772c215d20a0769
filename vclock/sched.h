/*
 * Which runnable thread goes next. The queue holds every runnable thread in the order it became runnable; the policy
 * picks one of them with the schedule's own stream:
 *
 *     random  any of them, each as likely
 *     sticky  the one that went last, with a probability that the seed draws; else any
 *     pct     the one of the highest priority. Priorities are drawn when a thread starts, and at change points, a drawn
 *             number of decisions apart, the one that would go becomes the lowest (probabilistic concurrency testing,
 *             Burckhardt et al., ASPLOS 2010; theirs has a fixed number of change points, which would starve servers)
 *     fifo    the one that has been runnable for longest
 *     auto    what the seed draws of the first three
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

enum sched_policy { SCHED_POLICY_AUTO, SCHED_POLICY_RANDOM, SCHED_POLICY_STICKY, SCHED_POLICY_PCT, SCHED_POLICY_FIFO };

struct sched_node {
	size_t pos;     /* 1 + place in the queue; 0: not queued */
	bool yielded;
	bool low;       /* goes only when no other can */
	uint64_t turn;  /* the last decision for it: its number */
	uint64_t prio;  /* pct; 0: not drawn yet */
};

struct sched {
	enum sched_policy policy;
	struct rng rng;
	struct sched_node **queue;
	size_t len, cap;
	uint64_t picks; /* decisions taken */
	uint64_t stay;        /* sticky: of 1000 decisions, how many do not draw */
	int64_t gap;          /* pct: the mean number of decisions between change points */
	uint64_t next_change; /* pct: the number of the decision */
	uint64_t lowest;      /* pct: the lowest priority given so far */
	uint64_t *passed; /* counts the decisions in which a low one was passed over; NULL: there is none */
};

/* What auto means for the seed; any other policy is itself. */
enum sched_policy sched_policy_for(enum sched_policy policy, uint64_t seed);
void sched_init(struct sched *s, enum sched_policy policy, uint64_t seed);
void sched_clear(struct sched *s);
void sched_add(struct sched *s, struct sched_node *n); /* harmless when queued already */
void sched_remove(struct sched *s, struct sched_node *n);
/* Removes the next node to run and returns it; NULL when none is runnable. */
struct sched_node *sched_pick(struct sched *s);
bool sched_policy_parse(const char *name, enum sched_policy *out);
const char *sched_policy_name(enum sched_policy p);

#endif
