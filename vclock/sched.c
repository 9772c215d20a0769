#include "vclock/sched.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {[SCHED_POLICY_RANDOM] = "random", [SCHED_POLICY_FIFO] = "fifo"};

void sched_init(struct sched *s, enum sched_policy policy, uint64_t seed)
{
	*s = (struct sched){.policy = policy};
	rng_init(&s->rng, seed, "schedule");
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

static size_t choose(struct sched *s)
{
	bool high = s->passed && only_high(s);
	size_t n = 0, want;

	if (s->policy == SCHED_POLICY_FIFO && !high)
		return 0;
	for (size_t i = 0; i < s->len; i++)
		n += may_go(s, i) && !(high && s->queue[i]->low);
	want = n > 1 && s->policy != SCHED_POLICY_FIFO ? rng_below(&s->rng, n) : 0;
	for (size_t i = 0;; i++)
		if (may_go(s, i) && !(high && s->queue[i]->low) && want-- == 0)
			return i;
}

struct sched_node *sched_pick(struct sched *s)
{
	struct sched_node *n;

	if (!s->len)
		return NULL;
	s->picks++;
	n = s->queue[choose(s)];
	n->yielded = false;
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
