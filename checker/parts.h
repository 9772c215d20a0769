/* From a history to the parts that are checked: by key, with the order that was asked for. */
#ifndef CHECKER_PARTS_H
#define CHECKER_PARTS_H

#include "checker/spec.h"

enum order { ORDER_REALTIME = 1, ORDER_PROCESS = 2, ORDER_EXPLICIT = 4 };

struct parts {
	struct history *h;
	const struct model *model;
	unsigned order;
	struct part *part; /* in order of the keys' first operations */
	uint32_t n;
	struct edge *cross; /* edges between lops of different parts, numbered by `base` of the part + lop */
	size_t ncross;
	uint32_t *base;
	bool global;        /* the order is not local to a key: the parts must also fit together */
};

/* Fails with e->msg and *line (0: none) when an operation is not one of the model's, or the order has a cycle. */
int parts_build(struct parts *ps, struct history *h, const struct model *m, val initial, unsigned order, struct err *e,
                uint32_t *line);
void parts_clear(struct parts *ps);
/* All parts as one object. */
void parts_product(const struct parts *ps, struct part *all);

/* order.c */
struct order_graph {
	struct edge *edges;
	size_t n;
	uint32_t *call, *ret; /* positions by operation, narrowed by the edges */
};
int order_build(struct order_graph *g, struct history *h, unsigned order, struct err *e);
void order_clear(struct order_graph *g);

#endif
