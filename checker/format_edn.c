#include "checker/reader.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int field_int(struct reader *r, val map, const char *name, const char *at, int64_t *out)
{
	val x = val_member(r->h->v, map, name);

	if (x == VAL_NONE || x == VAL_NULL)
		return 0;
	if (!val_is_int(r->h->v, x)) {
		char what[64];
		snprintf(what, sizeof what, "a map whose :%s is an integer", name);
		return scan_fail(&r->scan, at, what);
	}
	*out = r->h->v->nodes[x].i;
	return 0;
}

static int type_of(struct reader *r, val map, const char *at, enum ev_type *type)
{
	const struct values *v = r->h->v;
	val x = val_member(v, map, "type");

	*type = val_named(v, x, "invoke") ? EV_INVOKE : val_named(v, x, "ok") ? EV_OK : val_named(v, x, "info") ? EV_INFO :
	        val_named(v, x, "fail") ? EV_FAIL : EV_NONE;
	if (*type == EV_NONE)
		return scan_fail(&r->scan, at, "a map whose :type is one of :invoke, :ok, :info, :fail");
	return 0;
}

static int map_event(struct reader *r, val map, const char *at)
{
	struct values *v = r->h->v;
	struct raw_event ev = RAW_EVENT;
	val x;

	ev.line = reader_line(r, at);
	if (val_kind(v, map) != V_MAP)
		return scan_fail(&r->scan, at, "an operation's map");
	if (type_of(r, map, at, &ev.type) || field_int(r, map, "time", at, &ev.time))
		return -1;
	if ((x = val_member(v, map, "id")) != VAL_NONE) {
		ev.has_id = r->any_id = true;
		if (field_int(r, map, "id", at, &ev.id))
			return -1;
	}
	x = val_member(v, map, "process");
	ev.process = x == VAL_NONE ? VAL_NULL : x;
	x = val_member(v, map, "f");
	ev.f = x == VAL_NONE ? VAL_NULL : x;
	x = val_member(v, map, "value");
	ev.value = x == VAL_NONE ? VAL_NULL : x;
	if ((x = val_member(v, map, "key")) != VAL_NONE) {
		ev.key = x;
		ev.has_key = true;
	}
	if ((x = val_member(v, map, "after")) != VAL_NONE) {
		if (val_kind(v, x) != V_ARRAY)
			return scan_fail(&r->scan, at, "a map whose :after is a vector of ids");
		for (uint32_t i = 0; i < val_len(v, x); i++) {
			val id = val_items(v, x)[i];
			if (!val_is_int(v, id))
				return scan_fail(&r->scan, at, "a map whose :after is a vector of ids");
			reader_after(r, &v->nodes[id].i, ev.nafter++);
		}
		ev.after = r->after_ids;
	}
	return reader_event(r, &ev);
}

/* Maps one after the other, or one vector or list of them. */
int reader_edn(struct reader *r)
{
	struct scan *s = &r->scan;
	char close = 0;
	val x;

	edn_space(s);
	if (s->p < s->end && (*s->p == '[' || *s->p == '(')) {
		close = *s->p == '[' ? ']' : ')';
		s->p++;
	}
	for (;;) {
		const char *at;
		edn_space(s);
		if (s->p == s->end)
			return close ? scan_fail(s, s->p, "the end of the vector of operations") : 0;
		if (close && *s->p == close) {
			s->p++;
			edn_space(s);
			return s->p < s->end ? scan_fail(s, s->p, "the end of the file") : 0;
		}
		at = s->p;
		if (edn_read(s, r->h->v, &x) || map_event(r, x, at))
			return -1;
	}
}

/* "INFO  jepsen.util - 0\t:invoke\t:read\tnil"; other lines of the log are not operations. */
static int log_line(struct reader *r, const char *line, const char *end)
{
	struct scan *s = &r->scan;
	struct scan sub = {.end = end, .text = s->text, .name = s->name, .e = s->e};
	struct values *v = r->h->v;
	struct raw_event ev = RAW_EVENT;
	const char *p = line;
	val field[4] = {VAL_NULL, VAL_NULL, VAL_NULL, VAL_NULL};

	for (p = line; p + 2 < end && !(p[0] == ' ' && p[1] == '-' && (p[2] == ' ' || p[2] == '\t')); p++)
		;
	if (p + 2 >= end)
		return 0;
	sub.p = p + 3;
	edn_space(&sub);
	if (sub.p == end || !((*sub.p >= '0' && *sub.p <= '9') || *sub.p == ':'))
		return 0;
	for (int i = 0; i < 4; i++) {
		edn_space(&sub);
		if (sub.p == sub.end && i == 3)
			break;
		if (edn_read(&sub, v, &field[i]))
			return -1;
	}
	ev.line = reader_line(r, line);
	ev.process = field[0];
	ev.f = field[2];
	ev.value = field[3];
	ev.type = val_named(v, field[1], "invoke") ? EV_INVOKE : val_named(v, field[1], "ok") ? EV_OK :
	          val_named(v, field[1], "info") ? EV_INFO : val_named(v, field[1], "fail") ? EV_FAIL : EV_NONE;
	if (ev.type == EV_NONE)
		return scan_fail(s, sub.p, "one of :invoke, :ok, :info, :fail after the process");
	return reader_event(r, &ev);
}

int reader_log(struct reader *r)
{
	struct scan *s = &r->scan;

	while (s->p < s->end) {
		const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p)), *end = nl ? nl : s->end;
		if (log_line(r, s->p, end))
			return -1;
		s->p = nl ? nl + 1 : s->end;
	}
	return 0;
}

/* By the first characters: '{' or '[' and then '"' is JSON, '(' or ':' or ';' EDN, letters a Jepsen log. */
int reader_detect(struct reader *r)
{
	struct scan s = r->scan;
	struct history *h = r->h;

	h->format = FMT_JSON;
	if (s.end - s.p >= 3 && !memcmp(s.p, "\xef\xbb\xbf", 3))
		s.p += 3;
	json_space(&s);
	if (s.p == s.end)
		return 0;
	if (*s.p == '(' || *s.p == ';')
		h->format = FMT_EDN;
	else if ((*s.p >= 'A' && *s.p <= 'Z') || (*s.p >= 'a' && *s.p <= 'z') || (*s.p >= '0' && *s.p <= '9'))
		h->format = FMT_LOG;
	else if (*s.p != '{' && *s.p != '[')
		return scan_fail(&r->scan, s.p, "a history in JSON, EDN or a Jepsen log");
	while (s.p < s.end && (*s.p == '{' || *s.p == '[')) {
		s.p++;
		json_space(&s);
	}
	if (h->format == FMT_JSON && s.p < s.end && (*s.p == ':' || *s.p == ';' || *s.p == '#' || *s.p == '}'))
		h->format = FMT_EDN;
	return 0;
}
