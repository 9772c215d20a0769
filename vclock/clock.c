#include "vclock/clock.h"

#include "base/mem.h"

#include <stdlib.h>

void vclock_init(struct vclock *c, int64_t start_ns)
{
	*c = (struct vclock){.now_ns = start_ns};
}

void vclock_clear(struct vclock *c)
{
	free(c->heap);
	*c = (struct vclock){0};
}

static bool before(const struct timer *a, const struct timer *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static void place(struct vclock *c, size_t i, struct timer *t)
{
	c->heap[i] = t;
	t->pos = i + 1;
}

static void sift_up(struct vclock *c, size_t i, struct timer *t)
{
	for (; i && before(t, c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		place(c, i, c->heap[(i - 1) / 2]);
	place(c, i, t);
}

static void sift_down(struct vclock *c, size_t i, struct timer *t)
{
	for (;;) {
		size_t child = 2 * i + 1;
		if (child + 1 < c->len && before(c->heap[child + 1], c->heap[child]))
			child++;
		if (child >= c->len || !before(c->heap[child], t))
			break;
		place(c, i, c->heap[child]);
		i = child;
	}
	place(c, i, t);
}

void timer_cancel(struct vclock *c, struct timer *t)
{
	size_t i;
	struct timer *last;

	if (!t->pos)
		return;
	i = t->pos - 1;
	t->pos = 0;
	last = c->heap[--c->len];
	if (last == t)
		return;
	if (i && before(last, c->heap[(i - 1) / 2]))
		sift_up(c, i, last);
	else
		sift_down(c, i, last);
}

void timer_arm(struct vclock *c, struct timer *t, int64_t at_ns, timer_fn fire)
{
	timer_cancel(c, t);
	t->at_ns = at_ns;
	t->seq = c->seq++;
	t->fire = fire;
	if (c->len == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 64;
		c->heap = xrealloc(c->heap, c->cap * sizeof *c->heap);
	}
	sift_up(c, c->len++, t);
}

void vclock_advance(struct vclock *c, int64_t ns)
{
	c->now_ns = vclock_add(c->now_ns, ns);
}

int64_t vclock_next(const struct vclock *c)
{
	return c->len ? c->heap[0]->at_ns : VCLOCK_NEVER;
}

void vclock_fire_due(struct vclock *c)
{
	while (c->len && c->heap[0]->at_ns <= c->now_ns) {
		struct timer *t = c->heap[0];
		timer_cancel(c, t);
		t->fire(t);
	}
}

bool vclock_jump(struct vclock *c)
{
	if (!c->len || c->heap[0]->at_ns == VCLOCK_NEVER)
		return false;
	if (c->heap[0]->at_ns > c->now_ns)
		c->now_ns = c->heap[0]->at_ns;
	vclock_fire_due(c);
	return true;
}

int64_t vclock_add(int64_t a_ns, int64_t b_ns)
{
	int64_t sum;

	if (__builtin_add_overflow(a_ns, b_ns, &sum))
		return b_ns < 0 ? 0 : VCLOCK_NEVER;
	return sum;
}
