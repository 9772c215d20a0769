#include "checker/reader.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

uint32_t reader_line(struct reader *r, const char *at)
{
	const char *p = r->line_at ? r->line_at : r->scan.text;

	if (!r->line_at)
		r->line = r->scan.line0 + 1;
	for (; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
		r->line++;
	r->line_at = at;
	return r->line;
}

/* A plain integer that fits; the usual case, without interning. */
static int read_int(struct reader *r, const char *what, int64_t *out)
{
	struct scan *s = &r->scan;
	const char *start;
	bool neg = false;
	val x;

	json_space(s);
	start = s->p;
	if (s->p < s->end && *s->p == '-') {
		neg = true;
		s->p++;
	}
	uint64_t i = 0;
	int digits = 0;
	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9' && digits < 18; s->p++, digits++)
		i = i * 10 + (uint64_t)(*s->p - '0');
	if (digits && (s->p == s->end || !memchr("0123456789.eE", *s->p, 13))) {
		*out = neg ? -(int64_t)i : (int64_t)i;
		return 0;
	}
	s->p = start;
	if (json_read(s, r->h->v, &x))
		return -1;
	if (!val_is_int(r->h->v, x))
		return scan_fail(s, start, what);
	*out = r->h->v->nodes[x].i;
	return 0;
}

static int read_short(struct reader *r, val *out)
{
	struct scan *s = &r->scan;
	const char *text;
	size_t n;

	json_space(s);
	if (s->p == s->end || *s->p != '"')
		return json_read(s, r->h->v, out);
	if (json_text(s, &text, &n, &r->tmp))
		return -1;
	*out = val_text(r->h->v, V_STRING, text, n);
	return 0;
}

static int read_process(struct reader *r, val *out)
{
	struct scan *s = &r->scan;
	int64_t i;

	json_space(s);
	if (s->p < s->end && *s->p >= '0' && *s->p <= '9') {
		if (read_int(r, "a process (a number or a string)", &i))
			return -1;
		*out = val_int(r->h->v, i);
		return 0;
	}
	const char *at = s->p;
	if (read_short(r, out))
		return -1;
	if (val_kind(r->h->v, *out) > V_KEYWORD || val_kind(r->h->v, *out) == V_BOOL)
		return scan_fail(s, at, "a process (a number or a string)");
	return 0;
}

static int read_span(struct reader *r, uint64_t *at, uint32_t *len, val *value)
{
	struct scan *s = &r->scan;
	const char *start;

	json_space(s);
	start = s->p;
	if (json_skip(s, 0))
		return -1;
	if (s->p - start > UINT32_MAX)
		return scan_fail(s, start, "a value below 4 GiB");
	*at = (uint64_t)(start - s->text);
	*len = (uint32_t)(s->p - start);
	*value = VAL_NONE;
	if (*start == 'n')
		*value = VAL_NULL;
	return 0;
}

static int read_type(struct reader *r, enum ev_type *type)
{
	struct scan *s = &r->scan;
	const char *at, *text;
	size_t n;

	json_space(s);
	at = s->p;
	if (json_text(s, &text, &n, &r->tmp))
		return -1;
	if (n == 6 && !memcmp(text, "invoke", 6))
		*type = EV_INVOKE;
	else if (n == 2 && !memcmp(text, "ok", 2))
		*type = EV_OK;
	else if (n == 4 && !memcmp(text, "info", 4))
		*type = EV_INFO;
	else if (n == 4 && !memcmp(text, "fail", 4))
		*type = EV_FAIL;
	else
		return scan_fail(s, at, "one of \"invoke\", \"ok\", \"info\", \"fail\"");
	return 0;
}

static int read_status(struct reader *r, enum op_status *status)
{
	enum ev_type type;

	if (read_type(r, &type))
		return -1;
	*status = type == EV_OK ? OP_OK : type == EV_FAIL ? OP_FAILED : type == EV_INFO ? OP_UNKNOWN : OP_PENDING;
	return 0;
}

int reader_after(struct reader *r, const int64_t *id, size_t n)
{
	if (n >= r->after_ids_cap) {
		r->after_ids_cap = n * 2 + 16;
		r->after_ids = xrealloc(r->after_ids, r->after_ids_cap * sizeof *r->after_ids);
	}
	r->after_ids[n] = *id;
	return 0;
}

static int read_after(struct reader *r, struct raw_event *ev)
{
	struct scan *s = &r->scan;
	int64_t id;

	json_space(s);
	if (s->p == s->end || *s->p != '[')
		return scan_fail(s, s->p, "an array of operation ids");
	s->p++;
	json_space(s);
	while (s->p < s->end && *s->p != ']') {
		if (read_int(r, "an operation id", &id))
			return -1;
		reader_after(r, &id, ev->nafter++);
		json_space(s);
		if (s->p < s->end && *s->p == ',')
			s->p++;
		else if (s->p == s->end || *s->p != ']')
			return scan_fail(s, s->p, "',' or ']'");
	}
	if (s->p == s->end)
		return scan_fail(s, s->p, "']'");
	s->p++;
	ev->after = r->after_ids;
	return 0;
}

static int read_time(struct reader *r, int64_t *out)
{
	struct scan *s = &r->scan;

	json_space(s);
	if (s->p < s->end && *s->p == 'n')
		return json_skip(s, 0);
	return read_int(r, "a time in nanoseconds", out);
}

#define IS(word) (n == sizeof(word) - 1 && !memcmp(name, word, sizeof(word) - 1))
static int read_member(struct reader *r, struct raw_event *ev, const char *name, size_t n)
{
	if (IS("type"))
		return read_type(r, &ev->type);
	if (IS("process") || IS("client"))
		return read_process(r, &ev->process);
	if (IS("f"))
		return read_short(r, &ev->f);
	if (IS("value") || IS("input"))
		return read_span(r, &ev->value_at, &ev->value_len, &ev->value);
	if (IS("key")) {
		ev->has_key = true;
		return read_short(r, &ev->key);
	}
	if (IS("time"))
		return read_time(r, &ev->time);
	if (IS("id")) {
		ev->has_id = r->any_id = true;
		return read_int(r, "an integer id", &ev->id);
	}
	if (IS("after"))
		return read_after(r, ev);
	if (IS("output"))
		return read_span(r, &ev->output_at, &ev->output_len, &ev->output);
	if (IS("start") || IS("call"))
		return read_time(r, &ev->start);
	if (IS("end") || IS("return"))
		return read_time(r, &ev->end);
	if (IS("status"))
		return read_status(r, &ev->status);
	return json_skip(&r->scan, 0);
}

static int read_event(struct reader *r)
{
	struct scan *s = &r->scan;
	struct raw_event ev = RAW_EVENT;
	const char *at = s->p, *name;
	size_t n;

	if (s->p == s->end || *s->p != '{')
		return scan_fail(s, s->p, "an event ({…})");
	ev.line = reader_line(r, s->p);
	s->p++;
	json_space(s);
	if (s->p < s->end && *s->p == '}')
		return scan_fail(s, s->p, "a member's name");
	for (;;) {
		if (json_text(s, &name, &n, &r->tmp))
			return -1;
		json_space(s);
		if (s->p == s->end || *s->p != ':')
			return scan_fail(s, s->p, "':'");
		s->p++;
		if (read_member(r, &ev, name, n))
			return -1;
		json_space(s);
		if (s->p < s->end && *s->p == ',') {
			s->p++;
			continue;
		}
		if (s->p == s->end || *s->p != '}')
			return scan_fail(s, s->p, "',' or '}'");
		s->p++;
		break;
	}
	if (ev.type == EV_NONE && ev.f == VAL_NULL)
		return scan_fail(s, at, "an event with a \"type\" and an \"f\"");
	return reader_event(r, &ev);
}

/* Lines of objects, or one array of them. */
int reader_json(struct reader *r)
{
	struct scan *s = &r->scan;
	bool array = false, first = true;

	if (s->end - s->p >= 3 && !memcmp(s->p, "\xef\xbb\xbf", 3))
		s->p += 3;
	json_space(s);
	if (s->p < s->end && *s->p == '[') {
		array = true;
		s->p++;
	}
	for (;; first = false) {
		json_space(s);
		if (array && s->p < s->end && *s->p == ']') {
			s->p++;
			json_space(s);
			return s->p < s->end ? scan_fail(s, s->p, "the end of the file") : 0;
		}
		if (array && !first) {
			if (s->p == s->end || *s->p != ',')
				return scan_fail(s, s->p, "',' or ']'");
			s->p++;
			json_space(s);
		}
		if (s->p == s->end)
			return array ? scan_fail(s, s->p, "']'") : 0;
		if (read_event(r))
			return -1;
	}
}
