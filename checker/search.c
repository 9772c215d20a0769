#include "checker/search.h"

#include "checker/confcache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED (1u << 31) /* in a trail: the unknown operation did not take effect */

/* Entries of the list of events: the call of item i is i, its return n + i; HEAD is 2n. */
struct links {
	uint32_t prev, next;
};

struct frame {
	state_t state;
	uint32_t cand, ncand, next; /* candidates: in srch.cands */
	uint32_t trail;             /* length of the trail at entry */
	uint32_t lo, hi;            /* words of the bit set: below lo all ones, above hi all zeros */
	bool pending;               /* an unknown operation changed the state and nothing has observed it */
};

struct cand {
	uint32_t id;  /* item, or nitems + class */
	state_t next;
	uint32_t ret; /* for the order of trying */
};

/* Unknown operations with equal arguments and no edges: the first `used` of them have taken effect. */
struct class {
	uint32_t first, count, used; /* in srch.members */
};

struct srch {
	const struct part *p;
	const struct limits *lim;
	struct machine m;
	uint32_t nitems, nrequired, ndone;
	uint32_t *item; /* lop of each item */
	struct links *list;
	uint64_t *bits;
	struct class *classes;
	uint32_t nclasses, *members;
	uint32_t *npreds, *succ_at, *succ; /* edges between items */
	bool *optional;
	uint32_t *trail; /* items and classes in the order in which they took effect */
	uint32_t ntrail;
	struct frame *frames;
	uint32_t nframes, frames_cap;
	struct cand *cands;
	uint32_t ncands, cands_cap;
	struct confcache cache;
	uint32_t *key;
	bool blind; /* some operation is blind: `pending` matters */
	uint64_t visited;
	uint32_t best; /* most required operations done at once */
	struct found *f;
};

static const struct lop *lop_of(const struct srch *s, uint32_t id)
{
	const struct class *c;

	if (id < s->nitems)
		return &s->p->ops[s->item[id]];
	c = &s->classes[id - s->nitems];
	return &s->p->ops[s->members[c->first + c->used]];
}

static void unlink_entry(struct srch *s, uint32_t e)
{
	struct links *l = &s->list[e];

	s->list[l->prev].next = l->next;
	s->list[l->next].prev = l->prev;
}

static void relink_entry(struct srch *s, uint32_t e)
{
	struct links *l = &s->list[e];

	s->list[l->prev].next = e;
	s->list[l->next].prev = e;
}

static bool has_return(const struct srch *s, uint32_t i)
{
	return s->p->realtime && s->p->ops[s->item[i]].ret != NEVER;
}

/* Without real time only ready items are in the list; they enter it at the end. */
static void enter_list(struct srch *s, uint32_t i)
{
	uint32_t head = 2 * s->nitems;

	s->list[i] = (struct links){.prev = s->list[head].prev, .next = head};
	relink_entry(s, i);
}

static void take_item(struct srch *s, uint32_t i)
{
	unlink_entry(s, i);
	if (has_return(s, i))
		unlink_entry(s, s->nitems + i);
	s->bits[i / 64] |= 1ull << (i % 64);
	s->ndone += !s->optional[i];
	for (uint32_t k = s->succ_at[i]; k < s->succ_at[i + 1]; k++)
		if (!--s->npreds[s->succ[k]] && !s->p->realtime)
			enter_list(s, s->succ[k]);
}

static void untake_item(struct srch *s, uint32_t i)
{
	for (uint32_t k = s->succ_at[i + 1]; k-- > s->succ_at[i];)
		if (!s->npreds[s->succ[k]]++ && !s->p->realtime)
			unlink_entry(s, s->succ[k]);
	s->ndone -= !s->optional[i];
	s->bits[i / 64] &= ~(1ull << (i % 64));
	if (has_return(s, i))
		relink_entry(s, s->nitems + i);
	relink_entry(s, i);
}

static void take(struct srch *s, uint32_t id)
{
	s->trail[s->ntrail++] = id;
	id &= ~SKIPPED;
	if (id < s->nitems)
		take_item(s, id);
	else
		s->classes[id - s->nitems].used++;
}

static void untake_to(struct srch *s, uint32_t mark)
{
	while (s->ntrail > mark) {
		uint32_t id = s->trail[--s->ntrail] & ~SKIPPED;
		if (id < s->nitems)
			untake_item(s, id);
		else
			s->classes[id - s->nitems].used--;
	}
}

/* Reads that are possible now take effect. With edges a read may set others free: then look again. */
static void eager_reads(struct srch *s, struct frame *f)
{
	uint32_t head = 2 * s->nitems, e, before;
	bool again;

	do {
		again = false;
		before = head;
		while ((e = s->list[before].next) < s->nitems) {
			const struct lop *l = lop_of(s, e);
			if (!l->readonly || s->npreds[e] || s->p->model->step(&s->m, f->state, l) == STATE_BAD) {
				before = e;
				continue;
			}
			take(s, e);
			f->pending = false;
			again = s->succ_at[s->nitems] > 0;
		}
	} while (again);
}

static void add_cand(struct srch *s, struct frame *f, uint32_t id, state_t next, uint32_t ret)
{
	uint32_t i;

	if (s->ncands == s->cands_cap) {
		s->cands_cap = s->cands_cap * 2 + 256;
		s->cands = xrealloc(s->cands, s->cands_cap * sizeof *s->cands);
	}
	for (i = s->ncands++; i > f->cand && s->cands[i - 1].ret > ret; i--)
		s->cands[i] = s->cands[i - 1];
	s->cands[i] = (struct cand){.id = id, .next = next, .ret = ret};
	f->ncand++;
}

static bool doomed(struct srch *s, state_t state, const struct lop *l)
{
	return s->p->model->doomed && s->p->model->doomed(&s->m, state, l);
}

static void gather(struct srch *s, struct frame *f)
{
	uint32_t head = 2 * s->nitems, e, bound;

	f->cand = s->ncands;
	f->ncand = f->next = 0;
	for (e = s->list[head].next; e < s->nitems; e = s->list[e].next) {
		const struct lop *l = lop_of(s, e);
		state_t next;
		if (s->npreds[e] || l->readonly)
			continue;
		if (s->optional[e])
			add_cand(s, f, e | SKIPPED, f->state, NEVER);
		if (f->pending && l->blind)
			continue;
		next = s->p->model->step(&s->m, f->state, l);
		if (next != STATE_BAD && (next != f->state || !l->unknown) && !doomed(s, next, l))
			add_cand(s, f, e, next, l->ret);
	}
	bound = e == head ? NEVER : lop_of(s, e - s->nitems)->ret;
	for (uint32_t c = 0; c < s->nclasses; c++) {
		struct class *k = &s->classes[c];
		const struct lop *l = lop_of(s, s->nitems + c);
		state_t next;
		if (k->used == k->count || (s->p->realtime && l->call > bound) || (f->pending && l->blind))
			continue;
		next = s->p->model->step(&s->m, f->state, l);
		if (next != STATE_BAD && next != f->state && !doomed(s, next, l))
			add_cand(s, f, s->nitems + c, next, NEVER);
	}
}

/* The configuration as words: state, window of the bit set, counts of the classes in use. */
static uint32_t make_key(struct srch *s, struct frame *f)
{
	uint32_t words = (s->nitems + 63) / 64, n = 0, *k = s->key;

	for (uint32_t i = f->trail; i < s->ntrail; i++)
		if ((s->trail[i] & ~SKIPPED) < s->nitems)
			f->hi = MAX(f->hi, (s->trail[i] & ~SKIPPED) / 64);
	while (f->lo < words && s->bits[f->lo] == UINT64_MAX)
		f->lo++;
	k[n++] = f->state;
	k[n++] = f->lo << 1 | f->pending;
	k[n++] = 0; /* how many words of the bit set follow */
	for (uint32_t w = f->lo; w <= f->hi && w < words; w++) {
		k[n++] = (uint32_t)s->bits[w];
		k[n++] = (uint32_t)(s->bits[w] >> 32);
	}
	while (n > 3 && !k[n - 1])
		n--;
	k[2] = n - 3;
	for (uint32_t c = 0; c < s->nclasses; c++)
		if (s->classes[c].used) {
			k[n++] = c;
			k[n++] = s->classes[c].used;
		}
	return n;
}

static uint32_t trail_lop(struct srch *s, uint32_t i, uint32_t *used)
{
	uint32_t id = s->trail[i];
	const struct class *c;

	if (id < s->nitems)
		return s->item[id];
	c = &s->classes[id - s->nitems];
	return s->members[c->first + used[id - s->nitems]++];
}

static void keep_trail(struct srch *s)
{
	uint32_t *used = xnewn(uint32_t, s->nclasses + 1);

	s->f->order = xrealloc(s->f->order, (s->ntrail + 1) * sizeof *s->f->order);
	s->f->norder = 0;
	for (uint32_t i = 0; i < s->ntrail; i++) {
		if (!(s->trail[i] & SKIPPED))
			s->f->order[s->f->norder++] = trail_lop(s, i, used);
	}
	free(used);
}

/* Enter the configuration of the last frame. false: seen before, or stuck. */
static bool enter(struct srch *s, struct frame *f)
{
	uint32_t n;

	eager_reads(s, f);
	if (s->ndone > s->best) {
		s->best = s->ndone;
		if (s->lim->deepest && s->ndone < s->nrequired)
			keep_trail(s);
	}
	if (s->ndone == s->nrequired)
		return true;
	n = make_key(s, f);
	if (!confcache_add(&s->cache, s->key, n))
		return false;
	s->visited++;
	gather(s, f);
	return true;
}

static bool out_of_budget(struct srch *s)
{
	if (s->visited >= s->lim->configs)
		return true;
	if (s->visited % 1024 == 0) {
		size_t used = states_bytes(&s->m.st);
		for (uint32_t i = 0; s->m.subs && i < s->p->nsubs; i++)
			used += states_bytes(&s->m.subs[i].st);
		if (used > s->lim->memory / 2) {
			s->f->out_of_memory = true;
			return true;
		}
		if (s->lim->expired && s->lim->expired(s->lim->arg)) {
			s->f->out_of_time = true;
			return true;
		}
	}
	return false;
}

static struct frame *push_frame(struct srch *s)
{
	if (s->nframes == s->frames_cap) {
		s->frames_cap = s->frames_cap * 2 + 64;
		s->frames = xrealloc(s->frames, s->frames_cap * sizeof *s->frames);
	}
	s->frames[s->nframes] = (struct frame){0};
	return &s->frames[s->nframes++];
}

static enum verdict run(struct srch *s)
{
	struct frame *f = push_frame(s), *child;

	f->state = s->p->model->initial(&s->m);
	enter(s, f);
	while (s->nframes) {
		struct cand *c;
		if (s->ndone == s->nrequired)
			return LINEARIZABLE;
		f = &s->frames[s->nframes - 1];
		if (f->next == f->ncand) {
			s->ncands = f->cand;
			s->nframes--;
			untake_to(s, f->trail);
			continue;
		}
		if (out_of_budget(s))
			return UNDECIDED;
		c = &s->cands[f->cand + f->next++];
		child = push_frame(s);
		f = child - 1;
		child->state = c->next;
		child->trail = s->ntrail;
		child->lo = f->lo;
		child->hi = f->hi;
		child->cand = s->ncands;
		child->pending = c->id & SKIPPED ? f->pending : s->blind && lop_of(s, c->id)->unknown;
		take(s, c->id);
		enter(s, child);
	}
	return NOT_LINEARIZABLE;
}

struct entry {
	uint64_t at;
	uint32_t e;
};

static int by_event(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->e < y->e ? -1 : x->e > y->e;
}

static void build_list(struct srch *s)
{
	uint32_t n = s->nitems, head = 2 * n, events = 0;
	struct entry *ev = xnewn(struct entry, 2 * (size_t)n + 1);

	s->list = xnewn(struct links, head + 1);
	s->list[head] = (struct links){head, head};
	for (uint32_t i = 0; i < n; i++) {
		const struct lop *l = lop_of(s, i);
		if (!s->p->realtime && s->npreds[i])
			continue;
		ev[events++] = (struct entry){s->p->realtime ? (uint64_t)l->call * 2 : i, i};
		if (has_return(s, i))
			ev[events++] = (struct entry){(uint64_t)l->ret * 2 + 1, n + i};
	}
	qsort(ev, events, sizeof *ev, by_event);
	for (uint32_t k = 0; k < events; k++) {
		uint32_t e = ev[k].e;
		s->list[e] = (struct links){.prev = s->list[head].prev, .next = head};
		relink_entry(s, e);
	}
	free(ev);
}

static bool same_arguments(const struct part *p, const struct lop *a, const struct lop *b)
{
	if (p->subs)
		return a->list == b->list && same_arguments(p->subs[a->list], &p->subs[a->list]->ops[a->nlist],
		                                            &p->subs[b->list]->ops[b->nlist]);
	return a->code == b->code && a->code != C_USER && a->a == b->a && a->b == b->b && a->n == b->n &&
	       a->t0 == b->t0 && a->nlist == b->nlist &&
	       (!a->nlist || !memcmp(p->words + a->list, p->words + b->list, a->nlist * sizeof *p->words));
}

/* Members of a class are in order of call, since the operations are. */
static void build_classes(struct srch *s, const bool *has_edge)
{
	const struct part *p = s->p;
	uint32_t *class_of = xmalloc((p->n + 1) * sizeof *class_of), nunknown = 0, at = 0;

	s->classes = xnewn(struct class, p->n + 1);
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t c = 0;
		class_of[i] = NEVER;
		if (!p->ops[i].unknown || has_edge[i])
			continue;
		while (c < s->nclasses && !same_arguments(p, &p->ops[s->classes[c].first], &p->ops[i]))
			c++;
		if (c == s->nclasses)
			s->classes[s->nclasses++].first = i;
		s->classes[c].count++;
		class_of[i] = c;
		nunknown++;
	}
	s->members = xnewn(uint32_t, nunknown + 1);
	for (uint32_t c = 0; c < s->nclasses; c++) {
		s->classes[c].first = at;
		at += s->classes[c].count;
		s->classes[c].count = 0;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (class_of[i] != NEVER) {
			struct class *c = &s->classes[class_of[i]];
			s->members[c->first + c->count++] = i;
		}
	free(class_of);
}

static void build_edges(struct srch *s, const uint32_t *item_of)
{
	const struct part *p = s->p;
	uint32_t n = s->nitems;

	s->npreds = xnewn(uint32_t, n + 1);
	s->succ_at = xnewn(uint32_t, n + 2);
	s->succ = xnewn(uint32_t, p->nedges + 1);
	for (size_t i = 0; i < p->nedges; i++) {
		s->npreds[item_of[p->edges[i].to]]++;
		s->succ_at[item_of[p->edges[i].from] + 1]++;
	}
	for (uint32_t i = 0; i < n; i++)
		s->succ_at[i + 1] += s->succ_at[i];
	uint32_t *fill = xmemdup(s->succ_at, (n + 1) * sizeof *fill);
	for (size_t i = 0; i < p->nedges; i++)
		s->succ[fill[item_of[p->edges[i].from]]++] = item_of[p->edges[i].to];
	free(fill);
}

static void build(struct srch *s)
{
	const struct part *p = s->p;
	bool *has_edge = xcalloc(p->n + 1, 1);
	uint32_t *item_of = xmalloc((p->n + 1) * sizeof *item_of);

	for (size_t i = 0; i < p->nedges; i++)
		has_edge[p->edges[i].from] = has_edge[p->edges[i].to] = true;
	s->item = xnewn(uint32_t, p->n + 1);
	s->optional = xcalloc(p->n + 1, 1);
	for (uint32_t i = 0; i < p->n; i++) {
		s->blind |= p->ops[i].blind;
		if (p->ops[i].unknown && !has_edge[i])
			continue;
		s->optional[s->nitems] = p->ops[i].unknown;
		s->nrequired += !p->ops[i].unknown;
		item_of[i] = s->nitems;
		s->item[s->nitems++] = i;
	}
	build_classes(s, has_edge);
	build_edges(s, item_of);
	build_list(s);
	s->bits = xnewn(uint64_t, s->nitems / 64 + 1);
	s->trail = xnewn(uint32_t, p->n + 1);
	s->key = xnewn(uint32_t, s->nitems / 32 + 2 * s->nclasses + 9);
	free(has_edge);
	free(item_of);
}

void search(const struct part *p, const struct limits *lim, struct found *f)
{
	struct srch s = {.p = p, .lim = lim, .f = f};

	*f = (struct found){0};
	machine_init(&s.m, p);
	build(&s);
	confcache_init(&s.cache, lim->memory / 2);
	f->verdict = run(&s);
	if (f->verdict == LINEARIZABLE)
		keep_trail(&s);
	f->visited = s.visited;
	f->left = s.nrequired - s.best;
	confcache_clear(&s.cache);
	machine_clear(&s.m);
	free(s.item);
	free(s.list);
	free(s.bits);
	free(s.classes);
	free(s.members);
	free(s.npreds);
	free(s.succ_at);
	free(s.succ);
	free(s.optional);
	free(s.trail);
	free(s.frames);
	free(s.cands);
	free(s.key);
}

void found_clear(struct found *f)
{
	free(f->order);
	*f = (struct found){0};
}
