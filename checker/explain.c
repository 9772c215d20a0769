/*
 * Why a history is not linearizable: the longest linearizable prefix, the smallest failing sub-history, a reason.
 *
 * Prefixes: a history that is linearizable stays so when it is cut after any event, with the open operations unknown.
 * Leaving operations out is only allowed where it, too, keeps every linearizable history linearizable: reads always;
 * a write that no remaining operation observed; an element together with all operations that touch it.
 */
#include "checker/linear.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { TEST_CONFIGS = 100000, MAX_TESTS = 3000 };

void part_sub(struct part *sub, const struct part *p, const bool *keep, uint32_t *map)
{
	uint32_t *to = xmalloc((p->n + 1) * sizeof *to);

	*sub = *p;
	sub->ops = xnewn(struct lop, p->n + 1);
	sub->edges = xnewn(struct edge, p->nedges + 1);
	sub->n = 0;
	sub->nedges = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		to[i] = NEVER;
		if (!keep[i])
			continue;
		to[i] = sub->n;
		if (map)
			map[sub->n] = i;
		sub->ops[sub->n++] = p->ops[i];
	}
	for (size_t i = 0; i < p->nedges; i++)
		if (to[p->edges[i].from] != NEVER && to[p->edges[i].to] != NEVER)
			sub->edges[sub->nedges++] = (struct edge){to[p->edges[i].from], to[p->edges[i].to]};
	free(to);
}

void part_sub_clear(struct part *sub)
{
	free(sub->ops);
	free(sub->edges);
}

struct shrinker {
	const struct part *p;
	const struct linear_options *opt;
	bool *keep;
	uint32_t tests;
};

static bool fails(struct shrinker *s, const struct part *p)
{
	struct limits lim = {.configs = TEST_CONFIGS, .memory = MAX(s->opt->memory / 16, 8u << 20),
	                     .expired = s->opt->expired, .arg = s->opt->arg};
	struct found f;
	struct reason why;
	bool by_monitor, bad;

	s->tests++;
	decide(p, &lim, &f, &why, &by_monitor);
	bad = f.verdict == NOT_LINEARIZABLE;
	found_clear(&f);
	return bad;
}

static bool keep_fails(struct shrinker *s)
{
	struct part sub;
	bool bad;

	part_sub(&sub, s->p, s->keep, NULL);
	bad = fails(s, &sub);
	part_sub_clear(&sub);
	return bad;
}

/* The part as it was just after position `at`: what had not returned is unknown, reads among it are gone. */
static void prefix_part(struct part *sub, const struct part *p, uint32_t at, uint32_t *map)
{
	bool *keep = xcalloc(p->n + 1, 1);

	for (uint32_t i = 0; i < p->n; i++)
		keep[i] = p->ops[i].call <= at && (p->ops[i].ret <= at || !p->ops[i].readonly);
	part_sub(sub, p, keep, map);
	for (uint32_t i = 0; i < sub->n; i++) {
		struct lop *l = &sub->ops[i];
		if (l->ret <= at)
			continue;
		l->ret = NEVER;
		l->unknown = true;
		l->t1 = INT64_MAX / 4;
		if (l->code != C_TXN && l->code != C_USER)
			l->out = VAL_NONE;
	}
	free(keep);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The first return after which the prefix fails. A user's model cannot be told that an outcome is unknown now. */
static uint32_t failing_return(struct shrinker *s)
{
	const struct part *p = s->p;
	uint32_t *ret = xnewn(uint32_t, p->n + 1), n = 0, l = 0, r;

	if (!p->realtime || p->model->user || p->subs) {
		free(ret);
		return NEVER;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->ops[i].ret != NEVER)
			ret[n++] = p->ops[i].ret;
	qsort(ret, n, sizeof *ret, by_value);
	r = n; /* the prefix up to ret[r - 1] fails, or the whole history does */
	while (l < r) {
		uint32_t mid = (l + r) / 2;
		struct part sub;
		bool bad;
		prefix_part(&sub, p, ret[mid], NULL);
		bad = fails(s, &sub);
		part_sub_clear(&sub);
		if (bad)
			r = mid;
		else
			l = mid + 1;
	}
	l = l < n ? ret[l] : NEVER;
	free(ret);
	return l;
}

/* Does operation i observe value x: would it notice if x had never been written? */
static bool observes(const struct part *p, const struct lop *l, val x)
{
	const struct values *v = p->h->v;

	switch (l->code) {
	case C_READ:
		if (p->model == &model_kv_append) /* the token may be anywhere inside */
			return memmem(val_bytes(v, l->out), val_len(v, l->out), val_bytes(v, x), val_len(v, x)) != NULL;
		return l->out == x;
	case C_CAS:
		return l->a == x || l->out == VAL_FALSE;
	case C_READ_LIST:
	case C_READ_SET:
		for (uint32_t i = 0; i < l->nlist; i++)
			if (p->words[l->list + i] == x)
				return true;
		return false;
	case C_READ_SUM: /* every addition */
		return true;
	case C_DEQ: case C_POP: case C_POP_FRONT: case C_POP_BACK: case C_DELETE_MIN:
		return l->out == x || l->out == VAL_NONE;
	default:
		return false;
	}
}

/* What must go together with operation i; false: it has to stay. `group` gets the lops. */
static bool removable(struct shrinker *s, uint32_t i, uint32_t *group, uint32_t *n)
{
	const struct part *p = s->p;
	const struct lop *l = &p->ops[i];
	val x = l->code == C_CAS ? l->b : l->a;
	bool container = (l->code >= C_ENQ && l->code <= C_DELETE_MIN);

	*n = 0;
	group[(*n)++] = i;
	if (l->readonly)
		return true;
	if (p->subs || p->model->user)
		return false;
	if (l->code == C_INC) {
		for (uint32_t k = 0; k < p->n; k++) /* only when it is invoked after every read is over */
			if (s->keep[k] && p->ops[k].readonly && p->ops[k].ret >= l->call)
				return false;
		return p->realtime;
	}
	if (container) {
		if (l->out != VAL_NONE)
			x = l->out;
		else if (l->code == C_DEQ || l->code == C_POP || l->code == C_POP_FRONT || l->code == C_POP_BACK ||
		         l->code == C_DELETE_MIN)
			return false; /* it may have taken anything */
		for (uint32_t k = 0; k < p->n; k++) {
			const struct lop *o = &p->ops[k];
			if (!s->keep[k] || k == i || o->readonly)
				continue;
			if (o->a != x && o->out != x && o->out != VAL_NONE)
				continue;
			if (o->out == VAL_NONE && o->a != x)
				continue; /* a put of another value */
			if (*n == 3)
				return false;
			group[(*n)++] = k;
		}
		for (uint32_t k = 0; k < p->n; k++)
			if (s->keep[k] && p->ops[k].out == VAL_NONE && p->ops[k].unknown && p->ops[k].a == 0)
				return false; /* an unknown take might have taken it */
		return *n <= 2;
	}
	if (l->code != C_WRITE && l->code != C_CAS && l->code != C_CONCAT && l->code != C_APPEND && l->code != C_ADD)
		return false;
	for (uint32_t k = 0; k < p->n; k++)
		if (s->keep[k] && k != i && observes(p, &p->ops[k], x))
			return false;
	return true;
}

/* Leave out what can be left out: readers in halving chunks, then one group at a time until nothing changes. */
static bool shrink(struct shrinker *s)
{
	const struct part *p = s->p;
	uint32_t group[4], n, kept = 0;
	bool changed = true;

	for (uint32_t i = 0; i < p->n; i++)
		kept += s->keep[i];
	for (uint32_t chunk = kept / 2; chunk > 8 && s->tests < MAX_TESTS; chunk /= 2)
		for (uint32_t from = 0; from < p->n && s->tests < MAX_TESTS; from += chunk) {
			bool *old = xmemdup(s->keep, p->n + 1), any = false;
			for (uint32_t i = from; i < MIN(from + chunk, p->n); i++)
				if (s->keep[i] && removable(s, i, group, &n))
					for (uint32_t k = 0; k < n; k++) {
						s->keep[group[k]] = false;
						any = true;
					}
			if (any && !keep_fails(s))
				memcpy(s->keep, old, p->n + 1);
			free(old);
		}
	while (changed && s->tests < MAX_TESTS) {
		changed = false;
		for (uint32_t i = p->n; i-- > 0 && s->tests < MAX_TESTS;) {
			if (!s->keep[i] || !removable(s, i, group, &n))
				continue;
			for (uint32_t k = 0; k < n; k++)
				s->keep[group[k]] = false;
			if (keep_fails(s)) {
				changed = true;
				continue;
			}
			for (uint32_t k = 0; k < n; k++)
				s->keep[group[k]] = true;
		}
	}
	return s->tests < MAX_TESTS;
}

/* Do two operations of a container touch the same element? Then they are kept or left out together. */
static bool same_element(const struct lop *a, const struct lop *b)
{
	val x = a->out != VAL_NONE && a->out != VAL_NULL ? a->out : a->a, y = b->out != VAL_NONE && b->out != VAL_NULL ? b->out : b->a;

	return a->code >= C_ENQ && a->code <= C_DELETE_MIN && x == y && x != VAL_NULL;
}

static void add_observed(struct shrinker *s, const bool *old, const uint32_t *kept, uint32_t n)
{
	const struct part *p = s->p;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct lop *w = &p->ops[i];
		if (w->readonly || s->keep[i] || !old[i])
			continue;
		for (uint32_t k = 0; k < n && !s->keep[i]; k++)
			s->keep[i] = observes(p, &p->ops[kept[k]], w->code == C_CAS ? w->b : w->a) || same_element(&p->ops[kept[k]], w);
	}
}

/*
 * The operations of a monitor's reason for the operations kept now, with the writers of what they observe: often already
 * the smallest history. Whatever they observe must come along, or the rest would fail for no reason.
 */
static void try_core(struct shrinker *s)
{
	const struct part *p = s->p;
	uint32_t *map = xnewn(uint32_t, p->n + 1), *kept = xnewn(uint32_t, p->n + 1), n = 0;
	bool *old = xmemdup(s->keep, p->n + 1);
	struct reason why;
	struct found f;
	struct part sub;

	part_sub(&sub, p, s->keep, map);
	monitor(&sub, &f, &why);
	if (f.verdict == NOT_LINEARIZABLE && why.nop) {
		memset(s->keep, 0, p->n + 1);
		for (uint32_t i = 0; i < why.nop; i++)
			s->keep[map[why.op[i]]] = true;
		for (int round = 0; round < 3; round++) {
			n = 0;
			for (uint32_t i = 0; i < p->n; i++)
				if (s->keep[i])
					kept[n++] = i;
			add_observed(s, old, kept, n);
		}
		if (!keep_fails(s))
			memcpy(s->keep, old, p->n + 1);
	}
	found_clear(&f);
	part_sub_clear(&sub);
	free(map);
	free(kept);
	free(old);
}

/* The longest partial linearization of the failing prefix. */
static void find_partial(struct part_result *r, struct shrinker *s, uint32_t at)
{
	const struct part *p = s->p;
	struct limits lim = {.configs = TEST_CONFIGS, .memory = MAX(s->opt->memory / 16, 8u << 20), .deepest = true};
	uint32_t *map = xnewn(uint32_t, p->n + 1);
	struct found f;
	struct part sub;

	prefix_part(&sub, p, at, map);
	if (sub.n <= 20000) {
		search(&sub, &lim, &f);
		r->partial = xnewn(uint32_t, f.norder + 1);
		for (uint32_t i = 0; i < f.norder; i++)
			r->partial[i] = map[f.order[i]];
		r->npartial = f.norder;
		found_clear(&f);
	}
	part_sub_clear(&sub);
	free(map);
}

static void find_prefix(struct part_result *r, struct shrinker *s)
{
	const struct part *p = s->p;
	uint32_t at = failing_return(s);

	for (uint32_t i = 0; i < p->n; i++)
		s->keep[i] = true;
	if (at == NEVER)
		return;
	for (uint32_t i = 0; i < p->n; i++) {
		s->keep[i] = p->ops[i].call <= at;
		r->prefix += p->ops[i].call <= at;
		if (p->ops[i].ret == at && !r->prefix_line)
			r->prefix_line = p->h->ops[p->ops[i].op].ret_line;
	}
	find_partial(r, s, at);
	/* With the outcomes of operations still open then, the operations of the prefix still fail; if that takes a search
	 * beyond the small budget, keep everything. */
	if (!keep_fails(s))
		for (uint32_t i = 0; i < p->n; i++)
			s->keep[i] = true;
}

static val written_by(const struct lop *l)
{
	return l->readonly ? VAL_NONE : l->code == C_CAS ? l->b : l->code <= C_READ_SUM ? l->a : VAL_NONE;
}

/*
 * The smallest history need not tell everything. A value that nobody wrote there may have been written later; and that
 * somebody had read the newer value is a better reason than that it had been written.
 */
static void whole_truth(const struct part *p, struct reason *w)
{
	uint32_t newer = w->why == WHY_INTERLEAVED ? 2 : 0, older = w->why == WHY_INTERLEAVED ? 3 : 1, best = NEVER;

	if (w->why == WHY_NEVER_WRITTEN) {
		for (uint32_t i = 0; i < p->n; i++)
			if (written_by(&p->ops[i]) == w->value && lop_finish(p, w->op[0]) < lop_start(p, i)) {
				w->why = WHY_TOO_EARLY;
				w->op[1] = i;
				w->nop = 2;
				return;
			}
		return;
	}
	for (uint32_t i = 0; w->why == WHY_ORDER && w->nop == 3 && i < p->n; i++)
		if (p->ops[i].code == C_DEQ && p->ops[i].out == w->value)
			w->op[w->nop++] = i; /* not lost after all, only late */
	if (w->why != WHY_STALE && w->why != WHY_INTERLEAVED)
		return;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->ops[i].code == C_READ && p->ops[i].out == written_by(&p->ops[w->op[newer]]) &&
		    lop_finish(p, i) < lop_start(p, w->op[older]) && (best == NEVER || lop_finish(p, best) < lop_finish(p, i)))
			best = i;
	if (best != NEVER)
		w->op[newer] = best;
}

static void name_reason(struct part_result *r, struct shrinker *s)
{
	struct limits lim = {.configs = TEST_CONFIGS, .memory = 64 << 20, .deepest = true};
	uint32_t *map = xnewn(uint32_t, s->p->n + 1);
	struct reason why;
	struct found f;
	struct part sub;

	part_sub(&sub, s->p, s->keep, map);
	monitor(&sub, &f, &why);
	if (f.verdict != NOT_LINEARIZABLE && blocked_in_words(&sub, &why, &r->words)) {
		why.why = WHY_BLOCKED;
	} else if (f.verdict != NOT_LINEARIZABLE) {
		found_clear(&f);
		search(&sub, &lim, &f);
		why = (struct reason){.why = WHY_SEARCH, .value = VAL_NONE};
		for (uint32_t i = 0; i < sub.n && f.verdict == NOT_LINEARIZABLE; i++) { /* the first one that stays out */
			bool in = sub.ops[i].unknown;
			for (uint32_t k = 0; k < f.norder; k++)
				in |= f.order[k] == i;
			if (!in && (!why.nop || sub.ops[i].ret < sub.ops[why.op[0]].ret)) {
				why.nop = 1;
				why.op[0] = i;
			}
		}
	}
	r->why = why;
	for (uint32_t i = 0; i < why.nop; i++)
		r->why.op[i] = map[why.op[i]];
	if (why.why == WHY_SEARCH) {
		put_in_words(&sub, &why, &r->words);
	} else if (why.why != WHY_BLOCKED) {
		whole_truth(s->p, &r->why);
		put_in_words(s->p, &r->why, &r->words);
	}
	found_clear(&f);
	part_sub_clear(&sub);
	free(map);
}

void explain(struct part_result *r, const struct linear_options *opt)
{
	struct shrinker s = {.p = r->part, .opt = opt, .keep = xcalloc(r->part->n + 1, 1)};

	find_prefix(r, &s);
	try_core(&s);
	r->core_minimal = shrink(&s);
	name_reason(r, &s);
	r->core = xnewn(uint32_t, r->part->n + 1);
	for (uint32_t i = 0; i < r->part->n; i++)
		if (s.keep[i])
			r->core[r->ncore++] = i;
	free(s.keep);
}
