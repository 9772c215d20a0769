/*
 * Stacks with unique values, by decrease and conquer.
 *
 * A value is certainly inside after its push's finish and before its pop's start. At a moment where no value is certainly
 * inside, the history can be cut in two: restricting a legal order to some values leaves it legal, so the values left of
 * the cut can all come first. A value whose push can be first and whose pop can be last can be taken as the outermost
 * one: moving its pair outside of a legal order leaves it legal. A history that offers neither is not linearizable.
 * "Empty" results need moments where nothing is certainly inside, and cut there first.
 */
#include "checker/monitor.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NIL = UINT32_MAX };

struct item {
	uint32_t push, pop;          /* lops; pop NIL: stays inside */
	uint32_t us, uf, os, of;     /* push starts, finishes; pop starts, finishes */
	uint8_t mark;
	uint32_t side;
};

/* One subproblem: its items in four orders. */
struct piece {
	uint32_t *us, *uf, *os, *of; /* items by start and finish of push and pop */
	uint32_t n;
};

struct lifo {
	const struct part *p;
	struct found *f;
	struct reason *r;
	struct item *items;
	uint32_t n;
	uint64_t work, budget;
};

static bool pair(struct lifo *q)
{
	const struct part *p = q->p;
	struct map at = {0};
	bool ok = true;

	q->items = xnewn(struct item, p->n + 1);
	for (uint32_t i = 0; i < p->n && ok; i++) {
		const struct lop *l = &p->ops[i];
		if (l->code != C_PUSH)
			continue;
		ok = !map_get(&at, l->a);
		q->items[q->n] = (struct item){.push = i, .pop = NIL};
		map_put(&at, l->a, (void *)(uintptr_t)(++q->n));
	}
	for (uint32_t i = 0; i < p->n && ok; i++) {
		const struct lop *l = &p->ops[i];
		uintptr_t k;
		if (l->code != C_POP || l->out == VAL_NULL)
			continue;
		ok = l->out != VAL_NONE; /* an unknown pop may have taken anything */
		if (!ok)
			break;
		k = (uintptr_t)map_get(&at, l->out);
		if (!k)
			NOT_LIN(q->f, q->r, WHY_NEVER_WRITTEN, l->out, i);
		else if (q->items[k - 1].pop != NIL)
			NOT_LIN(q->f, q->r, WHY_TWICE, l->out, q->items[k - 1].pop, i);
		else
			q->items[k - 1].pop = i;
		ok = q->f->verdict == UNDECIDED;
	}
	map_clear(&at);
	return ok;
}

static bool positions(struct lifo *q)
{
	const struct part *p = q->p;
	uint32_t n = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		struct item it = q->items[i];
		if (p->ops[it.push].unknown && it.pop == NIL)
			continue;
		it.us = lop_start(p, it.push);
		it.uf = lop_finish(p, it.push);
		it.os = it.pop == NIL ? NEVER : lop_start(p, it.pop);
		it.of = it.pop == NIL ? NEVER : lop_finish(p, it.pop);
		if (it.of < it.us) {
			NOT_LIN(q->f, q->r, WHY_TOO_EARLY, p->ops[it.pop].out, it.pop, it.push);
			return false;
		}
		q->items[n++] = it;
	}
	q->n = n;
	return true;
}

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void piece_clear(struct piece *x)
{
	free(x->us);
	free(x->uf);
	free(x->os);
	free(x->of);
}

/* The items of each side, in the same four orders: one pass over each. */
static struct piece *split(const struct lifo *q, const struct piece *from, uint32_t sides)
{
	struct piece *x = xnewn(struct piece, sides + 1);
	uint32_t *next = xnewn(uint32_t, sides + 1);

	for (uint32_t i = 0; i < from->n; i++)
		if (q->items[from->us[i]].side != NIL)
			x[q->items[from->us[i]].side].n++;
	for (uint32_t k = 0; k < sides; k++) {
		x[k].us = xnewn(uint32_t, x[k].n + 1);
		x[k].uf = xnewn(uint32_t, x[k].n + 1);
		x[k].os = xnewn(uint32_t, x[k].n + 1);
		x[k].of = xnewn(uint32_t, x[k].n + 1);
	}
	for (int o = 0; o < 4; o++) {
		const uint32_t *src = o == 0 ? from->us : o == 1 ? from->uf : o == 2 ? from->os : from->of;
		memset(next, 0, (sides + 1) * sizeof *next);
		for (uint32_t i = 0; i < from->n; i++) {
			uint32_t side = q->items[src[i]].side;
			if (side == NIL)
				continue;
			struct piece *to = &x[side];
			(o == 0 ? to->us : o == 1 ? to->uf : o == 2 ? to->os : to->of)[next[side]++] = src[i];
		}
	}
	free(next);
	return x;
}

/* Take off outermost values while there are any: their pushes in order to `order`. Returns how many. */
static uint32_t peel(struct lifo *q, struct piece *x, uint32_t *outer)
{
	uint32_t n = x->n, iu = 0, io = n, fu = 0, fo = 0, su = n, so = n, got = 0, ready = 0;
	uint32_t *queue = xnewn(uint32_t, n + 1);

	for (uint32_t i = 0; i < n; i++)
		q->items[x->us[i]].mark = 0;
	while (got < n) {
		uint32_t min_finish, max_start;
		while (fu < n && q->items[x->uf[fu]].mark & 4)
			fu++;
		while (fo < n && q->items[x->of[fo]].mark & 4)
			fo++;
		while (su && q->items[x->us[su - 1]].mark & 4)
			su--;
		while (so && q->items[x->os[so - 1]].mark & 4)
			so--;
		min_finish = MIN(q->items[x->uf[fu]].uf, q->items[x->of[fo]].of);
		max_start = MAX(q->items[x->us[su - 1]].us, q->items[x->os[so - 1]].os);
		for (; iu < n && q->items[x->us[iu]].us <= min_finish; iu++)
			if ((q->items[x->us[iu]].mark |= 1) == 3)
				queue[ready++] = x->us[iu];
		for (; io && q->items[x->of[io - 1]].of >= max_start; io--)
			if ((q->items[x->of[io - 1]].mark |= 2) == 3)
				queue[ready++] = x->of[io - 1];
		if (got == ready)
			break;
		q->items[queue[got]].mark |= 4;
		outer[got] = queue[got];
		got++;
	}
	q->work += n;
	free(queue);
	return got;
}

/* Cut what is left of x (not taken off) at moments where nothing is certainly inside: item.side is the piece. */
static uint32_t cut(struct lifo *q, const struct piece *x)
{
	uint32_t sides = 0, end = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		struct item *it = &q->items[x->uf[i]]; /* by start of certainty */
		it->side = NIL;
		if (it->mark & 4)
			continue;
		if (!sides || it->uf >= end)
			sides++;
		end = MAX(end, it->os);
		it->side = sides - 1;
	}
	q->work += x->n;
	return sides;
}

static void put(struct lifo *q, uint32_t op)
{
	if (op != NIL)
		q->f->order[q->f->norder++] = op;
}

/* Work waiting: a piece to solve, or a pop to emit. */
struct task {
	struct piece piece;
	uint32_t pop;
	bool is_pop;
};

struct tasks {
	struct task *t;
	uint32_t n, cap;
};

static void task_push(struct tasks *s, struct task t)
{
	if (s->n == s->cap) {
		s->cap = s->cap * 2 + 64;
		s->t = xrealloc(s->t, s->cap * sizeof *s->t);
	}
	s->t[s->n++] = t;
}

/* Two values of a piece that has no order, where they alone tell why: one came out while the other lay on top of it. */
static void name_pair(struct lifo *q, const struct piece *x)
{
	for (uint32_t i = 0; i < MIN(x->n, 400); i++)
		for (uint32_t k = 0; k < MIN(x->n, 400); k++) {
			const struct item *low = &q->items[x->us[i]], *top = &q->items[x->us[k]];
			if (low->pop == NIL || low->uf >= top->us || top->uf >= low->os || low->of >= top->os)
				continue;
			NOT_LIN(q->f, q->r, WHY_LIFO, q->p->ops[top->push].a, low->pop, top->push, low->push);
			return;
		}
	NOT_LIN(q->f, q->r, WHY_LIFO, VAL_NONE, q->items[x->us[0]].push);
}

/* Solve one piece: emit the outer pushes, leave the inner pieces and the outer pops as tasks. */
static bool solve(struct lifo *q, struct piece *x, struct tasks *s)
{
	uint32_t *outer = xnewn(uint32_t, x->n + 1), n = peel(q, x, outer), sides;
	struct piece *pieces;

	for (uint32_t i = 0; i < n; i++)
		put(q, q->items[outer[i]].push);
	for (uint32_t i = 0; i < n; i++) /* the last pushed comes off first: it is on top of the tasks */
		task_push(s, (struct task){.is_pop = true, .pop = q->items[outer[i]].pop});
	free(outer);
	if (n == x->n)
		return true;
	sides = cut(q, x);
	if (sides < 2 && !n) {
		name_pair(q, x);
		return false;
	}
	pieces = split(q, x, sides);
	for (uint32_t k = sides; k-- > 0;)
		task_push(s, (struct task){.piece = pieces[k]});
	free(pieces);
	return q->work < q->budget;
}

static bool solve_all(struct lifo *q, struct piece x)
{
	struct tasks s = {0};
	bool ok = true;

	task_push(&s, (struct task){.piece = x});
	while (s.n) {
		struct task t = s.t[--s.n];
		if (t.is_pop) {
			put(q, t.pop);
			continue;
		}
		if (ok)
			ok = t.piece.n == 0 || solve(q, &t.piece, &s);
		piece_clear(&t.piece);
	}
	free(s.t);
	return ok;
}

/* Moments for the empty results, in order of time; false: some value is certainly inside all along. */
static bool place_empties(struct lifo *q, const struct piece *x, uint32_t *at)
{
	const struct part *p = q->p;
	uint32_t *lo = xnewn(uint32_t, q->n + 1), *hi = xnewn(uint32_t, q->n + 1), n = 0;
	bool ok = true;

	for (uint32_t i = 0; i < x->n; i++) {
		const struct item *it = &q->items[x->uf[i]];
		if (n && it->uf < hi[n - 1]) {
			hi[n - 1] = MAX(hi[n - 1], it->os);
		} else {
			lo[n] = it->uf;
			hi[n++] = it->os;
		}
	}
	for (uint32_t i = 0; i < p->n && ok; i++) {
		uint32_t s = lop_start(p, i), l = 0, r = n;
		if (p->ops[i].code != C_POP || p->ops[i].out != VAL_NULL)
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
			uint32_t who = x->uf[0];
			for (uint32_t k = 0; k < x->n; k++)
				if (q->items[x->uf[k]].uf < s && q->items[x->uf[k]].os > lop_finish(p, i))
					who = x->uf[k];
			NOT_LIN(q->f, q->r, WHY_NOT_EMPTY, p->ops[q->items[who].push].a, i, q->items[who].push);
			ok = false;
		}
	}
	free(lo);
	free(hi);
	return ok;
}

/* Segments between the moments of the empty results, each solved on its own. */
static bool segments(struct lifo *q, const struct piece *all, const uint32_t *at)
{
	const struct part *p = q->p;
	uint64_t *gaps = xnewn(uint64_t, p->n + 1);
	uint32_t n = 0;
	struct piece *pieces;
	bool ok = true;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->ops[i].code == C_POP && p->ops[i].out == VAL_NULL)
			gaps[n++] = (uint64_t)at[i] << 32 | i;
	qsort(gaps, n, sizeof *gaps, by_u64);
	for (uint32_t i = 0; i < all->n; i++) {
		struct item *it = &q->items[all->us[i]];
		uint32_t l = 0, r = n;
		while (l < r) {
			uint32_t mid = (l + r) / 2;
			if ((uint32_t)(gaps[mid] >> 32) < it->os)
				l = mid + 1;
			else
				r = mid;
		}
		it->side = l;
	}
	pieces = split(q, all, n + 1);
	for (uint32_t k = 0; k <= n; k++) {
		if (ok)
			ok = solve_all(q, pieces[k]);
		else
			piece_clear(&pieces[k]);
		if (ok && k < n)
			put(q, (uint32_t)gaps[k]);
	}
	free(pieces);
	free(gaps);
	return ok;
}

/*
 * Values that are nowhere certainly inside go in and out again at one moment, which never disturbs the others: they are
 * left out above and put in here, by the earliest times that the order allows.
 */
static void insert_brief(struct lifo *q)
{
	const struct part *p = q->p;
	struct found *f = q->f;
	uint64_t *brief = xnewn(uint64_t, q->n + 1);
	uint32_t n = 0, k = 0, time = 0, m = 0, *order = xnewn(uint32_t, p->n + 1);

	for (uint32_t i = 0; i < q->n; i++)
		if (q->items[i].uf >= q->items[i].os)
			brief[n++] = (uint64_t)MAX(q->items[i].us, q->items[i].os) << 32 | i;
	qsort(brief, n, sizeof *brief, by_u64);
	for (uint32_t i = 0; i <= f->norder; i++) {
		if (i < f->norder)
			time = MAX(time, lop_start(p, f->order[i]));
		for (; k < n && (i == f->norder || brief[k] >> 32 < time); k++) {
			const struct item *it = &q->items[(uint32_t)brief[k]];
			order[m++] = it->push;
			if (it->pop != NIL)
				order[m++] = it->pop;
		}
		if (i < f->norder)
			order[m++] = f->order[i];
	}
	free(f->order);
	free(brief);
	f->order = order;
	f->norder = m;
}

/* The items that are certainly inside at some moment, in one of the four orders. */
static uint32_t *sorted(const struct lifo *q, size_t field, uint32_t *n)
{
	uint64_t *t = xnewn(uint64_t, q->n + 1);
	uint32_t *index = xnewn(uint32_t, q->n + 1), m = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t x;
		if (q->items[i].uf >= q->items[i].os)
			continue;
		memcpy(&x, (const char *)&q->items[i] + field, sizeof x);
		t[m++] = (uint64_t)x << 32 | i;
	}
	qsort(t, m, sizeof *t, by_u64);
	for (uint32_t i = 0; i < m; i++)
		index[i] = (uint32_t)t[i];
	free(t);
	*n = m;
	return index;
}

void monitor_lifo(const struct part *p, struct found *f, struct reason *r)
{
	struct lifo q = {.p = p, .f = f, .r = r, .budget = 400ull * p->n + 10000000};
	struct piece all;
	uint32_t *at;

	if (p->initial != VAL_NONE && val_len(p->h->v, p->initial))
		return;
	if (!pair(&q) || !positions(&q)) {
		free(q.items);
		return;
	}
	all.us = sorted(&q, offsetof(struct item, us), &all.n);
	all.uf = sorted(&q, offsetof(struct item, uf), &all.n);
	all.os = sorted(&q, offsetof(struct item, os), &all.n);
	all.of = sorted(&q, offsetof(struct item, of), &all.n);
	at = xnewn(uint32_t, p->n + 1);
	f->order = xnewn(uint32_t, p->n + 1);
	if (place_empties(&q, &all, at) && segments(&q, &all, at)) {
		insert_brief(&q);
		f->verdict = LINEARIZABLE;
	} else {
		free(f->order);
		f->order = NULL;
		f->norder = 0;
	}
	piece_clear(&all);
	free(at);
	free(q.items);
}
