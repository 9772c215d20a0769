/* list-append: anomalies without cycles, and the dependencies between transactions. */
#include "checker/txn_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void print_value(const struct txns *t, val x, struct buf *b)
{
	val_print(t->h->v, x, b, 60);
}

/* The read that first showed the element at `pos` of a key's order. */
static uint32_t shown_by(const struct key *k, uint32_t pos)
{
	uint32_t l = 0, r = k->nextents;

	while (l < r) {
		uint32_t mid = (l + r) / 2;
		if (k->extents[mid].len <= pos)
			l = mid + 1;
		else
			r = mid;
	}
	return k->extents[l].txn;
}

/* One element of a list that `reader` returned: was it written, and by one that committed? */
static void check_element(struct txns *t, uint32_t key, val x, uint32_t reader, uint32_t w)
{
	struct buf name = {0}, v = {0};
	uint32_t ops[2] = {reader, w == NIL ? reader : t->writes[w].txn};

	if (w != NIL && t->h->ops[ops[1]].status != OP_FAILED)
		return;
	print_key_name(t, key, &name);
	print_value(t, x, &v);
	if (w == NIL)
		note_anomaly(t, "garbage-read", level_and_stronger(LEVEL_READ_UNCOMMITTED), ops, 1,
		             "a read of %s returned %s, which nobody appended", name.data, v.data);
	else
		note_anomaly(t, "G1a", level_and_stronger(LEVEL_READ_COMMITTED), ops, 2,
		             "a read of %s returned %s, an append of a transaction that failed", name.data, v.data);
	buf_clear(&name);
	buf_clear(&v);
}

static void duplicate_element(struct txns *t, uint32_t key, val x, uint32_t reader)
{
	struct buf name = {0}, v = {0};

	print_key_name(t, key, &name);
	print_value(t, x, &v);
	note_anomaly(t, "duplicate-elements", level_and_stronger(LEVEL_READ_UNCOMMITTED), &reader, 1,
	             "a read of %s contains %s more than once", name.data, v.data);
	buf_clear(&name);
	buf_clear(&v);
}

/* A failed transaction's append below a committed one's: its work was built upon. */
static void dirty_update(struct txns *t, uint32_t key, uint32_t aborted, uint32_t over)
{
	struct buf name = {0};
	uint32_t ops[2] = {t->writes[aborted].txn, t->writes[over].txn};

	print_key_name(t, key, &name);
	note_anomaly(t, "dirty-update", level_and_stronger(LEVEL_READ_COMMITTED), ops, 2,
	             "an append to %s of a transaction that failed was followed by one of a transaction that committed", name.data);
	buf_clear(&name);
}

/* Places of the writes in the order; elements that should not be there. */
static void check_order(struct txns *t, uint32_t key)
{
	struct key *k = &t->keys[key];
	uint32_t aborted = NIL;

	for (uint32_t i = 0; i < k->len; i++) {
		uint32_t w = write_find(t, key, k->order[i]);
		k->ends[i] = w; /* the text is not needed any more: now the writes by place */
		if (w == NIL || t->h->ops[t->writes[w].txn].status == OP_FAILED)
			check_element(t, key, k->order[i], shown_by(k, i), w);
		if (w == NIL)
			continue;
		if (t->writes[w].pos != NIL) {
			duplicate_element(t, key, k->order[i], shown_by(k, i));
			continue;
		}
		t->writes[w].pos = i;
		if (t->h->ops[t->writes[w].txn].status == OP_FAILED)
			aborted = w;
		else if (aborted != NIL && committed(t, t->writes[w].txn))
			dirty_update(t, key, aborted, w);
	}
}

/* A list that does not begin like the longest one, or the other way round. */
static void check_odd(struct txns *t, const struct odd *o)
{
	const struct values *v = t->h->v;
	struct key *k = &t->keys[o->key];
	uint32_t n = val_len(v, o->list), ops[2] = {o->txn, 0}, i = 0;
	const val *x = val_items(v, o->list);
	struct buf name = {0}, a = {0}, b = {0};

	while (x[i] == k->order[i])
		i++;
	ops[1] = shown_by(k, i);
	print_key_name(t, o->key, &name);
	print_value(t, x[i], &a);
	print_value(t, k->order[i], &b);
	note_anomaly(t, "incompatible-order", level_and_stronger(LEVEL_READ_COMMITTED), ops, 2,
	             "two reads of %s, neither of which begins as the other does: one has %s where the other has %s", name.data, a.data,
	             b.data);
	buf_clear(&name);
	buf_clear(&a);
	buf_clear(&b);
	for (i = 0; i < n; i++) {
		check_element(t, o->key, x[i], o->txn, write_find(t, o->key, x[i]));
		for (uint32_t j = 0; j < i && i < 2000; j++)
			if (x[j] == x[i]) {
				duplicate_element(t, o->key, x[i], o->txn);
				break;
			}
	}
}

/* The list of a read, whichever way it is kept. */
static const val *list_of(const struct txns *t, uint32_t m, uint32_t *n)
{
	const struct mop *mop = &t->mops[m];
	uint32_t l = 0, r = t->nodd;

	if (mop->x != NIL) {
		*n = mop->x;
		return t->keys[mop->key].order;
	}
	while (l + 1 < r) {
		uint32_t mid = (l + r) / 2;
		if (t->odd[mid].mop <= m)
			l = mid;
		else
			r = mid;
	}
	*n = val_len(t->h->v, t->odd[l].list);
	return val_items(t->h->v, t->odd[l].list);
}

static void internal(struct txns *t, uint32_t txn, uint32_t key)
{
	struct buf name = {0};

	print_key_name(t, key, &name);
	note_anomaly(t, "internal", level_and_stronger(LEVEL_READ_ATOMIC), &txn, 1,
	             "a read of %s does not match the transaction's own earlier reads and appends", name.data);
	buf_clear(&name);
}

/* What one transaction knows of one key while it is walked through. */
struct view {
	uint32_t key, read;           /* mop of the last read, NIL: none */
	uint32_t own[32], nown;       /* appends since then: mops; more than 32 are not compared */
};

static struct view *view_of(struct view *v, uint32_t *n, uint32_t key)
{
	for (uint32_t i = 0; i < *n; i++)
		if (v[i].key == key)
			return &v[i];
	if (*n == 64)
		return NULL;
	v[*n] = (struct view){.key = key, .read = NIL};
	return &v[(*n)++];
}

/* A later read must be the earlier one and the own appends since; without an earlier one it must end in them. */
static bool matches(const struct txns *t, const struct view *v, uint32_t m)
{
	uint32_t n, n0 = 0;
	const val *x = list_of(t, m, &n), *x0 = v->read == NIL ? NULL : list_of(t, v->read, &n0);

	if (v->nown > 32)
		return true;
	if (v->read != NIL ? n != n0 + v->nown : n < v->nown)
		return false;
	if (x0 && x0 != x && memcmp(x, x0, n0 * sizeof *x))
		return false;
	for (uint32_t i = 0; i < v->nown; i++)
		if (x[n - v->nown + i] != t->writes[t->mops[v->own[i]].x].x)
			return false;
	return true;
}

/* An append that an earlier read of the same transaction shows already. */
static void future_read(struct txns *t, uint32_t txn, uint32_t m, const struct view *v)
{
	const struct write *w = &t->writes[t->mops[m].x];
	struct buf name = {0};
	uint32_t n;
	const val *x;

	if (v->read == NIL)
		return;
	x = list_of(t, v->read, &n);
	if (t->mops[v->read].x != NIL ? w->pos >= n : true)
		return;
	if (x[w->pos] != w->x)
		return;
	print_key_name(t, w->key, &name);
	note_anomaly(t, "future-read", level_and_stronger(LEVEL_READ_COMMITTED), &txn, 1,
	             "a read of %s shows an append that the transaction makes only afterwards", name.data);
	buf_clear(&name);
}

static void check_inside(struct txns *t, uint32_t txn)
{
	struct view views[64], *v;
	uint32_t n = 0;

	if (t->at[txn + 1] - t->at[txn] < 2)
		return;
	for (uint32_t m = t->at[txn]; m < t->at[txn + 1]; m++) {
		const struct mop *mop = &t->mops[m];
		if (!(v = view_of(views, &n, mop->key)))
			return;
		if (mop->kind == MOP_WRITE) {
			if (committed(t, txn))
				future_read(t, txn, m, v);
			if (v->nown < 32)
				v->own[v->nown] = m;
			v->nown++;
			continue;
		}
		if (mop->unknown || !committed(t, txn))
			continue;
		if (!matches(t, v, m))
			internal(t, txn, mop->key);
		v->read = m;
		v->nown = 0;
	}
}

/* Is the write before mop m in its own transaction? */
static bool own_before(const struct txns *t, uint32_t txn, uint32_t m, uint32_t w)
{
	return t->writes[w].txn == txn && t->writes[w].mop < m;
}

static void intermediate(struct txns *t, uint32_t txn, uint32_t key, uint32_t w)
{
	struct buf name = {0}, x = {0};
	uint32_t ops[2] = {txn, t->writes[w].txn};

	if (t->writes[w].last || t->writes[w].txn == txn || t->h->ops[ops[1]].status == OP_FAILED)
		return;
	print_key_name(t, key, &name);
	print_value(t, t->writes[w].x, &x);
	note_anomaly(t, "G1b", level_and_stronger(LEVEL_READ_COMMITTED), ops, 2,
	             "a read of %s ends in %s, which its transaction appended to again later", name.data, x.data);
	buf_clear(&name);
	buf_clear(&x);
}

/* The next write in the order after position p that counts (of a transaction that may have committed). */
static uint32_t write_at(const struct txns *t, uint32_t key, uint32_t p)
{
	const struct key *k = &t->keys[key];

	for (; p < k->len; p++) {
		uint32_t w = k->ends[p];
		if (w != NIL && t->h->ops[t->writes[w].txn].status != OP_FAILED)
			return w;
	}
	return NIL;
}

/*
 * Readers of a key's last version come before all of its unseen appends but their own. Through chains of helper nodes:
 * S(i) leads to the unseen appends from the i-th on, P(i) to those up to the i-th.
 */
static uint32_t unseen_nodes(struct txns *t, uint32_t *node, uint32_t key)
{
	uint32_t n = 0, i = 0, s, p;

	if (node[key] != NIL)
		return node[key];
	for (uint32_t w = t->keys[key].first_unseen; w != NIL; w = t->next_unseen[w])
		n++;
	s = node[key] = t->nnodes;
	p = s + n;
	t->nnodes += 2 * n;
	t->keys[key].nunseen = n;
	for (uint32_t w = t->keys[key].first_unseen; w != NIL; w = t->next_unseen[w], i++) {
		t->writes[w].pos = i; /* of an unseen one: its place among them; seen ones are told by the order */
		add_edge(t, s + i, t->writes[w].txn, EDGE_ON, key);
		add_edge(t, p + i, t->writes[w].txn, EDGE_ON, key);
		if (i + 1 < n)
			add_edge(t, s + i, s + i + 1, EDGE_ON, key);
		if (i)
			add_edge(t, p + i, p + i - 1, EDGE_ON, key);
	}
	return s;
}

static void unseen_edges(struct txns *t, uint32_t txn, uint32_t key, uint32_t *node)
{
	uint32_t s = unseen_nodes(t, node, key), n = t->keys[key].nunseen, first = NIL, last = NIL;

	for (uint32_t m = t->at[txn]; m < t->at[txn + 1]; m++) /* its own are neighbours */
		if (t->mops[m].kind == MOP_WRITE && t->mops[m].key == key && t->writes[t->mops[m].x].unseen) {
			last = t->writes[t->mops[m].x].pos;
			first = first == NIL ? last : first;
		}
	if (first == NIL) {
		add_edge(t, txn, s, EDGE_RW, key);
		return;
	}
	if (last + 1 < n)
		add_edge(t, txn, s + last + 1, EDGE_RW, key);
	if (first)
		add_edge(t, txn, s + n + first - 1, EDGE_RW, key);
}

static void read_edges(struct txns *t, uint32_t txn, uint32_t m, uint32_t *node)
{
	const struct mop *mop = &t->mops[m];
	const struct key *k = &t->keys[mop->key];
	uint32_t len = mop->x, w;

	/* Own appends at the end of what was read say nothing about others. */
	while (len) {
		w = k->ends[len - 1];
		if (w == NIL || !own_before(t, txn, m, w))
			break;
		len--;
	}
	if (len) {
		w = k->ends[len - 1];
		if (len == mop->x && w != NIL)
			intermediate(t, txn, mop->key, w);
		if (w != NIL && t->writes[w].txn != txn && t->h->ops[t->writes[w].txn].status != OP_FAILED)
			add_edge(t, t->writes[w].txn, txn, EDGE_WR, mop->key);
	}
	if (len < mop->x)
		return; /* after own appends: the order of writes says the rest */
	w = write_at(t, mop->key, len);
	if (w != NIL) {
		if (t->writes[w].txn != txn)
			add_edge(t, txn, t->writes[w].txn, EDGE_RW, mop->key);
	} else if (k->first_unseen != NIL) {
		unseen_edges(t, txn, mop->key, node);
	}
}

static void write_edges(struct txns *t, uint32_t key)
{
	const struct key *k = &t->keys[key];
	uint32_t last = NIL, w;

	for (uint32_t p = 0; p < k->len; p++) {
		w = k->ends[p];
		if (w == NIL || t->writes[w].pos != p || t->h->ops[t->writes[w].txn].status == OP_FAILED)
			continue; /* nobody's, or a duplicate element: its first place counts */
		if (last != NIL && t->writes[w].txn != t->writes[last].txn)
			add_edge(t, t->writes[last].txn, t->writes[w].txn, EDGE_WW, key);
		last = w;
	}
	for (w = last == NIL ? NIL : k->first_unseen; w != NIL; w = t->next_unseen[w])
		if (t->writes[w].txn != t->writes[last].txn)
			add_edge(t, t->writes[last].txn, t->writes[w].txn, EDGE_WW, key);
}

static void collect_unseen(struct txns *t)
{
	t->next_unseen = xnewn(uint32_t, t->nwrites + 1);
	for (uint32_t w = t->nwrites; w-- > 0;) {
		struct write *x = &t->writes[w];
		t->next_unseen[w] = NIL;
		if (x->pos != NIL || !committed(t, x->txn) || write_find(t, x->key, x->x) != w)
			continue;
		x->unseen = true;
		t->next_unseen[w] = t->keys[x->key].first_unseen;
		t->keys[x->key].first_unseen = w;
	}
}

struct update {
	uint32_t key, version, txn;
};

static int by_version(const void *a, const void *b)
{
	const struct update *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	return x->txn < y->txn ? -1 : x->txn > y->txn;
}

/* Two committed transactions that read the same version of a key and then wrote it. */
void lost_updates(struct txns *t)
{
	struct update *u = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < t->h->n; i++) {
		if (!committed(t, i))
			continue;
		for (uint32_t m = t->at[i]; m < t->at[i + 1]; m++) {
			const struct mop *r = &t->mops[m];
			bool first = true, writes = false;
			if (r->kind != MOP_READ || r->unknown || (t->list && r->x == NIL))
				continue;
			for (uint32_t k = t->at[i]; k < m && first; k++)
				first = t->mops[k].key != r->key;
			for (uint32_t k = m + 1; k < t->at[i + 1] && first && !writes; k++)
				writes = t->mops[k].kind == MOP_WRITE && t->mops[k].key == r->key;
			if (!writes)
				continue;
			if (n == cap) {
				cap = cap * 2 + 256;
				u = xrealloc(u, cap * sizeof *u);
			}
			u[n++] = (struct update){r->key, r->x, i};
		}
	}
	if (n)
		qsort(u, n, sizeof *u, by_version);
	for (size_t i = 1; i < n; i++)
		if (u[i].key == u[i - 1].key && u[i].version == u[i - 1].version) {
			uint32_t ops[2] = {u[i - 1].txn, u[i].txn};
			struct buf name = {0};
			print_key_name(t, u[i].key, &name);
			note_anomaly(t, "lost-update", level_and_stronger(LEVEL_CURSOR_STABILITY), ops, 2,
			             "both read the same version of %s and then wrote it", name.data);
			buf_clear(&name);
		}
	free(u);
}

void list_analyse(struct txns *t)
{
	uint32_t *node = xmalloc((t->nkeys + 1) * sizeof *node);

	memset(node, 0xff, (t->nkeys + 1) * sizeof *node);
	for (uint32_t k = 0; k < t->nkeys; k++)
		check_order(t, k);
	for (uint32_t i = 0; i < t->nodd; i++)
		check_odd(t, &t->odd[i]);
	collect_unseen(t);
	for (uint32_t k = 0; k < t->nkeys; k++)
		write_edges(t, k);
	for (uint32_t i = 0; i < t->h->n; i++) {
		if (t->h->ops[i].status != OP_FAILED)
			check_inside(t, i);
		if (!committed(t, i))
			continue;
		for (uint32_t m = t->at[i]; m < t->at[i + 1]; m++)
			if (t->mops[m].kind == MOP_READ && !t->mops[m].unknown && t->mops[m].x != NIL)
				read_edges(t, i, m, node);
	}
	lost_updates(t);
	free(node);
}
