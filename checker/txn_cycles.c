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
 * Examples are shortest cycles through the first such edge, by breadth-first search.
 */
#include "checker/txn_graph.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Edge kinds that count besides the data dependencies, weakest first, and what that does to the names. */
static const struct variant {
	uint8_t extra;
	const char *g0, *g1c, *single, *nonadjacent, *g2;
	enum level l0, l1c, lsingle, lnonadjacent, l2;
} variants[] = {
	{0, "G0", "G1c", "G-single", "G-nonadjacent", "G2-item", LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED,
	 LEVEL_CONSISTENT_VIEW, LEVEL_SNAPSHOT_ISOLATION, LEVEL_REPEATABLE_READ},
	{EDGE_PROCESS, "G0-process", "G1c-process", "G-single-process", "G-nonadjacent-process", "G2-item-process",
	 LEVEL_SESSION_READ_UNCOMMITTED, LEVEL_SESSION_READ_COMMITTED, LEVEL_SESSION_SNAPSHOT_ISOLATION,
	 LEVEL_SESSION_SNAPSHOT_ISOLATION, LEVEL_SESSION_SERIALIZABLE},
	{EDGE_PROCESS | EDGE_REALTIME, "G0-realtime", "G1c-realtime", "G-single-realtime", "G-nonadjacent-realtime",
	 "G2-item-realtime", LEVEL_STRONG_READ_UNCOMMITTED, LEVEL_STRONG_READ_COMMITTED, LEVEL_STRONG_SNAPSHOT_ISOLATION,
	 LEVEL_STRONG_SNAPSHOT_ISOLATION, LEVEL_STRICT_SERIALIZABLE},
};

enum {
	CHUNKS = 256,   /* rw edges that are looked at in one component: 64 a chunk */
	SMALL = 3000,   /* components up to this size: the shortest cycle over all edges; larger ones: over the first */
	CANDIDATES = 32
};

struct hunt {
	struct txns *t;
	struct graph *g;     /* one component, renumbered */
	struct walker w;
	bool found[5];       /* in this component, by family: then stronger orders need not be asked */
};

static void emit(struct hunt *x, const char *name, uint32_t levels)
{
	cycle_anomaly(x->t, x->g, &x->w, name, levels);
}

/* The best cycle so far: its edge and where that starts. */
struct best {
	uint32_t edge, from, len, tried;
};

static void better(struct hunt *x, struct best *b, uint32_t k, uint32_t v, uint8_t mask)
{
	if (b->len == 2 || (x->g->n > SMALL && b->tried >= CANDIDATES) || b->tried >= SMALL)
		return;
	b->tried++;
	if (shortest_back(&x->w, x->g, k, v, mask, NULL) && x->w.cost + 1 < b->len)
		*b = (struct best){k, v, x->w.cost + 1, b->tried};
}

/* Walk the best one again. */
static bool retrace(struct hunt *x, const struct best *b, uint8_t mask)
{
	return b->len != NIL && shortest_back(&x->w, x->g, b->edge, b->from, mask, NULL);
}

/* A cycle through an edge of kind `must` inside a component of the edges in `mask`. */
static bool through(struct hunt *x, uint8_t mask, uint8_t must)
{
	struct graph *g = x->g;
	uint32_t *comp = components(g, mask, false);
	struct best best = {.len = NIL};

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++)
			if (g->kind[k] & must && comp[v] == comp[g->to[k]])
				better(x, &best, k, v, mask);
	free(comp);
	return retrace(x, &best, mask);
}

/* Does a run of the product graph come back? Its component numbers: node v after no rw edge 2v, after one 2v + 1. */
static bool has_nonadjacent(struct hunt *x, uint8_t mask, uint32_t **comp)
{
	struct graph *g = x->g;

	*comp = components(g, mask | EDGE_RW, true);
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++)
			if (g->kind[k] == EDGE_RW && (*comp)[2 * v] == (*comp)[2 * g->to[k] + 1])
				return true;
	return false;
}

/*
 * 64 rw edges at a time: which of their heads reach which nodes without another rw edge? Bits flow along the components of
 * the dependencies in topological order (Tarjan numbers components in reverse).
 */
static void single_or_g2(struct hunt *x, uint8_t mask, struct best *single, struct best *g2)
{
	struct graph *g = x->g;
	uint32_t *comp = components(g, mask, false), ncomp = g->ncomponents, nrw = 0, *order = NULL, *start;
	struct { uint32_t edge, from; } rw[64];
	uint64_t *bits = xnewn(uint64_t, ncomp + 1);

	/* Nodes by component, highest number first: sources before what they lead to. */
	start = xnewn(uint32_t, ncomp + 2);
	order = xnewn(uint32_t, g->n + 1);
	for (uint32_t v = 0; v < g->n; v++)
		start[ncomp - comp[v]]++;
	for (uint32_t c = 0; c < ncomp; c++)
		start[c + 1] += start[c];
	for (uint32_t v = g->n; v-- > 0;)
		order[--start[ncomp - comp[v]]] = v;
	*single = *g2 = (struct best){.len = NIL};
	uint32_t v = 0, k = g->n ? g->at[0] : 0;
	for (int chunk = 0; chunk < CHUNKS && v < g->n && (g->n <= SMALL || single->len == NIL || g2->len == NIL); chunk++) {
		nrw = 0;
		while (v < g->n && nrw < 64) {
			if (k == g->at[v + 1]) {
				v++;
				continue;
			}
			if (g->kind[k] == EDGE_RW) {
				rw[nrw].edge = k;
				rw[nrw++].from = v;
			}
			k++;
		}
		memset(bits, 0, (ncomp + 1) * sizeof *bits);
		for (uint32_t i = 0; i < nrw; i++)
			bits[comp[g->to[rw[i].edge]]] |= 1ull << i;
		for (uint32_t i = 0; i < g->n; i++) {
			uint32_t u = order[i];
			for (uint32_t j = g->at[u]; j < g->at[u + 1]; j++)
				if (g->kind[j] & mask || g->kind[j] == EDGE_ON)
					bits[comp[g->to[j]]] |= bits[comp[u]];
		}
		for (uint32_t i = 0; i < nrw; i++) {
			if (bits[comp[rw[i].from]] >> i & 1)
				better(x, single, rw[i].edge, rw[i].from, mask);
			else
				better(x, g2, rw[i].edge, rw[i].from, mask | EDGE_RW);
		}
	}
	free(comp);
	free(bits);
	free(start);
	free(order);
}

static void rw_cycles(struct hunt *x, const struct variant *v)
{
	uint8_t deps = EDGE_WW | EDGE_WR | v->extra;
	struct best single, g2;
	uint32_t *product;
	bool nonadjacent = has_nonadjacent(x, deps, &product);

	single_or_g2(x, deps, &single, &g2);
	if (!x->found[2] && retrace(x, &single, deps)) {
		emit(x, v->single, level_and_stronger(v->lsingle) | level_and_stronger(v->extra ? v->lsingle : LEVEL_REPEATABLE_READ));
		x->found[2] = true;
	}
	if (nonadjacent && !x->found[2] && !x->found[3] && product_cycle(&x->w, x->g, deps, product)) {
		emit(x, v->nonadjacent, level_and_stronger(v->lnonadjacent) |
		     (v->extra ? 0 : level_and_stronger(LEVEL_REPEATABLE_READ)));
		x->found[3] = true;
	}
	if (!x->found[4] && !x->found[3] && retrace(x, &g2, deps | EDGE_RW)) {
		emit(x, v->g2, level_and_stronger(v->l2));
		x->found[4] = true;
	}
	free(product);
}

static void hunt_component(struct txns *t, struct graph *g)
{
	struct hunt x = {.t = t, .g = g};

	walker_init(&x.w, g);
	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		const struct variant *v = &variants[i];
		bool rw = false;
		if (!x.found[0] && through(&x, EDGE_WW | v->extra, EDGE_WW)) {
			emit(&x, v->g0, level_and_stronger(v->l0));
			x.found[0] = true;
		}
		if (!x.found[1] && through(&x, EDGE_WW | EDGE_WR | v->extra, EDGE_WR)) {
			emit(&x, v->g1c, level_and_stronger(v->l1c));
			x.found[1] = true;
		}
		/* A component of everything with an rw edge inside? */
		uint32_t *comp = components(g, EDGE_WW | EDGE_WR | EDGE_RW | v->extra, false);
		for (uint32_t u = 0; u < g->n && !rw; u++)
			for (uint32_t k = g->at[u]; k < g->at[u + 1] && !rw; k++)
				rw = g->kind[k] == EDGE_RW && comp[u] == comp[g->to[k]];
		if (rw && !(x.found[2] && x.found[4])) {
			uint32_t old = g->n;
			struct graph sub;
			graph_restrict(&sub, g, comp);
			x.g = &sub;
			rw_cycles(&x, v);
			x.g = g;
			graph_clear(&sub);
			ENSURE(old == g->n);
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
