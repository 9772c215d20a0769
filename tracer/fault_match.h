/* Which calls a fault is about: names and sets of calls, the path, the peer, and which of those that match. */
#ifndef TRACER_FAULT_MATCH_H
#define TRACER_FAULT_MATCH_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct call;

enum { FAULT_CALL_WORDS = 512 / 64 }; /* SYSROW_MAX bits */

struct callset {
	uint64_t bits[FAULT_CALL_WORDS];
};

static inline bool callset_has(const struct callset *s, long nr)
{
	return nr >= 0 && nr < 512 && (s->bits[nr / 64] >> (nr % 64) & 1);
}
static inline void callset_add(struct callset *s, long nr)
{
	s->bits[nr / 64] |= 1ull << (nr % 64);
}
bool callset_empty(const struct callset *s);

/* "openat", "fsync+fdatasync", "%net", "%file+close". 0, or -1 with what is wrong. */
int callset_parse(const char *text, struct callset *out, struct err *e);
/* The sets, for listings: NULL beyond the last. */
const char *callset_name(unsigned i, const char **help);
/* Some call of the set takes a path or a descriptor; a socket's descriptor. */
bool callset_has_path(const struct callset *s);
bool callset_has_peer(const struct callset *s);

/* "3": the third; "3+": from the third on; "3..5"; "10+5": the tenth, and every fifth after it; "10..30+5". */
struct fault_when {
	uint64_t first, last, step; /* last UINT64_MAX: no end */
};
int fault_when_parse(const char *text, struct fault_when *w, struct err *e);
void fault_when_print(const struct fault_when *w, struct buf *out);
static inline bool fault_when_is(const struct fault_when *w, uint64_t nth)
{
	return nth >= w->first && nth <= w->last && (nth - w->first) % w->step == 0;
}

/* Is the call about a path that matches the pattern? A pattern without a slash is compared with the last component. */
bool fault_path_matches(struct call *c, const char *pattern);
/* Is the other end of its socket, or the destination that it names, this node or address ("n2", "127.0.0.1:7001", ":53")? */
bool fault_peer_matches(struct call *c, const char *peer);

#endif
