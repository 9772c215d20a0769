/*
 * Properties of one run: which were reached, which were true, how close comparisons came. A property is its kind and its
 * message; where it stands in the source is for people.
 */
#ifndef TRACER_PROPERTY_H
#define TRACER_PROPERTY_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* X(NAME, word, must be reached in a sweep, must have been true in a sweep, fails the run when false) */
#define PROPERTY_KINDS(X)                                                                                          \
	X(ALWAYS, "always", true, false, true)                                                                     \
	X(ALWAYS_OR_UNREACHABLE, "always_or_unreachable", false, false, true)                                      \
	X(UNREACHABLE, "unreachable", false, false, true)                                                          \
	X(SOMETIMES, "sometimes", true, true, false)                                                               \
	X(REACHABLE, "reachable", true, false, false)                                                              \
	X(EVENTUALLY, "eventually", true, false, false)

enum property_kind {
#define X(name, word, reached, was_true, fails) PROP_##name,
	PROPERTY_KINDS(X)
#undef X
	PROP_KINDS
};

const char *property_kind_name(enum property_kind k);
bool property_kind_find(const char *word, enum property_kind *out);
bool property_must_be_reached(enum property_kind k);
bool property_must_be_true(enum property_kind k);
bool property_fails_when_false(enum property_kind k);

struct property {
	enum property_kind kind;
	char *message;
	char *location;   /* "kv.c:12", or NULL */
	bool reached, was_true;
	bool has_margin, integer;
	long double margin; /* positive on the true side: the least of an always, the greatest of a sometimes */
};

/* A list in the order in which they became known. */
struct properties {
	struct property *v;
	size_t n, cap;
};

/* Found or added; location is kept when none is known yet. */
struct property *property_note(struct properties *ps, enum property_kind k, const char *message, const char *location);
/* Takes the margin in, if it is closer than what was seen. */
void property_margin(struct property *p, long double margin, bool integer);
/* "-37", "0.25" */
void property_print_margin(const struct property *p, struct buf *out);
/* A JSON array with an object for each, and back. Parsing adds to *ps. */
void properties_json(const struct properties *ps, struct buf *out);
void properties_clear(struct properties *ps);

/* "examples/kv/server.c:12" -> "kv/server.c:12": what tells places apart, wherever the source lies. */
const char *short_location(const char *location);

#endif
