#include "vclock/sched.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	[SCHED_POLICY_AUTO] = "auto",
	[SCHED_POLICY_RANDOM] = "random",
	[SCHED_POLICY_STICKY] = "sticky",
	[SCHED_POLICY_PCT] = "pct",
	[SCHED_POLICY_FIFO] = "fifo",
};

/* Priorities that are drawn lie above; those of change points count down from here. */
#define PRIO_DRAWN ((uint64_t)1 << 32)

enum sched_policy sched_policy_for(enum sched_policy policy, uint64_t seed)
{
	struct rng rng;
	uint64_t of_eight;

	if (policy != SCHED_POLICY_AUTO)
		return policy;
	rng_init(&rng, seed, "schedule policy");
	of_eight = rng_below(&rng, 8);
	return of_eight < 3 ? SCHED_POLICY_RANDOM : of_eight < 5 ? SCHED_POLICY_STICKY : SCHED_POLICY_PCT;
}

void sched_init(struct sched *s, enum sched_policy policy, uint64_t seed)
{
	/* Short gaps put changes into a critical region, long ones hold a thread up for as long as a disk or a network would. */
	static const int64_t gaps[] = {30, 300, 3000};
	struct rng rng;

	*s = (struct sched){.policy = sched_policy_for(policy, seed), .lowest = PRIO_DRAWN};
	rng_init(&s->rng, seed, "schedule");
	rng_init(&rng, seed, "schedule parameters");
	s->stay = 500 + rng_below(&rng, 490);
	s->gap = gaps[rng_below(&rng, ARRAY_LEN(gaps))];
	s->next_change = 1 + (uint64_t)rng_exp(&rng, s->gap);
}

void sched_clear(struct sched *s)
{
	free(s->queue);
	*s = (struct sched){0};
}

void sched_add(struct sched *s, struct sched_node *n)
{
	if (n->pos)
		return;
	if (s->len == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->queue = xrealloc(s->queue, s->cap * sizeof *s->queue);
	}
	s->queue[s->len++] = n;
	n->pos = s->len;
}

void sched_remove(struct sched *s, struct sched_node *n)
{
	size_t i;

	if (!n->pos)
		return;
	i = n->pos - 1;
	n->pos = 0;
	s->len--;
	/* Order is kept: it is the order of becoming runnable, which fifo needs and random must not lose. */
	memmove(s->queue + i, s->queue + i + 1, (s->len - i) * sizeof *s->queue);
	for (; i < s->len; i++)
		s->queue[i]->pos = i + 1;
}

/* Who gave way waits until everybody ahead of it, that is: everybody who was runnable before it, has had a turn. */
static bool may_go(const struct sched *s, size_t i)
{
	return i == 0 || !s->queue[i]->yielded;
}

/* Some are low, and some that are not may go: those are the choice. */
static bool only_high(struct sched *s)
{
	bool low = false, high = false;

	for (size_t i = 0; i < s->len; i++) {
		low |= s->queue[i]->low;
		high |= !s->queue[i]->low && may_go(s, i);
	}
	if (low && high)
		++*s->passed;
	return low && high;
}

struct choice {
	const struct sched *s;
	bool high; /* not those that are low */
};

static bool stands(const struct choice *c, size_t i)
{
	return may_go(c->s, i) && !(c->high && c->s->queue[i]->low);
}

static size_t first(const struct choice *c)
{
	size_t i = 0;

	while (!stands(c, i))
		i++;
	return i;
}

static size_t any(struct sched *s, const struct choice *c)
{
	size_t n = 0, want;

	for (size_t i = 0; i < s->len; i++)
		n += stands(c, i);
	want = n > 1 ? rng_below(&s->rng, n) : 0;
	for (size_t i = 0;; i++)
		if (stands(c, i) && want-- == 0)
			return i;
}

static size_t same_or_any(struct sched *s, const struct choice *c)
{
	if (s->len > 1 && rng_below(&s->rng, 1000) < s->stay)
		for (size_t i = 0; i < s->len; i++)
			if (s->queue[i]->turn == s->picks - 1 && stands(c, i))
				return i;
	return any(s, c);
}

static size_t highest(struct sched *s, const struct choice *c)
{
	size_t best = s->len;

	for (size_t i = 0; i < s->len; i++) {
		struct sched_node *n = s->queue[i];
		if (!n->prio)
			n->prio = PRIO_DRAWN + 1 + rng_below(&s->rng, (uint64_t)1 << 62);
		if (stands(c, i) && (best == s->len || n->prio > s->queue[best]->prio))
			best = i;
	}
	return best;
}

static size_t by_priority(struct sched *s, const struct choice *c)
{
	size_t i = highest(s, c);

	if (s->picks < s->next_change)
		return i;
	s->next_change = s->picks + 1 + (uint64_t)rng_exp(&s->rng, s->gap);
	s->queue[i]->prio = --s->lowest;
	return highest(s, c);
}

static size_t choose(struct sched *s)
{
	const struct choice c = {s, s->passed && only_high(s)};

	switch (s->policy) {
	case SCHED_POLICY_FIFO:
		return first(&c);
	case SCHED_POLICY_STICKY:
		return same_or_any(s, &c);
	case SCHED_POLICY_PCT:
		return by_priority(s, &c);
	default:
		return any(s, &c);
	}
}

struct sched_node *sched_pick(struct sched *s)
{
	struct sched_node *n;

	if (!s->len)
		return NULL;
	s->picks++;
	n = s->queue[choose(s)];
	n->yielded = false;
	n->turn = s->picks;
	sched_remove(s, n);
	return n;
}

bool sched_policy_parse(const char *name, enum sched_policy *out)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i])) {
			*out = (enum sched_policy)i;
			return true;
		}
	return false;
}

const char *sched_policy_name(enum sched_policy p)
{
	return names[p];
}
