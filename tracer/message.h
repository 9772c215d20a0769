/*
 * Messages of the SDK (docs/sdk.md): one JSON object each. Values stay as they were written, since a history must keep
 * every digit; what a handler needs is read out of them.
 */
#ifndef TRACER_MESSAGE_H
#define TRACER_MESSAGE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_MEMBERS_MAX = 64 };

struct member {
	char *key;       /* unescaped */
	const char *raw; /* its value: JSON on one line */
	size_t n;
};

struct message {
	struct member m[MESSAGE_MEMBERS_MAX];
	size_t n;
	char *text; /* a copy, in which bytes that are no UTF-8 are replaced */
};

/* 0, or -1 with *e: `what:LINE:COLUMN: expected …`, at most 64 members, none twice. */
int message_parse(struct message *m, const char *text, size_t n, const char *what, struct err *e);
void message_clear(struct message *m);

const struct member *message_get(const struct message *m, const char *key); /* NULL: absent */
/* A string's text on the heap; NULL when absent or no string. */
char *message_text(const struct message *m, const char *key);
bool message_int(const struct message *m, const char *key, int64_t *out);
bool message_bool(const struct message *m, const char *key, bool *out);
/* A number, or one of the strings "NaN", "Infinity", "-Infinity". *integer: it was written without '.' and exponent. */
bool message_number(const struct message *m, const char *key, long double *out, bool *integer);
/* The value equals this JSON text. */
bool member_is(const struct member *v, const char *json);
/* Appends the value without white space between its tokens. */
void member_add(struct buf *out, const struct member *v);

/* Appends s as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD. */
void json_add_string(struct buf *out, const char *s, size_t n);

#endif
