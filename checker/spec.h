/*
 * Sequential specifications ("models"), as the searches and monitors see them.
 *
 * Operations of a history are compiled once into struct lop: codes and interned arguments; a mistake in the history
 * (an operation the model lacks, a value of the wrong type) is found there and is an error, never a weaker check.
 * A state is a number: for registers the value's own id, else an entry of a struct states, where equal states have
 * equal numbers.
 */
#ifndef CHECKER_SPEC_H
#define CHECKER_SPEC_H

#include "checker/history.h"

typedef uint32_t state_t;
#define STATE_BAD UINT32_MAX /* the operation cannot happen in this state with this result */

enum lop_code {
	C_READ, C_WRITE, C_CAS, C_CONCAT,             /* registers: a = value, or a, b = old, new */
	C_APPEND, C_READ_LIST,                        /* append; list = the whole list */
	C_ENQ, C_DEQ,                                 /* queue */
	C_PUSH, C_POP,                                /* stack */
	C_PUSH_FRONT, C_PUSH_BACK, C_POP_FRONT, C_POP_BACK,
	C_INSERT, C_DELETE_MIN,                       /* priority queue */
	C_ADD, C_READ_SET,                            /* set; list = members, sorted by id, unique */
	C_INC, C_READ_SUM,                            /* counter: n */
	C_ACQUIRE, C_RELEASE, C_RENEW,                /* locks, semaphore, lease */
	C_TXN,                                        /* multi-register: list = (code, register, value)… */
	C_USER
};

struct lop {
	uint32_t op;       /* in history.ops */
	uint32_t call, ret;
	uint8_t code;
	bool unknown;      /* may or may not take effect, any time after its call */
	bool readonly;     /* never changes a state */
	bool blind;        /* always possible, and the state after it does not depend on the state before */
	val a, b;
	val out;           /* VAL_NONE: any result */
	int64_t n, t0, t1; /* numbers; earliest and latest time of a lease operation */
	uint32_t list, nlist; /* in part.words */
};

/* Equal contents, equal numbers. Contents are words; the numbers start at 0. */
struct states {
	uint32_t *words, *slots;
	struct state_at { uint64_t at; uint32_t len, hash; } *at;
	size_t nwords, words_cap;
	uint32_t n, cap, mask;
};

void states_init(struct states *s);
void states_clear(struct states *s);
state_t states_intern(struct states *s, const uint32_t *words, uint32_t n);
static inline const uint32_t *states_words(const struct states *s, state_t x)
{
	return s->words + s->at[x].at;
}
static inline uint32_t states_len(const struct states *s, state_t x)
{
	return s->at[x].len;
}
size_t states_bytes(const struct states *s);

struct model;
struct simrun_model; /* model.h: a user's */
struct simrun_op;

/* The operations that are checked together: those of one key, or all. */
struct part {
	const struct model *model;
	struct history *h;
	val key;
	struct lop *ops; /* in order of call */
	uint32_t n;
	uint32_t *words; /* lists of arguments */
	size_t nwords, words_cap;
	struct edge *edges; /* between lops, besides real time (positions) */
	size_t nedges;
	bool realtime;      /* positions order the operations */
	const struct part *const *subs; /* several keys at once: lop.list is the part, lop.nlist the operation in it */
	uint32_t nsubs;
	val initial;        /* VAL_NONE: the model's own */
	val *names;         /* multi-register: the registers */
	uint32_t nnames;
	uint64_t total;     /* counter: sum of the absolute values, so that no sum overflows */
	struct simrun_op **user_ops; /* user's model: the operations as it sees them */
	uint32_t nuser_ops;
	uint32_t dropped;   /* unknown reads and failed operations */
};

/* A model at work: the state store of one search or replay. */
struct machine {
	const struct part *part;
	struct states st;
	uint32_t *target; /* append: the state that a read shows, by lop; deque: who takes an element, by hash */
	uint32_t taker_mask;
	bool takers_known;
	struct machine *subs; /* several keys at once */
	void **user;      /* user's model: states by number */
	uint32_t nuser, user_cap;
	struct buf tmp;
};

void machine_init(struct machine *m, const struct part *p);
void machine_clear(struct machine *m);

enum model_flags {
	M_KEYED = 1,    /* each key on its own */
	M_LIST = 2,     /* the initial value is an array */
	M_ANALYSIS = 4, /* judged by an analysis of its own, not by search: model.analyse */
	M_TXN = 8       /* transactions */
};

struct model {
	const char *name;
	const char *about;          /* one line for the manual and -h */
	const char *const *fs;      /* operations in alphabetical order, NULL-terminated */
	unsigned flags;
	/* Fill *l (zeroed, with op, call, ret, unknown set). 1: drop the operation (it says nothing). */
	int (*compile)(struct part *p, struct op *o, struct lop *l, struct err *e);
	state_t (*initial)(struct machine *m);
	state_t (*step)(struct machine *m, state_t s, const struct lop *l);
	void (*print)(struct machine *m, state_t s, struct buf *b);
	/* Optional, for searches: after l, can the results of the operations to come not happen anymore? */
	bool (*doomed)(struct machine *m, state_t s, const struct lop *l);
	const struct simrun_model *user;
};

extern const struct model *const models[]; /* NULL-terminated */
const struct model *model_find(const char *name);
/* 1 when `initial` does not fit the model (e->msg says why). */
int model_check_initial(const struct model *m, const struct values *v, val initial, struct err *e);

/* Compile operation o at the end of p->ops (room must be there). Errors have the wording
 * `history (model M): operation "F" …`. */
int part_add(struct part *p, struct op *o, struct err *e);
uint32_t part_words(struct part *p, const val *items, uint32_t n);
void part_clear(struct part *p);

/* Several keys as one object (product.c): for orders that are not local to a key. */
extern const struct model model_product;

/* model_*.c */
extern const struct model model_kv, model_cas, model_kv_append, model_register, model_cas_register, model_append,
	model_queue, model_stack, model_deque, model_priority_queue, model_set, model_counter, model_mutex,
	model_owner_mutex, model_reentrant_mutex, model_fenced_mutex, model_reentrant_fenced_mutex, model_semaphore,
	model_multi_register, model_lease, model_ids, model_log, model_watch, model_bank, model_long_fork,
	model_list_append, model_rw_register;

/* Helpers of model_*.c. */
int bad_value(struct part *p, const struct op *o, val x, const char *what, const char *expected, struct err *e);
int want_element(struct part *p, const struct op *o, val x, const char *what, struct err *e);
int want_list(struct part *p, struct op *o, struct lop *l, struct err *e);
void print_state_list(struct machine *m, state_t s, struct buf *b);
state_t initial_list(struct machine *m);
bool deque_doomed(struct machine *m, state_t s, const struct lop *l);

#endif
