/* The dependency graph in CSR form, its components, and walks in it. */
#ifndef CHECKER_TXN_GRAPH_H
#define CHECKER_TXN_GRAPH_H

#include "checker/txn_int.h"

struct graph {
	uint32_t n, ncomponents;
	uint32_t *at, *to;  /* successors of v: to[at[v]] … */
	uint8_t *kind;
	uint32_t *key;      /* by edge; NIL: none */
	uint32_t *original; /* node of the whole graph; NULL: the same */
};

void graph_build(struct graph *g, struct txns *t);
void graph_clear(struct graph *g);
/* g with only the edges that stay inside a component; same nodes. */
void graph_restrict(struct graph *out, const struct graph *g, const uint32_t *comp);
/* Call f for each component with more than one node, as a graph of its own. */
void graph_each_component(struct txns *t, const struct graph *g, const uint32_t *comp, const uint32_t *size, uint32_t ncomp,
                          void (*f)(struct txns *t, struct graph *g));
/* Strongly connected components over the edges in `mask` (EDGE_ON always counts), numbered so that an edge never leads to a
 * higher number. product: of the graph without two rw edges in a row, with 2n nodes. Sets g->ncomponents. */
uint32_t *components(struct graph *g, uint8_t mask, bool product);

/* A cycle that was found: nodes and the edges that leave them. */
struct walker {
	uint32_t *from, *via; /* breadth-first search: node before, edge taken; 2n for products */
	uint32_t *queue, *later, *depth, *seen, stamp;
	uint32_t cost; /* edges of the last path, helpers not counted */
	uint32_t limit; /* no path with more edges; NIL: any */
	uint64_t work;  /* edges looked at since somebody set it to 0 */
	uint32_t *node, *edge, len;
};

void walker_init(struct walker *w, const struct graph *g);
void walker_clear(struct walker *w);
/* The shortest cycle through edge k (from v), with edges in `mask`, inside of v's component when comp is given. */
bool shortest_back(struct walker *w, const struct graph *g, uint32_t k, uint32_t v, uint8_t mask, const uint32_t *comp);
/* The shortest cycle through rw edge k (from v) without two rw edges in a row; v and k's head are in one component of the
 * product. */
bool product_cycle(struct walker *w, const struct graph *g, uint32_t k, uint32_t v, uint8_t mask);
/* Does the walker's cycle have rw edges, and no two in a row? */
bool walk_nonadjacent(const struct walker *w, const struct graph *g);
/* The walker's cycle as an anomaly, with helper nodes left out. A shorter one takes the place of the example so far. */
void cycle_anomaly(struct txns *t, const struct graph *g, const struct walker *w, const char *name, uint32_t levels);
/* The anomaly of this name; NULL: not seen. */
struct anomaly *find_anomaly(struct txn_result *r, const char *name);

#endif
