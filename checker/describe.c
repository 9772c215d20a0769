#include "checker/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_name(const struct history *h, val x, struct buf *b)
{
	if (val_is_name(h->v, x) || x == VAL_NULL)
		buf_adds(b, x == VAL_NULL ? "-" : val_bytes(h->v, x));
	else
		val_print(h->v, x, b, 30);
}

static val read_value(const struct history *h, uint64_t at, uint32_t len)
{
	struct err e = {0};
	struct scan s = {.p = h->text + at, .end = h->text + at + len, .text = h->text, .name = h->name, .e = &e};
	val x;

	return json_read(&s, h->v, &x) ? VAL_NULL : x;
}

void hist_describe(const struct history *h, const struct op *o, struct buf *b)
{
	val in = o->in == VAL_NONE ? read_value(h, o->in_at, o->in_len) : o->in;
	val out = o->out == VAL_NONE ? read_value(h, o->out_at, o->out_len) : o->out;

	print_name(h, o->process, b);
	buf_adds(b, ": ");
	print_name(h, o->f, b);
	buf_addc(b, '(');
	if (o->has_key && o->key != VAL_NULL) {
		val_print(h->v, o->key, b, 30);
		buf_adds(b, in != VAL_NULL ? ", " : "");
	}
	if (in != VAL_NULL && val_kind(h->v, in) == V_ARRAY && val_len(h->v, in) == 2)
		for (uint32_t i = 0; i < 2; i++) {
			buf_adds(b, i ? ", " : "");
			val_print(h->v, val_items(h->v, in)[i], b, 60);
		}
	else if (in != VAL_NULL)
		val_print(h->v, in, b, 80);
	buf_addc(b, ')');
	if (o->status == OP_OK && out != VAL_NULL && out != in) {
		buf_adds(b, " = ");
		val_print(h->v, out, b, 80);
	} else {
		buf_adds(b, o->status == OP_OK ? (out == in ? "" : " = nil") : o->status == OP_FAILED ? " failed" : " unknown");
	}
}

/* T4 [r z ["4-0"], append y "4-1"] */
void hist_describe_txn(const struct history *h, const struct op *o, struct buf *b)
{
	val in = o->in == VAL_NONE ? read_value(h, o->in_at, o->in_len) : o->in;
	val out = o->out == VAL_NONE ? read_value(h, o->out_at, o->out_len) : o->out;
	val mops = o->status == OP_OK && out != VAL_NULL ? out : in;

	if (val_kind(h->v, mops) != V_ARRAY) {
		hist_describe(h, o, b);
		return;
	}
	buf_addf(b, "T%" PRId64 " [", o->id);
	for (uint32_t i = 0; i < val_len(h->v, mops); i++) {
		val mop = val_items(h->v, mops)[i];
		buf_adds(b, i ? ", " : "");
		for (uint32_t k = 0; val_kind(h->v, mop) == V_ARRAY && k < val_len(h->v, mop); k++) {
			val x = val_items(h->v, mop)[k];
			buf_adds(b, k ? " " : "");
			if (k < 2 && val_is_name(h->v, x))
				buf_adds(b, val_bytes(h->v, x));
			else
				val_print(h->v, x, b, 60);
		}
	}
	buf_addc(b, ']');
	buf_adds(b, o->status == OP_OK ? "" : o->status == OP_FAILED ? " failed" : " unknown");
}

static void add_time(struct buf *b, int64_t t)
{
	if (t >= 10000000 || t <= -10000000) /* nanoseconds; smaller ones are counts */
		buf_addf(b, "%s%" PRId64 ".%06" PRId64 "s", t < 0 ? "-" : "", (int64_t)llabs(t) / 1000000000,
		         (int64_t)llabs(t) % 1000000000 / 1000);
	else
		buf_addf(b, "%" PRId64, t);
}

void hist_place(const struct history *h, const struct op *o, struct buf *b)
{
	if (o->call_time != TIME_NONE) {
		buf_adds(b, "t ");
		add_time(b, o->call_time);
		buf_adds(b, "..");
		if (o->ret_time != TIME_NONE)
			add_time(b, o->ret_time);
		buf_adds(b, ", ");
	}
	buf_addf(b, "line %u", o->line);
	if (o->ret_line && o->ret_line != o->line)
		buf_addf(b, "-%u", o->ret_line);
}
