/* Checking linearizability (or another order) part by part: monitors, then search within the budget; results. */
#ifndef CHECKER_LINEAR_H
#define CHECKER_LINEAR_H

#include "checker/monitor.h"
#include "checker/parts.h"

/* Default budget: about half a minute of visiting configurations on a machine of today. */
#define DEFAULT_CONFIGS 40000000ull
#define DEFAULT_MEMORY (1ull << 30)

struct linear_options {
	uint64_t configs; /* for the whole history */
	size_t memory;
	unsigned jobs;
	bool (*expired)(void *arg);
	void *arg;
	bool explain; /* reasons, minimal histories, prefixes */
};

/* One part's result. Operations are lops of `part`. */
struct part_result {
	const struct part *part;
	enum verdict verdict;
	bool by_monitor, out_of_memory, out_of_time;
	uint64_t visited;
	uint32_t *order, norder; /* verified witness */
	uint32_t left;           /* undecided: operations that the longest attempt left out */
	/* Violations: */
	struct reason why;
	struct buf words;        /* the reason */
	uint32_t *core, ncore;   /* a failing sub-history from which nothing can be left out */
	bool core_minimal;
	uint32_t prefix;         /* operations invoked in the longest linearizable prefix */
	uint32_t prefix_line;    /* line of the event with which it fails; 0: not found */
	uint32_t *partial, npartial; /* longest partial linearization of the failing prefix */
};

struct linear_result {
	enum verdict verdict;
	struct part_result *part;
	uint32_t n, nbad, nundecided;
	uint64_t visited;
	/* An order that is not local to a key: the result for all keys together. */
	bool global;
	struct part all;
	struct part_result whole;
};

void linear_check(const struct parts *ps, const struct linear_options *opt, struct linear_result *r);
/* Reasons for the violations, when opt asks for them. */
void linear_explain(const struct linear_options *opt, struct linear_result *r);
void linear_clear(struct linear_result *r);

/* One part: monitor, then search; a claimed order is verified, or it is a bug of ours. */
void decide(const struct part *p, const struct limits *lim, struct found *f, struct reason *why, bool *by_monitor);

/* explain.c */
void explain(struct part_result *r, const struct linear_options *opt);
/* words.c */
void put_in_words(const struct part *p, const struct reason *why, struct buf *b);
/* op, what it did: "B's read (line 16) returned 2" */
void lop_clause(const struct part *p, uint32_t l, struct buf *b);
/* blocked.c: for the smallest failing history of a search: the operation that no order lets happen, and in which states.
 * False: there is no single one. */
bool blocked_in_words(const struct part *p, struct reason *why, struct buf *b);
void describe_lop(const struct part *p, uint32_t l, struct buf *b);
const struct op *op_of_lop(const struct part *p, uint32_t l);

/* The operations for which keep[i] holds, as a part; words and history are shared. */
void part_sub(struct part *sub, const struct part *p, const bool *keep, uint32_t *map);
void part_sub_clear(struct part *sub);

#endif
