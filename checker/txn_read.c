/* One pass over the history: micro-operations, interned keys and values, the order of each list. */
#include "checker/txn_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static uint32_t key_number(struct txns *t, val name)
{
	if (name >= t->key_of_cap) {
		uint32_t old = t->key_of_cap;
		t->key_of_cap = MAX(name + 1, old * 2 + 1024);
		t->key_of = xrealloc(t->key_of, t->key_of_cap * sizeof *t->key_of);
		memset(t->key_of + old, 0xff, (t->key_of_cap - old) * sizeof *t->key_of);
	}
	if (t->key_of[name] != NIL)
		return t->key_of[name];
	if (t->nkeys == t->keys_cap) {
		t->keys_cap = t->keys_cap * 2 + 64;
		t->keys = xrealloc(t->keys, t->keys_cap * sizeof *t->keys);
	}
	t->keys[t->nkeys] = (struct key){.name = name, .first_unseen = NIL};
	return t->key_of[name] = t->nkeys++;
}

static uint32_t write_slot(const struct txns *t, uint32_t key, val x)
{
	uint32_t s = (uint32_t)hash_mix((uint64_t)key << 32 | x, 5) & t->write_mask;

	while (t->write_slots[s] != NIL && (t->writes[t->write_slots[s]].key != key || t->writes[t->write_slots[s]].x != x))
		s = (s + 1) & t->write_mask;
	return s;
}

uint32_t write_find(const struct txns *t, uint32_t key, val x)
{
	return t->write_slots ? t->write_slots[write_slot(t, key, x)] : NIL;
}

static void grow_slots(struct txns *t)
{
	uint32_t size = t->write_slots ? (t->write_mask + 1) * 2 : 4096, *old = t->write_slots, n = old ? t->write_mask + 1 : 0;

	t->write_slots = xmalloc(size * sizeof *t->write_slots);
	memset(t->write_slots, 0xff, size * sizeof *t->write_slots);
	t->write_mask = size - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i] != NIL)
			t->write_slots[write_slot(t, t->writes[old[i]].key, t->writes[old[i]].x)] = old[i];
	free(old);
}

static struct mop *add_mop(struct txns *t, enum mop_kind kind, uint32_t key, uint32_t x)
{
	if (t->nmops == t->mops_cap) {
		t->mops_cap = t->mops_cap * 2 + 1024;
		t->mops = xrealloc(t->mops, t->mops_cap * sizeof *t->mops);
	}
	t->mops[t->nmops] = (struct mop){.kind = (uint8_t)kind, .key = key, .x = x};
	return &t->mops[t->nmops++];
}

static int rank(const struct txns *t, uint32_t txn)
{
	enum op_status s = t->h->ops[txn].status;

	return s == OP_OK ? 2 : s == OP_FAILED ? 0 : 1;
}

/* The same value written twice: only one writer can be believed, a committed one rather. A failed one wrote nothing. */
static void repeated_write(struct txns *t, uint32_t slot, uint32_t now)
{
	uint32_t old = t->write_slots[slot], ops[2] = {t->writes[old].txn, t->writes[now].txn};
	struct buf name = {0}, x = {0};

	if (rank(t, ops[1]) > rank(t, ops[0]))
		t->write_slots[slot] = now;
	if (!rank(t, ops[0]) || !rank(t, ops[1]))
		return;
	t->writes[old].repeated = t->writes[now].repeated = true;
	print_key_name(t, t->writes[now].key, &name);
	val_print(t->h->v, t->writes[now].x, &x, 60);
	note_anomaly(t, t->list ? "duplicate-append" : "duplicate-write", level_and_stronger(LEVEL_READ_UNCOMMITTED), ops, 2,
	             "%s was %s %s twice, which makes its history impossible to analyse", x.data, t->list ? "appended to" : "written to",
	             name.data);
	buf_clear(&name);
	buf_clear(&x);
}

static void add_write(struct txns *t, uint32_t txn, uint32_t key, val x)
{
	uint32_t slot, n = t->nwrites;

	if (!t->write_slots || (n + 1) * 2ull > t->write_mask)
		grow_slots(t);
	if (n == t->writes_cap) {
		t->writes_cap = t->writes_cap * 2 + 1024;
		t->writes = xrealloc(t->writes, t->writes_cap * sizeof *t->writes);
	}
	t->writes[n] = (struct write){.key = key, .txn = txn, .mop = t->nmops, .x = x, .pos = NIL, .last = true};
	t->nwrites++;
	for (uint32_t i = t->nmops; i-- > t->at[txn];) /* the one before it in the transaction is not the last now */
		if (t->mops[i].kind == MOP_WRITE && t->mops[i].key == key) {
			t->writes[t->mops[i].x].last = false;
			break;
		}
	add_mop(t, MOP_WRITE, key, n);
	slot = write_slot(t, key, x);
	if (t->write_slots[slot] == NIL)
		t->write_slots[slot] = n;
	else
		repeated_write(t, slot, n);
}

static void extend(struct key *k, val x, uint32_t end)
{
	if (k->len == k->cap) {
		k->cap = k->cap * 2 + 8;
		k->order = xrealloc(k->order, k->cap * sizeof *k->order);
		k->ends = xrealloc(k->ends, k->cap * sizeof *k->ends);
	}
	k->ends[k->len] = end;
	k->order[k->len++] = x;
}

static void add_extent(struct key *k, uint32_t txn)
{
	if ((k->nextents & (k->nextents - 1)) == 0) /* room grows at powers of two */
		k->extents = xrealloc(k->extents, (k->nextents ? k->nextents * 2 : 1) * sizeof *k->extents);
	k->extents[k->nextents++] = (struct extent){k->len, txn};
}

static void add_odd(struct txns *t, uint32_t txn, uint32_t key, val list)
{
	if (t->nodd == t->odd_cap) {
		t->odd_cap = t->odd_cap * 2 + 64;
		t->odd = xrealloc(t->odd, t->odd_cap * sizeof *t->odd);
	}
	t->odd[t->nodd++] = (struct odd){.txn = txn, .mop = t->nmops, .key = key, .list = list};
	add_mop(t, MOP_READ, key, NIL);
}

/* A read's list as a value: compared with the order element by element. */
static void read_list_value(struct txns *t, uint32_t txn, uint32_t key, val list)
{
	struct key *k = &t->keys[key];
	uint32_t n = val_len(t->h->v, list), m = MIN(n, k->len), i = 0;
	const val *x = val_items(t->h->v, list);

	while (i < m && x[i] == k->order[i])
		i++;
	if (i < m) {
		add_odd(t, txn, key, list);
		return;
	}
	if (n > k->len) {
		for (; i < n; i++)
			extend(k, x[i], 0);
		k->text_len = 0; /* the text known so far is not the longest list's any more */
		add_extent(k, txn);
	}
	add_mop(t, MOP_READ, key, n);
}

static uint32_t common_length(const char *a, const char *b, uint32_t n)
{
	uint32_t i = 0;
	uint64_t x, y;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return i + (uint32_t)__builtin_ctzll(x ^ y) / 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* How many elements end at offset p of the key's text; NIL: p is inside of one. */
static uint32_t elements_until(const struct key *k, uint32_t p)
{
	uint32_t l = 0, r = k->len;

	while (l < r) {
		uint32_t mid = (l + r) / 2;
		if (k->ends[mid] < p)
			l = mid + 1;
		else
			r = mid;
	}
	return l < k->len && k->ends[l] == p ? l + 1 : NIL;
}

/* The rest of a list, from s->p (at ',' or the first element) on: elements that are new to the order. */
static int read_tail(struct txns *t, struct scan *s, uint32_t txn, uint32_t key, const char *start)
{
	val x;

	for (;;) {
		json_space(s);
		if (s->p < s->end && *s->p == ']')
			break;
		if (t->keys[key].len && s->p < s->end && *s->p == ',')
			s->p++;
		if (json_read(s, t->h->v, &x))
			return -1;
		extend(&t->keys[key], x, (uint32_t)(s->p - start));
	}
	s->p++;
	t->keys[key].text_at = (uint64_t)(start - t->h->text);
	t->keys[key].text_len = (uint32_t)(s->p - start);
	add_extent(&t->keys[key], txn);
	add_mop(t, MOP_READ, key, t->keys[key].len);
	return 0;
}

/* A read's list as text. Most lists begin as the longest one known does: then comparing bytes is enough. */
static int read_list_text(struct txns *t, struct scan *s, uint32_t txn, uint32_t key)
{
	struct key *k = &t->keys[key];
	const char *start = s->p, *known = t->h->text + k->text_at;
	uint32_t n;
	val list;

	if (s->end - s->p > 1 && s->p[1] == ']') {
		s->p += 2;
		add_mop(t, MOP_READ, key, 0);
		return 0;
	}
	if (!k->len && *s->p == '[') {
		s->p++;
		return read_tail(t, s, txn, key, start);
	}
	if (k->text_len && s->end - s->p > 1) {
		n = common_length(start, known, (uint32_t)MIN((size_t)(s->end - s->p), (size_t)k->text_len - 1));
		if (n == k->text_len - 1 && start[n] == ',') {
			s->p = start + n;
			return read_tail(t, s, txn, key, start);
		}
		if (start[n] == ']' && elements_until(k, n) != NIL) {
			s->p = start + n + 1;
			add_mop(t, MOP_READ, key, elements_until(k, n));
			return 0;
		}
	}
	if (json_read(s, t->h->v, &list))
		return -1;
	if (val_kind(t->h->v, list) != V_ARRAY)
		return scan_fail(s, start, "a list");
	read_list_value(t, txn, key, list);
	return 0;
}

static int bad_mop(struct txns *t, const struct op *o, val mop)
{
	struct buf b = {0};

	val_print(t->h->v, mop, &b, 80);
	err_set(t->e, 0, "history (model %s): operation \"%s\": micro-operation %s is not [%s, key, value]", t->m->name,
	        val_is_name(t->h->v, o->f) ? val_bytes(t->h->v, o->f) : "txn", b.data, t->list ? "\"append\" or \"r\"" : "\"w\" or \"r\"");
	*t->line = o->status == OP_OK && o->ret_line ? o->ret_line : o->line;
	buf_clear(&b);
	return -1;
}

/* What a micro-operation's name says; -1: nothing. */
static int mop_kind(const struct txns *t, const char *f, size_t n)
{
	if ((n == 1 && *f == 'r') || (n == 4 && !memcmp(f, "read", 4)))
		return MOP_READ;
	if (t->list)
		return n == 6 && !memcmp(f, "append", 6) ? MOP_WRITE : -1;
	return (n == 1 && *f == 'w') || (n == 5 && !memcmp(f, "write", 5)) ? MOP_WRITE : -1;
}

/* A list-append read of a value that is no list, or the like. */
static int value_mop(struct txns *t, uint32_t txn, val mop)
{
	const struct values *v = t->h->v;
	const struct op *o = &t->h->ops[txn];
	const val *m;
	uint32_t key;
	int kind;

	if (val_kind(v, mop) != V_ARRAY || val_len(v, mop) < 2 || val_len(v, mop) > 3 || !val_is_name(v, val_items(v, mop)[0]))
		return bad_mop(t, o, mop);
	m = val_items(v, mop);
	kind = mop_kind(t, val_bytes(v, m[0]), val_len(v, m[0]));
	if (kind < 0 || (kind == MOP_WRITE && val_len(v, mop) != 3))
		return bad_mop(t, o, mop);
	key = key_number(t, m[1]);
	if (kind == MOP_WRITE) {
		add_write(t, txn, key, m[2]);
	} else if (o->status != OP_OK) {
		add_mop(t, MOP_READ, key, NIL)->unknown = true;
	} else {
		val x = val_len(v, mop) == 3 ? m[2] : VAL_NULL;
		if (!t->list)
			add_mop(t, MOP_READ, key, x);
		else if (x == VAL_NULL)
			add_mop(t, MOP_READ, key, 0);
		else if (val_kind(v, x) == V_ARRAY)
			read_list_value(t, txn, key, x);
		else
			return bad_mop(t, o, mop);
	}
	return 0;
}

static int expect(struct scan *s, char c, const char *what)
{
	json_space(s);
	if (s->p == s->end || *s->p != c)
		return scan_fail(s, s->p, what);
	s->p++;
	return 0;
}

/* One micro-operation from text. */
static int text_mop(struct txns *t, struct scan *s, uint32_t txn, struct buf *tmp)
{
	const char *start = s->p, *f;
	size_t n;
	uint32_t key;
	val x;
	int kind;

	if (expect(s, '[', "a micro-operation") || json_text(s, &f, &n, tmp))
		return -1;
	kind = mop_kind(t, f, n);
	if (kind < 0) {
		s->p = start;
		return json_read(s, t->h->v, &x) ? -1 : bad_mop(t, &t->h->ops[txn], x);
	}
	if (expect(s, ',', "',' and a key") || json_read(s, t->h->v, &x))
		return -1;
	key = key_number(t, x);
	json_space(s);
	if (kind == MOP_READ && s->p < s->end && *s->p == ']') {
		s->p++;
		add_mop(t, MOP_READ, key, t->list ? 0 : VAL_NULL)->unknown = t->h->ops[txn].status != OP_OK;
		return 0;
	}
	if (expect(s, ',', "',' and a value"))
		return -1;
	json_space(s);
	if (kind == MOP_WRITE) {
		if (json_read(s, t->h->v, &x))
			return -1;
		add_write(t, txn, key, x);
	} else if (t->h->ops[txn].status != OP_OK) {
		if (json_skip(s, 0))
			return -1;
		add_mop(t, MOP_READ, key, NIL)->unknown = true;
	} else if (t->list && s->p < s->end && *s->p == '[') {
		if (read_list_text(t, s, txn, key))
			return -1;
	} else {
		if (json_read(s, t->h->v, &x))
			return -1;
		if (t->list && x != VAL_NULL)
			return bad_mop(t, &t->h->ops[txn], x);
		add_mop(t, MOP_READ, key, t->list ? 0 : x);
	}
	return expect(s, ']', "']' at the end of the micro-operation");
}

static int text_txn(struct txns *t, uint32_t txn, uint64_t at, uint32_t len, struct buf *tmp)
{
	struct history *h = t->h;
	struct scan s = {.p = h->text + at, .end = h->text + at + len, .text = h->text, .name = h->name, .e = t->e};

	if (expect(&s, '[', "a list of micro-operations"))
		return -1;
	json_space(&s);
	if (*s.p == ']')
		return 0;
	for (;;) {
		json_space(&s);
		if (text_mop(t, &s, txn, tmp))
			return -1;
		json_space(&s);
		if (s.p < s.end && *s.p == ',') {
			s.p++;
			continue;
		}
		return expect(&s, ']', "',' or ']'");
	}
}

static int read_txn(struct txns *t, uint32_t txn, struct buf *tmp)
{
	struct op *o = &t->h->ops[txn];
	const struct values *v = t->h->v;
	bool out = o->status == OP_OK && !(o->out == VAL_NULL);
	val list = out ? o->out : o->in;

	if (o->f != VAL_NULL && !val_named(v, o->f, "txn") && !val_named(v, o->f, "read") && !val_named(v, o->f, "write")) {
		struct buf b = {0};
		if (val_is_name(v, o->f))
			buf_add_escaped(&b, val_bytes(v, o->f), val_len(v, o->f));
		err_set(t->e, 0, "history (model %s): operation \"%s\" is not one of txn", t->m->name, b.data ? b.data : "");
		*t->line = o->line;
		buf_clear(&b);
		return -1;
	}
	if (list == VAL_NONE)
		return text_txn(t, txn, out ? o->out_at : o->in_at, out ? o->out_len : o->in_len, tmp);
	if (val_kind(v, list) != V_ARRAY)
		return bad_mop(t, o, list);
	for (uint32_t i = 0; i < val_len(v, list); i++)
		if (value_mop(t, txn, val_items(v, list)[i]))
			return -1;
	return 0;
}

int txns_read(struct txns *t)
{
	struct buf tmp = {0};
	int r = 0;

	t->at = xnewn(uint32_t, t->h->n + 2);
	for (uint32_t i = 0; i < t->h->n && !r; i++) {
		t->at[i] = t->nmops;
		r = read_txn(t, i, &tmp);
		t->at[i + 1] = t->nmops;
	}
	t->nnodes = t->h->n;
	buf_clear(&tmp);
	return r;
}
