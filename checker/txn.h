/*
 * Transactions: list-append and rw-register; anomalies, and the isolation levels that they rule out.
 *
 * The dependencies between transactions (ww, wr, rw, and process and real-time order) form a graph; every cycle in it is
 * an anomaly, named by the kinds of its edges as Adya, Elle and others do. All is linear in the size of the history: one
 * pass interns keys and values, edges go into one CSR array, one iterative Tarjan finds the components, and only inside of
 * components are cycles looked for, by breadth-first search.
 */
#ifndef CHECKER_TXN_H
#define CHECKER_TXN_H

#include "checker/search.h"

enum level {
	LEVEL_READ_UNCOMMITTED,
	LEVEL_READ_COMMITTED,
	LEVEL_READ_ATOMIC,
	LEVEL_CURSOR_STABILITY,
	LEVEL_CONSISTENT_VIEW,
	LEVEL_REPEATABLE_READ,
	LEVEL_SNAPSHOT_ISOLATION,
	LEVEL_SERIALIZABLE,
	LEVEL_SESSION_READ_UNCOMMITTED,
	LEVEL_SESSION_READ_COMMITTED,
	LEVEL_SESSION_SNAPSHOT_ISOLATION,
	LEVEL_SESSION_SERIALIZABLE,
	LEVEL_STRONG_READ_UNCOMMITTED,
	LEVEL_STRONG_READ_COMMITTED,
	LEVEL_STRONG_SNAPSHOT_ISOLATION,
	LEVEL_STRICT_SERIALIZABLE,
	LEVELS
};

const char *level_name(enum level l);
int level_find(const char *name); /* -1: no such level */
/* The levels that are ruled out when `weakest` is: itself and all stronger ones. */
uint32_t level_and_stronger(enum level weakest);

/* Kinds of edges; 0: goes on from a node that stands for several (moments, readers of a last version). */
enum edge_kind { EDGE_ON = 0, EDGE_WW = 1, EDGE_WR = 2, EDGE_RW = 4, EDGE_PROCESS = 8, EDGE_REALTIME = 16 };

struct anomaly {
	const char *name; /* "G-single", "internal", … */
	uint64_t count;   /* examples seen; cycles: components with one */
	uint32_t levels;  /* bit set of levels that it rules out */
	char *text;       /* one line: the explained example */
	uint32_t *op;     /* operations of the example; a cycle's in order */
	uint8_t *edge;    /* cycle: kind of the edge from op[i] to op[i + 1] */
	val *key;         /* cycle: the edge's key, VAL_NONE: none */
	uint32_t nop;
	bool cycle;
};

struct txn_result {
	enum verdict verdict; /* at the level asked for */
	struct anomaly *anomaly;
	uint32_t n;
	uint32_t ruled_out; /* bit set of levels */
	uint32_t ntxns, ncomponents;
	uint64_t nedges;
	struct buf note;
};

int txn_check(const struct model *m, struct history *h, enum level level, val initial, struct txn_result *r, struct err *e,
              uint32_t *line);
void txn_clear(struct txn_result *r);
/* The strongest levels that nothing rules out, as text. */
void txn_strongest(const struct txn_result *r, struct buf *b);

#endif
