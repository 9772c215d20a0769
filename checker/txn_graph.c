#include "checker/txn_graph.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The edge list as CSR; the list is freed. */
void graph_build(struct graph *g, struct txns *t)
{
	uint32_t *fill;

	*g = (struct graph){.n = t->nnodes};
	g->at = xnewn(uint32_t, g->n + 2);
	for (uint64_t i = 0; i < t->nedges; i++)
		g->at[t->edges[i].from + 1]++;
	for (uint32_t v = 0; v < g->n; v++)
		g->at[v + 1] += g->at[v];
	g->to = xmalloc((t->nedges + 1) * sizeof *g->to);
	g->kind = xmalloc(t->nedges + 1);
	g->key = xmalloc((t->nedges + 1) * sizeof *g->key);
	fill = xmemdup(g->at, (g->n + 1) * sizeof *fill);
	for (uint64_t i = 0; i < t->nedges; i++) {
		const struct gedge *e = &t->edges[i];
		uint32_t k = fill[e->from]++;
		g->to[k] = e->to;
		g->kind[k] = e->kind;
		g->key[k] = e->key;
	}
	free(fill);
	t->r->nedges = t->nedges;
	free(t->edges);
	t->edges = NULL;
	t->nedges = t->edges_cap = 0;
}

void graph_clear(struct graph *g)
{
	free(g->at);
	free(g->to);
	free(g->kind);
	free(g->key);
	free(g->original);
	*g = (struct graph){0};
}

static void copy_edge(struct graph *out, uint32_t *n, const struct graph *g, uint32_t k, uint32_t to)
{
	out->to[*n] = to;
	out->kind[*n] = g->kind[k];
	out->key[*n] = g->key[k];
	++*n;
}

static void room(struct graph *g, uint32_t nodes, uint32_t edges)
{
	*g = (struct graph){.n = nodes, .at = xnewn(uint32_t, nodes + 2), .to = xnewn(uint32_t, edges + 1), .kind = xcalloc(edges + 1, 1),
	                    .key = xnewn(uint32_t, edges + 1), .original = xnewn(uint32_t, nodes + 1)};
}

void graph_restrict(struct graph *out, const struct graph *g, const uint32_t *comp)
{
	uint32_t n = 0;

	room(out, g->n, g->at[g->n]);
	for (uint32_t v = 0; v < g->n; v++) {
		out->original[v] = g->original ? g->original[v] : v;
		for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++)
			if (comp[v] == comp[g->to[k]])
				copy_edge(out, &n, g, k, g->to[k]);
		out->at[v + 1] = n;
	}
}

void graph_each_component(struct txns *t, const struct graph *g, const uint32_t *comp, const uint32_t *size, uint32_t ncomp,
                          void (*f)(struct txns *t, struct graph *g))
{
	uint32_t *start = xnewn(uint32_t, ncomp + 2), *member = xnewn(uint32_t, g->n + 1), *local = xnewn(uint32_t, g->n + 1);

	for (uint32_t c = 0; c < ncomp; c++)
		start[c + 1] = start[c] + size[c];
	for (uint32_t v = 0; v < g->n; v++)
		member[start[comp[v]]++] = v;
	for (uint32_t c = ncomp; c-- > 0;)
		start[c + 1] = start[c];
	start[0] = 0;
	/* Components are numbered from the sinks; the history's beginning comes last. Go that way, for early examples. */
	for (uint32_t c = ncomp; c-- > 0;) {
		struct graph sub;
		uint32_t edges = 0, n = 0;
		if (size[c] < 2)
			continue;
		t->r->ncomponents++;
		for (uint32_t i = 0; i < size[c]; i++) {
			uint32_t v = member[start[c] + i];
			local[v] = i;
			edges += g->at[v + 1] - g->at[v];
		}
		room(&sub, size[c], edges);
		for (uint32_t i = 0; i < size[c]; i++) {
			uint32_t v = member[start[c] + i];
			sub.original[i] = v;
			for (uint32_t k = g->at[v]; k < g->at[v + 1]; k++)
				if (comp[g->to[k]] == c)
					copy_edge(&sub, &n, g, k, local[g->to[k]]);
			sub.at[i + 1] = n;
		}
		f(t, &sub);
		graph_clear(&sub);
	}
	free(start);
	free(member);
	free(local);
}

/* Successor of node v (in a product: 2v + layer) along edge k; NIL: the edge does not count. */
static uint32_t along(const struct graph *g, uint32_t v, uint32_t k, uint8_t mask, bool product)
{
	uint8_t kind = g->kind[k];

	if (kind != EDGE_ON && !(kind & mask))
		return NIL;
	if (!product)
		return g->to[k];
	if (kind == EDGE_RW)
		return v & 1 ? NIL : 2 * g->to[k] + 1;
	return 2 * g->to[k] + (kind == EDGE_ON ? v & 1 : 0); /* helpers keep the layer */
}

/* Tarjan's algorithm without recursion: `path` is the stack of the search, `stack` that of the open components. */
uint32_t *components(struct graph *g, uint8_t mask, bool product)
{
	uint32_t n = product ? 2 * g->n : g->n, *comp = xmalloc((n + 1) * sizeof *comp), *low = xnewn(uint32_t, n + 1);
	uint32_t *index = xnewn(uint32_t, n + 1), *stack = xmalloc((n + 1) * sizeof *stack);
	uint32_t *path = xmalloc((n + 1) * sizeof *path), *next = xmalloc((n + 1) * sizeof *next);
	uint32_t nstack = 0, npath = 0, counter = 0, ncomp = 0;

	memset(comp, 0xff, (n + 1) * sizeof *comp);
	for (uint32_t s = 0; s < n; s++) {
		uint32_t to = s;
		while (to != NIL || npath) {
			uint32_t v;
			if (to != NIL && !index[to]) { /* go down */
				index[to] = low[to] = ++counter;
				next[to] = g->at[product ? to / 2 : to];
				stack[nstack++] = path[npath++] = to;
			}
			to = NIL;
			if (!npath)
				break;
			v = path[npath - 1];
			while (next[v] < g->at[(product ? v / 2 : v) + 1] && to == NIL) {
				to = along(g, v, next[v]++, mask, product);
				if (to != NIL && index[to]) {
					if (comp[to] == NIL && index[to] < low[v])
						low[v] = index[to];
					to = NIL;
				}
			}
			if (to != NIL)
				continue;
			npath--; /* v is done */
			if (low[v] == index[v]) {
				do
					comp[stack[--nstack]] = ncomp;
				while (stack[nstack] != v);
				ncomp++;
			} else if (low[v] < low[path[npath - 1]]) {
				low[path[npath - 1]] = low[v];
			}
		}
	}
	free(low);
	free(index);
	free(stack);
	free(path);
	free(next);
	g->ncomponents = ncomp;
	return comp;
}

void walker_init(struct walker *w, const struct graph *g)
{
	size_t n = 2 * (size_t)g->n + 1;

	/* A node enters a level at most twice: once by a costly edge, once for nothing. */
	*w = (struct walker){.limit = NIL, .from = xnewn(uint32_t, n), .via = xnewn(uint32_t, n), .queue = xnewn(uint32_t, 2 * n),
	                     .later = xnewn(uint32_t, 2 * n), .depth = xnewn(uint32_t, n),
	                     .seen = xnewn(uint32_t, n), .node = xnewn(uint32_t, n), .edge = xnewn(uint32_t, n)};
}

void walker_clear(struct walker *w)
{
	free(w->from);
	free(w->via);
	free(w->queue);
	free(w->later);
	free(w->depth);
	free(w->seen);
	free(w->node);
	free(w->edge);
}

/*
 * Breadth-first from `start` to `goal`; nodes of the product when `product`. Edges that go on from a helper cost nothing:
 * what they lead to belongs to the level at hand (queue), the rest to the next one (later).
 */
static bool search_path(struct walker *w, const struct graph *g, uint32_t start, uint32_t goal, uint8_t mask, bool product,
                        const uint32_t *comp)
{
	uint32_t tail = 0, ntail = 0, depth = 0;

	w->stamp += 2;
	w->queue[tail++] = start;
	w->from[start] = NIL;
	w->seen[start] = w->stamp;
	w->depth[start] = 0;
	while (tail && depth <= w->limit) {
		for (uint32_t i = 0; i < tail; i++) {
			uint32_t v = w->queue[i], node = product ? v / 2 : v;
			if (w->depth[v] < depth || w->seen[v] == w->stamp + 1)
				continue; /* met again on a shorter way */
			w->seen[v] = w->stamp + 1; /* settled */
			w->work += g->at[node + 1] - g->at[node];
			for (uint32_t k = g->at[node]; k < g->at[node + 1]; k++) {
				uint32_t to = along(g, v, k, mask, product), d = depth + (g->kind[k] != EDGE_ON);
				if (to == NIL || (comp && comp[to] != comp[goal]) || w->seen[to] == w->stamp + 1 ||
				    (w->seen[to] == w->stamp && w->depth[to] <= d))
					continue;
				w->seen[to] = w->stamp;
				w->depth[to] = d;
				w->from[to] = v;
				w->via[to] = k;
				if (d == depth)
					w->queue[tail++] = to;
				else
					w->later[ntail++] = to;
			}
		}
		if (w->seen[goal] == w->stamp + 1) {
			w->cost = w->depth[goal];
			return true;
		}
		uint32_t *swap = w->queue;
		w->queue = w->later;
		w->later = swap;
		tail = ntail;
		ntail = 0;
		depth++;
	}
	return false;
}

/* The walk: from v along edge k, then the path found, back to v. */
static void keep_walk(struct walker *w, uint32_t v, uint32_t k, uint32_t goal, bool product)
{
	uint32_t n = 0;

	for (uint32_t x = goal; w->from[x] != NIL; x = w->from[x])
		n++;
	w->len = n + 1;
	w->node[0] = v;
	w->edge[0] = k;
	for (uint32_t x = goal; w->from[x] != NIL; x = w->from[x], n--) {
		w->node[n] = product ? w->from[x] / 2 : w->from[x];
		w->edge[n] = w->via[x];
	}
}

bool shortest_back(struct walker *w, const struct graph *g, uint32_t k, uint32_t v, uint8_t mask, const uint32_t *comp)
{
	if (!search_path(w, g, g->to[k], v, mask, false, comp))
		return false;
	keep_walk(w, v, k, v, false);
	return true;
}

/* Is the part i … j - 1 of the walk, closed, a cycle with rw edges and no two in a row? */
static bool good_part(const struct walker *w, const struct graph *g, uint32_t i, uint32_t j)
{
	uint8_t last = 0, first = 0;
	uint32_t rw = 0;

	for (uint32_t k = i; k < j; k++) {
		uint8_t kind = g->kind[w->edge[k]];
		if (kind == EDGE_ON)
			continue;
		if (kind == EDGE_RW) {
			rw++;
			if (last == EDGE_RW)
				return false;
		}
		first = first ? first : kind;
		last = kind;
	}
	return rw && !(first == EDGE_RW && last == EDGE_RW && rw > 1);
}

/* A walk that meets a node twice falls into two; one of them is as good. */
static void make_simple(struct walker *w, const struct graph *g)
{
	for (uint32_t i = 0; i < w->len; i++)
		for (uint32_t j = i + 1; j < w->len; j++) {
			if (w->node[i] != w->node[j])
				continue;
			if (good_part(w, g, i, j)) {
				memmove(w->node, w->node + i, (j - i) * sizeof *w->node);
				memmove(w->edge, w->edge + i, (j - i) * sizeof *w->edge);
				w->len = j - i;
			} else {
				memmove(w->node + i, w->node + j, (w->len - j) * sizeof *w->node);
				memmove(w->edge + i, w->edge + j, (w->len - j) * sizeof *w->edge);
				w->len -= j - i;
			}
			i = 0;
			j = 0;
		}
}

bool product_cycle(struct walker *w, const struct graph *g, uint32_t k, uint32_t v, uint8_t mask)
{
	if (!search_path(w, g, 2 * g->to[k] + 1, 2 * v, mask | EDGE_RW, true, NULL))
		return false;
	keep_walk(w, v, k, 2 * v, true);
	make_simple(w, g);
	return true;
}

bool walk_nonadjacent(const struct walker *w, const struct graph *g)
{
	return good_part(w, g, 0, w->len);
}

static const char *edge_name(uint8_t kind)
{
	return kind == EDGE_WW ? "ww" : kind == EDGE_WR ? "wr" : kind == EDGE_RW ? "rw" : kind == EDGE_PROCESS ? "process" : "realtime";
}

/* T4 -rw z-> T0 -wr z-> T6 -ww y-> T4; T4 (client 4, ok) […]; … */
static char *cycle_words(struct txns *t, const struct anomaly *a)
{
	struct buf b = {0};

	for (uint32_t i = 0; i <= a->nop; i++) {
		txn_name(t, a->op[i % a->nop], &b);
		if (i == a->nop)
			break;
		buf_addf(&b, " -%s", edge_name(a->edge[i]));
		if (a->key[i] != VAL_NONE) {
			buf_addc(&b, ' ');
			if (val_is_name(t->h->v, a->key[i]))
				buf_adds(&b, val_bytes(t->h->v, a->key[i]));
			else
				val_print(t->h->v, a->key[i], &b, 40);
		}
		buf_adds(&b, "-> ");
	}
	for (uint32_t i = 0; i < a->nop && i < 40; i++) {
		buf_adds(&b, "; ");
		txn_describe(t, a->op[i], &b);
	}
	return b.data;
}

struct anomaly *find_anomaly(struct txn_result *r, const char *name)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->anomaly[i].name, name))
			return &r->anomaly[i];
	return NULL;
}

/* The walker's cycle as example of a. */
static void take_example(struct txns *t, const struct graph *g, const struct walker *w, struct anomaly *a)
{
	a->op = xnewn(uint32_t, w->len + 1);
	a->edge = xcalloc(w->len + 1, 1);
	a->key = xnewn(val, w->len + 1);
	for (uint32_t i = 0; i < w->len; i++) {
		uint32_t node = g->original ? g->original[w->node[i]] : w->node[i], key = g->key[w->edge[i]];
		if (node >= t->h->n)
			continue; /* a helper: the edge before it says what it is */
		a->op[a->nop] = node;
		a->edge[a->nop] = g->kind[w->edge[i]];
		a->key[a->nop] = key == NIL ? VAL_NONE : t->keys[key].name;
		a->nop++;
	}
	a->text = cycle_words(t, a);
}

static void free_example(struct anomaly *a)
{
	free(a->op);
	free(a->edge);
	free(a->key);
	free(a->text);
}

void cycle_anomaly(struct txns *t, const struct graph *g, const struct walker *w, const char *name, uint32_t levels)
{
	struct txn_result *r = t->r;
	struct anomaly *old = find_anomaly(r, name), now = {.name = name, .count = 1, .levels = levels, .cycle = true};

	take_example(t, g, w, &now);
	r->ruled_out |= levels;
	if (!old) {
		r->anomaly = xrealloc(r->anomaly, (r->n + 1) * sizeof *r->anomaly);
		r->anomaly[r->n++] = now;
		return;
	}
	now.count = old->count + 1;
	if (now.nop < old->nop) {
		free_example(old);
		*old = now;
		return;
	}
	free_example(&now);
	old->count++;
}
