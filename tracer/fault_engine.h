/* Inside of the fault engine: what fault_*.c share. */
#ifndef TRACER_FAULT_ENGINE_H
#define TRACER_FAULT_ENGINE_H

#include "base/list.h"
#include "tracer/fault.h"
#include "tracer/node.h"
#include "tracer/sim.h"

enum fault_state {
	FAULT_WAITING, /* for its time or its call */
	FAULT_ACTIVE,
	FAULT_OVER,
};

/* One fault of this run. */
struct fault {
	struct list link;    /* faults.all, in order of creation */
	struct list in_due;  /* faults.due: starts before anything else runs */
	struct list in_live; /* faults.live: looks at calls */
	struct fault_spec spec;
	enum fault_state state;
	const char *suppressed; /* why it did not start; NULL */
	bool awaits_node;    /* its time has come, its node has not */
	struct rng rng;      /* its own */
	struct timer timer;  /* its end, or the next thing it does */
	unsigned told;       /* lines of the trace about calls */
	uint64_t seen;       /* calls that matched */
	unsigned applied;    /* times it started, or, of a call kind, acted */
	int64_t first_ns;    /* when it started first; -1: never */
	int64_t ends_ns;     /* VCLOCK_NEVER: no end of its own */
	uint64_t effect[EFFECTS];
	struct node *node;   /* the node it is about; NULL: several, or none yet */
	int caller_tid;      /* by occurrence: who made the call; 0: nobody */
	unsigned step;       /* of kinds that go through steps */
	void *priv;          /* of the kind */
	struct faults *fs;
};

/* What a seed draws of one kind: the next fault, again and again. */
struct generator {
	const struct fault_kind *kind;
	const struct fault_setting *set;
	int64_t interval_ns; /* mean */
	unsigned left;       /* faults still to come; UINT_MAX: no bound */
	unsigned made;
	int64_t next_ns;     /* on the run's clock; VCLOCK_NEVER: none */
	struct rng rng;
};

struct faults {
	struct sim *s;
	const struct fault_config *cfg;
	struct list all, due, live;
	struct fault **timed; /* those that wait for a time, earliest first */
	unsigned ntimed;
	struct generator gen[FAULT_KINDS_MAX];
	unsigned ngen;
	int64_t next_ns;     /* when something starts */
	enum fault_phase phase;
	int64_t quiet_until_ns; /* 0: not quiet */
	bool drawing;        /* generators run */
	struct callset watched; /* calls that some waiting or active fault matches */
	struct callset notify;
	int64_t origin_ns;   /* the run's start, on its clock */
};

/* ---- fault_engine.c ---- */

struct fault *fault_new(struct faults *fs, const struct fault_spec *spec);
void fault_discard(struct fault *f); /* it never was */
/* Looks at calls from now on, or no more. */
void fault_watch(struct faults *fs, struct fault *f, bool on);
/* NULL: faults may happen now; else why not. */
const char *fault_forbidden(const struct faults *fs);
/* Counted where it is done. */
static inline void fault_did(struct fault *f, enum fault_effect e, uint64_t n)
{
	f->effect[e] += n;
}
/* At once, or not: f->suppressed says why. */
void fault_start(struct faults *fs, struct fault *f);
void fault_end(struct faults *fs, struct fault *f);
/* Its end by itself, `for_ns` from now. */
void fault_ends_in(struct faults *fs, struct fault *f, int64_t for_ns);
/* When the next thing starts. */
void fault_reckon(struct faults *fs);
static inline int64_t fault_now(const struct faults *fs)
{
	return fs->s->kern.clock.now_ns;
}
/* Some fault of this kind is active on the node. */
bool fault_is_active(const struct faults *fs, const char *kind, const struct node *n);

/* ---- fault_draw.c ---- */

void fault_decide(struct faults *fs); /* what this seed injects */
void fault_begin_drawing(struct faults *fs);
void fault_draw(struct faults *fs, struct generator *g);

/* ---- fault_who.c: nodes ---- */

struct node *fault_find_node(const struct faults *fs, const char *name); /* NULL: not there (yet) */
/* Takes part in faults: not exempt. */
bool fault_takes_part(const struct faults *fs, const struct node *n);
/* One of those that take part and are up, for the setting "node", unless that is given. False: there is none. */
bool fault_choose_node(struct faults *fs, struct fault *f, struct rng *r);
/* All that take part and are up, in order of creation; how many. */
unsigned fault_nodes_up(const struct faults *fs, struct node **out, unsigned max, bool driver);
/* "n1+n2" in order; the array in random order. */
void fault_shuffle(struct rng *r, struct node **v, unsigned n);
void fault_set_nodes(struct fault *f, const char *param, struct node *const *v, unsigned n);
/* The nodes that a text names, those that exist; ends at any of +|. How many. */
unsigned fault_parse_nodes(const struct faults *fs, const char *text, struct node **out, unsigned max);
/* How many nodes would be down or cut off, if f were active too. */
unsigned fault_count_down(const struct faults *fs, const struct fault *f);

#endif
