/* The operations that a run's clients record, as a history file in Jepsen's shape (docs/sdk.md, simrun-history(5)). */
#ifndef TRACER_OPLOG_H
#define TRACER_OPLOG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "tracer/message.h"

#include <stdint.h>

struct logged_op {
	char *process, *f, *key, *input; /* JSON; key NULL when the operation has none */
	bool done;
};

struct oplog {
	struct buf text;        /* the file so far */
	uint64_t index;         /* of the next line */
	struct logged_op *op;   /* by id */
	size_t n, cap;
	struct map streams;     /* number of a stream of lines -> struct opstream */
};

/* Where a message came from: 0 for calls, which know the ids given out; else the number of a stream of lines, whose own
 * ids, or processes, say what belongs together. */
enum { OPLOG_CALLS = 0 };

/*
 * Takes {"type":"invoke"|"ok"|"info"|"fail", …}. The operation's id, or -1 with *e: what is wrong with it. *note is set
 * to a text for the trace.
 */
int64_t oplog_take(struct oplog *l, uint64_t stream, const struct message *m, int64_t time_ns, struct buf *note, struct err *e);
void oplog_clear(struct oplog *l);

#endif
