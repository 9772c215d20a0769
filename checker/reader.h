/* What the readers of the formats share: events on their way to operations. Private to history.c and format_*.c. */
#ifndef CHECKER_READER_H
#define CHECKER_READER_H

#include "checker/history.h"

#include "base/map.h"

enum ev_type { EV_NONE, EV_INVOKE, EV_OK, EV_INFO, EV_FAIL };

/* One line of a file, before it is paired. */
struct raw_event {
	enum ev_type type; /* EV_NONE: a whole operation */
	uint32_t line;
	val process, f, key;
	bool has_key, has_id;
	val value, output; /* VAL_NONE: as text */
	uint64_t value_at, output_at;
	uint32_t value_len, output_len;
	int64_t id, time, start, end;
	enum op_status status; /* of a whole operation */
	const int64_t *after;
	size_t nafter;
};

struct after {
	int64_t id;
	uint32_t op, line;
};

struct reader {
	struct history *h;
	struct scan scan;
	uint32_t position; /* of the last event */
	uint64_t events;
	uint32_t *open; /* by process: its open operation */
	uint32_t open_cap;
	uint32_t *ids; /* small operation ids */
	size_t ids_cap;
	struct map far_ids; /* other ids: operation + 1 */
	bool any_id;
	struct after *after;
	size_t nafter, after_cap;
	int64_t *after_ids; /* of the event being read */
	size_t after_ids_cap;
	struct buf tmp;
	int (*sink)(struct reader *r, const struct raw_event *ev); /* takes the events instead; NULL: they are paired */
	void *sink_arg;
	const char *line_at; /* line numbers are counted from here on */
	uint32_t line;
};

#define RAW_EVENT                                                                                                  \
	(struct raw_event)                                                                                         \
	{                                                                                                          \
		.time = TIME_NONE, .start = TIME_NONE, .end = TIME_NONE, .status = OP_OK                           \
	}

int reader_detect(struct reader *r);
int reader_json(struct reader *r);
int reader_edn(struct reader *r);
int reader_log(struct reader *r);
int reader_event(struct reader *r, const struct raw_event *ev);
/* The line of a place that is not before the last one asked for. */
uint32_t reader_line(struct reader *r, const char *at);
int reader_after(struct reader *r, const int64_t *id, size_t n);

#endif
