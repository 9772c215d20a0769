/*
 * Registers and append-only lists.
 *
 * Versions form a tree: a node per observed state, its parent the state just before its write where that is known (the
 * list without its last element; the old value of a successful cas). A plain write starts an epoch of its own. A node
 * with two children, or a write needed at two nodes, is a violation. Otherwise each epoch is a path: its operations
 * (write, reads, next write, reads, …) have a fixed order inside the epoch, checked by one sweep, and the epochs are
 * blocks with zones [earliest finish, latest start]: the history is linearizable exactly when forward zones are disjoint
 * and no backward zone lies inside a forward one (Gibbons and Korach 1997, for blocks). A completed write that nobody
 * observed is a block of one operation; an unknown one is left out.
 */
#include "checker/monitor.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NIL = UINT32_MAX, MAX_ASSIGNMENTS = 128 };

struct node {
	uint32_t parent, child, sibling;
	uint32_t writer; /* NIL: the initial state, or not assigned yet */
	uint32_t reads;  /* first reader, chained by next_read */
	val label;
	bool head; /* starts an epoch */
};

struct block {
	uint32_t lo, hi, lo_op, hi_op; /* positions + 1, so that the initial state can finish at 0 */
	uint32_t node;                 /* first node, or NIL: the single operation lo_op */
	uint32_t at;                   /* where it is placed */
};

struct zones {
	const struct part *p;
	struct found *f;
	struct reason *r;
	struct node *nodes;
	uint32_t nnodes, nodes_cap;
	uint32_t *next_read, *next_writer, *node_of_writer;
	struct map writers; /* token: first writer + 1 */
	struct map heads;   /* token: node + 1 of an epoch, or of a register's value */
	bool guess;         /* a choice was made that is not forced: only LINEARIZABLE is exact */
	bool list;          /* values are lists (or strings) that grow, not single values */
	uint32_t put_done;  /* the earliest finish of a put: reads that start later are not in the initial epoch */
	bool put_first;     /* a token that was both put and appended heads a list: taken as put */
	uint32_t *by_token; /* nodes of ambiguous tokens */
	struct block *blocks;
	uint32_t nblocks;
};

static uint32_t new_node(struct zones *z, uint32_t parent, val label)
{
	struct node *n;

	if (z->nnodes == z->nodes_cap) {
		z->nodes_cap = z->nodes_cap * 2 + 64;
		z->nodes = xrealloc(z->nodes, z->nodes_cap * sizeof *z->nodes);
	}
	n = &z->nodes[z->nnodes];
	*n = (struct node){.parent = parent, .child = NIL, .sibling = NIL, .writer = NIL, .reads = NIL, .label = label};
	if (parent != NIL) {
		n->sibling = z->nodes[parent].child;
		z->nodes[parent].child = z->nnodes;
	}
	return z->nnodes++;
}

static void add_reader(struct zones *z, uint32_t node, uint32_t op)
{
	z->next_read[op] = z->nodes[node].reads;
	z->nodes[node].reads = op;
}

static uint32_t first_writer(const struct zones *z, val token)
{
	return (uint32_t)((uintptr_t)map_get(&z->writers, token) - 1);
}

static bool is_put(const struct zones *z, uint32_t w)
{
	return z->p->ops[w].code == C_WRITE;
}

static void collect_writers(struct zones *z)
{
	z->put_done = NEVER;
	for (uint32_t i = z->p->n; i-- > 0;) {
		const struct lop *l = &z->p->ops[i];
		val token = l->code == C_CAS ? l->b : l->a;
		if (l->readonly || (l->code == C_CAS && l->a == l->b))
			continue;
		if (l->code == C_WRITE && !l->unknown)
			z->put_done = MIN(z->put_done, lop_finish(z->p, i));
		z->next_writer[i] = first_writer(z, token);
		map_put(&z->writers, token, (void *)(uintptr_t)(i + 1ull));
	}
}

/* Registers: the node of an observed value, made with its predecessors. NIL: a verdict was reached or must be. */
static uint32_t value_node(struct zones *z, val x, uint32_t reader)
{
	uint32_t w, n;
	val initial = z->nodes[0].label;
	void *known = map_get(&z->heads, x);

	if (known)
		return (uint32_t)((uintptr_t)known - 1);
	w = first_writer(z, x);
	if (x == initial || w == NIL) {
		if (w == NIL && x != initial)
			NOT_LIN(z->f, z->r, WHY_NEVER_WRITTEN, x, reader);
		return w == NIL && x == initial ? 0 : NIL;
	}
	if (z->next_writer[w] != NIL)
		return NIL;
	n = z->node_of_writer[w];
	if (n == NIL) {
		n = new_node(z, NIL, x);
		z->nodes[n].writer = w;
		z->nodes[n].head = is_put(z, w);
		z->node_of_writer[w] = n;
	}
	map_put(&z->heads, x, (void *)(uintptr_t)(n + 1ull));
	return n;
}

static void adopt(struct zones *z, uint32_t child, uint32_t parent)
{
	z->nodes[child].parent = parent;
	z->nodes[child].sibling = z->nodes[parent].child;
	z->nodes[parent].child = child;
}

/* Every successful cas is a node below the value that it replaced. */
static bool link_cas(struct zones *z, uint32_t op)
{
	const struct lop *l = &z->p->ops[op];
	uint32_t n = z->node_of_writer[op], parent;

	if (n == NIL) { /* its value was not observed */
		if (l->unknown)
			return true;
		n = new_node(z, NIL, l->b);
		z->nodes[n].writer = op;
		z->node_of_writer[op] = n;
	}
	parent = value_node(z, l->a, op);
	if (parent == NIL)
		return false;
	adopt(z, n, parent);
	return true;
}

static bool register_nodes(struct zones *z)
{
	const struct part *p = z->p;

	for (uint32_t i = p->n; i-- > 0;) { /* so that the readers of a node are chained in order of call */
		const struct lop *l = &p->ops[i];
		bool same = l->code == C_CAS && l->a == l->b && l->out != VAL_FALSE;
		uint32_t n;
		if (!(l->code == C_READ || (same && !l->unknown)))
			continue;
		n = value_node(z, same ? l->a : l->out, i);
		if (n == NIL)
			return false;
		add_reader(z, n, i);
	}
	/* A cas may make nodes for values that other cas wrote; those were linked or will be in a later round. */
	for (uint32_t done = 0, round = 0; round < 2; round++)
		for (uint32_t i = 0; i < p->n; i++) {
			const struct lop *l = &p->ops[i];
			uint32_t n = z->node_of_writer[i];
			if (l->code != C_CAS || l->out == VAL_FALSE || l->a == l->b || (n != NIL && z->nodes[n].parent != NIL))
				continue;
			done = z->nnodes;
			if (!link_cas(z, i))
				return false;
			if (z->nnodes != done)
				round = 0; /* new nodes: unknown cas that wrote them count now */
		}
	return true;
}

static uint32_t child_of(struct zones *z, uint32_t parent, val token)
{
	for (uint32_t c = z->nodes[parent].child; c != NIL; c = z->nodes[c].sibling)
		if (z->nodes[c].label == token)
			return c;
	return new_node(z, parent, token);
}

/* Which kinds of writers a token has: 1 put, 2 append. */
static unsigned kinds_of(const struct zones *z, val token)
{
	unsigned k = 0;

	for (uint32_t w = first_writer(z, token); w != NIL; w = z->next_writer[w])
		k |= is_put(z, w) ? 1 : 2;
	return k;
}

static uint32_t head_node(struct zones *z, val token)
{
	void *known = map_get(&z->heads, token);
	uint32_t n;

	if (known)
		return (uint32_t)((uintptr_t)known - 1);
	n = new_node(z, NIL, token);
	z->nodes[n].head = true;
	for (uint32_t w = first_writer(z, token), puts = 0; w != NIL; w = z->next_writer[w]) {
		puts += is_put(z, w);
		z->guess |= puts > 1; /* its reads may belong to either put */
	}
	map_put(&z->heads, token, (void *)(uintptr_t)(n + 1ull));
	return n;
}

/* One read's list, walked down the tree. */
static bool list_node(struct zones *z, uint32_t op, const val *list, uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned k = kinds_of(z, list[i]);
		bool late = lop_start(z->p, op) > z->put_done;
		bool put = i == 0 && k & 1 && (k == 1 || late || z->put_first);
		if (i == 0 && k == 3 && !late)
			z->guess = true;
		if (!k || (!put && !(k & 2))) {
			NOT_LIN(z->f, z->r, WHY_NEVER_WRITTEN, list[i], op);
			return false;
		}
		at = put ? head_node(z, list[i]) : child_of(z, at, list[i]);
	}
	add_reader(z, at, op);
	return true;
}

/* Strings: cut into the tokens that were written. Possible in one way only when no token begins another. */
struct tokens {
	struct map by_hash; /* hash: token + 1 */
	uint32_t lens[32], nlens;
	bool unfit;
	val *list;
	uint32_t cap;
};

static void tokens_add(struct zones *z, struct tokens *t, val token)
{
	const struct values *v = z->p->h->v;
	uint32_t len = val_len(v, token), i;
	void *old = map_get(&t->by_hash, v->nodes[token].hash);

	if (!len || (old && (val)((uintptr_t)old - 1) != token))
		t->unfit = true;
	map_put(&t->by_hash, v->nodes[token].hash, (void *)(uintptr_t)(token + 1ull));
	for (i = 0; i < t->nlens && t->lens[i] != len; i++)
		;
	if (i == t->nlens && t->nlens < 32)
		t->lens[t->nlens++] = len;
	else if (i == 32)
		t->unfit = true;
}

static val token_at(const struct zones *z, struct tokens *t, const char *s, uint32_t left)
{
	const struct values *v = z->p->h->v;
	val found = VAL_NONE;

	for (uint32_t i = 0; i < t->nlens; i++) {
		uint32_t len = t->lens[i];
		void *x;
		if (len > left || !(x = map_get(&t->by_hash, hash_bytes(s, len, V_STRING + 1))))
			continue;
		val token = (val)((uintptr_t)x - 1);
		if (val_len(v, token) != len || memcmp(val_bytes(v, token), s, len))
			continue;
		if (found != VAL_NONE)
			t->unfit = true;
		found = token;
	}
	return found;
}

static bool string_read(struct zones *z, struct tokens *t, uint32_t op)
{
	const struct values *v = z->p->h->v;
	val out = z->p->ops[op].out;
	const char *s = val_bytes(v, out);
	uint32_t left = val_len(v, out), n = 0;

	while (left) {
		val token = token_at(z, t, s, left);
		if (t->unfit)
			return false;
		if (token == VAL_NONE) {
			NOT_LIN(z->f, z->r, WHY_NEVER_WRITTEN, out, op);
			return false;
		}
		if (n == t->cap) {
			t->cap = t->cap * 2 + 64;
			t->list = xrealloc(t->list, t->cap * sizeof *t->list);
		}
		t->list[n++] = token;
		s += val_len(v, token);
		left -= val_len(v, token);
	}
	return list_node(z, op, t->list, n);
}

static bool list_nodes(struct zones *z)
{
	const struct part *p = z->p;
	struct tokens t = {0};
	bool ok = true;

	if (p->model == &model_kv_append)
		for (uint32_t i = 0; i < p->n; i++)
			if (!p->ops[i].readonly)
				tokens_add(z, &t, p->ops[i].a);
	ok = !t.unfit;
	for (uint32_t i = p->n; i-- > 0 && ok;) {
		const struct lop *l = &p->ops[i];
		if (l->code == C_READ_LIST)
			ok = list_node(z, i, p->words + l->list, l->nlist);
		else if (l->code == C_READ)
			ok = string_read(z, &t, i);
	}
	map_clear(&t.by_hash);
	free(t.list);
	return ok;
}

/* Some operation that observed the node or a descendant. */
static uint32_t observer(const struct zones *z, uint32_t node)
{
	while (node != NIL) {
		if (z->nodes[node].reads != NIL)
			return z->nodes[node].reads;
		if (z->nodes[node].child == NIL)
			return z->nodes[node].writer;
		node = z->nodes[node].child;
	}
	return NIL;
}

static bool no_branches(struct zones *z)
{
	for (uint32_t i = 0; i < z->nnodes; i++) {
		uint32_t a = z->nodes[i].child, b = a == NIL ? NIL : z->nodes[a].sibling;
		if (b == NIL)
			continue;
		if (!z->list)
			NOT_LIN(z->f, z->r, WHY_TWO_CAS, z->nodes[i].label, z->nodes[b].writer, z->nodes[a].writer);
		else
			NOT_LIN(z->f, z->r, WHY_INCOMPATIBLE, z->nodes[i].label, observer(z, b), observer(z, a));
		return false;
	}
	return true;
}

/* Give every node of a list its writer. Returns the number of ways, 0: none; `which` picks one. */
static uint32_t assign(struct zones *z, uint32_t which)
{
	uint32_t ways = 1;

	for (uint32_t i = 0; i < z->p->n; i++)
		z->node_of_writer[i] = NIL;
	for (uint32_t i = 1; i < z->nnodes; i++) {
		struct node *n = &z->nodes[i];
		uint32_t free_writers = 0, pick, w;
		for (w = first_writer(z, n->label); w != NIL; w = z->next_writer[w]) {
			if (is_put(z, w) != n->head)
				continue;
			free_writers += z->node_of_writer[w] == NIL;
		}
		if (!free_writers) {
			uint32_t o = observer(z, i);
			NOT_LIN(z->f, z->r, WHY_TWICE, n->label, o);
			return 0;
		}
		pick = which % free_writers;
		which /= free_writers;
		ways = MIN(ways * free_writers, MAX_ASSIGNMENTS + 1);
		for (w = first_writer(z, n->label);; w = z->next_writer[w])
			if (is_put(z, w) == n->head && z->node_of_writer[w] == NIL && !pick--)
				break;
		n->writer = w;
		z->node_of_writer[w] = i;
	}
	return ways;
}

/* One operation of a block's path: must not have ended before one earlier in the path started. */
static bool sweep(struct zones *z, uint32_t op, uint32_t *max_start, uint32_t *max_op)
{
	if (*max_op != NIL && lop_finish(z->p, op) < *max_start) {
		NOT_LIN(z->f, z->r, WHY_STALE, VAL_NONE, op, *max_op);
		return false;
	}
	return true;
}

static void widen(struct zones *z, struct block *b, uint32_t op, uint32_t *max_start, uint32_t *max_op)
{
	uint32_t s = lop_start(z->p, op), f = lop_finish(z->p, op);

	if (*max_op == NIL || s > *max_start) {
		*max_start = s;
		*max_op = op;
	}
	f = f == NEVER ? NEVER : f + 1;
	if (f < b->lo) {
		b->lo = f;
		b->lo_op = op;
	}
	if (b->hi_op == NIL || s + 1 > b->hi) {
		b->hi = s + 1;
		b->hi_op = op;
	}
}

static bool block_of(struct zones *z, uint32_t root, uint32_t *reached)
{
	struct block *b = &z->blocks[z->nblocks];
	uint32_t max_start = 0, max_op = NIL;

	*b = (struct block){.lo = root ? NEVER : 0, .lo_op = NIL, .hi_op = NIL, .node = root};
	for (uint32_t n = root; n != NIL; n = z->nodes[n].child) {
		uint32_t w = z->nodes[n].writer;
		++*reached;
		if (w != NIL) {
			if (!sweep(z, w, &max_start, &max_op))
				return false;
			widen(z, b, w, &max_start, &max_op);
		}
		for (uint32_t i = z->nodes[n].reads; i != NIL; i = z->next_read[i])
			if (!sweep(z, i, &max_start, &max_op))
				return false;
		for (uint32_t i = z->nodes[n].reads; i != NIL; i = z->next_read[i])
			widen(z, b, i, &max_start, &max_op);
	}
	if (b->hi_op != NIL)
		z->nblocks++;
	return true;
}

static int by_lo(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->lo != y->lo ? (x->lo < y->lo ? -1 : 1) : x->node < y->node ? -1 : x->node > y->node;
}

static int by_place(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if ((x->lo < x->hi) != (y->lo < y->hi)) /* a backward zone at a forward one's beginning comes before it */
		return x->lo < x->hi ? 1 : -1;
	return x->hi != y->hi ? (x->hi < y->hi ? -1 : 1) : x->lo_op < y->lo_op ? -1 : x->lo_op > y->lo_op;
}

static void interleaved(struct zones *z, const struct block *a, const struct block *b)
{
	uint32_t w = z->nodes[0].label;

	if (a->lo_op == NIL) /* the initial state was seen after another value had been */
		NOT_LIN(z->f, z->r, WHY_STALE, w, b->lo_op, a->hi_op);
	else
		NOT_LIN(z->f, z->r, WHY_INTERLEAVED, VAL_NONE, a->lo_op, b->hi_op, b->lo_op, a->hi_op);
}

/* Place the blocks; false: some two conflict. */
static bool place(struct zones *z)
{
	struct block *fwd = xnewn(struct block, z->nblocks + 1);
	uint32_t n = 0;
	bool ok = true;

	for (uint32_t i = 0; i < z->nblocks; i++)
		if (z->blocks[i].lo < z->blocks[i].hi)
			fwd[n++] = z->blocks[i];
	qsort(fwd, n, sizeof *fwd, by_lo);
	for (uint32_t i = 0; i + 1 < n && ok; i++)
		if (fwd[i + 1].lo < fwd[i].hi) {
			interleaved(z, &fwd[i], &fwd[i + 1]);
			ok = false;
		}
	for (uint32_t i = 0; i < z->nblocks && ok; i++) {
		struct block *b = &z->blocks[i];
		uint32_t l = 0, r = n;
		b->at = b->lo < b->hi ? b->lo : b->hi;
		if (b->lo < b->hi)
			continue;
		while (l < r) { /* the last forward zone that begins before b's latest start */
			uint32_t mid = (l + r) / 2;
			if (fwd[mid].lo < b->hi)
				l = mid + 1;
			else
				r = mid;
		}
		if (!l || fwd[l - 1].hi <= b->hi)
			continue;
		b->at = fwd[l - 1].hi;
		if (b->at > b->lo) {
			interleaved(z, &fwd[l - 1], b);
			ok = false;
		}
	}
	free(fwd);
	return ok;
}

static void emit(struct zones *z)
{
	struct found *f = z->f;

	qsort(z->blocks, z->nblocks, sizeof *z->blocks, by_place);
	f->order = xnewn(uint32_t, z->p->n + 1);
	for (uint32_t i = 0; i < z->nblocks; i++) {
		const struct block *b = &z->blocks[i];
		if (b->node == NIL) {
			f->order[f->norder++] = b->lo_op;
			continue;
		}
		for (uint32_t n = b->node; n != NIL; n = z->nodes[n].child) {
			if (z->nodes[n].writer != NIL)
				f->order[f->norder++] = z->nodes[n].writer;
			for (uint32_t k = z->nodes[n].reads; k != NIL; k = z->next_read[k])
				f->order[f->norder++] = k;
		}
	}
	f->verdict = LINEARIZABLE;
}

/* With every node's writer known: blocks, zones, order. */
static bool decide(struct zones *z)
{
	const struct part *p = z->p;
	uint32_t reached = 0;

	z->nblocks = 0;
	for (uint32_t i = 0; i < z->nnodes; i++)
		if ((i == 0 || z->nodes[i].head) && !block_of(z, i, &reached))
			return false;
	if (reached < z->nnodes) {
		uint32_t i = 1;
		while (z->nodes[i].head || z->nodes[i].parent == 0)
			i++;
		NOT_LIN(z->f, z->r, WHY_CAS_CIRCLE, z->nodes[i].label, z->nodes[i].writer);
		return false;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const struct lop *l = &p->ops[i];
		if (l->readonly || l->unknown || z->node_of_writer[i] != NIL || (l->code == C_CAS && l->a == l->b))
			continue;
		z->blocks[z->nblocks++] = (struct block){
			.lo = lop_finish(p, i) == NEVER ? NEVER : lop_finish(p, i) + 1, .hi = lop_start(p, i) + 1,
			.lo_op = i, .hi_op = i, .node = NIL};
	}
	if (!place(z))
		return false;
	emit(z);
	return true;
}

static void run(struct zones *z)
{
	uint32_t ways = 1;

	if (z->list ? !list_nodes(z) : !register_nodes(z))
		return;
	if (!no_branches(z))
		return;
	for (uint32_t i = 0; i < ways && z->f->verdict != LINEARIZABLE; i++) {
		z->f->verdict = UNDECIDED;
		if (z->list && !(ways = assign(z, i)))
			return;
		if (ways > MAX_ASSIGNMENTS)
			return;
		decide(z);
	}
}

static void zones_clear(struct zones *z)
{
	free(z->nodes);
	free(z->next_read);
	free(z->next_writer);
	free(z->node_of_writer);
	free(z->blocks);
	map_clear(&z->writers);
	map_clear(&z->heads);
}

void monitor_zones(const struct part *p, struct found *f, struct reason *r)
{
	bool list = p->model == &model_append || p->model == &model_kv_append;

	if (list && p->initial != VAL_NONE && val_len(p->h->v, p->initial))
		return;
	for (int put_first = 1; put_first >= 0 && f->verdict == UNDECIDED; put_first--) {
		struct zones z = {.p = p, .f = f, .r = r, .list = list, .put_first = put_first};
		z.next_read = xnewn(uint32_t, p->n + 1);
		z.next_writer = xnewn(uint32_t, p->n + 1);
		z.node_of_writer = xmalloc((p->n + 1) * sizeof(uint32_t));
		memset(z.node_of_writer, 0xff, (p->n + 1) * sizeof(uint32_t));
		z.blocks = xnewn(struct block, p->n + 2);
		new_node(&z, NIL, VAL_NONE);
		if (!list) {
			struct machine m;
			machine_init(&m, p);
			z.nodes[0].label = p->model->initial(&m);
			machine_clear(&m);
		}
		collect_writers(&z);
		run(&z);
		if (f->verdict == NOT_LINEARIZABLE && z.guess)
			f->verdict = UNDECIDED;
		if (!z.guess)
			put_first = 0;
		zones_clear(&z);
	}
	if (f->verdict == LINEARIZABLE && !place_failed_cas(p, f)) {
		found_clear(f);
		f->verdict = UNDECIDED;
	}
}
