/*
 * What guests say to the simulator: messages of the SDK, by the reserved call or as lines written to /dev/simrun. See
 * docs/sdk.md for the messages; this is their effect on a run.
 */
#ifndef TRACER_SDK_H
#define TRACER_SDK_H

#include "base/buf.h"
#include "base/rng.h"
#include "tracer/oplog.h"
#include "tracer/property.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct proc;
struct thread;
struct message;

struct sdk {
	struct properties props;
	struct oplog ops;
	struct buf events;      /* JSON objects, each followed by a comma but the last */
	unsigned nevents;
	struct rng random;      /* simrun_random() */
	int64_t budget_asked;   /* -1: never */
	bool budget_capped;
};

/* Who sent a message, and by which way. */
struct sender {
	struct sim *s;
	struct proc *p;
	uint64_t stream;   /* OPLOG_CALLS, or a stream of lines */
	uint64_t random;   /* the reply of "random", if answered: */
	bool has_random;
};

void sdk_init(struct sim *s);
void sdk_clear(struct sim *s);
/*
 * Takes one message. Its answer: a number >= 0 (0 where there is nothing to answer), or -EINVAL. A message that cannot be
 * understood ends the run with class assert: a typo must not weaken a check.
 */
int64_t sdk_take(struct sender *from, const char *text, size_t n);
/* The same for a message of Antithesis' SDKs. */
int64_t sdk_take_antithesis(struct sender *from, const char *text, size_t n);
/* antithesis.c; -1: it is no such message. */
int64_t antithesis_take(struct sender *from, const struct message *m);

/* A place in the source that guests or catalogues know of. */
void sdk_catalog(struct sim *s, enum property_kind k, const char *message, const char *location);
/* The properties that the program lists in its section (SIMRUN_SECTION). */
void sdk_catalog_elf(struct sim *s, const char *path);

/* One evaluation of a property. `details` is JSON; NULL: none. */
struct evaluation {
	enum property_kind kind;
	const char *message, *location, *details;
	bool condition;
	bool has_margin, integer;
	long double margin;
};
void sdk_evaluate(struct sender *from, const struct evaluation *ev);
void sdk_event(struct sender *from, const char *name, const struct member *details);
/* The stream of lines that a process writes to: one for each life of its node, so that a shell may open the file anew for
 * every line, and what a killed client left open stays open. */
uint64_t sdk_stream(struct sim *s, const struct proc *p);

/* "client#2": the node and how often it was started; "driver". */
const char *instance_name(struct sim *s, const struct proc *p, char *buf, size_t n);

/* At the end of the run: properties, events and history into the result. */
void sdk_result(struct sim *s);

#endif
