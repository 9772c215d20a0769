#include "checker/linear.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

/* First round, all parts in parallel: enough for nearly every key. The hard ones come one at a time afterwards. */
enum { FIRST_CONFIGS = 1000000, FIRST_MEMORY_SHARE = 16, MAX_JOBS = 64 };

void decide(const struct part *p, const struct limits *lim, struct found *f, struct reason *why, bool *by_monitor)
{
	const char *wrong;

	monitor(p, f, why);
	if (f->verdict == LINEARIZABLE && p->nedges && verify_order(p, f->order, f->norder)) {
		found_clear(f); /* the monitor knows intervals only; its order breaks an edge */
		f->verdict = UNDECIDED;
	}
	*by_monitor = f->verdict != UNDECIDED;
	if (f->verdict == UNDECIDED) {
		*why = (struct reason){.value = VAL_NONE};
		search(p, lim, f);
	}
	if (f->verdict != LINEARIZABLE)
		return;
	wrong = verify_order(p, f->order, f->norder);
	if (wrong)
		BUG("the %s's order for model %s does not replay: %s", *by_monitor ? "monitor" : "search", p->model->name, wrong);
}

static void check_part(struct part_result *r, const struct limits *lim)
{
	struct found f;

	decide(r->part, lim, &f, &r->why, &r->by_monitor);
	r->verdict = f.verdict;
	r->visited += f.visited;
	r->order = f.order;
	r->norder = f.norder;
	r->left = f.left;
	r->out_of_memory = f.out_of_memory;
	r->out_of_time = f.out_of_time;
}

struct pool {
	struct part_result *r;
	uint32_t n, next;
	struct limits lim;
	mtx_t lock;
};

static int worker(void *arg)
{
	struct pool *p = arg;

	for (;;) {
		uint32_t i;
		mtx_lock(&p->lock);
		i = p->next++;
		mtx_unlock(&p->lock);
		if (i >= p->n)
			return 0;
		check_part(&p->r[i], &p->lim);
	}
}

static void first_round(struct part_result *r, uint32_t n, const struct limits *lim, unsigned jobs)
{
	struct pool p = {.r = r, .n = n, .lim = *lim};
	thrd_t t[MAX_JOBS];
	unsigned started = 0;

	mtx_init(&p.lock, mtx_plain);
	for (; started + 1 < MIN(MIN(jobs, n), MAX_JOBS); started++)
		if (thrd_create(&t[started], worker, &p) != thrd_success)
			break;
	worker(&p);
	for (unsigned i = 0; i < started; i++)
		thrd_join(t[i], NULL);
	mtx_destroy(&p.lock);
}

static bool lacked_memory(const struct linear_result *res)
{
	for (uint32_t i = 0; i < res->n; i++)
		if (res->part[i].verdict == UNDECIDED && res->part[i].out_of_memory)
			return true;
	return false;
}

/* What is left, one at a time and with the whole memory, sharing what is left of the budget. Only the counts of
 * visited configurations decide how far this goes. */
static void later_rounds(struct linear_result *res, const struct linear_options *opt)
{
	uint64_t last = FIRST_CONFIGS;
	bool first = true;

	for (;;) {
		uint64_t left = opt->configs > res->visited ? opt->configs - res->visited : 0, share;
		if (!res->nundecided || res->nbad)
			return;
		share = left / res->nundecided;
		if (share <= last && !(first && left && lacked_memory(res)))
			return;
		last = share;
		first = false;
		for (uint32_t i = 0; i < res->n; i++) {
			struct part_result *r = &res->part[i];
			struct limits lim = {.configs = share, .memory = opt->memory, .expired = opt->expired, .arg = opt->arg};
			uint64_t before = r->visited;
			if (r->verdict != UNDECIDED || r->out_of_time)
				continue;
			check_part(r, &lim);
			res->visited += r->visited - before;
			res->nundecided -= r->verdict != UNDECIDED;
			res->nbad += r->verdict == NOT_LINEARIZABLE;
			if (r->out_of_time)
				return;
		}
	}
}

/* Kahn's algorithm over all operations: edges, each key's witness order, real time. False: they do not fit together. */
static bool merge_orders(const struct parts *ps, struct linear_result *res, uint32_t *order)
{
	const struct part *all = &res->all;
	uint32_t n = all->n, *indeg = xnewn(uint32_t, n + 1), *next = xnewn(uint32_t, n + 1), *at = xnewn(uint32_t, n + 2);
	uint32_t *to = xnewn(uint32_t, all->nedges + 1), *fill, *heap = xnewn(uint32_t, n + 1), nheap = 0, done = 0;
	uint32_t total = 0;

	memset(next, 0xff, (n + 1) * sizeof *next);
	for (size_t i = 0; i < all->nedges; i++)
		at[all->edges[i].from + 1]++;
	for (uint32_t i = 0; i < n; i++)
		at[i + 1] += at[i];
	fill = xmemdup(at, (n + 1) * sizeof *fill);
	bool *in = xcalloc(n + 1, 1);
	for (uint32_t k = 0; k < ps->n; k++)
		for (uint32_t i = 0; i < res->part[k].norder; i++) {
			uint32_t x = ps->base[k] + res->part[k].order[i];
			in[x] = true;
			total++;
			if (i) {
				next[ps->base[k] + res->part[k].order[i - 1]] = x;
				indeg[x]++;
			}
		}
	for (size_t i = 0; i < all->nedges; i++) {
		to[fill[all->edges[i].from]++] = all->edges[i].to;
		indeg[all->edges[i].to]++;
	}
	/* Unknown operations outside of the witnesses are passed at once when their turn comes. */
	for (uint32_t i = 0; i < n; i++)
		if (!indeg[i])
			heap[nheap++] = i;
	while (nheap) {
		uint32_t best = 0, x;
		for (uint32_t i = 1; i < nheap; i++) /* the ready list is about as long as there are keys */
			if (all->ops[heap[i]].call < all->ops[heap[best]].call)
				best = i;
		x = heap[best];
		heap[best] = heap[--nheap];
		if (in[x])
			order[done++] = x;
		if (next[x] != NEVER && !--indeg[next[x]])
			heap[nheap++] = next[x];
		for (uint32_t k = at[x]; k < at[x + 1]; k++)
			if (!--indeg[to[k]])
				heap[nheap++] = to[k];
	}
	free(indeg);
	free(next);
	free(at);
	free(to);
	free(fill);
	free(heap);
	free(in);
	return done == total && !verify_order(all, order, done);
}

/* An order between keys: the keys' witnesses may fit together; otherwise search over all keys at once. */
static void check_whole(const struct parts *ps, const struct linear_options *opt, struct linear_result *res)
{
	struct part_result *w = &res->whole;
	struct limits lim = {.configs = opt->configs, .memory = opt->memory, .expired = opt->expired, .arg = opt->arg};
	struct found f;
	uint32_t *order;

	res->global = true;
	parts_product(ps, &res->all);
	w->part = &res->all;
	order = xnewn(uint32_t, res->all.n + 1);
	if (merge_orders(ps, res, order)) {
		w->verdict = LINEARIZABLE;
		w->order = order;
		w->norder = 0;
		for (uint32_t k = 0; k < ps->n; k++)
			w->norder += res->part[k].norder;
		return;
	}
	free(order);
	search(&res->all, &lim, &f);
	w->verdict = f.verdict;
	w->order = f.order;
	w->norder = f.norder;
	w->left = f.left;
	w->visited = f.visited;
	w->out_of_memory = f.out_of_memory;
	w->out_of_time = f.out_of_time;
	res->visited += f.visited;
	if (f.verdict == LINEARIZABLE && verify_order(&res->all, f.order, f.norder))
		BUG("the order of all keys does not replay");
}

void linear_check(const struct parts *ps, const struct linear_options *opt, struct linear_result *res)
{
	struct limits first = {.configs = MIN(FIRST_CONFIGS, opt->configs), .memory = opt->memory / FIRST_MEMORY_SHARE,
	                       .expired = opt->expired, .arg = opt->arg};
	unsigned jobs = ps->model->user ? 1 : MAX(opt->jobs, 1); /* a user's model need not be thread-safe */

	*res = (struct linear_result){.part = xnewn(struct part_result, ps->n + 1), .n = ps->n};
	for (uint32_t i = 0; i < ps->n; i++)
		res->part[i].part = &ps->part[i];
	first_round(res->part, res->n, &first, jobs);
	for (uint32_t i = 0; i < ps->n; i++) {
		res->visited += res->part[i].visited;
		res->nbad += res->part[i].verdict == NOT_LINEARIZABLE;
		res->nundecided += res->part[i].verdict == UNDECIDED;
	}
	later_rounds(res, opt);
	res->verdict = res->nbad ? NOT_LINEARIZABLE : res->nundecided ? UNDECIDED : LINEARIZABLE;
	if (ps->global && res->verdict == LINEARIZABLE) {
		check_whole(ps, opt, res);
		res->verdict = res->whole.verdict;
	}
}

void linear_explain(const struct linear_options *opt, struct linear_result *res)
{
	if (opt->explain)
		for (uint32_t i = 0; i < res->n; i++)
			if (res->part[i].verdict == NOT_LINEARIZABLE)
				explain(&res->part[i], opt);
	if (opt->explain && res->global && res->whole.verdict == NOT_LINEARIZABLE)
		explain(&res->whole, opt);
}

static void result_clear(struct part_result *r)
{
	free(r->order);
	free(r->core);
	free(r->partial);
	buf_clear(&r->words);
}

void linear_clear(struct linear_result *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		result_clear(&r->part[i]);
	free(r->part);
	if (r->global) {
		free((void *)(uintptr_t)r->all.subs);
		part_clear(&r->all);
		result_clear(&r->whole);
	}
	*r = (struct linear_result){0};
}
