/*
 * list-append and rw-register against an oracle that tries every serial order of a few transactions. Whatever the checker
 * calls not serializable must have no serial order. The other way round only for lists where every append was seen: of
 * unseen ones, and of registers, the order is not known, and the checker does not guess it.
 *
 *     checker_txn_diff [histories [seed]]
 */
#include "checker/check.h"

#include "base/mem.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TXNS = 7, MAX_MOPS = 4, KEYS = 3, MAX_LIST = 16 };

struct list {
	int x[MAX_LIST], n;
};

struct txn {
	struct { int key, append; struct list read; } mop[MAX_MOPS]; /* append 0: a read */
	int n;
	enum op_status status;
};

struct world {
	struct txn t[MAX_TXNS];
	int n;
	struct list list[KEYS];
	bool registers; /* a write replaces what was there */
};

static void write_to(const struct world *w, struct list *l, int x)
{
	if (w->registers)
		l->n = 0;
	l->x[l->n++] = x;
}

static bool serial(struct world *w, unsigned done)
{
	bool all = true;

	for (int i = 0; i < w->n; i++)
		all &= (done >> i & 1) || w->t[i].status != OP_OK;
	if (all)
		return true;
	for (int i = 0; i < w->n; i++) {
		struct txn *t = &w->t[i];
		struct list before[KEYS];
		bool fits = true;
		if (done >> i & 1 || t->status == OP_FAILED)
			continue;
		memcpy(before, w->list, sizeof before);
		for (int m = 0; m < t->n && fits; m++) {
			struct list *l = &w->list[t->mop[m].key];
			if (t->mop[m].append)
				write_to(w, l, t->mop[m].append);
			else if (t->status == OP_OK)
				fits = l->n == t->mop[m].read.n && !memcmp(l->x, t->mop[m].read.x, (size_t)l->n * sizeof *l->x);
		}
		if (fits && serial(w, done | 1u << i))
			return true;
		memcpy(w->list, before, sizeof before);
	}
	return false;
}

/* Transactions that really ran in some order, some reads spoiled. */
static void make(struct world *w, struct rng *r, bool registers)
{
	struct list now[KEYS] = {0}, old[KEYS] = {0};
	int next = 1;

	memset(w, 0, sizeof *w);
	w->registers = registers;
	w->n = 2 + (int)rng_below(r, MAX_TXNS - 1);
	for (int i = 0; i < w->n; i++) {
		struct txn *t = &w->t[i];
		uint64_t luck = rng_below(r, 14);
		struct list undo[KEYS];
		bool stale = rng_below(r, 3) == 0; /* reads an older state */
		t->status = luck == 0 ? OP_FAILED : luck == 1 ? OP_UNKNOWN : OP_OK;
		t->n = 1 + (int)rng_below(r, MAX_MOPS);
		memcpy(undo, now, sizeof undo);
		for (int m = 0; m < t->n; m++) {
			int k = t->mop[m].key = (int)rng_below(r, KEYS);
			if (rng_below(r, 2) && now[k].n < MAX_LIST - 1 && next < 12) {
				t->mop[m].append = next;
				write_to(w, &now[k], next++);
			} else {
				t->mop[m].read = stale && rng_below(r, 2) ? old[k] : now[k];
			}
		}
		if (t->status == OP_FAILED || (t->status == OP_UNKNOWN && rng_below(r, 2)))
			memcpy(now, undo, sizeof now);
		if (rng_below(r, 2))
			memcpy(old, undo, sizeof old);
	}
	for (int spoil = (int)rng_below(r, 3); spoil; spoil--) {
		struct txn *t = &w->t[rng_below(r, (uint64_t)w->n)];
		struct list *l = &t->mop[rng_below(r, (uint64_t)t->n)].read;
		if (l->n && rng_below(r, 2))
			l->n--;
		else if (registers && l->n)
			l->x[0] = 1 + (int)rng_below(r, (uint64_t)next - 1);
		else if (l->n > 1) {
			int x = l->x[l->n - 1];
			l->x[l->n - 1] = l->x[l->n - 2];
			l->x[l->n - 2] = x;
		}
	}
}

static void print(const struct world *w, struct buf *b, bool *all_seen)
{
	bool seen[64] = {false};

	buf_reset(b);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < w->n; i++) {
			const struct txn *t = &w->t[i];
			buf_addf(b, "{\"type\":\"%s\",\"process\":%d,\"f\":\"txn\",\"id\":%d,\"value\":[", !pass ? "invoke" : t->status == OP_OK ? "ok" :
			         t->status == OP_FAILED ? "fail" : "info", i, i);
			for (int m = 0; m < t->n; m++) {
				if (t->mop[m].append) {
					buf_addf(b, "%s[\"%s\",\"k%d\",%d]", m ? "," : "", w->registers ? "w" : "append", t->mop[m].key, t->mop[m].append);
					continue;
				}
				buf_addf(b, "%s[\"r\",\"k%d\",", m ? "," : "", t->mop[m].key);
				if (w->registers && (!pass || !t->mop[m].read.n))
					buf_adds(b, "null");
				buf_adds(b, w->registers ? "" : "[");
				for (int k = 0; pass && k < t->mop[m].read.n; k++) {
					buf_addf(b, "%s%d", k ? "," : "", t->mop[m].read.x[k]);
					seen[t->mop[m].read.x[k]] |= t->status == OP_OK;
				}
				buf_adds(b, w->registers ? "]" : "]]");
			}
			buf_adds(b, "]}\n");
		}
	*all_seen = true;
	for (int i = 0; i < w->n; i++)
		for (int m = 0; m < w->t[i].n; m++)
			if (w->t[i].mop[m].append && w->t[i].status != OP_FAILED)
				*all_seen &= seen[w->t[i].mop[m].append];
}

/*
 * Examples of cycles are shortest ones: dependencies of lists of which every element was seen, built and searched in the
 * plainest way. min[kind]: the fewest edges of a simple cycle; 0: none.
 */
enum { D_WW = 1, D_WR = 2, D_RW = 4 };
enum { K_G0, K_G1C, K_SINGLE, K_NONADJACENT, K_G2, KINDS };

struct deps {
	unsigned edge[MAX_TXNS][MAX_TXNS];
	int n, min[KINDS];
};

static int writer(const struct world *w, int key, int x)
{
	for (int i = 0; i < w->n; i++)
		for (int m = 0; m < w->t[i].n; m++)
			if (w->t[i].mop[m].append == x && w->t[i].mop[m].key == key)
				return i;
	return -1;
}

static void depend(struct deps *d, int from, int to, unsigned kind)
{
	if (from >= 0 && to >= 0 && from != to)
		d->edge[from][to] |= kind;
}

static void dependencies(const struct world *w, struct deps *d)
{
	for (int key = 0; key < KEYS; key++) {
		struct list order = {.n = 0};
		for (int i = 0; i < w->n; i++)
			for (int m = 0; m < w->t[i].n; m++)
				if (w->t[i].status == OP_OK && !w->t[i].mop[m].append && w->t[i].mop[m].key == key && w->t[i].mop[m].read.n > order.n)
					order = w->t[i].mop[m].read;
		for (int k = 0; k + 1 < order.n; k++)
			depend(d, writer(w, key, order.x[k]), writer(w, key, order.x[k + 1]), D_WW);
		for (int i = 0; i < w->n; i++)
			for (int m = 0; m < w->t[i].n; m++) {
				int len = w->t[i].mop[m].read.n;
				if (w->t[i].status != OP_OK || w->t[i].mop[m].append || w->t[i].mop[m].key != key)
					continue;
				bool own = false;
				while (len && writer(w, key, order.x[len - 1]) == i) { /* says nothing of others */
					own = true;
					len--;
				}
				if (len)
					depend(d, writer(w, key, order.x[len - 1]), i, D_WR);
				if (len < order.n && !own)
					depend(d, i, writer(w, key, order.x[len]), D_RW);
			}
	}
}

static void found_cycle(struct deps *d, const unsigned *kinds, int n)
{
	unsigned all = 0;
	int rw = 0, adjacent = 0, kind;

	for (int i = 0; i < n; i++) {
		all |= kinds[i];
		rw += kinds[i] == D_RW;
		adjacent += kinds[i] == D_RW && kinds[(i + 1) % n] == D_RW;
	}
	kind = !rw ? all & D_WR ? K_G1C : K_G0 : rw == 1 ? K_SINGLE : adjacent ? K_G2 : K_NONADJACENT;
	if (!d->min[kind] || n < d->min[kind])
		d->min[kind] = n;
}

static void paths(struct deps *d, int *node, unsigned *kinds, int n, unsigned seen)
{
	for (int to = 0; to < d->n; to++)
		for (unsigned kind = D_WW; kind <= D_RW; kind <<= 1) {
			if (!(d->edge[node[n - 1]][to] & kind))
				continue;
			kinds[n - 1] = kind;
			if (to == node[0])
				found_cycle(d, kinds, n);
			if (to <= node[0] || seen >> to & 1)
				continue;
			node[n] = to;
			paths(d, node, kinds, n + 1, seen | 1u << to);
		}
}

static bool own_edges_only(const char *name)
{
	return !strstr(name, "-process") && !strstr(name, "-realtime");
}

/* NULL, or the anomaly whose example is longer than need be, or is none. */
static const char *not_shortest(const struct world *w, const struct txn_result *r)
{
	static const char *const names[KINDS] = {"G0", "G1c", "G-single", "G-nonadjacent", "G2-item"};
	struct deps d = {.n = w->n};
	int node[MAX_TXNS + 1];
	unsigned kinds[MAX_TXNS + 1];

	for (uint32_t i = 0; i < r->n; i++)
		if (!r->anomaly[i].cycle && strcmp(r->anomaly[i].name, "lost-update"))
			return NULL; /* the order of a list is in doubt */
	dependencies(w, &d);
	for (node[0] = 0; node[0] < w->n; node[0]++)
		paths(&d, node, kinds, 1, 1u << node[0]);
	for (int k = 0; k < KINDS; k++) {
		const struct anomaly *a = NULL;
		bool weaker = false; /* in one component: the same or a worse cycle may have been told */
		for (uint32_t i = 0; i < r->n; i++) {
			if (!strcmp(r->anomaly[i].name, names[k]))
				a = &r->anomaly[i];
			for (int j = K_SINGLE; j < k; j++)
				weaker |= !strcmp(r->anomaly[i].name, names[j]);
		}
		if (k == K_G2 && weaker) /* G2-item is about edges that lie on none of the weaker cycles, and need not be told */
			continue;
		if (a ? (int)a->nop != d.min[k] : d.min[k] && !weaker)
			return names[k];
	}
	for (uint32_t i = 0; i < r->n; i++) { /* cycles of an order have an edge of it */
		bool has = own_edges_only(r->anomaly[i].name) || !r->anomaly[i].cycle;
		for (uint32_t j = 0; j < r->anomaly[i].nop && !has; j++)
			has = r->anomaly[i].edge[j] & (EDGE_PROCESS | EDGE_REALTIME);
		if (!has)
			return r->anomaly[i].name;
	}
	return NULL;
}

static struct { uint64_t good, bad, missed; } count[2]; /* lists, registers */

static void one(struct rng *r, struct buf *text, bool registers)
{
	struct check_options opt = CHECK_DEFAULTS;
	struct world w;
	struct history h;
	struct check c = {0};
	struct err e = {0};
	uint32_t line;
	bool all_seen, order;

	make(&w, r, registers);
	print(&w, text, &all_seen);
	order = serial(&w, 0);
	opt.model = registers ? "rw-register" : "list-append";
	if (hist_parse(&h, "fuzz", xstrndup(text->data, text->len), text->len, FMT_AUTO, &e) || check_prepare(&c, &h, &opt, &e, &line) ||
	    check_run(&c, &e, &line)) {
		printf("not ok - %s\n%s", e.msg, text->data);
		exit(1);
	}
	if (order && c.verdict != LINEARIZABLE) {
		printf("not ok - not serializable (%s: %s), but there is a serial order:\n%s", c.txn.anomaly[0].name, c.txn.anomaly[0].text, text->data);
		exit(1);
	}
	if (!order && c.verdict == LINEARIZABLE && all_seen && !registers) {
		printf("not ok - serializable, but there is no serial order:\n%s", text->data);
		exit(1);
	}
	if (all_seen && !registers && not_shortest(&w, &c.txn)) {
		printf("not ok - the example of %s is not a shortest one\n%s", not_shortest(&w, &c.txn), text->data);
		for (uint32_t i = 0; i < c.txn.n; i++)
			printf("# %s\n", c.txn.anomaly[i].text);
		exit(1);
	}
	count[registers].good += order;
	count[registers].bad += !order;
	count[registers].missed += !order && c.verdict == LINEARIZABLE;
	check_clear(&c);
	hist_clear(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf text = {0};
	struct rng r;

	rng_init(&r, hash_bytes(data, n, 0), "checker_txn_diff");
	one(&r, &text, n & 1);
	buf_clear(&text);
	return 0;
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	struct buf text = {0};
	struct rng r;

	rng_init(&r, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, "checker_txn_diff");
	for (uint64_t i = 0; i < n; i++)
		one(&r, &text, i % 3 == 2);
	for (int k = 0; k < 2; k++)
		printf("# %s: %llu serializable, %llu not; %llu of those %s were not told\n", k ? "rw-register" : "list-append", (unsigned long long)count[k].good,
		       (unsigned long long)count[k].bad, (unsigned long long)count[k].missed, k ? "with versions in an unknown order" : "with unseen appends");
	printf("ok - %llu transaction histories agree with the oracle\n", (unsigned long long)n);
	buf_clear(&text);
	return 0;
}
#endif
