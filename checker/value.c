#include "checker/value.h"

#include "base/mem.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15u), w;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = hash_mix(h, w);
	}
	w = 0;
	if (n)
		memcpy(&w, s, n);
	return hash_mix(h, w);
}

static void rehash(struct values *v)
{
	uint32_t size = v->slot_mask ? (v->slot_mask + 1) * 2 : 1024;

	free(v->slots);
	v->slots = xmalloc(size * sizeof *v->slots);
	memset(v->slots, 0xff, size * sizeof *v->slots);
	v->slot_mask = size - 1;
	for (uint32_t i = 0; i < v->len; i++) {
		uint32_t s = (uint32_t)v->nodes[i].hash & v->slot_mask;
		while (v->slots[s] != VAL_NONE)
			s = (s + 1) & v->slot_mask;
		v->slots[s] = i;
	}
}

static val add_node(struct values *v, uint32_t slot, struct val_node n)
{
	if (v->len == v->cap) {
		v->cap = v->cap ? v->cap * 2 : 256;
		v->nodes = xrealloc(v->nodes, v->cap * sizeof *v->nodes);
	}
	v->nodes[v->len] = n;
	v->slots[slot] = v->len++;
	if (v->len * 2 > v->slot_mask)
		rehash(v);
	return v->len - 1;
}

val val_int(struct values *v, int64_t i)
{
	uint64_t h = hash_mix((uint64_t)i, V_INT + 1);
	uint32_t s = (uint32_t)h & v->slot_mask;

	for (; v->slots[s] != VAL_NONE; s = (s + 1) & v->slot_mask) {
		const struct val_node *n = &v->nodes[v->slots[s]];
		if (n->kind == V_INT && n->i == i)
			return v->slots[s];
	}
	return add_node(v, s, (struct val_node){.hash = h, .kind = V_INT, .i = i});
}

val val_text(struct values *v, enum val_kind kind, const char *p, size_t len)
{
	uint64_t h = hash_bytes(p, len, kind + 1);
	uint32_t s = (uint32_t)h & v->slot_mask;
	size_t at;

	for (; v->slots[s] != VAL_NONE; s = (s + 1) & v->slot_mask) {
		const struct val_node *n = &v->nodes[v->slots[s]];
		if (n->hash == h && n->kind == kind && n->len == len && (!len || !memcmp(v->bytes + n->at, p, len)))
			return v->slots[s];
	}
	if (v->bytes_len + len + 1 > v->bytes_cap) {
		v->bytes_cap = MAX(v->bytes_cap * 2, v->bytes_len + len + 4096);
		v->bytes = xrealloc(v->bytes, v->bytes_cap);
	}
	at = v->bytes_len;
	if (len)
		memcpy(v->bytes + at, p, len);
	v->bytes[at + len] = 0;
	v->bytes_len += len + 1;
	return add_node(v, s, (struct val_node){.hash = h, .kind = (uint8_t)kind, .len = (uint32_t)len, .at = at});
}

val val_string(struct values *v, const char *s)
{
	return val_text(v, V_STRING, s, strlen(s));
}

static int by_id(const void *a, const void *b)
{
	val x = *(const val *)a, y = *(const val *)b;

	return x < y ? -1 : x > y;
}

/* Sorts and removes repeats; of a key given twice the last one counts, as in most JSON readers. */
static size_t canonical(enum val_kind kind, val *items, size_t n)
{
	size_t w = kind == V_MAP ? 2 : 1, out = 0;

	if (kind == V_MAP)
		for (size_t i = 2; i < n; i += 2) { /* stable insertion: objects are small */
			val k = items[i], x = items[i + 1];
			size_t j = i;
			for (; j > 0 && items[j - 2] > k; j -= 2) {
				items[j] = items[j - 2];
				items[j + 1] = items[j - 1];
			}
			items[j] = k;
			items[j + 1] = x;
		}
	else if (n)
		qsort(items, n, sizeof *items, by_id);
	for (size_t i = 0; i < n; i += w) {
		if (out && items[out - w] == items[i])
			out -= w;
		memmove(items + out, items + i, w * sizeof *items);
		out += w;
	}
	return out;
}

val val_list(struct values *v, enum val_kind kind, const val *items, size_t n)
{
	uint64_t h;
	uint32_t s;
	val *own;

	if (v->items_len + n > v->items_cap || !v->items) {
		v->items_cap = MAX(v->items_cap * 2, v->items_len + n + 1024);
		v->items = xrealloc(v->items, v->items_cap * sizeof *v->items);
	}
	own = v->items + v->items_len;
	if (n)
		memcpy(own, items, n * sizeof *items);
	if (kind == V_SET || kind == V_MAP)
		n = canonical(kind, own, n);
	h = hash_bytes(own, n * sizeof *own, kind + 1);
	s = (uint32_t)h & v->slot_mask;
	for (; v->slots[s] != VAL_NONE; s = (s + 1) & v->slot_mask) {
		const struct val_node *x = &v->nodes[v->slots[s]];
		if (x->hash == h && x->kind == kind && x->len == n &&
		    !memcmp(v->items + x->at, own, n * sizeof *own))
			return v->slots[s];
	}
	v->items_len += n;
	return add_node(v, s,
	                (struct val_node){.hash = h, .kind = (uint8_t)kind, .len = (uint32_t)n, .at = v->items_len - n});
}

struct values *values_new(void)
{
	struct values *v = xnew(struct values);
	uint32_t s;

	rehash(v);
	for (int i = 0; i < 3; i++) { /* null, false, true */
		uint64_t h = hash_mix((uint64_t)i, 77);
		for (s = (uint32_t)h & v->slot_mask; v->slots[s] != VAL_NONE;)
			s = (s + 1) & v->slot_mask;
		add_node(v, s, (struct val_node){.hash = h, .kind = i ? V_BOOL : V_NULL, .i = i == 2});
	}
	ENSURE(val_string(v, "") == VAL_EMPTY_STRING);
	ENSURE(val_list(v, V_ARRAY, NULL, 0) == VAL_EMPTY_ARRAY);
	ENSURE(val_int(v, 0) == VAL_ZERO && val_int(v, 1) == VAL_ONE);
	return v;
}

void values_free(struct values *v)
{
	if (!v)
		return;
	free(v->nodes);
	free(v->slots);
	free(v->bytes);
	free(v->items);
	free(v);
}

/* Numbers: the digits without leading and trailing zeros, times a power of ten. */
static int canonical_number(struct values *v, bool neg, const char *digits, size_t n, int64_t exp, val *out)
{
	struct buf b = {0};

	while (n && *digits == '0') {
		digits++;
		n--;
	}
	while (n && digits[n - 1] == '0') {
		n--;
		exp++;
	}
	if (!n) {
		*out = VAL_ZERO;
		return 0;
	}
	if (exp >= 0 && exp + (int64_t)n <= 19) {
		uint64_t x = 0;
		for (size_t i = 0; i < n; i++)
			x = x * 10 + (uint64_t)(digits[i] - '0');
		for (int64_t i = 0; i < exp; i++)
			x *= 10;
		if (x <= (uint64_t)INT64_MAX + neg) { /* at most 19 digits: no overflow above */
			*out = val_int(v, neg ? (int64_t)(0 - x) : (int64_t)x);
			return 0;
		}
	}
	buf_adds(&b, neg ? "-" : "");
	buf_add(&b, digits, n);
	buf_addf(&b, "e%" PRId64, exp);
	*out = val_text(v, V_DECIMAL, b.data, b.len);
	buf_clear(&b);
	return 0;
}

int val_number(struct values *v, const char *s, size_t n, val *out)
{
	const char *end = s + n;
	bool neg = false, point = false;
	struct buf digits = {0};
	int64_t exp = 0, e = 0;
	int r;

	if (s < end && (*s == '-' || *s == '+'))
		neg = *s++ == '-';
	for (; s < end && ((*s >= '0' && *s <= '9') || *s == '.'); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		buf_addc(&digits, *s);
		exp -= point;
	}
	if (s < end && (*s == 'e' || *s == 'E')) {
		bool eneg = false;
		s++;
		if (s < end && (*s == '-' || *s == '+'))
			eneg = *s++ == '-';
		for (; s < end && *s >= '0' && *s <= '9'; s++)
			if ((e = e * 10 + (*s - '0')) > 1000000000) {
				buf_clear(&digits);
				return -1;
			}
		exp += eneg ? -e : e;
	}
	r = canonical_number(v, neg, digits.data ? digits.data : "", digits.len, exp, out);
	buf_clear(&digits);
	return r;
}

bool val_is_number(const struct values *v, val x)
{
	return x != VAL_NONE && (val_kind(v, x) == V_INT || val_kind(v, x) == V_DECIMAL);
}

bool val_is_name(const struct values *v, val x)
{
	enum val_kind k = x == VAL_NONE ? V_NULL : val_kind(v, x);

	return k == V_STRING || k == V_KEYWORD || k == V_SYMBOL;
}

bool val_named(const struct values *v, val x, const char *name)
{
	return val_is_name(v, x) && val_len(v, x) == strlen(name) && !memcmp(val_bytes(v, x), name, val_len(v, x));
}

val val_member(const struct values *v, val map, const char *name)
{
	if (map == VAL_NONE || val_kind(v, map) != V_MAP)
		return VAL_NONE;
	for (uint32_t i = 0; i < val_len(v, map); i += 2)
		if (val_named(v, val_items(v, map)[i], name))
			return val_items(v, map)[i + 1];
	return VAL_NONE;
}

/* A number as sign, digits (without trailing zeros) and exponent. */
struct number {
	bool neg;
	const char *digits;
	size_t n;
	int64_t exp;
	char small[32];
};

static void number_of(const struct values *v, val x, struct number *r)
{
	const char *s, *e;

	if (val_kind(v, x) == V_INT) {
		snprintf(r->small, sizeof r->small, "%" PRId64, v->nodes[x].i);
		s = r->small;
		e = s + strlen(s);
		r->exp = 0;
	} else {
		s = val_bytes(v, x);
		e = strchr(s, 'e');
		r->exp = strtoll(e + 1, NULL, 10);
	}
	r->neg = *s == '-';
	r->digits = s + r->neg;
	r->n = (size_t)(e - r->digits);
}

static int compare_numbers(const struct values *v, val a, val b)
{
	struct number x, y;
	int64_t mx, my;
	int r = 0;

	number_of(v, a, &x);
	number_of(v, b, &y);
	if (a == VAL_ZERO || b == VAL_ZERO || x.neg != y.neg)
		return a == b ? 0 : a == VAL_ZERO ? (y.neg ? 1 : -1) : b == VAL_ZERO ? (x.neg ? -1 : 1) : x.neg ? -1 : 1;
	mx = (int64_t)x.n + x.exp;
	my = (int64_t)y.n + y.exp;
	if (mx != my)
		r = mx < my ? -1 : 1;
	for (size_t i = 0; !r && i < MAX(x.n, y.n); i++) {
		char c = i < x.n ? x.digits[i] : '0', d = i < y.n ? y.digits[i] : '0';
		r = c < d ? -1 : c > d;
	}
	return x.neg ? -r : r;
}

int val_compare(const struct values *v, val a, val b)
{
	bool na = val_is_number(v, a), nb = val_is_number(v, b);

	if (a == b)
		return 0;
	if (na && nb)
		return compare_numbers(v, a, b);
	if (na != nb)
		return na ? -1 : 1;
	if (val_is_name(v, a) && val_is_name(v, b)) {
		uint32_t n = MIN(val_len(v, a), val_len(v, b));
		int r = memcmp(val_bytes(v, a), val_bytes(v, b), n);
		if (r || val_len(v, a) != val_len(v, b))
			return r ? r : val_len(v, a) < val_len(v, b) ? -1 : 1;
	}
	return a < b ? -1 : 1;
}
