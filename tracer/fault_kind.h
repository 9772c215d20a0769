/*
 * THE table of faults (fault_kinds.c): every kind that can be injected, its settings, what starts and ends it, and what it
 * counts. The grammar of -fault, what a seed draws, the plan, the documentation's table and `simrun faults` are read off it.
 */
#ifndef TRACER_FAULT_KIND_H
#define TRACER_FAULT_KIND_H

#include "tracer/call.h"
#include "tracer/fault_match.h"
#include "tracer/fault_value.h"

#include <stdbool.h>
#include <stdint.h>

struct faults;
struct fault;

enum fault_group { FAULT_NODES, FAULT_NETWORK, FAULT_CALLS, FAULT_CLOCKS };

/* From which preset on a seed may draw it. */
enum fault_level { LEVEL_NONE, LEVEL_LIGHT, LEVEL_DEFAULT, LEVEL_HEAVY, LEVEL_NAMED };

enum fault_flags {
	KIND_CALL = 1 << 0,   /* acts on calls themselves, those that match */
	KIND_WINDOW = 1 << 1, /* lasts for a time ("for"), and ends when everything is healed */
	KIND_DOWN = 1 << 2,   /* its nodes count as down (max_down) */
	KIND_NODES_ONLY = 1 << 3, /* never the driver, though it takes part */
	KIND_FOR_RUN = 1 << 4, /* drawn once, from the first node's start to the end */
};

/* What was done, counted where it was done. */
enum fault_effect {
	EFFECT_PROCESSES_KILLED,
	EFFECT_CONNECTIONS_LOST, /* that were open when their processes were killed */
	EFFECT_CONNECTIONS_RESET,
	EFFECT_TURNS_HELD,      /* a thread would have run, and did not */
	EFFECT_CALLS_FAILED,
	EFFECT_CALLS_SHORTENED,
	EFFECT_CALLS_INTERRUPTED,
	EFFECT_CALLS_DELAYED,
	EFFECT_PICKS_PASSED,    /* another thread was preferred */
	EFFECT_PACKETS_DROPPED,
	EFFECT_PACKETS_HELD,
	EFFECT_PACKETS_DELAYED,
	EFFECT_PACKETS_DUPLICATED,
	EFFECT_PACKETS_REORDERED,
	EFFECT_PACKETS_CORRUPTED,
	EFFECT_CLOCK_READS,     /* of the wall clock that was changed */
	EFFECT_TIMERS_MOVED,    /* waits for a time of the wall clock that now end at another moment */
	EFFECT_SITES_FIRED,     /* buggify */
	EFFECTS,
};
const char *fault_effect_name(enum fault_effect e); /* "processes_killed" */

enum { FAULT_PARAMS_MAX = 7, KIND_EFFECTS_MAX = 3 };

struct fault_kind {
	const char *name;
	enum fault_group group;
	enum fault_level level;
	unsigned flags;
	const char *help;
	struct fault_param params[FAULT_PARAMS_MAX + 1]; /* the last one without a name */
	enum fault_effect effects[KIND_EFFECTS_MAX + 1]; /* ended by EFFECTS */
	const char *calls; /* KIND_CALL: what it watches when nothing else is said */
	/* Chooses what a fault left open: nodes, groups. False: there is nothing to do it to now. NULL: nothing to choose. */
	bool (*choose)(struct faults *fs, struct fault *f, struct rng *r);
	/* False: not possible now. */
	bool (*start)(struct faults *fs, struct fault *f);
	void (*stop)(struct faults *fs, struct fault *f);
	/* A call that matches is about to be performed. Sets what the call is to suffer, see fault_call.c. */
	void (*act)(struct faults *fs, struct fault *f, struct call *c);
};

extern const struct fault_kind fault_kinds[];
unsigned fault_nkinds(void);
const struct fault_kind *fault_kind_find(const char *name, size_t len); /* NULL: none */
/* The place of a setting in kind->params, or -1. */
int fault_param_index(const struct fault_kind *k, const char *name, size_t len);
const char *fault_group_name(enum fault_group g);
const char *fault_level_name(enum fault_level l);
/* -1: no such preset. */
int fault_level_parse(const char *name, size_t len);

#endif
