/* The order between operations: real time, process order, "after" edges; cycles in it are an error. */
#include "checker/parts.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void add_edge(struct order_graph *g, size_t *cap, uint32_t from, uint32_t to)
{
	if (g->n == *cap) {
		*cap = *cap * 2 + 64;
		g->edges = xrealloc(g->edges, *cap * sizeof *g->edges);
	}
	g->edges[g->n++] = (struct edge){from, to};
}

static void process_edges(struct order_graph *g, size_t *cap, const struct history *h)
{
	uint32_t *last = xmalloc((h->v->len + 1) * sizeof *last);

	memset(last, 0xff, (h->v->len + 1) * sizeof *last);
	for (uint32_t i = 0; i < h->n; i++) {
		const struct op *o = &h->ops[i];
		if (o->status == OP_FAILED)
			continue;
		if (last[o->process] != OP_NONE)
			add_edge(g, cap, last[o->process], i);
		last[o->process] = i;
	}
	free(last);
}

/*
 * Nodes: operations, then (with real time) a chain of moments: an operation's return leads to its moment, moments lead
 * to the next one, a moment leads to the operation invoked then. So real time costs as many edges as there are events.
 */
struct graph {
	const struct history *h;
	uint32_t *succ_at, *succ;
	uint32_t nodes, moments;
	uint32_t *op_called_at; /* by moment */
};

static uint32_t successor(const struct graph *g, uint32_t node, uint32_t k)
{
	uint32_t n = g->h->n;

	if (node >= n) { /* a moment */
		uint32_t m = node - n, called = g->op_called_at[m];
		if (k == 0)
			return called != OP_NONE ? called : m + 1 < g->moments ? node + 1 : OP_NONE;
		return k == 1 && called != OP_NONE && m + 1 < g->moments ? node + 1 : OP_NONE;
	}
	if (g->succ_at[node] + k < g->succ_at[node + 1])
		return g->succ[g->succ_at[node] + k];
	if (g->succ_at[node] + k == g->succ_at[node + 1] && g->moments && g->h->ops[node].ret != NEVER)
		return n + g->h->ops[node].ret;
	return OP_NONE;
}

static void describe_cycle(const struct graph *g, const uint32_t *path, uint32_t n, struct err *e)
{
	const struct history *h = g->h;
	struct buf b = {0};
	uint32_t first = OP_NONE, shown = 0;
	bool moment = false;

	for (uint32_t i = 0; i <= n; i++) {
		uint32_t node = i < n ? path[i] : first;
		if (node >= h->n) {
			moment |= first != OP_NONE;
			continue;
		}
		if (first == OP_NONE)
			first = node;
		else
			buf_adds(&b, moment || (i == n && path[n - 1] >= h->n) ? " -ended before-> " : " -before-> ");
		moment = false;
		if (shown++ == 8 && i < n) {
			buf_adds(&b, "…");
			continue;
		}
		if (shown > 9 && i < n)
			continue;
		buf_addf(&b, "operation %lld (", (long long)h->ops[node].id);
		hist_describe(h, &h->ops[node], &b);
		buf_addf(&b, ", line %u)", h->ops[node].line);
	}
	err_set(e, 0, "the given order has a cycle: %s", b.data);
	buf_clear(&b);
}

/* Depth-first search; the stack is the path. */
static int find_cycle(const struct graph *g, struct err *e)
{
	uint8_t *color = xcalloc(g->nodes + 1, 1); /* 1: on the path, 2: done */
	uint32_t *path = xnewn(uint32_t, g->nodes + 1), *next = xnewn(uint32_t, g->nodes + 1), depth;
	int r = 0;

	for (uint32_t s = 0; s < g->h->n && !r; s++) {
		if (color[s])
			continue;
		path[0] = s;
		next[0] = 0;
		color[s] = 1;
		depth = 1;
		while (depth && !r) {
			uint32_t to = successor(g, path[depth - 1], next[depth - 1]++);
			if (to == OP_NONE) {
				color[path[--depth]] = 2;
			} else if (!color[to]) {
				color[to] = 1;
				path[depth] = to;
				next[depth++] = 0;
			} else if (color[to] == 1) {
				uint32_t from = depth;
				while (path[from - 1] != to)
					from--;
				describe_cycle(g, path + from - 1, depth - from + 1, e);
				r = -1;
			}
		}
	}
	free(color);
	free(path);
	free(next);
	return r;
}

static int check_cycles(struct order_graph *og, struct history *h, bool realtime, struct err *e)
{
	struct graph g = {.h = h, .nodes = h->n};
	uint32_t *fill, max = 0;
	int r;

	g.succ_at = xnewn(uint32_t, h->n + 2);
	g.succ = xnewn(uint32_t, og->n + 1);
	for (size_t i = 0; i < og->n; i++)
		g.succ_at[og->edges[i].from + 1]++;
	for (uint32_t i = 0; i < h->n; i++)
		g.succ_at[i + 1] += g.succ_at[i];
	fill = xmemdup(g.succ_at, (h->n + 1) * sizeof *fill);
	for (size_t i = 0; i < og->n; i++)
		g.succ[fill[og->edges[i].from]++] = og->edges[i].to;
	free(fill);
	for (uint32_t i = 0; realtime && i < h->n; i++)
		max = MAX(max, MAX(h->ops[i].call, h->ops[i].ret == NEVER ? 0 : h->ops[i].ret));
	if (realtime) {
		g.moments = max + 1;
		g.nodes += g.moments;
		g.op_called_at = xmalloc((g.moments + 1) * sizeof *g.op_called_at);
		memset(g.op_called_at, 0xff, (g.moments + 1) * sizeof *g.op_called_at);
		for (uint32_t i = 0; i < h->n; i++)
			if (h->ops[i].call)
				g.op_called_at[h->ops[i].call] = i;
	}
	r = find_cycle(&g, e);
	free(g.succ_at);
	free(g.succ);
	free(g.op_called_at);
	return r;
}

/* a before b: b cannot start before a does, a must be done when b is. To a fixpoint; edges are without cycles. */
static void narrow(struct order_graph *g, const struct history *h)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < g->n; i++) {
			uint32_t a = g->edges[i].from, b = g->edges[i].to;
			if (g->call[b] < g->call[a]) {
				g->call[b] = g->call[a];
				changed = true;
			}
		}
		for (size_t i = g->n; i-- > 0;) {
			uint32_t a = g->edges[i].from, b = g->edges[i].to;
			if (g->ret[a] > g->ret[b] && h->ops[a].status == OP_OK) {
				g->ret[a] = g->ret[b];
				changed = true;
			}
		}
	}
}

static int by_to(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->to != y->to ? (x->to < y->to ? -1 : 1) : x->from < y->from ? -1 : x->from > y->from;
}

int order_build(struct order_graph *g, struct history *h, unsigned order, struct err *e)
{
	size_t cap = 0;
	bool realtime = order & ORDER_REALTIME;

	*g = (struct order_graph){0};
	if (order & ORDER_PROCESS)
		process_edges(g, &cap, h);
	for (size_t i = 0; order & ORDER_EXPLICIT && i < h->nedges; i++)
		if (h->edges[i].from != h->edges[i].to)
			add_edge(g, &cap, h->edges[i].from, h->edges[i].to);
		else
			return err_set(e, 0, "the given order has a cycle: operation %lld is after itself",
			               (long long)h->ops[h->edges[i].to].id);
	if (g->n && check_cycles(g, h, realtime, e))
		return -1;
	if (g->n)
		qsort(g->edges, g->n, sizeof *g->edges, by_to);
	g->call = xnewn(uint32_t, h->n + 1);
	g->ret = xnewn(uint32_t, h->n + 1);
	for (uint32_t i = 0; i < h->n; i++) {
		g->call[i] = realtime ? h->ops[i].call : 0;
		g->ret[i] = realtime ? h->ops[i].ret : NEVER;
	}
	if (g->n && realtime)
		narrow(g, h);
	return 0;
}

void order_clear(struct order_graph *g)
{
	free(g->edges);
	free(g->call);
	free(g->ret);
	*g = (struct order_graph){0};
}
