#include "checker/stream.h"

#include "checker/reader.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4 << 20 }; /* bytes read at a time; a line must fit */

bool stream_wanted(const char *path, const char *model, size_t memory)
{
	FILE *f;
	long size = 0;

	if (!model || strcmp(model, "bank") || !strcmp(path, "-") || !(f = fopen(path, "rb")))
		return false;
	if (!fseek(f, 0, SEEK_END))
		size = ftell(f);
	fclose(f);
	return size > 0 && (size_t)size > memory;
}

struct bank {
	const struct check_options *opt;
	struct stream_result *r;
	int64_t total;
	bool known, told[2];
};

static int wrong(struct bank *b, int kind, const struct raw_event *ev, const char *what, int64_t n)
{
	b->r->bad = true;
	if (b->told[kind])
		return 0;
	b->told[kind] = true;
	buf_addf(&b->r->text, "%s: the read on line %u shows ", kind ? "negative-value" : "wrong-total", ev->line);
	buf_addf(&b->r->text, what, n);
	buf_addc(&b->r->text, '\n');
	return 0;
}

static int bank_event(struct reader *r, const struct raw_event *ev)
{
	struct bank *b = r->sink_arg;
	const struct values *v = r->h->v;
	struct scan s = r->scan;
	int64_t sum = 0;
	val x = ev->value;

	b->r->events++;
	if (ev->type != EV_OK || !val_named(v, ev->f, "read"))
		return 0;
	if (x == VAL_NONE) {
		s.p = s.text + ev->value_at;
		s.end = s.p + ev->value_len;
		if (json_read(&s, r->h->v, &x))
			return -1;
	}
	if (val_kind(v, x) != V_MAP)
		return err_set(r->scan.e, 0,
			"%s:%u: history (model bank): operation \"read\": output is not an object of balances", r->h->name,
		               ev->line);
	for (uint32_t i = 1; i < val_len(v, x); i += 2) {
		val n = val_items(v, x)[i];
		if (n == VAL_NULL)
			continue;
		if (!val_is_int(v, n) || __builtin_add_overflow(sum, v->nodes[n].i, &sum))
			return err_set(r->scan.e, 0,
				"%s:%u: history (model bank): operation \"read\": a balance is not an integer", r->h->name, ev->line);
		if (v->nodes[n].i < 0 && !b->opt->negative_balances)
			wrong(b, 1, ev, "a balance of %" PRId64, v->nodes[n].i);
	}
	b->r->reads++;
	if (!b->known) {
		b->known = true;
		b->total = sum;
		buf_addf(&b->r->text, "the total is taken from the first read: %" PRId64 " (give it with -initial)\n", sum);
	}
	return sum == b->total ? 0 : wrong(b, 0, ev, "a total of %" PRId64, sum);
}

/* Whole lines of one piece, with values of their own: nothing is kept from piece to piece. */
static int piece(struct bank *b, const char *name, const char *text, size_t len, uint32_t line0, struct err *e)
{
	struct history h = {.name = (char *)(uintptr_t)name, .v = values_new()};
	struct reader r = {.h = &h, .scan = {.p = text, .end = text + len, .text = text, .name = name, .e = e, .line0 = line0},
	                   .sink = bank_event, .sink_arg = b};
	int ret = reader_json(&r);

	values_free(h.v);
	buf_clear(&r.tmp);
	free(r.after_ids);
	return ret;
}

int stream_bank(const char *path, const struct check_options *opt, struct stream_result *r, struct err *e)
{
	FILE *f = fopen(path, "rb");
	char *text = xmalloc(PIECE);
	size_t len = 0, n;
	uint32_t line0 = 0;
	struct bank b = {.opt = opt, .r = r};
	int ret = 0;

	*r = (struct stream_result){0};
	if (!f) {
		free(text);
		return err_set(e, errno, "cannot open '%s'", path);
	}
	if (opt->initial) {
		b.total = strtoll(opt->initial, NULL, 10);
		b.known = true;
	}
	while (!ret && (n = fread(text + len, 1, PIECE - len, f)) > 0) {
		char *end;
		len += n;
		end = memrchr(text, '\n', len);
		if (!end && len == PIECE) {
			ret = err_set(e, 0, "%s:%u: a line of more than %d bytes cannot be read as a stream", path, line0 + 1, PIECE);
			break;
		}
		n = end ? (size_t)(end + 1 - text) : 0;
		ret = piece(&b, path, text, n, line0, e);
		for (size_t i = 0; i < n; i++)
			line0 += text[i] == '\n';
		memmove(text, text + n, len - n);
		len -= n;
	}
	if (!ret && len)
		ret = piece(&b, path, text, len, line0, e);
	if (ferror(f))
		ret = err_set(e, errno, "cannot read '%s'", path);
	fclose(f);
	free(text);
	return ret;
}
