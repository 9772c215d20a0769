#include "checker/parts.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct builder {
	struct parts *ps;
	struct order_graph g;
	uint32_t *by_call; /* operations in order of their (narrowed) call */
	uint32_t *part_of; /* by key */
	uint32_t *lop;     /* by operation: its lop, OP_NONE when dropped */
	uint32_t *where;   /* by operation: its part */
};

static int by_call(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_by_call(struct builder *b)
{
	const struct history *h = b->ps->h;
	uint64_t *t = xnewn(uint64_t, h->n + 1);
	bool sorted = true;

	b->by_call = xnewn(uint32_t, h->n + 1);
	for (uint32_t i = 0; i < h->n; i++) {
		t[i] = (uint64_t)b->g.call[i] << 32 | i;
		sorted &= !i || t[i - 1] < t[i];
	}
	if (!sorted)
		qsort(t, h->n, sizeof *t, by_call);
	for (uint32_t i = 0; i < h->n; i++)
		b->by_call[i] = (uint32_t)t[i];
	free(t);
}

/* Part numbers in order of first use; and how many operations each has. */
static void group(struct builder *b, val initial)
{
	struct parts *ps = b->ps;
	struct history *h = ps->h;
	bool keyed = ps->model->flags & M_KEYED;
	uint32_t *count = xnewn(uint32_t, h->n + 1);

	b->part_of = xmalloc((h->v->len + 1) * sizeof *b->part_of);
	memset(b->part_of, 0xff, (h->v->len + 1) * sizeof *b->part_of);
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t *p = &b->part_of[keyed ? h->ops[i].key : 0];
		if (*p == OP_NONE)
			*p = ps->n++;
		b->where[i] = *p;
		count[*p]++;
	}
	ps->part = xnewn(struct part, ps->n + 1);
	for (uint32_t k = 0; k < ps->n; k++) {
		ps->part[k].model = ps->model;
		ps->part[k].h = h;
		ps->part[k].initial = initial;
		ps->part[k].realtime = ps->order & ORDER_REALTIME;
		ps->part[k].ops = xnewn(struct lop, count[k] + 1);
	}
	for (uint32_t i = h->n; i-- > 0;)
		ps->part[b->where[i]].key = keyed ? h->ops[i].key : VAL_NULL;
	free(count);
}

static int compile(struct builder *b, struct err *e, uint32_t *line)
{
	struct history *h = b->ps->h;

	for (uint32_t k = 0; k < h->n; k++) {
		uint32_t i = b->by_call[k], before;
		struct part *p = &b->ps->part[b->where[i]];
		*line = h->ops[i].line;
		before = p->n;
		if (part_add(p, &h->ops[i], e)) {
			if (h->ops[i].ret_line && h->ops[i].status == OP_OK && strstr(e->msg, "output"))
				*line = h->ops[i].ret_line;
			return -1;
		}
		b->lop[i] = p->n > before ? before : OP_NONE;
		if (p->n > before) {
			p->ops[before].call = b->g.call[i];
			p->ops[before].ret = p->ops[before].unknown ? NEVER : b->g.ret[i];
		}
	}
	*line = 0;
	return 0;
}

static void connect(struct builder *b, uint32_t from, uint32_t to, size_t *cap, size_t *caps)
{
	struct parts *ps = b->ps;
	uint32_t k = b->where[from];
	struct part *p = &ps->part[k];

	if (k == b->where[to]) {
		if (p->nedges == caps[k]) {
			caps[k] = caps[k] * 2 + 16;
			p->edges = xrealloc(p->edges, caps[k] * sizeof *p->edges);
		}
		p->edges[p->nedges++] = (struct edge){b->lop[from], b->lop[to]};
		return;
	}
	if (ps->ncross == *cap) {
		*cap = *cap * 2 + 16;
		ps->cross = xrealloc(ps->cross, *cap * sizeof *ps->cross);
	}
	ps->cross[ps->ncross++] = (struct edge){ps->base[k] + b->lop[from], ps->base[b->where[to]] + b->lop[to]};
}

/* Edges between kept operations, also those that lead through dropped ones. */
static void edges(struct builder *b)
{
	struct history *h = b->ps->h;
	uint32_t *at = xnewn(uint32_t, h->n + 2), *to = xnewn(uint32_t, b->g.n + 1), *stack = xnewn(uint32_t, b->g.n + 1);
	uint32_t *seen = xnewn(uint32_t, h->n + 1), *fill;
	size_t cap = 0, *caps = xnewn(size_t, b->ps->n + 1);

	for (size_t i = 0; i < b->g.n; i++)
		at[b->g.edges[i].from + 1]++;
	for (uint32_t i = 0; i < h->n; i++)
		at[i + 1] += at[i];
	fill = xmemdup(at, (h->n + 1) * sizeof *fill);
	for (size_t i = 0; i < b->g.n; i++)
		to[fill[b->g.edges[i].from]++] = b->g.edges[i].to;
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t n = 0;
		if (b->lop[i] == OP_NONE)
			continue;
		for (uint32_t k = at[i]; k < at[i + 1]; k++)
			if (seen[to[k]] != i + 1) {
				seen[to[k]] = i + 1;
				stack[n++] = to[k];
			}
		while (n) {
			uint32_t x = stack[--n];
			if (b->lop[x] != OP_NONE) {
				connect(b, i, x, &cap, caps);
				continue;
			}
			for (uint32_t k = at[x]; k < at[x + 1]; k++)
				if (seen[to[k]] != i + 1) {
					seen[to[k]] = i + 1;
					stack[n++] = to[k];
				}
		}
	}
	free(at);
	free(to);
	free(stack);
	free(seen);
	free(fill);
	free(caps);
}

int parts_build(struct parts *ps, struct history *h, const struct model *m, val initial, unsigned order, struct err *e,
                uint32_t *line)
{
	struct builder b = {.ps = ps};
	int r;

	*ps = (struct parts){.h = h, .model = m, .order = order};
	*line = 0;
	if (model_check_initial(m, h->v, initial, e) || order_build(&b.g, h, order, e)) {
		order_clear(&b.g);
		return -1;
	}
	b.lop = xnewn(uint32_t, h->n + 1);
	b.where = xnewn(uint32_t, h->n + 1);
	sort_by_call(&b);
	group(&b, initial);
	r = compile(&b, e, line);
	if (!r) {
		ps->base = xnewn(uint32_t, ps->n + 1);
		for (uint32_t k = 0; k < ps->n; k++)
			ps->base[k + 1] = ps->base[k] + ps->part[k].n;
		if (b.g.n)
			edges(&b);
		ps->global = ps->ncross > 0;
	}
	order_clear(&b.g);
	free(b.by_call);
	free(b.part_of);
	free(b.lop);
	free(b.where);
	return r;
}

void parts_clear(struct parts *ps)
{
	for (uint32_t k = 0; k < ps->n; k++)
		part_clear(&ps->part[k]);
	free(ps->part);
	free(ps->cross);
	free(ps->base);
	*ps = (struct parts){0};
}

/* Lops of `all` are in order of part, then of lop, so that ps->base numbers them; the search sorts calls itself. */
void parts_product(const struct parts *ps, struct part *all)
{
	const struct part **subs = xnewn(const struct part *, ps->n + 1);
	size_t nedges = ps->ncross;

	*all = (struct part){.model = &model_product, .h = ps->h, .initial = VAL_NONE, .key = VAL_NULL,
	                     .realtime = ps->order & ORDER_REALTIME, .subs = subs, .nsubs = ps->n};
	all->ops = xnewn(struct lop, ps->base[ps->n] + 1);
	for (uint32_t k = 0; k < ps->n; k++) {
		subs[k] = &ps->part[k];
		nedges += ps->part[k].nedges;
		for (uint32_t i = 0; i < ps->part[k].n; i++) {
			struct lop *l = &all->ops[all->n++];
			*l = ps->part[k].ops[i];
			l->blind = false; /* blind for its key only */
			l->list = k;
			l->nlist = i;
		}
	}
	all->edges = xnewn(struct edge, nedges + 1);
	for (uint32_t k = 0; k < ps->n; k++)
		for (size_t i = 0; i < ps->part[k].nedges; i++)
			all->edges[all->nedges++] = (struct edge){ps->part[k].edges[i].from + ps->base[k],
			                                          ps->part[k].edges[i].to + ps->base[k]};
	for (size_t i = 0; i < ps->ncross; i++)
		all->edges[all->nedges++] = ps->cross[i];
}
