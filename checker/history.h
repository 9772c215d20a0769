/*
 * A history: operations with the interval in which each took effect, read from one of the formats of docs/checkers.md.
 *
 * The order of events in the file is their order in real time; the positions `call` and `ret` are numbers in that
 * order, so no two events tie. Files of whole operations (with "start" and "end" instead of "type") are ordered by
 * those times, a start before an end of the same time; without times they have no order but their "after" edges.
 */
#ifndef CHECKER_HISTORY_H
#define CHECKER_HISTORY_H

#include "checker/scan.h"
#include "checker/value.h"

#define NEVER UINT32_MAX      /* position of a return that did not happen */
#define TIME_NONE INT64_MIN   /* no time given */
#define OP_NONE UINT32_MAX

enum op_status { OP_PENDING, OP_OK, OP_UNKNOWN, OP_FAILED };

struct op {
	val process, f, key; /* VAL_NULL when absent */
	val in, out;         /* VAL_NONE until hist_in(), hist_out() */
	uint32_t call, ret;  /* positions; ret is NEVER for what is pending or unknown */
	uint32_t line, ret_line;
	uint32_t in_len, out_len; /* 0: no text, the value is in `in`, `out` */
	uint64_t in_at, out_at;   /* text of the values */
	int64_t call_time, ret_time;
	int64_t id; /* as in the file, else the operation's number */
	uint8_t status;
	bool has_key;
};

struct edge {
	uint32_t from, to; /* operations: from happened before to */
};

enum hist_format { FMT_AUTO, FMT_JSON, FMT_EDN, FMT_LOG };

struct history {
	char *name;
	char *text; /* the file, owned */
	size_t len;
	struct values *v;
	struct op *ops; /* in order of invocation */
	uint32_t n, cap;
	struct edge *edges; /* from "after" */
	size_t nedges;
	uint32_t nfailed, nunknown, npending, nok, nskipped;
	uint32_t nprocesses, max_concurrency;
	enum hist_format format;
	bool native;  /* simrun's own lines (they have keys or ids): inputs are typed as properties of the models say */
	bool whole;   /* whole operations, not events */
	bool timed;   /* some event has a time */
	bool ordered; /* positions mean real time */
};

/* Takes `text` (malloc'ed). On failure e->msg is "name:line:column: …". */
int hist_parse(struct history *h, const char *name, char *text, size_t len, enum hist_format format, struct err *e);
/* "-": standard input. Files above `memory` bytes are refused. */
int hist_read_file(struct history *h, const char *path, enum hist_format format, size_t memory, struct err *e);
void hist_clear(struct history *h);
const char *hist_format_name(const struct history *h);

/* The input and the output, read on demand. VAL_NULL when absent. */
int hist_in(struct history *h, struct op *o, struct err *e);
int hist_out(struct history *h, struct op *o, struct err *e);
/* "3: put("x", "v7")": process, operation, output when there is one. */
void hist_describe(const struct history *h, const struct op *o, struct buf *b);
void hist_describe_txn(const struct history *h, const struct op *o, struct buf *b);
/* The operation's place: "id 7, line 16", with times when the file has them. */
void hist_place(const struct history *h, const struct op *o, struct buf *b);

#endif
