/*
 * One fault as somebody writes it, and as a plan holds it:
 *
 *     KIND:setting=value,…,[at=TIME | call=CALLS,path=GLOB,peer=WHO,on=NODE,when=N,before|after],id=NAME
 *
 * When: at a virtual time, or by occurrence: the Nth call that matches, made by `on`, before or after it is performed.
 */
#ifndef TRACER_FAULT_SPEC_H
#define TRACER_FAULT_SPEC_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/fault_kind.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct fault_spec {
	char id[64];
	const struct fault_kind *kind;
	struct fault_value val[FAULT_PARAMS_MAX];
	int64_t at_ns;          /* since the run's start; VCLOCK_NEVER: by occurrence */
	bool matches;           /* something is said of calls */
	char *calls, *path, *peer, *on; /* NULL: any */
	struct callset set;     /* of calls, or the kind's own */
	struct fault_when when;
	bool has_when;
	bool after;
};

/* 0, or -1 with one line that says what is wrong. Checked wholly against the table. */
int fault_spec_parse(struct fault_spec *f, const char *text, struct err *e);
int fault_spec_from_json(struct fault_spec *f, const json_t *j, struct err *e);
void fault_spec_print(const struct fault_spec *f, struct buf *out);
/* As members of an object; fields that say what came of it are for the caller to add. */
json_t *fault_spec_json(const struct fault_spec *f);
void fault_spec_copy(struct fault_spec *to, const struct fault_spec *from);
void fault_spec_clear(struct fault_spec *f);

/* By name; the kind must have it. */
struct fault_value *fault_spec_value(struct fault_spec *f, const char *name);
/* Its number, or what the kind says when it was left out. */
int64_t fault_spec_number(const struct fault_spec *f, const char *name);
/* Its text, or NULL. */
const char *fault_spec_text(const struct fault_spec *f, const char *name);

#endif
