/*
 * Near-linear decision procedures for objects whose written values can be told apart. Each checks its own
 * preconditions: UNDECIDED means that they fail and a search must decide. An answer LINEARIZABLE comes with an order,
 * which the caller verifies; NOT_LINEARIZABLE comes with a reason. The answers are exact for operations ordered by
 * intervals; with "after" edges besides, NOT_LINEARIZABLE stays exact and an order must be verified against the edges.
 *
 * zones.c   registers, cas, append: Gibbons and Korach's zones, extended to writes whose predecessor is known
 * fifo.c    queue: the bad patterns of Henzinger, Sezgin and Vafeiadis
 * lifo.c    stack: decrease and conquer
 * levels.c  counter, grow-only set: reads form levels
 */
#ifndef CHECKER_MONITOR_H
#define CHECKER_MONITOR_H

#include "checker/search.h"

enum why {
	WHY_SEARCH,        /* no pattern: every order was tried */
	WHY_BLOCKED,       /* every order was tried: op[0] fits into none (blocked.c puts it in words) */
	WHY_NEVER_WRITTEN, /* op[0] returned `value`, which nobody wrote */
	WHY_TOO_EARLY,     /* op[0] returned `value` and ended before op[1], its only writer, started */
	WHY_TWICE,         /* op[0] shows `value` twice, op[0] and op[1] both took it */
	WHY_INCOMPATIBLE,  /* neither of the lists of op[0] and op[1] begins with the other */
	WHY_STALE,         /* op[0] saw or wrote the newer state and ended before op[1], of the older state, started */
	WHY_INTERLEAVED,   /* two values: op[0] (first) ended before op[1] (second) started, and op[2] (second) ended before
	                      op[3] (first) started */
	WHY_TWO_CAS,       /* op[0] and op[1] both swapped the same `value`, which was written once */
	WHY_CAS_CIRCLE,    /* each of these values could only come from the other */
	WHY_ORDER,         /* queue: op[0] before op[1] went in, came out (op[2], op[3]) the other way round */
	WHY_NOT_EMPTY,     /* op[0] found nothing while `value` (op[1]) was certainly there */
	WHY_LOST,          /* op[0] does not show the element of op[1], which had been added before */
	WHY_LIFO,          /* stack: no element can be the outermost one */
	WHY_SUM,           /* counter: op[0]'s sum cannot be reached */
	WHY_BOTH           /* set: neither op[0] nor op[1] contains the other */
};

struct reason {
	enum why why;
	uint32_t op[4], nop; /* lops */
	val value;
};

/* f->order is allocated when the verdict is LINEARIZABLE. */
void monitor(const struct part *p, struct found *f, struct reason *r);

void monitor_zones(const struct part *p, struct found *f, struct reason *r);
/* failed_cas.c: puts the failed cas of p into f->order. False: no fitting place was found, which need not mean that there
 * is none. */
bool place_failed_cas(const struct part *p, struct found *f);
void monitor_fifo(const struct part *p, struct found *f, struct reason *r);
void monitor_lifo(const struct part *p, struct found *f, struct reason *r);
void monitor_counter(const struct part *p, struct found *f, struct reason *r);
void monitor_set(const struct part *p, struct found *f, struct reason *r);

static inline uint32_t lop_start(const struct part *p, uint32_t i)
{
	return p->realtime ? p->ops[i].call : 0;
}
static inline uint32_t lop_finish(const struct part *p, uint32_t i)
{
	return p->realtime ? p->ops[i].ret : NEVER;
}
void not_linearizable(struct found *f, struct reason *r, enum why why, val value, uint32_t nop, const uint32_t *ops);
#define NOT_LIN(f, r, why, value, ...)                                                                             \
	not_linearizable((f), (r), (why), (value), sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),           \
	                 (uint32_t[]){__VA_ARGS__})

#endif
