/*
 * The oracle: tries every order of a few operations, with no pruning but real time and edges, and remembers only
 * (which operations, state). At most 20 operations.
 */
#ifndef TESTS_FUZZ_BRUTE_H
#define TESTS_FUZZ_BRUTE_H

#include "checker/search.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct brute {
	const struct part *p;
	struct machine m;
	uint32_t before[24]; /* by operation: those that the closure of the edges puts before it */
	uint32_t required;
	uint64_t *seen; /* open hash of (mask, state) + 1 */
	uint32_t nseen, mask;
};

static bool brute_seen(struct brute *b, uint32_t done, state_t s)
{
	uint64_t key = ((uint64_t)done << 32 | s) + 1, i;

	if (b->nseen * 2 >= b->mask) {
		uint64_t *old = b->seen;
		uint32_t n = old ? b->mask + 1 : 0;
		b->mask = old ? b->mask * 2 + 1 : 255;
		b->seen = xnewn(uint64_t, b->mask + 1);
		for (uint32_t k = 0; k < n; k++)
			if (old[k]) {
				for (i = hash_mix(old[k], 3) & b->mask; b->seen[i];)
					i = (i + 1) & b->mask;
				b->seen[i] = old[k];
			}
		free(old);
	}
	for (i = hash_mix(key, 3) & b->mask; b->seen[i]; i = (i + 1) & b->mask)
		if (b->seen[i] == key)
			return true;
	b->seen[i] = key;
	b->nseen++;
	return false;
}

static bool brute_run(struct brute *b, uint32_t done, state_t s)
{
	const struct part *p = b->p;
	uint32_t bound = NEVER;

	if ((done & b->required) == b->required)
		return true;
	if (brute_seen(b, done, s))
		return false;
	for (uint32_t i = 0; i < p->n && p->realtime; i++)
		if (!(done >> i & 1) && p->ops[i].ret < bound)
			bound = p->ops[i].ret;
	for (uint32_t i = 0; i < p->n; i++) {
		state_t next;
		bool free_to_go = !(done >> i & 1) && (!p->realtime || p->ops[i].call <= bound);
		if (!free_to_go || (b->before[i] & b->required & ~done))
			continue;
		for (uint32_t k = 0; k < p->n; k++) /* i must not come after one that it precedes */
			free_to_go &= !(b->before[k] >> i & 1 && done >> k & 1);
		if (!free_to_go)
			continue;
		next = p->model->step(&b->m, s, &p->ops[i]);
		if (next != STATE_BAD && brute_run(b, done | 1u << i, next))
			return true;
	}
	return false;
}

static enum verdict brute_force(const struct part *p)
{
	struct brute b = {.p = p};
	enum verdict v;

	if (p->n > 20)
		return UNDECIDED;
	for (uint32_t i = 0; i < p->n; i++)
		b.required |= p->ops[i].unknown ? 0 : 1u << i;
	for (size_t i = 0; i < p->nedges; i++)
		b.before[p->edges[i].to] |= 1u << p->edges[i].from;
	for (uint32_t k = 0; k < p->n; k++)
		for (uint32_t i = 0; i < p->n; i++)
			if (b.before[i] >> k & 1)
				b.before[i] |= b.before[k];
	machine_init(&b.m, p);
	v = brute_run(&b, 0, p->model->initial(&b.m)) ? LINEARIZABLE : NOT_LINEARIZABLE;
	machine_clear(&b.m);
	free(b.seen);
	return v;
}

#endif
