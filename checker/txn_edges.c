/* Edges of the graph; process and real-time order. */
#include "checker/txn_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void add_edge(struct txns *t, uint32_t from, uint32_t to, uint8_t kind, uint32_t key)
{
	if (t->nedges == t->edges_cap) {
		t->edges_cap = t->edges_cap * 2 + 4096;
		t->edges = xrealloc(t->edges, t->edges_cap * sizeof *t->edges);
	}
	t->edges[t->nedges++] = (struct gedge){.from = from, .to = to, .kind = kind, .key = key};
}

static void process_order(struct txns *t)
{
	struct history *h = t->h;
	uint32_t *last = xmalloc((h->v->len + 1) * sizeof *last);

	memset(last, 0xff, (h->v->len + 1) * sizeof *last);
	for (uint32_t i = 0; i < h->n; i++) {
		const struct op *o = &h->ops[i];
		if (o->status == OP_FAILED || o->process == VAL_NULL)
			continue;
		if (last[o->process] != NIL)
			add_edge(t, last[o->process], i, EDGE_PROCESS, NIL);
		if (committed(t, i))
			last[o->process] = i;
	}
	free(last);
}

/*
 * Real time: a node for each completion, in a chain; a transaction leads to its completion's node, a node to the
 * transactions that were invoked after it and before the next one. As many edges as events.
 */
static void realtime_order(struct txns *t)
{
	struct history *h = t->h;
	uint32_t node = NIL, last = 0, *at;

	for (uint32_t i = 0; i < h->n; i++)
		last = MAX(last, MAX(h->ops[i].call, h->ops[i].ret == NEVER ? 0 : h->ops[i].ret));
	at = xmalloc(((size_t)last + 1) * sizeof *at); /* by position: the operation */
	memset(at, 0xff, ((size_t)last + 1) * sizeof *at);
	for (uint32_t i = 0; i < h->n; i++) {
		const struct op *o = &h->ops[i];
		if (o->status == OP_FAILED)
			continue;
		at[o->call] = i;
		if (o->status == OP_OK && o->ret != NEVER)
			at[o->ret] = i;
	}
	for (uint32_t k = 1; k <= last; k++) {
		uint32_t i = at[k];
		if (i == NIL)
			continue;
		if (h->ops[i].ret == k) {
			uint32_t next = t->nnodes++;
			if (node != NIL)
				add_edge(t, node, next, EDGE_ON, NIL);
			add_edge(t, i, next, EDGE_REALTIME, NIL);
			node = next;
		} else if (node != NIL) {
			add_edge(t, node, i, EDGE_ON, NIL);
		}
	}
	free(at);
}

void order_edges(struct txns *t)
{
	process_order(t);
	if (t->h->ordered)
		realtime_order(t);
}
