/* Transactions: list-append and rw-register, anomalies and levels. */
#ifndef CHECKER_TXN_H
#define CHECKER_TXN_H

#include "checker/search.h"

/* Levels that -consistency takes, and those that are only named in results. */
enum level {
	LEVEL_READ_UNCOMMITTED,
	LEVEL_READ_COMMITTED,
	LEVEL_READ_ATOMIC,
	LEVEL_CONSISTENT_VIEW,
	LEVEL_REPEATABLE_READ,
	LEVEL_SNAPSHOT_ISOLATION,
	LEVEL_SERIALIZABLE,
	LEVEL_SESSION_SNAPSHOT_ISOLATION,
	LEVEL_SESSION_SERIALIZABLE,
	LEVEL_STRONG_SNAPSHOT_ISOLATION,
	LEVEL_STRICT_SERIALIZABLE,
	LEVELS
};

const char *level_name(enum level l);
/* -1: no such level. */
int level_find(const char *name);

enum edge_kind { EDGE_WW = 1, EDGE_WR = 2, EDGE_RW = 4, EDGE_PROCESS = 8, EDGE_REALTIME = 16 };

struct anomaly {
	const char *name;    /* "G-single", "internal", … */
	uint64_t count;      /* examples found; cycles: at most one is looked for in each component */
	uint32_t levels;     /* bit set of levels that it rules out */
	char *text;          /* one line: the explained example */
	uint32_t *op;        /* operations of the example, a cycle's in order */
	uint8_t *edge;       /* cycle: kind of the edge from op[i] to op[i + 1] */
	val *key;            /* cycle: the edge's key, VAL_NONE: none */
	uint32_t nop;
	bool cycle;
};

struct txn_result {
	enum verdict verdict; /* at the level asked for */
	struct anomaly *anomaly;
	uint32_t n;
	uint32_t ruled_out;   /* bit set of levels */
	uint32_t ntxns, nedges;
	struct buf note;
};

int txn_check(const struct model *m, struct history *h, enum level level, val initial, struct txn_result *r, struct err *e,
              uint32_t *line);
void txn_clear(struct txn_result *r);
/* The strongest levels that nothing rules out, as text. */
void txn_strongest(const struct txn_result *r, struct buf *b);

#endif
