/*
 * What is to be injected, before a seed decides: presets and kinds with their rates (-faults), faults by name (-fault), or a
 * whole plan (-plan). The same in JSON: the member "faults" of simrun.json and of run.json.
 */
#ifndef TRACER_FAULT_CONFIG_H
#define TRACER_FAULT_CONFIG_H

#include "base/err.h"
#include "tracer/fault_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAULT_KINDS_MAX = 48 };

/* What -faults or the configuration says of one kind. */
struct fault_setting {
	bool on;             /* in every seed, whatever the preset */
	bool off;            /* never, whatever the preset */
	int64_t interval_ns; /* mean, of "rate"; 0: a seed draws it */
	struct {
		bool set;
		struct fault_value lo, hi; /* instead of the table's range; text in lo */
	} param[FAULT_PARAMS_MAX];
};

struct fault_config {
	enum fault_level preset; /* LEVEL_NONE, LIGHT, DEFAULT, HEAVY */
	bool steady;             /* the preset's kinds are on in every seed (no swarm) */
	struct fault_setting kind[FAULT_KINDS_MAX]; /* by place in the table */
	struct fault_spec *specs; /* -fault, or the plan's */
	unsigned nspecs;
	bool is_plan;            /* specs are a whole plan: nothing is drawn */
	struct callset notify;   /* of a plan: calls that the filter must not leave to the kernel */
	bool driver;             /* the driver takes part */
	char **exempt;           /* nodes that take no part; NULL-terminated, or NULL */
	unsigned max_down;       /* never more nodes down or cut off than this; 0: no bound */
};

/* A value of -faults: "default", "crash,partition", "heavy,driver,exempt=n3", or one kind: "crash:rate=6/m,downtime=1s..5s".
 * Each word adds to what is there. 0 or -1. */
int fault_config_add(struct fault_config *c, const char *text, struct err *e);
/* A value of -fault. */
int fault_config_add_spec(struct fault_config *c, const char *text, struct err *e);
/* The file of -plan. */
int fault_config_load_plan(struct fault_config *c, const char *path, struct err *e);
/* The member "faults". */
int fault_config_from_json(struct fault_config *c, const json_t *j, struct err *e);
json_t *fault_config_json(const struct fault_config *c);
/* Adds who takes part to a plan. */
void fault_config_scope_json(const struct fault_config *c, json_t *plan);
/* Is there anything to do? */
bool fault_config_empty(const struct fault_config *c);
void fault_config_clear(struct fault_config *c);

#endif
