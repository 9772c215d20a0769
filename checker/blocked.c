/*
 * What a search found impossible, in words: in the smallest failing history (a few operations) every order is tried again,
 * and for an operation that fits into none of them the states are collected in which it would have had to take effect.
 */
#include "checker/linear.h"

#include "base/map.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPS = 16, MAX_CONFIGS = 20000, MAX_STATES = 3 };

struct attempts {
	state_t state[MAX_STATES];
	uint32_t n; /* MAX_STATES + 1: more */
	bool fits;  /* it could take effect somewhere */
};

struct trial {
	const struct part *p;
	struct machine m;
	uint32_t before[MAX_OPS]; /* by operation: those that the edges and real time put before it */
	struct attempts at[MAX_OPS];
	struct map seen; /* operations done and state */
	uint32_t nseen;
};

static void attempted(struct attempts *a, state_t s)
{
	for (uint32_t i = 0; i < a->n && i < MAX_STATES; i++)
		if (a->state[i] == s)
			return;
	if (a->n < MAX_STATES)
		a->state[a->n] = s;
	a->n += a->n <= MAX_STATES;
}

static void try_orders(struct trial *t, uint32_t done, state_t s)
{
	uint64_t key = (uint64_t)done << 32 | s;

	if (map_get(&t->seen, key) || t->nseen == MAX_CONFIGS)
		return;
	map_put(&t->seen, key, t);
	t->nseen++;
	for (uint32_t i = 0; i < t->p->n; i++) {
		state_t next;
		if (done >> i & 1 || (t->before[i] & ~done))
			continue;
		next = t->p->model->step(&t->m, s, &t->p->ops[i]);
		if (next == STATE_BAD) {
			attempted(&t->at[i], s);
			continue;
		}
		t->at[i].fits = true;
		try_orders(t, done | 1u << i, next);
	}
}

/* Unknown operations need not take effect, so nothing waits for them; what is before them is still before all behind. */
static void orders_of(struct trial *t)
{
	const struct part *p = t->p;
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < p->n; i++)
		unknown |= p->ops[i].unknown ? 1u << i : 0;
	for (uint32_t i = 0; i < p->n && p->realtime; i++)
		for (uint32_t k = 0; k < p->n; k++)
			if (p->ops[k].ret < p->ops[i].call)
				t->before[i] |= 1u << k;
	for (size_t e = 0; e < p->nedges; e++)
		t->before[p->edges[e].to] |= 1u << p->edges[e].from;
	for (uint32_t k = 0; k < p->n; k++)
		for (uint32_t i = 0; i < p->n; i++)
			if (t->before[i] >> k & 1)
				t->before[i] |= t->before[k];
	for (uint32_t i = 0; i < p->n; i++)
		t->before[i] &= ~unknown;
}

static bool is_lock(const struct model *m)
{
	return m == &model_mutex || m == &model_owner_mutex || m == &model_reentrant_mutex || m == &model_fenced_mutex ||
	       m == &model_reentrant_fenced_mutex || m == &model_lease;
}

/* A read: is the only writer of its value ordered behind it? */
static bool too_early(const struct trial *t, uint32_t read)
{
	const struct part *p = t->p;
	uint32_t early = 0, other = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct lop *w = &p->ops[i];
		if (w->readonly || (w->code == C_CAS ? w->b : w->a) != p->ops[read].out)
			continue;
		early += t->before[i] >> read & 1;
		other += !(t->before[i] >> read & 1);
	}
	return early && !other;
}

/* The name of what is wrong, as the monitors name it. */
static const char *kind(const struct trial *t, uint32_t i, bool held)
{
	const struct part *p = t->p;
	const struct lop *l = &p->ops[i];

	switch (l->code) {
	case C_READ:
		return too_early(t, i) ? "value not written yet" : "stale read";
	case C_CAS:
		return l->out == VAL_FALSE ? "it had to succeed" : "lost update";
	case C_READ_LIST: case C_READ_SET:
		return "wrong elements";
	case C_READ_SUM:
		return "wrong sum";
	case C_POP: case C_DEQ: case C_POP_FRONT: case C_POP_BACK: case C_DELETE_MIN:
		return l->out == VAL_NULL ? "lost element" : "out of order";
	case C_ACQUIRE:
		if (l->out == VAL_FALSE)
			return "it had to succeed";
		return !is_lock(p->model) ? "no permit left" : held ? "two holders" : "fence of the past";
	case C_RELEASE: case C_RENEW:
		return l->out == VAL_FALSE ? "it had to succeed" : "not the holder";
	default:
		return "impossible result";
	}
}

static void put_in_blocked(struct trial *t, uint32_t i, struct buf *b)
{
	const struct part *p = t->p;
	const struct attempts *a = &t->at[i];
	struct buf states = {0};

	for (uint32_t k = 0; k < a->n; k++) {
		buf_adds(&states, !k ? "" : k + 1 < a->n ? ", " : " or ");
		if (k == MAX_STATES)
			buf_adds(&states, "another");
		else
			p->model->print(&t->m, a->state[k], &states);
	}
	buf_addf(b, "%s: ", kind(t, i, !strncmp(states.data, "held", 4)));
	lop_clause(p, i, b);
	buf_addf(b, ", but in every order that is allowed the state before it is %s", states.data);
	buf_clear(&states);
}

bool blocked_in_words(const struct part *p, struct reason *why, struct buf *b)
{
	struct trial t = {.p = p};
	uint32_t best = NEVER;

	if (p->n > MAX_OPS || p->n < 2 || p->subs)
		return false;
	orders_of(&t);
	machine_init(&t.m, p);
	try_orders(&t, 0, p->model->initial(&t.m));
	for (uint32_t i = 0; i < p->n && t.nseen < MAX_CONFIGS; i++)
		if (!p->ops[i].unknown && !t.at[i].fits && t.at[i].n && (best == NEVER || p->ops[i].ret < p->ops[best].ret))
			best = i;
	if (best != NEVER) {
		why->op[0] = best;
		why->nop = 1;
		put_in_blocked(&t, best, b);
	}
	map_clear(&t.seen);
	machine_clear(&t.m);
	return best != NEVER;
}
