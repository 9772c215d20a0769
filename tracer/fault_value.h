/*
 * Settings of faults: typed values, as text in both directions. What is printed is read back to the same value, so a plan
 * that was saved can be given back.
 */
#ifndef TRACER_FAULT_VALUE_H
#define TRACER_FAULT_VALUE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum fault_type {
	FV_TIME,   /* "340ms", "-3s", "1.5h", "forever": nanoseconds */
	FV_COUNT,  /* "3" */
	FV_BYTES,  /* "4096", "64k" */
	FV_CHANCE, /* "25%", "0.25": millionths */
	FV_PPM,    /* "-200ppm", "5%": millionths, signed */
	FV_ERRNO,  /* "EMFILE": its number */
	FV_WORD,   /* one of param.words: its place among them */
	FV_NODE,   /* a node's name */
	FV_NODES,  /* "n1+n2" */
	FV_GROUPS, /* "n1+n2|n3" */
};

/* One setting of a kind of fault. */
struct fault_param {
	const char *name, *help;
	enum fault_type type;
	bool required;        /* a fault that somebody writes must name it */
	int64_t min, max;     /* what is allowed */
	int64_t from, to;     /* a seed draws between these, evenly over magnitudes; both 0: it always takes `def` */
	int64_t def;          /* left out in a fault that somebody writes */
	const char *words;    /* FV_WORD: "halves|isolate|ring" */
};

struct fault_value {
	bool set;
	int64_t n;
	char *text; /* FV_NODE, FV_NODES, FV_GROUPS: on the heap */
};

/* The whole text or nothing: 0, or -1 with what would be right. */
int fault_value_parse(const struct fault_param *p, const char *text, struct fault_value *v, struct err *e);
void fault_value_print(const struct fault_param *p, const struct fault_value *v, struct buf *out);
void fault_value_copy(struct fault_value *to, const struct fault_value *from);
void fault_value_clear(struct fault_value *v);
static inline bool fault_value_is_text(enum fault_type t)
{
	return t == FV_NODE || t == FV_NODES || t == FV_GROUPS;
}

/* No control characters: everything fits on one line. 0 or -1. */
int fault_text_check(const char *text, struct err *e);

/* Between from and to (0 < from <= to), each doubling as likely as the next. */
int64_t draw_magnitude(struct rng *r, int64_t from, int64_t to);

void time_print(int64_t ns, struct buf *out);
int time_parse(const char *text, int64_t *ns, struct err *e); /* may be negative, or "forever" */
/* "6", "6/m", "2/s", "0.5/h": events per time, a minute if none is named. The mean interval. */
int rate_parse(const char *text, int64_t *interval_ns, struct err *e);
void rate_print(int64_t interval_ns, struct buf *out);
/* The name is one of those in "a|b|c": its place, or -1. */
int word_index(const char *words, const char *name, size_t len);

#endif
