#include "checker/history.h"

#include "checker/reader.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow_open(struct reader *r, uint32_t p)
{
	uint32_t old = r->open_cap;

	if (p < old)
		return;
	r->open_cap = MAX(p + 1, old * 2 + 64);
	r->open = xrealloc(r->open, r->open_cap * sizeof *r->open);
	for (uint32_t i = old; i < r->open_cap; i++)
		r->open[i] = OP_NONE;
}

static void id_set(struct reader *r, int64_t id, uint32_t op)
{
	if (id >= 0 && (uint64_t)id < 4ull * r->h->n + 4096) {
		if ((uint64_t)id >= r->ids_cap) {
			size_t old = r->ids_cap;
			r->ids_cap = (size_t)id * 2 + 1024;
			r->ids = xrealloc(r->ids, r->ids_cap * sizeof *r->ids);
			for (size_t i = old; i < r->ids_cap; i++)
				r->ids[i] = OP_NONE;
		}
		r->ids[id] = op;
		return;
	}
	map_put(&r->far_ids, (uint64_t)id, (void *)(uintptr_t)(op + 1ull));
}

static uint32_t id_get(const struct reader *r, int64_t id)
{
	if (id >= 0 && (uint64_t)id < r->ids_cap && r->ids[id] != OP_NONE)
		return r->ids[id];
	return (uint32_t)((uintptr_t)map_get(&r->far_ids, (uint64_t)id) - 1);
}

static int event_fail(struct reader *r, const struct raw_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int event_fail(struct reader *r, const struct raw_event *ev, const char *fmt, ...)
{
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(r->scan.e, 0, "%s:%u: %s", r->h->name, ev->line, text);
}

static struct op *add_op(struct reader *r, const struct raw_event *ev)
{
	struct history *h = r->h;
	struct op *o;

	if (h->n == h->cap) {
		h->cap = h->cap ? h->cap * 2 : 256;
		h->ops = xrealloc(h->ops, h->cap * sizeof *h->ops);
	}
	o = &h->ops[h->n];
	*o = (struct op){.process = ev->process, .f = ev->f, .key = ev->key, .has_key = ev->has_key, .line = ev->line,
	                 .in = ev->value, .in_at = ev->value_at, .in_len = ev->value_len, .out = VAL_NULL,
	                 .call_time = ev->time, .ret_time = TIME_NONE, .ret = NEVER, .status = OP_PENDING,
	                 .id = ev->has_id ? ev->id : (int64_t)h->n};
	h->n++;
	return o;
}

static void add_edges(struct reader *r, const struct raw_event *ev, uint32_t op)
{
	for (size_t i = 0; i < ev->nafter; i++) {
		if (r->nafter == r->after_cap) {
			r->after_cap = r->after_cap * 2 + 16;
			r->after = xrealloc(r->after, r->after_cap * sizeof *r->after);
		}
		r->after[r->nafter++] = (struct after){.op = op, .id = ev->after[i], .line = ev->line};
	}
}

static int invoke(struct reader *r, const struct raw_event *ev)
{
	struct history *h = r->h;
	uint32_t i = h->n;
	struct op *o;

	if (ev->has_id && id_get(r, ev->id) != OP_NONE)
		return event_fail(r, ev, "operation id %" PRId64 " was used before, on line %u", ev->id,
		                  h->ops[id_get(r, ev->id)].line);
	if (!ev->has_id) {
		grow_open(r, ev->process);
		if (r->open[ev->process] != OP_NONE && ev->process != VAL_NULL)
			return event_fail(r, ev, "the process invokes an operation while its previous one (line %u) is open",
			                  h->ops[r->open[ev->process]].line);
		r->open[ev->process] = i;
	}
	o = add_op(r, ev);
	o->call = ++r->position;
	if (ev->has_id)
		id_set(r, ev->id, i);
	add_edges(r, ev, i);
	return 0;
}

static int complete(struct reader *r, const struct raw_event *ev)
{
	struct history *h = r->h;
	uint32_t i;
	struct op *o;

	if (ev->has_id) {
		i = id_get(r, ev->id);
	} else {
		grow_open(r, ev->process);
		i = r->open[ev->process];
	}
	if (i == OP_NONE || h->ops[i].ret_line)
		return event_fail(r, ev, "a completion%s without an open invocation", ev->has_id ? " (by id)" : "");
	o = &h->ops[i];
	if (!ev->has_id)
		r->open[ev->process] = OP_NONE;
	o->ret_line = ev->line;
	o->ret_time = ev->time;
	o->status = ev->type == EV_OK ? OP_OK : ev->type == EV_FAIL ? OP_FAILED : OP_UNKNOWN;
	++r->position;
	if (o->status != OP_UNKNOWN)
		o->ret = r->position;
	o->out = ev->value;
	o->out_at = ev->value_at;
	o->out_len = ev->value_len;
	add_edges(r, ev, i);
	return 0;
}

static int whole(struct reader *r, const struct raw_event *ev)
{
	uint32_t i = r->h->n;
	struct op *o;

	if (ev->has_id && id_get(r, ev->id) != OP_NONE)
		return event_fail(r, ev, "operation id %" PRId64 " was used before", ev->id);
	if ((ev->start == TIME_NONE) != (ev->end == TIME_NONE) && ev->status == OP_OK)
		return event_fail(r, ev, "an operation with a start needs an end, and the other way round");
	if (ev->start != TIME_NONE && ev->end != TIME_NONE && ev->end < ev->start)
		return event_fail(r, ev, "the operation ends before it starts");
	o = add_op(r, ev);
	o->call_time = ev->start;
	o->ret_time = ev->end;
	o->status = ev->status;
	o->ret_line = ev->line;
	o->out = ev->output;
	o->out_at = ev->output_at;
	o->out_len = ev->output_len;
	if (ev->has_id)
		id_set(r, ev->id, i);
	add_edges(r, ev, i);
	return 0;
}

int reader_event(struct reader *r, const struct raw_event *ev)
{
	struct history *h = r->h;
	bool is_whole = ev->type == EV_NONE;

	if (r->sink)
		return r->sink(r, ev);
	if (val_is_name(h->v, ev->process) && val_named(h->v, ev->process, "nemesis")) {
		h->nskipped++;
		return 0;
	}
	if (r->events++ && is_whole != h->whole)
		return event_fail(r, ev, is_whole ? "expected an event with a \"type\", as before" :
		                                    "expected a whole operation without \"type\", as before");
	h->whole = is_whole;
	if (h->n == UINT32_MAX / 2 - 1)
		return event_fail(r, ev, "too many operations");
	h->native |= ev->has_key || ev->has_id;
	h->timed |= ev->time != TIME_NONE || ev->start != TIME_NONE;
	if (is_whole)
		return whole(r, ev);
	return ev->type == EV_INVOKE ? invoke(r, ev) : complete(r, ev);
}

struct instant {
	int64_t time;
	uint32_t op;
	bool end;
};

static int by_time(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->end != y->end)
		return x->end ? 1 : -1;
	return x->op < y->op ? -1 : x->op > y->op;
}

/* Positions of whole operations: all starts and ends in order of time; equal times overlap. */
static void order_whole(struct reader *r)
{
	struct history *h = r->h;
	struct instant *t = xnewn(struct instant, 2 * (size_t)h->n + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		struct op *o = &h->ops[i];
		if (o->call_time != TIME_NONE)
			t[n++] = (struct instant){o->call_time, i, false};
		if (o->ret_time != TIME_NONE)
			t[n++] = (struct instant){o->ret_time, i, true};
	}
	qsort(t, n, sizeof *t, by_time);
	for (size_t k = 0; k < n; k++) {
		struct op *o = &h->ops[t[k].op];
		if (!t[k].end)
			o->call = (uint32_t)k + 1;
		else if (o->status == OP_OK || o->status == OP_FAILED)
			o->ret = (uint32_t)k + 1;
	}
	free(t);
}

static int resolve_edges(struct reader *r)
{
	struct history *h = r->h;

	h->edges = xnewn(struct edge, r->nafter + 1);
	for (size_t i = 0; i < r->nafter; i++) {
		uint32_t from = id_get(r, r->after[i].id);
		if (from == OP_NONE && r->after[i].id >= 0 && r->after[i].id < h->n && !r->any_id)
			from = (uint32_t)r->after[i].id;
		if (from == OP_NONE)
			return err_set(r->scan.e, 0, "%s:%u: \"after\" names operation %" PRId64 ", which is not in the history",
			               h->name, r->after[i].line, r->after[i].id);
		h->edges[h->nedges++] = (struct edge){.from = from, .to = r->after[i].op};
	}
	return 0;
}

static void measure(struct history *h)
{
	uint32_t open = 0, last = 0;
	bool *seen = xcalloc(h->v->len, 1);
	int8_t *change; /* by position: an operation begins, or ends */

	for (uint32_t i = 0; i < h->n; i++) {
		struct op *o = &h->ops[i];
		h->nok += o->status == OP_OK;
		h->nunknown += o->status == OP_UNKNOWN;
		h->nfailed += o->status == OP_FAILED;
		h->npending += o->status == OP_PENDING;
		if (!seen[o->process]) {
			seen[o->process] = true;
			h->nprocesses++;
		}
		last = MAX(last, MAX(o->call, o->ret == NEVER ? 0 : o->ret));
	}
	change = xcalloc((size_t)last + 2, 1);
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->ops[i].status == OP_FAILED)
			continue;
		if (!h->ops[i].call) { /* no time: beside all others */
			open++;
			continue;
		}
		change[h->ops[i].call]++;
		if (h->ops[i].ret != NEVER)
			change[h->ops[i].ret + 1]--;
	}
	h->max_concurrency = open;
	for (uint32_t i = 0; i <= last; i++) {
		open = (uint32_t)((int64_t)open + change[i]);
		h->max_concurrency = MAX(h->max_concurrency, open);
	}
	free(change);
	free(seen);
}

int hist_parse(struct history *h, const char *name, char *text, size_t len, enum hist_format format, struct err *e)
{
	struct reader r = {.h = h, .scan = {.p = text, .end = text + len, .text = text, .name = name, .e = e}};
	int ret;

	*h = (struct history){.name = xstrdup(name), .text = text, .len = len, .v = values_new(), .format = format};
	if (format == FMT_AUTO && reader_detect(&r))
		return -1;
	ret = h->format == FMT_JSON ? reader_json(&r) : h->format == FMT_EDN ? reader_edn(&r) : reader_log(&r);
	if (!ret && h->whole)
		order_whole(&r);
	h->ordered = h->whole ? h->timed : h->timed || !r.nafter;
	if (!ret)
		ret = resolve_edges(&r);
	if (!ret)
		measure(h);
	free(r.open);
	free(r.ids);
	free(r.after);
	map_clear(&r.far_ids);
	buf_clear(&r.tmp);
	free(r.after_ids);
	return ret;
}

int hist_read_file(struct history *h, const char *path, enum hist_format format, size_t memory, struct err *e)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	char *text = NULL;
	size_t len = 0, cap = 1 << 16, n;

	*h = (struct history){0};
	if (!f)
		return err_set(e, errno, "cannot open '%s'", path);
	if (f != stdin && !fseek(f, 0, SEEK_END)) {
		long size = ftell(f);
		if (size > 0)
			cap = (size_t)size + 1;
		rewind(f);
	}
	text = xmalloc(cap);
	while ((n = fread(text + len, 1, cap - len, f)) > 0) {
		len += n;
		if (len > memory) {
			free(text);
			if (f != stdin)
				fclose(f);
			return err_set(e, EFBIG,
				"'%s' does not fit into -memory (%zu bytes), and its model needs the whole history at once",
			               path, memory);
		}
		if (len == cap)
			text = xrealloc(text, cap *= 2);
	}
	if (ferror(f)) {
		err_set(e, errno, "cannot read '%s'", path);
		free(text);
		fclose(f);
		return -1;
	}
	if (f != stdin)
		fclose(f);
	return hist_parse(h, path, text, len, format, e);
}

void hist_clear(struct history *h)
{
	free(h->name);
	free(h->text);
	free(h->ops);
	free(h->edges);
	values_free(h->v);
	*h = (struct history){0};
}

const char *hist_format_name(const struct history *h)
{
	if (h->format == FMT_LOG)
		return "Jepsen log";
	if (h->format == FMT_EDN)
		return "EDN";
	return h->native ? "simrun JSON lines" : "JSON";
}

static int read_lazily(struct history *h, uint64_t at, uint32_t len, val *out, struct err *e)
{
	struct scan s = {.p = h->text + at, .end = h->text + at + len, .text = h->text, .name = h->name, .e = e};

	return json_read(&s, h->v, out);
}

int hist_in(struct history *h, struct op *o, struct err *e)
{
	if (o->in == VAL_NONE && read_lazily(h, o->in_at, o->in_len, &o->in, e))
		return -1;
	return 0;
}

int hist_out(struct history *h, struct op *o, struct err *e)
{
	if (o->out == VAL_NONE && read_lazily(h, o->out_at, o->out_len, &o->out, e))
		return -1;
	return 0;
}
