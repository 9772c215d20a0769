/*
 * Cycles. Every cycle lies inside a strongly connected component of the whole graph; without one, all levels hold as far
 * as cycles go. Inside a component, for the edges alone, then with process order, then with real time:
 *
 *     G0             a component of ww edges
 *     G1c            a component of ww and wr edges with a wr edge in it
 *     G-single       an rw edge whose tail is reachable from its head without another rw edge
 *     G-nonadjacent  a component of the product graph that allows no two rw edges in a row
 *     G2-item        an rw edge that needs further rw edges to come back
 *
 * An example is a shortest cycle of its kind: breadth-first searches through every edge that may lie on one, never deeper
 * than what would be shorter than the best so far (of any component). Where that is too much work, the best so far stays.
 */
#include "checker/txn_graph.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum family { G0, G1C, SINGLE, NONADJACENT, G2, FAMILIES };

/* Edge kinds that count besides the data dependencies, weakest first, and what that does to the names. */
static const struct variant {
	uint8_t extra;
	const char *name[FAMILIES];
	enum level level[FAMILIES]; /* the weakest that it rules out */
} variants[] = {
	{0, {"G0", "G1c", "G-single", "G-nonadjacent", "G2-item"},
	 {LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED, LEVEL_CONSISTENT_VIEW, LEVEL_SNAPSHOT_ISOLATION, LEVEL_REPEATABLE_READ}},
	{EDGE_PROCESS, {"G0-process", "G1c-process", "G-single-process", "G-nonadjacent-process", "G2-item-process"},
	 {LEVEL_SESSION_READ_UNCOMMITTED, LEVEL_SESSION_READ_COMMITTED, LEVEL_SESSION_SNAPSHOT_ISOLATION,
	  LEVEL_SESSION_SNAPSHOT_ISOLATION, LEVEL_SESSION_SERIALIZABLE}},
	{EDGE_PROCESS | EDGE_REALTIME,
	 {"G0-realtime", "G1c-realtime", "G-single-realtime", "G-nonadjacent-realtime", "G2-item-realtime"},
	 {LEVEL_STRONG_READ_UNCOMMITTED, LEVEL_STRONG_READ_COMMITTED, LEVEL_STRONG_SNAPSHOT_ISOLATION,
	  LEVEL_STRONG_SNAPSHOT_ISOLATION, LEVEL_STRICT_SERIALIZABLE}},
};

enum {
	/* Edges passed, in a whole history: */
	FLOW_WORK = 1 << 30,  /* to tell rw edges apart; then still G-nonadjacent, of which G-single is a kind, from G2-item */
	SEARCH_WORK = 1 << 26 /* for examples of one kind that are shorter than the first */
};

struct hunt {
	struct txns *t;
	struct graph *g;     /* one component, renumbered */
	struct walker w;
	const struct variant *v;
	bool found[FAMILIES]; /* in this component: then stronger orders need not be asked */
};

/* The best cycle so far: its edge and where that starts; edge NIL: none shorter than the example that there is. */
struct best {
	enum family family;
	uint32_t edge, from, len;
	bool exists;
	uint8_t mask;
};

static struct best search_for(struct hunt *x, enum family family, uint8_t mask)
{
	const struct anomaly *a = find_anomaly(x->t->r, x->v->name[family]);

	return (struct best){.family = family, .edge = NIL, .len = a ? a->nop : NIL, .mask = mask};
}

static bool walk(struct hunt *x, const struct best *b, uint32_t k, uint32_t v)
{
	return b->family == NONADJACENT ? product_cycle(&x->w, x->g, k, v, b->mask) : shortest_back(&x->w, x->g, k, v, b->mask, NULL);
}

/* A cycle of the kind leads through edge k, which leaves v. */
static void better(struct hunt *x, struct best *b, uint32_t k, uint32_t v)
{
	uint64_t *work = &x->t->cycle_work[x->v - variants][b->family];

	b->exists = true;
	if (b->len <= 2 || (b->len != NIL && *work > SEARCH_WORK))
		return;
	x->w.limit = b->len == NIL ? NIL : b->len - 2;
	x->w.work = 0;
	if (walk(x, b, k, v) && x->w.cost + 1 < b->len) {
		b->edge = k;
		b->from = v;
		b->len = x->w.cost + 1;
	}
	*work += x->w.work;
}

/* Walk the best one again. */
static bool retrace(struct hunt *x, const struct best *b)
{
	x->w.limit = NIL;
	return b->edge != NIL && walk(x, b, b->edge, b->from);
}

static void emit(struct hunt *x, const struct best *b)
{
	const char *name = x->v->name[b->family];
	uint32_t levels = level_and_stronger(x->v->level[b->family]);

	if (!b->exists)
		return;
	if (!x->v->extra && (b->family == SINGLE || b->family == NONADJACENT))
		levels |= level_and_stronger(LEVEL_REPEATABLE_READ);
	if (retrace(x, b))
		cycle_anomaly(x->t, x->g, &x->w, name, levels);
	else
		find_anomaly(x->t->r, name)->count++;
	x->found[b->family] = true;
}

/* A cycle through an edge of kind `must` inside a component of the edges in `mask`. */
static void through(struct hunt *x, enum family family, uint8_t mask, uint8_t must)
{
	struct graph *g = x->g;
	struct best best = search_for(x, family, mask);
	uint32_t *comp;

	if (x->found[family])
		return;
	comp = components(g, mask, false);
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++)
			if (g->kind[k] & must && comp[v] == comp[g->to[k]])
				better(x, &best, k, v);
	free(comp);
	emit(x, &best);
}

/* Does a run of the product graph come back? Its component numbers: node v after no rw edge 2v, after one 2v + 1. */
static void nonadjacent(struct hunt *x, uint8_t mask)
{
	struct graph *g = x->g;
	uint32_t *comp = components(g, mask | EDGE_RW, true);
	struct best best = search_for(x, NONADJACENT, mask);

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++)
			if (g->kind[k] == EDGE_RW && comp[2 * v] == comp[2 * g->to[k] + 1])
				better(x, &best, k, v);
	free(comp);
	emit(x, &best);
}

/* The components of the dependencies in topological order, and rw edges whose heads may reach their tails. */
struct flow {
	uint32_t *comp, ncomp;   /* Tarjan numbers components in reverse: what is reached has lower numbers */
	uint32_t *order, *start; /* nodes, highest component first; where each component starts: start[ncomp - number] */
	uint64_t *bits;          /* by component: reached from the head of which edge */
	struct { uint32_t edge, from; } rw[64];
	uint32_t nrw;
};

static void flow_init(struct flow *f, struct graph *g, uint8_t mask)
{
	f->comp = components(g, mask, false);
	f->ncomp = g->ncomponents;
	f->bits = xnewn(uint64_t, f->ncomp + 1);
	f->start = xnewn(uint32_t, f->ncomp + 2);
	f->order = xnewn(uint32_t, g->n + 1);
	f->nrw = 0;
	for (uint32_t v = 0; v < g->n; v++)
		f->start[f->ncomp - f->comp[v]]++;
	for (uint32_t c = 0; c < f->ncomp; c++)
		f->start[c + 1] += f->start[c];
	for (uint32_t v = g->n; v-- > 0;)
		f->order[--f->start[f->ncomp - f->comp[v]]] = v;
	f->start[f->ncomp + 1] = g->n;
}

static void flow_clear(struct flow *f)
{
	free(f->comp);
	free(f->bits);
	free(f->start);
	free(f->order);
}

/* Which heads reach which components? Bits flow from the first head to the last tail, not beyond. */
static void flow_down(struct hunt *x, struct flow *f, uint8_t mask)
{
	const struct graph *g = x->g;
	uint32_t first = 0, last = f->ncomp, i;

	for (i = 0; i < f->nrw; i++) {
		uint32_t head = f->comp[g->to[f->rw[i].edge]], tail = f->comp[f->rw[i].from];
		first = head > first ? head : first;
		last = tail < last ? tail : last;
	}
	memset(f->bits + last, 0, (first - last + 1) * sizeof *f->bits);
	for (i = 0; i < f->nrw; i++)
		f->bits[f->comp[g->to[f->rw[i].edge]]] |= 1ull << i;
	for (i = f->start[f->ncomp - first]; i < f->start[f->ncomp - last + 1]; i++) {
		uint32_t u = f->order[i];
		uint64_t has = f->bits[f->comp[u]];
		x->t->flow_work += 1 + g->at[u + 1] - g->at[u];
		for (uint32_t k = g->at[u]; has && k < g->at[u + 1]; k++)
			if ((g->kind[k] & mask || g->kind[k] == EDGE_ON) && f->comp[g->to[k]] >= last)
				f->bits[f->comp[g->to[k]]] |= has;
	}
}

static void tell_apart(struct hunt *x, struct flow *f, uint8_t mask, struct best *single, struct best *g2)
{
	if (f->nrw)
		flow_down(x, f, mask);
	for (uint32_t i = 0; i < f->nrw; i++)
		better(x, f->bits[f->comp[f->rw[i].from]] >> i & 1 ? single : g2, f->rw[i].edge, f->rw[i].from);
	f->nrw = 0;
}

/*
 * Is the tail of an rw edge reachable from its head without another rw edge? Often the topological order tells; otherwise
 * 64 edges at a time. They come in the order of their tails, so that little of the graph lies between heads and tails.
 */
static void single_or_g2(struct hunt *x, uint8_t mask, struct best *single, struct best *g2)
{
	struct graph *g = x->g;
	struct flow f;

	flow_init(&f, g, mask);
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t v = f.order[i];
		for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++) {
			uint32_t head = f.comp[g->to[k]];
			if (g->kind[k] != EDGE_RW)
				continue;
			if (head <= f.comp[v]) {
				better(x, head == f.comp[v] ? single : g2, k, v);
			} else if (x->t->flow_work < FLOW_WORK) {
				f.rw[f.nrw].edge = k;
				f.rw[f.nrw++].from = v;
				if (f.nrw == ARRAY_LEN(f.rw))
					tell_apart(x, &f, mask, single, g2);
			}
		}
	}
	tell_apart(x, &f, mask, single, g2);
	flow_clear(&f);
}

static void rw_cycles(struct hunt *x)
{
	uint8_t deps = EDGE_WW | EDGE_WR | x->v->extra;
	struct best single = search_for(x, SINGLE, deps), g2 = search_for(x, G2, deps | EDGE_RW);

	single_or_g2(x, deps, &single, &g2);
	if (!x->found[SINGLE])
		emit(x, &single);
	if (!x->found[SINGLE] && !x->found[NONADJACENT])
		nonadjacent(x, deps);
	/* The same cycle is not told twice, and not again of stronger orders. */
	if (!x->found[G2] && !(x->found[NONADJACENT] && retrace(x, &g2) && walk_nonadjacent(&x->w, x->g)))
		emit(x, &g2);
	x->found[G2] |= g2.exists;
}

static void hunt_component(struct txns *t, struct graph *g)
{
	struct hunt x = {.t = t, .g = g};

	_Static_assert(sizeof t->cycle_work == sizeof(uint64_t) * ARRAY_LEN(variants) * FAMILIES, "one count for each kind");
	walker_init(&x.w, g);
	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		uint8_t deps = EDGE_WW | EDGE_WR | variants[i].extra;
		bool rw = false;
		x.v = &variants[i];
		through(&x, G0, EDGE_WW | x.v->extra, EDGE_WW);
		through(&x, G1C, deps, EDGE_WR);
		/* A component of everything with an rw edge inside? */
		uint32_t *comp = components(g, deps | EDGE_RW, false);
		for (uint32_t u = 0; u < g->n && !rw; u++)
			for (uint32_t k = g->at[u]; k < g->at[u + 1] && !rw; k++)
				rw = g->kind[k] == EDGE_RW && comp[u] == comp[g->to[k]];
		if (rw && !(x.found[SINGLE] && x.found[G2])) {
			struct graph sub;
			graph_restrict(&sub, g, comp);
			x.g = &sub;
			rw_cycles(&x);
			x.g = g;
			graph_clear(&sub);
		}
		free(comp);
	}
	walker_clear(&x.w);
}

void find_cycles(struct txns *t)
{
	struct graph g;
	uint32_t *comp, *size, ncomp;

	graph_build(&g, t);
	comp = components(&g, 0xff, false);
	ncomp = g.ncomponents;
	size = xnewn(uint32_t, ncomp + 1);
	for (uint32_t v = 0; v < g.n; v++)
		size[comp[v]]++;
	t->r->ncomponents = 0;
	graph_each_component(t, &g, comp, size, ncomp, hunt_component);
	free(comp);
	free(size);
	graph_clear(&g);
}
