/*
 * Values of histories: JSON and EDN, interned. Two values are equal exactly when their ids are equal, whatever their
 * spelling: 1, 1.0 and 1e0 are one number, 2^53 and 2^53+1 are two, members of an object have no order. The hash only
 * finds a bucket; equality is always verified when a value is interned.
 *
 * A pool is written while a history is read and only read while it is checked, so that checks may run in parallel.
 */
#ifndef CHECKER_VALUE_H
#define CHECKER_VALUE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t val;

/* The ids of values that every pool has. */
enum { VAL_NULL, VAL_FALSE, VAL_TRUE, VAL_EMPTY_STRING, VAL_EMPTY_ARRAY, VAL_ZERO, VAL_ONE };
#define VAL_NONE UINT32_MAX /* no value at all, as opposed to null */

enum val_kind {
	V_NULL,
	V_BOOL,
	V_INT,     /* fits int64_t */
	V_DECIMAL, /* any other number: canonical text DIGITSeEXPONENT */
	V_STRING,
	V_KEYWORD, /* EDN :name */
	V_SYMBOL,  /* EDN name, also characters and ratios */
	V_ARRAY,   /* EDN vectors and lists */
	V_SET,     /* EDN #{}: items sorted by id */
	V_MAP,     /* items are key, value, key, value, sorted by key id */
	V_TAGGED   /* EDN #tag value: items are tag, value */
};

struct val_node {
	uint64_t hash;
	uint8_t kind;
	uint32_t len; /* bytes of text, or items */
	union {
		int64_t i;
		uint64_t at; /* offset in bytes or in items */
	};
};

struct values {
	struct val_node *nodes;
	uint32_t len, cap;
	uint32_t *slots; /* VAL_NONE: empty */
	uint32_t slot_mask;
	char *bytes;
	size_t bytes_len, bytes_cap;
	val *items;
	size_t items_len, items_cap;
};

struct values *values_new(void);
void values_free(struct values *v);

val val_int(struct values *v, int64_t i);
val val_text(struct values *v, enum val_kind kind, const char *s, size_t n);
val val_string(struct values *v, const char *s);
/* A number by its JSON spelling (already checked to be one). Fails when the exponent is absurd. */
int val_number(struct values *v, const char *s, size_t n, val *out);
val val_list(struct values *v, enum val_kind kind, const val *items, size_t n); /* sets and maps are sorted here */

static inline enum val_kind val_kind(const struct values *v, val x)
{
	return (enum val_kind)v->nodes[x].kind;
}
static inline uint32_t val_len(const struct values *v, val x)
{
	return v->nodes[x].len;
}
static inline const char *val_bytes(const struct values *v, val x)
{
	return v->bytes + v->nodes[x].at;
}
static inline const val *val_items(const struct values *v, val x)
{
	return v->items + v->nodes[x].at;
}
static inline bool val_is_int(const struct values *v, val x)
{
	return x != VAL_NONE && v->nodes[x].kind == V_INT;
}
bool val_is_number(const struct values *v, val x);
/* A string, or its EDN cousins: what can name an operation, a type, a micro-operation. */
bool val_is_name(const struct values *v, val x);
bool val_named(const struct values *v, val x, const char *name);
/* The member of a map by name (string or keyword); VAL_NONE when absent. */
val val_member(const struct values *v, val map, const char *name);
/* A total order of numbers by value, then strings by bytes, then the rest by id. */
int val_compare(const struct values *v, val a, val b);
/* As JSON; EDN values in a spelling close to EDN's. max bytes, 0: no limit; longer ones end in "…". */
void val_print(const struct values *v, val x, struct buf *b, size_t max);
/* As strict JSON (keywords and symbols as strings, sets as arrays). */
void val_json(const struct values *v, val x, struct buf *b);
void text_json(struct buf *b, const char *s, size_t n);

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

#endif
