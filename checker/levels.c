/*
 * Counters with equal increments, and grow-only sets: completed reads, sorted by what they show, form levels, and every
 * other operation lies in a slot before one of them. What is left is one sweep over real time.
 */
#include "checker/monitor.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NIL = UINT32_MAX };

/* An operation with its level; or a read's. */
struct keyed {
	uint32_t op, level;
};

struct levels {
	const struct part *p;
	struct found *f;
	struct reason *r;
};

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_keyed(const struct part *p, struct keyed *k, uint32_t n, bool finish)
{
	uint64_t *t = xnewn(uint64_t, n + 1);
	struct keyed *copy = xmemdup(k, n * sizeof *k);

	for (uint32_t i = 0; i < n; i++)
		t[i] = (uint64_t)(finish ? lop_finish(p, k[i].op) : lop_start(p, k[i].op)) << 32 | i;
	qsort(t, n, sizeof *t, by_key);
	for (uint32_t i = 0; i < n; i++)
		k[i] = copy[(uint32_t)t[i]];
	free(t);
	free(copy);
}

/* Finds a, b with a's finish before b's start and a's level above b's. */
static bool out_of_order(const struct part *p, struct keyed *k, uint32_t n, struct keyed *a, struct keyed *b)
{
	struct keyed *fin = xmemdup(k, n * sizeof *k), *max = NULL;
	bool found = false;

	sort_keyed(p, k, n, false);
	sort_keyed(p, fin, n, true);
	for (uint32_t i = 0, j = 0; i < n && !found; i++) {
		for (; j < n && lop_finish(p, fin[j].op) < lop_start(p, k[i].op); j++)
			if (!max || fin[j].level > max->level)
				max = &fin[j];
		if (max && max->level > k[i].level) {
			*a = *max;
			*b = k[i];
			found = true;
		}
	}
	free(fin);
	return found;
}

/* A heap of increments by finish (then call): the most urgent first. */
struct heap {
	uint64_t *k;
	uint32_t n;
};

static void heap_push(struct heap *h, uint64_t x)
{
	uint32_t i = h->n++;

	for (; i && h->k[(i - 1) / 2] > x; i = (i - 1) / 2)
		h->k[i] = h->k[(i - 1) / 2];
	h->k[i] = x;
}

static uint64_t heap_pop(struct heap *h)
{
	uint64_t top = h->k[0], x = h->k[--h->n];
	uint32_t i = 0, c;

	while ((c = 2 * i + 1) < h->n) {
		if (c + 1 < h->n && h->k[c + 1] < h->k[c])
			c++;
		if (h->k[c] >= x)
			break;
		h->k[i] = h->k[c];
		i = c;
	}
	h->k[i] = x;
	return top;
}

/* The slot range of increments: from the levels of reads that finished before, to those of reads that started after. */
static void ranges(const struct part *p, const struct keyed *reads, uint32_t nreads, const struct keyed *incs, uint32_t n,
                   uint32_t *lo, uint32_t *hi)
{
	struct keyed *fin = xmemdup(reads, nreads * sizeof *fin), *st = xmemdup(reads, nreads * sizeof *st);
	struct keyed *byf = xmemdup(incs, n * sizeof *byf), *bys = xmemdup(incs, n * sizeof *bys);
	uint32_t k = 0, level = 0;

	sort_keyed(p, fin, nreads, true);
	sort_keyed(p, st, nreads, false);
	sort_keyed(p, bys, n, false);
	sort_keyed(p, byf, n, true);
	for (uint32_t i = 0; i < n; i++) {
		for (; k < nreads && lop_finish(p, fin[k].op) < lop_start(p, bys[i].op); k++)
			level = MAX(level, fin[k].level + 1);
		lo[bys[i].level] = level;
	}
	k = nreads;
	level = NEVER;
	for (uint32_t i = n; i-- > 0;) {
		for (; k && lop_start(p, st[k - 1].op) > lop_finish(p, byf[i].op); k--)
			level = MIN(level, st[k - 1].level);
		hi[byf[i].level] = level;
	}
	free(fin);
	free(st);
	free(byf);
	free(bys);
}

struct counter {
	struct levels *l;
	struct keyed *reads, *incs; /* of an increment, level is its number */
	uint32_t nreads, nincs;
	int64_t unit, first;
};

/* Equal increments, completed reads; levels of the reads by value. False: preconditions fail, or a verdict. */
static bool counter_read(struct counter *c)
{
	const struct part *p = c->l->p;
	uint64_t *t;
	bool ok = true;

	for (uint32_t i = 0; i < p->n && ok; i++) {
		const struct lop *l = &p->ops[i];
		if (l->code == C_READ_SUM) {
			c->reads[c->nreads++] = (struct keyed){.op = i};
			continue;
		}
		if (l->n == 0 && l->unknown)
			continue;
		ok = l->n && (!c->unit || l->n == c->unit);
		c->unit = l->n;
		c->incs[c->nincs] = (struct keyed){.op = i, .level = c->nincs};
		c->nincs++;
	}
	if (!ok)
		return false;
	if (!c->unit)
		c->unit = 1;
	t = xnewn(uint64_t, c->nreads + 1);
	for (uint32_t i = 0; i < c->nreads && ok; i++) {
		int64_t d = (int64_t)((uint64_t)p->ops[c->reads[i].op].n - (uint64_t)c->first);
		if (d % c->unit || d / c->unit < 0 || d / c->unit > UINT32_MAX - 1) {
			NOT_LIN(c->l->f, c->l->r, WHY_SUM, VAL_NONE, c->reads[i].op);
			ok = false;
		} else {
			t[i] = (uint64_t)(d / c->unit) << 32 | i;
		}
	}
	if (ok)
		qsort(t, c->nreads, sizeof *t, by_key);
	struct keyed *sorted = xnewn(struct keyed, c->nreads + 1);
	for (uint32_t i = 0; i < c->nreads && ok; i++)
		sorted[i] = (struct keyed){.op = c->reads[(uint32_t)t[i]].op, .level = (uint32_t)(t[i] >> 32)};
	free(c->reads);
	c->reads = sorted;
	free(t);
	return ok;
}

static void emit(struct levels *l, uint32_t op)
{
	l->f->order[l->f->norder++] = op;
}

/* Fill each slot with exactly as many increments as its level needs, the most urgent ones first. Levels become slot
 * numbers 0, 1, 2… */
static bool counter_fill(struct counter *c)
{
	struct levels *l = c->l;
	const struct part *p = l->p;
	uint32_t *value = xnewn(uint32_t, c->nreads + 1), nlevels = 0, r = 0, taken = 0;
	uint32_t *lo = xnewn(uint32_t, c->nincs + 1), *hi = xnewn(uint32_t, c->nincs + 1), *first, *next;
	struct heap must = {xnewn(uint64_t, c->nincs + 1), 0}, may = {xnewn(uint64_t, c->nincs + 1), 0};
	bool ok = true;

	for (uint32_t i = 0; i < c->nreads; i++) {
		if (!i || c->reads[i].level != value[nlevels - 1])
			value[nlevels++] = c->reads[i].level;
		c->reads[i].level = nlevels - 1;
	}
	ranges(p, c->reads, c->nreads, c->incs, c->nincs, lo, hi);
	first = xmalloc((nlevels + 2) * sizeof *first);
	next = xnewn(uint32_t, c->nincs + 1);
	memset(first, 0xff, (nlevels + 2) * sizeof *first);
	for (uint32_t i = c->nincs; i-- > 0;) {
		next[i] = first[MIN(lo[i], nlevels)];
		first[MIN(lo[i], nlevels)] = i;
	}
	l->f->order = xnewn(uint32_t, p->n + 1);
	for (uint32_t j = 0; j <= nlevels && ok; j++) {
		uint32_t need = j < nlevels ? value[j] - taken : NEVER;
		for (uint32_t i = first[j]; i != NIL; i = next[i])
			heap_push(p->ops[c->incs[i].op].unknown ? &may : &must, (uint64_t)lop_finish(p, c->incs[i].op) << 32 | i);
		while (need && must.n) {
			uint32_t i = (uint32_t)heap_pop(&must);
			ok &= hi[i] >= j;
			emit(l, c->incs[i].op);
			need--;
			taken++;
		}
		while (j < nlevels && need && may.n) {
			emit(l, c->incs[(uint32_t)heap_pop(&may)].op);
			need--;
			taken++;
		}
		if (j < nlevels && (need || (must.n && hi[(uint32_t)must.k[0]] <= j)))
			ok = false;
		if (!ok)
			NOT_LIN(l->f, l->r, WHY_SUM, VAL_NONE, c->reads[MIN(r, c->nreads - 1)].op);
		for (; r < c->nreads && c->reads[r].level == j; r++)
			emit(l, c->reads[r].op);
	}
	free(value);
	free(lo);
	free(hi);
	free(first);
	free(next);
	free(must.k);
	free(may.k);
	return ok;
}

static void give_up_order(struct found *f)
{
	free(f->order);
	f->order = NULL;
	f->norder = 0;
}

void monitor_counter(const struct part *p, struct found *f, struct reason *r)
{
	struct levels l = {.p = p, .f = f, .r = r};
	struct counter c = {.l = &l, .reads = xnewn(struct keyed, p->n + 1), .incs = xnewn(struct keyed, p->n + 1)};
	struct keyed a, b;

	if (p->initial != VAL_NONE)
		c.first = p->h->v->nodes[p->initial].i;
	if (counter_read(&c)) {
		struct keyed *copy = xmemdup(c.reads, c.nreads * sizeof *copy);
		if (out_of_order(p, copy, c.nreads, &a, &b))
			NOT_LIN(f, r, WHY_STALE, VAL_NONE, a.op, b.op);
		else if (counter_fill(&c))
			f->verdict = LINEARIZABLE;
		else
			give_up_order(f);
		free(copy);
	}
	free(c.reads);
	free(c.incs);
}

/* Sets: the reads as a chain, each containing the one before. */
struct set {
	struct levels *l;
	struct keyed *reads; /* by size; level: which of the different sets */
	uint32_t nreads, nlevels;
	struct map level_of; /* element: 1 + the first level that shows it */
};

static bool contains(const struct part *p, const struct lop *big, const struct lop *small)
{
	const uint32_t *b = p->words + big->list, *s = p->words + small->list;
	uint32_t i = 0;

	for (uint32_t k = 0; k < small->nlist; k++) {
		while (i < big->nlist && b[i] < s[k])
			i++;
		if (i == big->nlist || b[i] != s[k])
			return false;
	}
	return true;
}

static bool set_chain(struct set *s)
{
	const struct part *p = s->l->p;
	uint64_t *t = xnewn(uint64_t, p->n + 1);
	bool ok = true;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->ops[i].code == C_READ_SET)
			t[s->nreads++] = (uint64_t)p->ops[i].nlist << 32 | i;
	qsort(t, s->nreads, sizeof *t, by_key);
	for (uint32_t i = 0; i < s->nreads && ok; i++) {
		const struct lop *now = &p->ops[(uint32_t)t[i]], *old = i ? &p->ops[(uint32_t)t[i - 1]] : NULL;
		s->reads[i].op = (uint32_t)t[i];
		if (old && !contains(p, now, old)) {
			NOT_LIN(s->l->f, s->l->r, WHY_BOTH, VAL_NONE, (uint32_t)t[i - 1], (uint32_t)t[i]);
			ok = false;
		}
		if (!old || now->nlist != old->nlist)
			s->nlevels++;
		s->reads[i].level = s->nlevels - 1;
		if (old && now->nlist == old->nlist)
			continue;
		for (uint32_t k = 0; k < now->nlist; k++)
			if (!map_get(&s->level_of, p->words[now->list + k]))
				map_put(&s->level_of, p->words[now->list + k], (void *)(uintptr_t)s->nlevels);
	}
	free(t);
	return ok;
}

/* Words for a pair that real time contradicts: a ended before b started and must follow it. */
static void set_reason(struct set *s, struct keyed a, struct keyed b)
{
	const struct part *p = s->l->p;
	bool a_reads = p->ops[a.op].code == C_READ_SET, b_reads = p->ops[b.op].code == C_READ_SET;
	uint32_t shows = NIL;

	if (a_reads && b_reads) {
		NOT_LIN(s->l->f, s->l->r, WHY_STALE, VAL_NONE, a.op, b.op);
		return;
	}
	if (a_reads) {
		NOT_LIN(s->l->f, s->l->r, WHY_TOO_EARLY, p->ops[b.op].a, a.op, b.op);
		return;
	}
	if (b_reads)
		shows = b.op;
	for (uint32_t i = 0; i < s->nreads && shows == NIL; i++) /* a read that shows b and not a */
		if (s->reads[i].level * 2 + 1 > b.level)
			shows = s->reads[i].op;
	NOT_LIN(s->l->f, s->l->r, WHY_LOST, p->ops[a.op].a, shows, a.op, b.op);
}

static void set_decide(struct set *s)
{
	const struct part *p = s->l->p;
	struct keyed *all = xnewn(struct keyed, p->n + 1), *copy, a, b;
	struct map adds = {0};
	uint32_t n = 0;
	uint64_t *t = xnewn(uint64_t, p->n + 1);
	bool ok = true;

	for (uint32_t i = 0; i < p->n && ok; i++) {
		const struct lop *l = &p->ops[i];
		uint32_t level;
		if (l->code != C_ADD)
			continue;
		level = (uint32_t)(uintptr_t)map_get(&s->level_of, l->a);
		if (level && map_get(&adds, l->a))
			ok = false; /* added twice and seen: which add made it appear? */
		map_put(&adds, l->a, s);
		if (level || !l->unknown)
			all[n++] = (struct keyed){.op = i, .level = level ? 2 * (level - 1) : 2 * s->nlevels + 2};
	}
	for (uint32_t i = 0; i < s->nreads && ok; i++) {
		const struct lop *l = &p->ops[s->reads[i].op];
		all[n++] = (struct keyed){.op = s->reads[i].op, .level = 2 * s->reads[i].level + 1};
		for (uint32_t k = 0; k < l->nlist && ok && (!i || s->reads[i].level != s->reads[i - 1].level); k++)
			if (!map_get(&adds, p->words[l->list + k])) {
				NOT_LIN(s->l->f, s->l->r, WHY_NEVER_WRITTEN, p->words[l->list + k], s->reads[i].op);
				ok = false;
			}
	}
	copy = xmemdup(all, n * sizeof *copy);
	if (ok && out_of_order(p, copy, n, &a, &b)) {
		set_reason(s, a, b);
	} else if (ok) {
		for (uint32_t i = 0; i < n; i++)
			t[i] = (uint64_t)all[i].level << 32 | all[i].op; /* operations are in order of call */
		qsort(t, n, sizeof *t, by_key);
		s->l->f->order = xnewn(uint32_t, n + 1);
		for (uint32_t i = 0; i < n; i++)
			emit(s->l, (uint32_t)t[i]);
		s->l->f->verdict = LINEARIZABLE;
	}
	free(copy);
	free(all);
	free(t);
	map_clear(&adds);
}

void monitor_set(const struct part *p, struct found *f, struct reason *r)
{
	struct levels l = {.p = p, .f = f, .r = r};
	struct set s = {.l = &l, .reads = xnewn(struct keyed, p->n + 1)};

	if ((p->initial == VAL_NONE || !val_len(p->h->v, p->initial)) && set_chain(&s))
		set_decide(&s);
	free(s.reads);
	map_clear(&s.level_of);
}
