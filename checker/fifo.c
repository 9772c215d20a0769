/*
 * FIFO queues with unique values: the history is linearizable exactly when none of the bad patterns occurs
 * (Henzinger, Sezgin, Vafeiadis 2013): a value taken that nobody put, or taken twice, or before it was put; x put
 * before y and taken after it; "empty" returned while some value was certainly inside.
 *
 * The witness: enqueues and dequeues are ordered by a topological order of values, empty results at gaps.
 */
#include "checker/monitor.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NIL = UINT32_MAX };

/* A value's life, in positions. Never dequeued: deq = NIL, and out it goes at the end of time. */
struct item {
	uint32_t enq, deq;             /* lops */
	uint32_t es, ef, ds, df;       /* starts and finishes, tightened: it goes in before it comes out */
};

struct fifo {
	const struct part *p;
	struct found *f;
	struct reason *r;
	struct item *items;
	uint32_t n;
};

static bool pair(struct fifo *q)
{
	const struct part *p = q->p;
	struct map at = {0};
	bool ok = true;

	q->items = xnewn(struct item, p->n + 1);
	for (uint32_t i = 0; i < p->n && ok; i++) {
		const struct lop *l = &p->ops[i];
		if (l->code != C_ENQ)
			continue;
		ok = !map_get(&at, l->a);
		q->items[q->n] = (struct item){.enq = i, .deq = NIL};
		map_put(&at, l->a, (void *)(uintptr_t)(++q->n));
	}
	for (uint32_t i = 0; i < p->n && ok; i++) {
		const struct lop *l = &p->ops[i];
		struct item *it;
		if (l->code != C_DEQ || l->out == VAL_NULL)
			continue;
		if (l->out == VAL_NONE) { /* an unknown dequeue may have taken anything */
			ok = false;
			break;
		}
		if (!map_get(&at, l->out)) {
			NOT_LIN(q->f, q->r, WHY_NEVER_WRITTEN, l->out, i);
			ok = false;
			break;
		}
		it = &q->items[(uintptr_t)map_get(&at, l->out) - 1];
		if (it->deq != NIL) {
			NOT_LIN(q->f, q->r, WHY_TWICE, l->out, it->deq, i);
			ok = false;
			break;
		}
		it->deq = i;
	}
	map_clear(&at);
	return ok;
}

/* Positions; drops unknown values that nobody took. */
static bool tighten(struct fifo *q)
{
	const struct part *p = q->p;
	uint32_t n = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		struct item it = q->items[i];
		if (p->ops[it.enq].unknown && it.deq == NIL)
			continue;
		it.es = lop_start(p, it.enq);
		it.ef = lop_finish(p, it.enq);
		it.ds = it.df = NEVER;
		if (it.deq != NIL) {
			it.ds = MAX(lop_start(p, it.deq), it.es);
			it.df = MIN(lop_finish(p, it.deq), NEVER - 1); /* before those that stay inside */
			if (it.df < it.es) {
				NOT_LIN(q->f, q->r, WHY_TOO_EARLY, p->ops[it.deq].out, it.deq, it.enq);
				return false;
			}
			it.ef = MIN(it.ef, it.df);
		}
		q->items[n++] = it;
	}
	q->n = n;
	return true;
}

static int by_es(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->es < y->es ? -1 : x->es > y->es;
}

static int by_ef(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return (*x)->ef < (*y)->ef ? -1 : (*x)->ef > (*y)->ef;
}

/* x surely in before y, y surely out before x: sweep values by start of their enqueue, with the latest start of a
 * dequeue among the values whose enqueue has finished. */
static bool order_holds(struct fifo *q)
{
	const struct item **fin = xnewn(const struct item *, q->n + 1), *latest = NULL;
	uint32_t k = 0;
	bool ok = true;

	qsort(q->items, q->n, sizeof *q->items, by_es);
	for (uint32_t i = 0; i < q->n; i++)
		fin[i] = &q->items[i];
	qsort(fin, q->n, sizeof *fin, by_ef);
	for (uint32_t i = 0; i < q->n && ok; i++) {
		const struct item *y = &q->items[i];
		for (; k < q->n && fin[k]->ef < y->es; k++)
			if (!latest || fin[k]->ds > latest->ds)
				latest = fin[k];
		if (latest && y->deq != NIL && y->df < latest->ds) {
			if (latest->deq == NIL)
				NOT_LIN(q->f, q->r, WHY_ORDER, q->p->ops[latest->enq].a, latest->enq, y->enq, y->deq);
			else
				NOT_LIN(q->f, q->r, WHY_ORDER, q->p->ops[latest->enq].a, latest->enq, y->enq, y->deq, latest->deq);
			ok = false;
		}
	}
	free(fin);
	return ok;
}

/* Certain intervals of values: after ef, before ds. For each empty result find a point outside of their union. */
static bool place_empties(struct fifo *q, uint32_t *at)
{
	const struct part *p = q->p;
	const struct item **in = xnewn(const struct item *, q->n + 1);
	uint32_t *lo = xnewn(uint32_t, q->n + 1), *hi = xnewn(uint32_t, q->n + 1), n = 0, m = 0;
	bool ok = true;

	for (uint32_t i = 0; i < q->n; i++)
		if (q->items[i].ef < q->items[i].ds)
			in[m++] = &q->items[i];
	qsort(in, m, sizeof *in, by_ef);
	for (uint32_t i = 0; i < m; i++) { /* the union as disjoint open intervals */
		if (n && in[i]->ef < hi[n - 1]) {
			hi[n - 1] = MAX(hi[n - 1], in[i]->ds);
		} else {
			lo[n] = in[i]->ef;
			hi[n++] = in[i]->ds;
		}
	}
	for (uint32_t i = 0; i < p->n && ok; i++) {
		uint32_t l = 0, r = n, s = lop_start(p, i);
		if (p->ops[i].code != C_DEQ || p->ops[i].out != VAL_NULL)
			continue;
		while (l < r) {
			uint32_t mid = (l + r) / 2;
			if (lo[mid] < s)
				l = mid + 1;
			else
				r = mid;
		}
		at[i] = l && hi[l - 1] > s ? hi[l - 1] : s;
		if (at[i] > lop_finish(p, i)) {
			const struct item *it = in[0];
			for (uint32_t k = 0; k < m; k++)
				if (in[k]->ef < s && in[k]->ds > lop_finish(p, i))
					it = in[k];
			NOT_LIN(q->f, q->r, WHY_NOT_EMPTY, p->ops[it->enq].a, i, it->enq);
			ok = false;
		}
	}
	free(in);
	free(lo);
	free(hi);
	return ok;
}

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_by(const struct fifo *q, uint32_t *index, size_t field)
{
	uint64_t *t = xnewn(uint64_t, q->n + 1);

	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t x;
		memcpy(&x, (const char *)&q->items[i] + field, sizeof x);
		t[i] = (uint64_t)x << 32 | i;
	}
	qsort(t, q->n, sizeof *t, by_u64);
	for (uint32_t i = 0; i < q->n; i++)
		index[i] = (uint32_t)t[i];
	free(t);
}

/*
 * The values in one order for going in and for coming out: repeatedly one that no other must precede, that is, whose
 * starts are not behind the earliest finish left. Pointers only move on, since the earliest finishes only grow.
 */
static bool order_values(struct fifo *q, uint32_t *order)
{
	uint32_t n = q->n, *es = xnewn(uint32_t, 4 * (size_t)n + 1), *ds = es + n, *ef = es + 2 * n, *df = es + 3 * n;
	uint32_t *ready = xnewn(uint32_t, n + 1), nready = 0, ie = 0, id = 0, ief = 0, idf = 0, done = 0;
	uint8_t *mark = xcalloc(n + 1, 1);

	sort_by(q, es, offsetof(struct item, es));
	sort_by(q, ds, offsetof(struct item, ds));
	sort_by(q, ef, offsetof(struct item, ef));
	sort_by(q, df, offsetof(struct item, df));
	while (done < n) {
		while (mark[ef[ief]] & 4)
			ief++;
		while (mark[df[idf]] & 4)
			idf++;
		for (; ie < n && q->items[es[ie]].es <= q->items[ef[ief]].ef; ie++)
			if ((mark[es[ie]] |= 1) == 3)
				ready[nready++] = es[ie];
		for (; id < n && q->items[ds[id]].ds <= q->items[df[idf]].df; id++)
			if ((mark[ds[id]] |= 2) == 3)
				ready[nready++] = ds[id];
		if (done == nready)
			break;
		mark[ready[done]] |= 4;
		order[done] = ready[done];
		done++;
	}
	free(es);
	free(mark);
	free(ready);
	return done == n;
}

struct event {
	uint32_t segment, at, rank, op;
	uint8_t kind; /* at one time: enqueues, dequeues; an empty result ends its segment */
};

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->segment != y->segment)
		return x->segment < y->segment ? -1 : 1;
	if (x->at != y->at && x->kind < 2 && y->kind < 2)
		return x->at < y->at ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/*
 * Empty results cut time into segments: a value lies wholly in the one where its dequeue starts. Inside a segment
 * every operation takes effect as early as the order of values allows.
 */
static void emit(struct fifo *q, const uint32_t *order, const uint32_t *empty_at)
{
	const struct part *p = q->p;
	struct event *ev = xnewn(struct event, p->n + 1);
	uint64_t *gaps = xnewn(uint64_t, p->n + 1);
	uint32_t n = 0, ngaps = 0, *te = xnewn(uint32_t, p->n + 2), *td = xnewn(uint32_t, p->n + 2);

	for (uint32_t i = 0; i < p->n; i++)
		if (p->ops[i].code == C_DEQ && p->ops[i].out == VAL_NULL)
			gaps[ngaps++] = empty_at[i];
	qsort(gaps, ngaps, sizeof *gaps, by_u64);
	for (uint32_t i = 0; i <= ngaps; i++)
		te[i] = td[i] = i ? (uint32_t)gaps[i - 1] : 0;
	for (uint32_t i = 0; i < p->n + q->n; i++) {
		bool value = i >= p->n;
		const struct item *it = value ? &q->items[order[i - p->n]] : NULL;
		uint32_t t = value ? it->ds : empty_at[i], l = 0, r = ngaps;
		if (!value && (p->ops[i].code != C_DEQ || p->ops[i].out != VAL_NULL))
			continue;
		while (l < r) { /* gaps before t */
			uint32_t mid = (l + r) / 2;
			if (gaps[mid] < t)
				l = mid + 1;
			else
				r = mid;
		}
		if (!value) {
			ev[n++] = (struct event){.segment = l, .rank = i, .op = i, .kind = 2};
			continue;
		}
		te[l] = MAX(te[l], it->es);
		ev[n++] = (struct event){.segment = l, .at = te[l], .rank = i, .op = it->enq, .kind = 0};
		if (it->deq == NIL)
			continue;
		td[l] = MAX(td[l], it->ds);
		ev[n++] = (struct event){.segment = l, .at = td[l], .rank = i, .op = it->deq, .kind = 1};
	}
	qsort(ev, n, sizeof *ev, by_time);
	q->f->order = xnewn(uint32_t, p->n + 1);
	for (uint32_t i = 0; i < n; i++)
		q->f->order[q->f->norder++] = ev[i].op;
	q->f->verdict = LINEARIZABLE;
	free(ev);
	free(gaps);
	free(te);
	free(td);
}

void monitor_fifo(const struct part *p, struct found *f, struct reason *r)
{
	struct fifo q = {.p = p, .f = f, .r = r};
	uint32_t *order, *at;

	if (p->initial != VAL_NONE && val_len(p->h->v, p->initial))
		return;
	order = xnewn(uint32_t, p->n + 1);
	at = xnewn(uint32_t, p->n + 1);
	if (pair(&q) && tighten(&q) && order_holds(&q) && place_empties(&q, at) && order_values(&q, order))
		emit(&q, order, at);
	free(order);
	free(at);
	free(q.items);
}
