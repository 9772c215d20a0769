/*
 * A failed cas says that the register held another value. In the order of all other operations each is put into the first
 * place that real time allows and where that is so. Together they may still contradict real time: then a search decides.
 */
#include "checker/monitor.h"

#include "base/mem.h"

#include <stdlib.h>

/* The places of an order: place i is before its operation i. */
struct places {
	uint32_t n;
	val *state;     /* at the place */
	uint32_t *low;  /* latest start of the operations before it */
	uint32_t *high; /* earliest finish of those behind it */
	uint32_t *count; /* failed cas put there */
};

static bool is_failed(const struct lop *l)
{
	return l->code == C_CAS && l->out == VAL_FALSE;
}

static void places_make(struct places *x, const struct part *p, const struct found *f)
{
	struct machine m;

	x->n = f->norder;
	x->state = xnewn(val, x->n + 1);
	x->low = xnewn(uint32_t, x->n + 1);
	x->high = xnewn(uint32_t, x->n + 1);
	x->count = xnewn(uint32_t, x->n + 2);
	machine_init(&m, p);
	x->state[0] = p->model->initial(&m);
	for (uint32_t i = 0; i < x->n; i++) {
		x->state[i + 1] = p->model->step(&m, x->state[i], &p->ops[f->order[i]]);
		x->low[i + 1] = MAX(x->low[i], lop_start(p, f->order[i]));
	}
	machine_clear(&m);
	x->high[x->n] = NEVER;
	for (uint32_t i = x->n; i-- > 0;)
		x->high[i] = MIN(x->high[i + 1], lop_finish(p, f->order[i]));
}

static void places_clear(struct places *x)
{
	free(x->state);
	free(x->low);
	free(x->high);
	free(x->count);
}

/* A place for each; operations are in order of call, so that the first possible one only moves on. */
static bool choose(struct places *x, const struct part *p, uint32_t *slot)
{
	uint32_t from = 0, at;

	for (uint32_t i = 0; i < p->n; i++) {
		if (!is_failed(&p->ops[i]))
			continue;
		while (from <= x->n && x->high[from] < lop_start(p, i))
			from++;
		for (at = from; at <= x->n && x->low[at] <= lop_finish(p, i) && x->state[at] == p->ops[i].a;)
			at++;
		if (at > x->n || x->low[at] > lop_finish(p, i))
			return false;
		slot[i] = at;
		x->count[at + 1]++;
	}
	return true;
}

/* By place, then by call. */
static void merge(struct places *x, const struct part *p, struct found *f, const uint32_t *slot)
{
	uint32_t *order = xnewn(uint32_t, p->n + 1), nfailed = 0, k = 0;

	for (uint32_t i = 0; i <= x->n; i++) /* now: how many are put into earlier places */
		x->count[i + 1] += x->count[i];
	for (uint32_t i = 0; i < p->n; i++)
		if (is_failed(&p->ops[i])) {
			order[x->count[slot[i]]++ + slot[i]] = i + 1;
			nfailed++;
		}
	for (uint32_t i = 0; i < x->n + nfailed; i++)
		order[i] = order[i] ? order[i] - 1 : f->order[k++];
	free(f->order);
	f->order = order;
	f->norder = x->n + nfailed;
}

bool place_failed_cas(const struct part *p, struct found *f)
{
	struct places x;
	uint32_t *slot, n = 0;
	bool ok;

	for (uint32_t i = 0; i < p->n; i++)
		n += is_failed(&p->ops[i]);
	if (!n)
		return true;
	slot = xnewn(uint32_t, p->n + 1);
	places_make(&x, p, f);
	ok = choose(&x, p, slot);
	if (ok)
		merge(&x, p, f, slot);
	places_clear(&x);
	free(slot);
	return ok && !verify_order(p, f->order, f->norder);
}
