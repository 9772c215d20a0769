/* What the files of the transaction checker share. */
#ifndef CHECKER_TXN_INT_H
#define CHECKER_TXN_INT_H

#include "checker/txn.h"

enum { NIL = UINT32_MAX };

enum mop_kind { MOP_READ, MOP_WRITE }; /* append counts as a write */

/* A micro-operation. Read of a list: x = length of the prefix of the key's order, or NIL: see `odd`. Read of a register:
 * x = the value. Write: x = its number in `writes`. */
struct mop {
	uint32_t key, x;
	uint8_t kind;
	bool unknown; /* a read without a value */
};

struct write {
	uint32_t key, txn, mop;
	val x;
	uint32_t pos;   /* list-append: place in the key's order; NIL: nobody saw it */
	bool unseen;    /* a completed one that no read shows */
	bool last;      /* the transaction's last write to the key */
	bool repeated;  /* written again by another transaction */
};

/* Where the order of a list became known: up to `len` by the read `mop` of `txn`. */
struct extent {
	uint32_t len, txn;
};

struct key {
	val name;
	val *order; /* list-append: the longest list read */
	uint32_t len, cap;
	uint32_t *ends;   /* while reading: text offsets behind the elements; then: the write of each element */
	uint64_t text_at; /* the longest list's text in the history; text_len 0: none */
	uint32_t text_len, ends_cap;
	struct extent *extents;
	uint32_t nextents;
	uint32_t first_unseen, nunseen; /* completed unseen writes, by next_unseen */
};

/* A read that is no prefix of its key's order (or repeats, …): its list as a value. */
struct odd {
	uint32_t txn, mop, key;
	val list;
};

struct txns {
	struct history *h;
	const struct model *m;
	struct txn_result *r;
	struct err *e;
	uint32_t *line;
	val initial; /* registers */
	bool list;
	struct mop *mops;
	uint32_t *at; /* mops of transaction i: at[i] … at[i + 1] */
	uint32_t nmops, mops_cap;
	struct write *writes;
	uint32_t nwrites, writes_cap;
	uint32_t *write_slots, write_mask; /* by (key, value) */
	struct key *keys;
	uint32_t nkeys, keys_cap;
	uint32_t *key_of, key_of_cap; /* by value id */
	struct odd *odd;
	uint32_t nodd, odd_cap;
	uint32_t *next_unseen; /* by write */
	/* The graph. Nodes: transactions, then helpers. */
	struct gedge { uint32_t from, to; uint8_t kind; uint32_t key; } *edges;
	uint64_t nedges, edges_cap;
	uint32_t nnodes;
	uint64_t flow_work, cycle_work[3][5]; /* txn_cycles.c: what its searches cost so far */
};

static inline bool committed(const struct txns *t, uint32_t i)
{
	return t->h->ops[i].status == OP_OK;
}

/* txn_read.c */
int txns_read(struct txns *t);
uint32_t write_find(const struct txns *t, uint32_t key, val x); /* NIL: never written */
/* txn_list.c, txn_register.c: anomalies without cycles, and edges */
void list_analyse(struct txns *t);
void register_analyse(struct txns *t);
void lost_updates(struct txns *t);
/* txn_edges.c */
void add_edge(struct txns *t, uint32_t from, uint32_t to, uint8_t kind, uint32_t key);
void order_edges(struct txns *t); /* process and real-time order */
void note_anomaly(struct txns *t, const char *name, uint32_t levels, const uint32_t *ops, uint32_t nops, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* txn_cycles.c */
void find_cycles(struct txns *t);
/* txn_words.c */
void txn_describe(const struct txns *t, uint32_t i, struct buf *b);
void txn_name(const struct txns *t, uint32_t i, struct buf *b);
void print_key_name(const struct txns *t, uint32_t key, struct buf *b);

#endif
