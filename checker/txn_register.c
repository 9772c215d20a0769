/*
 * rw-register: what a read returns names its writer exactly. The order of versions is inferred: the initial value comes
 * first; in a transaction that reads a version and then writes, the written one is later; so are a transaction's later
 * writes. (Not from real time: a database need not install versions in it.)
 */
#include "checker/txn_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An edge between versions of one key: writes by number, NIL: the initial version. */
struct version_edge {
	uint32_t from, to;
};

struct registers {
	struct txns *t;
	struct version_edge *e;
	size_t n, cap;
	uint32_t *comp; /* by write: the component of the version order, for cycles in it */
};

static void later(struct registers *g, uint32_t from, uint32_t to)
{
	if (g->n == g->cap) {
		g->cap = g->cap * 2 + 256;
		g->e = xrealloc(g->e, g->cap * sizeof *g->e);
	}
	g->e[g->n++] = (struct version_edge){from, to};
}

static void noted(struct txns *t, const char *name, enum level level, uint32_t key, uint32_t a, uint32_t b, const char *what)
{
	struct buf k = {0};
	uint32_t ops[2] = {a, b};

	print_key_name(t, key, &k);
	note_anomaly(t, name, level_and_stronger(level), ops, a == b ? 1 : 2, what, k.data);
	buf_clear(&k);
}

static bool happened(const struct txns *t, uint32_t w)
{
	return t->h->ops[t->writes[w].txn].status != OP_FAILED;
}

/* One read: its writer, and what is wrong with it. Returns the write, NIL for the initial value or nothing usable. */
static uint32_t check_read(struct txns *t, uint32_t txn, uint32_t m)
{
	const struct mop *r = &t->mops[m];
	uint32_t w = write_find(t, r->key, r->x);

	if (w == NIL) {
		if (r->x != t->initial)
			noted(t, "garbage-read", LEVEL_READ_UNCOMMITTED, r->key, txn, txn,
				"a read of %s returned a value that nobody wrote");
		return NIL;
	}
	if (!happened(t, w)) {
		noted(t, "G1a", LEVEL_READ_COMMITTED, r->key, txn, t->writes[w].txn,
		      "a read of %s returned a write of a transaction that failed");
		return NIL;
	}
	if (t->writes[w].txn == txn && t->writes[w].mop > m)
		noted(t, "future-read", LEVEL_READ_COMMITTED, r->key, txn, txn,
		      "a read of %s shows a write that the transaction makes only afterwards");
	else if (t->writes[w].txn != txn && !t->writes[w].last)
		noted(t, "G1b", LEVEL_READ_COMMITTED, r->key, txn, t->writes[w].txn,
		      "a read of %s returned a value that its transaction overwrote later");
	return w;
}

/* Inside one transaction: a read must return what the last own read or write left. */
static void walk(struct registers *g, uint32_t txn)
{
	struct txns *t = g->t;

	for (uint32_t m = t->at[txn]; m < t->at[txn + 1]; m++) {
		const struct mop *now = &t->mops[m];
		uint32_t before = NIL, w;
		for (uint32_t k = m; k-- > t->at[txn] && before == NIL;) /* transactions are short */
			if (t->mops[k].key == now->key && !t->mops[k].unknown)
				before = k;
		if (now->kind == MOP_WRITE) {
			if (before == NIL)
				continue;
			if (t->mops[before].kind == MOP_WRITE) {
				later(g, t->mops[before].x, now->x);
			} else {
				w = write_find(t, now->key, t->mops[before].x);
				if (w == NIL ? t->mops[before].x == t->initial : happened(t, w) && w != now->x)
					later(g, w, now->x);
			}
			continue;
		}
		if (now->unknown || !committed(t, txn))
			continue;
		w = check_read(t, txn, m);
		if (before != NIL) {
			val x = t->mops[before].kind == MOP_WRITE ? t->writes[t->mops[before].x].x : t->mops[before].x;
			if (x != now->x)
				noted(t, "internal", LEVEL_READ_ATOMIC, now->key, txn, txn,
				      "a read of %s does not match the transaction's own earlier reads and writes");
			continue;
		}
		if (w != NIL && t->writes[w].txn != txn)
			add_edge(t, t->writes[w].txn, txn, EDGE_WR, now->key);
	}
}

/* Components of the version orders of all keys together: a number per write; cyclic ones are anomalies. */
static void version_cycles(struct registers *g)
{
	struct txns *t = g->t;
	uint32_t n = t->nwrites, *at = xnewn(uint32_t, n + 2), *to = xnewn(uint32_t, g->n + 1), *fill, *indeg = xnewn(uint32_t, n + 1);
	uint32_t *queue = xnewn(uint32_t, n + 1), head = 0, tail = 0;

	/* What a topological sort does not reach is on a cycle or behind one; what the reverse sort does not, before one. */
	g->comp = xnewn(uint32_t, n + 1);
	for (int reverse = 0; reverse < 2; reverse++) {
		memset(at, 0, (n + 2) * sizeof *at);
		memset(indeg, 0, (n + 1) * sizeof *indeg);
		for (size_t i = 0; i < g->n; i++)
			if (g->e[i].from != NIL) {
				at[(reverse ? g->e[i].to : g->e[i].from) + 1]++;
				indeg[reverse ? g->e[i].from : g->e[i].to]++;
			}
		for (uint32_t i = 0; i < n; i++)
			at[i + 1] += at[i];
		fill = xmemdup(at, (n + 1) * sizeof *fill);
		for (size_t i = 0; i < g->n; i++)
			if (g->e[i].from != NIL)
				to[fill[reverse ? g->e[i].to : g->e[i].from]++] = reverse ? g->e[i].from : g->e[i].to;
		free(fill);
		head = tail = 0;
		for (uint32_t i = 0; i < n; i++)
			if (!indeg[i])
				queue[tail++] = i;
		while (head < tail) {
			uint32_t v = queue[head++];
			for (uint32_t k = at[v]; k < at[v + 1]; k++)
				if (!--indeg[to[k]])
					queue[tail++] = to[k];
		}
		for (uint32_t i = 0; i < n; i++)
			g->comp[i] += indeg[i] > 0;
	}
	for (uint32_t i = 0; i < n; i++) /* in both: on a cycle, or between two */
		if (g->comp[i] == 2)
			noted(t, "cyclic-versions", LEVEL_READ_UNCOMMITTED, t->writes[i].key, t->writes[i].txn, t->writes[i].txn,
			      "the order of the versions of %s, as transactions that read and then wrote it tell, has a cycle");
	free(at);
	free(to);
	free(indeg);
	free(queue);
}

/* Readers of each write, and of the initial version of each key, as lists. */
struct readers {
	uint32_t *first, *next, *txn, *initial, n;
};

static void collect_readers(struct registers *g, struct readers *r)
{
	struct txns *t = g->t;

	r->first = xmalloc((t->nwrites + 1) * sizeof *r->first);
	r->initial = xmalloc((t->nkeys + 1) * sizeof *r->initial);
	r->next = xnewn(uint32_t, t->nmops + 1);
	r->txn = xnewn(uint32_t, t->nmops + 1);
	memset(r->first, 0xff, (t->nwrites + 1) * sizeof *r->first);
	memset(r->initial, 0xff, (t->nkeys + 1) * sizeof *r->initial);
	for (uint32_t i = 0; i < t->h->n; i++)
		for (uint32_t m = t->at[i]; m < t->at[i + 1] && committed(t, i); m++) {
			const struct mop *x = &t->mops[m];
			uint32_t w, *list;
			bool own = false;
			if (x->kind != MOP_READ || x->unknown)
				continue;
			for (uint32_t k = t->at[i]; k < m && !own; k++)
				own = t->mops[k].key == x->key;
			w = write_find(t, x->key, x->x);
			if (own || (w == NIL && x->x != t->initial))
				continue;
			list = w == NIL ? &r->initial[x->key] : &r->first[w];
			r->next[m] = *list;
			r->txn[m] = i;
			*list = m;
		}
}

/* Readers of a version come before the writers of later ones; so do its own writer's. */
static void version_edges(struct registers *g, const struct readers *r)
{
	struct txns *t = g->t;

	for (size_t i = 0; i < g->n; i++) {
		uint32_t from = g->e[i].from, to = g->e[i].to, key = t->writes[to].key, list;
		if (from != NIL && g->comp[from] == 2 && g->comp[to] == 2)
			continue;
		if (from != NIL && t->writes[from].txn != t->writes[to].txn && happened(t, from) && happened(t, to))
			add_edge(t, t->writes[from].txn, t->writes[to].txn, EDGE_WW, key);
		list = from == NIL ? NIL : r->first[from];
		for (; list != NIL && happened(t, to); list = r->next[list])
			if (r->txn[list] != t->writes[to].txn)
				add_edge(t, r->txn[list], t->writes[to].txn, EDGE_RW, key);
	}
}

/* The initial version is before all others: through a chain of helpers per key, so that nobody leads to itself. */
static void initial_edges(struct registers *g, const struct readers *r)
{
	struct txns *t = g->t;
	uint32_t *first = xnewn(uint32_t, t->nkeys + 1), *count = xnewn(uint32_t, t->nkeys + 1), *place = xnewn(uint32_t, t->nwrites + 1);

	for (uint32_t w = 0; w < t->nwrites; w++)
		if (committed(t, t->writes[w].txn) && write_find(t, t->writes[w].key, t->writes[w].x) == w)
			place[w] = count[t->writes[w].key]++;
		else
			place[w] = NIL;
	for (uint32_t k = 0; k < t->nkeys; k++) {
		first[k] = t->nnodes;
		if (r->initial[k] != NIL)
			t->nnodes += 2 * count[k];
	}
	for (uint32_t w = 0; w < t->nwrites; w++) { /* S: this write and later ones; P: this one and earlier ones */
		uint32_t k = t->writes[w].key, s = first[k] + place[w], p = s + count[k];
		if (place[w] == NIL || r->initial[k] == NIL)
			continue;
		add_edge(t, s, t->writes[w].txn, EDGE_ON, k);
		add_edge(t, p, t->writes[w].txn, EDGE_ON, k);
		if (place[w] + 1 < count[k])
			add_edge(t, s, s + 1, EDGE_ON, k);
		if (place[w])
			add_edge(t, p, p - 1, EDGE_ON, k);
	}
	for (uint32_t k = 0; k < t->nkeys; k++)
		for (uint32_t l = r->initial[k]; l != NIL && count[k]; l = r->next[l]) {
			uint32_t txn = r->txn[l], lo = NIL, hi = NIL;
			for (uint32_t m = t->at[txn]; m < t->at[txn + 1]; m++)
				if (t->mops[m].kind == MOP_WRITE && t->mops[m].key == k && place[t->mops[m].x] != NIL) {
					hi = place[t->mops[m].x];
					lo = lo == NIL ? hi : lo;
				}
			if (lo == NIL || hi + 1 < count[k])
				add_edge(t, txn, first[k] + (lo == NIL ? 0 : hi + 1), EDGE_RW, k);
			if (lo != NIL && lo)
				add_edge(t, txn, first[k] + count[k] + lo - 1, EDGE_RW, k);
		}
	free(first);
	free(count);
	free(place);
}

void register_analyse(struct txns *t)
{
	struct registers g = {.t = t};
	struct readers r = {0};

	for (uint32_t i = 0; i < t->h->n; i++)
		if (t->h->ops[i].status != OP_FAILED)
			walk(&g, i);
	version_cycles(&g);
	collect_readers(&g, &r);
	version_edges(&g, &r);
	initial_edges(&g, &r);
	lost_updates(t);
	free(g.e);
	free(g.comp);
	free(r.first);
	free(r.next);
	free(r.txn);
	free(r.initial);
}
