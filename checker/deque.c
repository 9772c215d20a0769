/*
 * Deques: which states cannot lead to the results that are yet to come? Where values are unique and it is known who took
 * each, two elements that are in the deque together tell: the left one leaves by the front before the right one does, and so on.
 * Without that, a search would learn only much later that two pushes belonged the other way round.
 */
#include "checker/spec.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 256 }; /* elements next to a new one */

static uint32_t *taker_slot(const struct machine *m, val x)
{
	uint32_t k = x * 2654435761u & m->taker_mask;

	while (m->target[k] != NEVER && m->part->ops[m->target[k]].out != x)
		k = (k + 1) & m->taker_mask;
	return &m->target[k];
}

static int by_value(const void *a, const void *b)
{
	val x = *(const val *)a, y = *(const val *)b;

	return x < y ? -1 : x > y;
}

static bool values_unique(const struct part *p)
{
	val *put = xnewn(val, p->n + 1);
	uint32_t n = 0;
	bool unique = p->initial == VAL_NONE;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->ops[i].code == C_PUSH_FRONT || p->ops[i].code == C_PUSH_BACK)
			put[n++] = p->ops[i].a;
	if (n)
		qsort(put, n, sizeof *put, by_value);
	for (uint32_t i = 1; i < n; i++)
		unique &= put[i] != put[i - 1];
	free(put);
	return unique;
}

/* Who takes each element; false: that is not known. */
static bool find_takers(struct machine *m)
{
	const struct part *p = m->part;

	m->taker_mask = 63;
	while (m->taker_mask < 2 * p->n)
		m->taker_mask = m->taker_mask * 2 + 1;
	m->target = xmalloc((m->taker_mask + 1) * sizeof *m->target);
	memset(m->target, 0xff, (m->taker_mask + 1) * sizeof *m->target);
	if (!p->realtime || !values_unique(p))
		return false;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct lop *l = &p->ops[i];
		uint32_t *slot;
		if ((l->code != C_POP_FRONT && l->code != C_POP_BACK) || l->out == VAL_NULL)
			continue;
		slot = l->out == VAL_NONE ? NULL : taker_slot(m, l->out);
		if (!slot || *slot != NEVER)
			return false;
		*slot = i;
	}
	return true;
}

/* May a be left of b? */
static bool may_be_left(const struct machine *m, val a, val b)
{
	uint32_t i = *taker_slot(m, a), k = *taker_slot(m, b);
	const struct lop *x = i == NEVER ? NULL : &m->part->ops[i], *y = k == NEVER ? NULL : &m->part->ops[k];

	if (x && x->code == C_POP_BACK) /* b must have left before, by the back */
		return y && y->code == C_POP_BACK && x->ret >= y->call;
	if (y && y->code == C_POP_FRONT) /* a must have left before, by the front */
		return x && y->ret >= x->call;
	return true;
}

bool deque_doomed(struct machine *m, state_t s, const struct lop *l)
{
	const uint32_t *w = states_words(&m->st, s);
	uint32_t n = states_len(&m->st, s);

	if (!m->target)
		m->takers_known = find_takers(m);
	if (!m->takers_known)
		return false;
	if (l->code == C_PUSH_FRONT) {
		for (uint32_t i = 1; i < n && i <= LOOKED_AT; i++)
			if (!may_be_left(m, w[0], w[i]))
				return true;
	} else if (l->code == C_PUSH_BACK) {
		for (uint32_t i = n - 1; i-- > 0 && i + LOOKED_AT >= n;)
			if (!may_be_left(m, w[i], w[n - 1]))
				return true;
	}
	return false;
}
