#include "tracer/message.h"

#include "base/mem.h"
#include "checker/scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- UTF-8 ---- */

/* The length of the character at p (RFC 3629), or 0 where there is none. */
static size_t utf8_len(const unsigned char *p, const unsigned char *end)
{
	static const struct {
		unsigned char lo, hi, lo2, hi2;
		size_t n;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	if (*p < 0x80)
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (*p < forms[i].lo || *p > forms[i].hi)
			continue;
		if ((size_t)(end - p) < forms[i].n || p[1] < forms[i].lo2 || p[1] > forms[i].hi2)
			return 0;
		for (size_t k = 2; k < forms[i].n; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].n;
	}
	return 0;
}

static void add_utf8(struct buf *out, const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + n;

	while (p < end) {
		size_t k = utf8_len(p, end);
		if (k)
			buf_add(out, p, k);
		else
			buf_adds(out, "\xef\xbf\xbd");
		p += k ? k : 1;
	}
}

void json_add_string(struct buf *out, const char *s, size_t n)
{
	const char *end = s + n;

	buf_addc(out, '"');
	while (s < end) {
		size_t plain = 0;
		while (s + plain < end && (unsigned char)s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\' && s[plain] != 0x7f)
			plain++;
		add_utf8(out, s, plain);
		s += plain;
		if (s == end)
			break;
		if (*s == '"' || *s == '\\')
			buf_addf(out, "\\%c", *s);
		else
			buf_addf(out, "\\u%04x", (unsigned char)*s);
		s++;
	}
	buf_addc(out, '"');
}

/* ---- parsing ---- */

static int add_member(struct message *m, struct scan *s)
{
	struct buf tmp = {0};
	const char *key;
	size_t n;
	int rc = -1;

	json_space(s);
	if (m->n == MESSAGE_MEMBERS_MAX)
		return scan_fail(s, s->p, "no more than 64 members");
	if (json_text(s, &key, &n, &tmp) == 0) {
		m->m[m->n].key = xstrndup(key, n);
		rc = message_get(m, m->m[m->n].key) ? err_set(s->e, 0, "%s: member \"%s\" comes twice", s->name, m->m[m->n].key) : 0;
		m->n++;
	}
	buf_clear(&tmp);
	return rc;
}

static int parse_members(struct message *m, struct scan *s)
{
	json_space(s);
	if (s->p == s->end || *s->p != '{')
		return scan_fail(s, s->p, "'{'");
	s->p++;
	json_space(s);
	if (s->p < s->end && *s->p == '}') {
		s->p++;
		return 0;
	}
	for (;;) {
		if (add_member(m, s) < 0)
			return -1;
		json_space(s);
		if (s->p == s->end || *s->p != ':')
			return scan_fail(s, s->p, "':'");
		s->p++;
		json_space(s);
		m->m[m->n - 1].raw = s->p;
		if (json_skip(s, 0) < 0)
			return -1;
		m->m[m->n - 1].n = (size_t)(s->p - m->m[m->n - 1].raw);
		json_space(s);
		if (s->p < s->end && *s->p == ',') {
			s->p++;
			continue;
		}
		if (s->p == s->end || *s->p != '}')
			return scan_fail(s, s->p, "',' or '}'");
		s->p++;
		return 0;
	}
}

int message_parse(struct message *m, const char *text, size_t n, const char *what, struct err *e)
{
	struct buf clean = {0};
	struct scan s = {.name = what, .e = e};
	int rc;

	*m = (struct message){0};
	add_utf8(&clean, text, n);
	buf_addc(&clean, 0);
	m->text = clean.data;
	s.text = s.p = clean.data;
	s.end = clean.data + clean.len - 1;
	rc = parse_members(m, &s);
	json_space(&s);
	if (!rc && s.p < s.end)
		rc = scan_fail(&s, s.p, "the end");
	if (rc < 0)
		message_clear(m);
	return rc;
}

void message_clear(struct message *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->m[i].key);
	free(m->text);
	*m = (struct message){0};
}

const struct member *message_get(const struct message *m, const char *key)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->m[i].key, key))
			return &m->m[i];
	return NULL;
}

/* ---- values ---- */

char *message_text(const struct message *m, const char *key)
{
	const struct member *v = message_get(m, key);
	struct buf tmp = {0};
	struct err e = {0};
	const char *text;
	char *copy;
	size_t n;

	if (!v || *v->raw != '"')
		return NULL;
	struct scan s = {.p = v->raw, .end = v->raw + v->n, .text = v->raw, .name = key, .e = &e};
	if (json_text(&s, &text, &n, &tmp) < 0)
		return NULL;
	copy = xstrndup(text, n);
	buf_clear(&tmp);
	return copy;
}

bool member_is(const struct member *v, const char *json)
{
	return v && v->n == strlen(json) && !memcmp(v->raw, json, v->n);
}

bool message_bool(const struct message *m, const char *key, bool *out)
{
	const struct member *v = message_get(m, key);

	*out = member_is(v, "true");
	return *out || member_is(v, "false");
}

static bool is_integer(const struct member *v)
{
	size_t from = v->n && v->raw[0] == '-';

	for (size_t i = from; i < v->n; i++)
		if (v->raw[i] < '0' || v->raw[i] > '9')
			return false;
	return v->n > from;
}

bool message_int(const struct message *m, const char *key, int64_t *out)
{
	const struct member *v = message_get(m, key);

	if (!v || !is_integer(v))
		return false;
	errno = 0;
	*out = strtoll(v->raw, NULL, 10); /* the value's text is followed by ',' or '}' */
	return !errno;
}

bool message_number(const struct message *m, const char *key, long double *out, bool *integer)
{
	const struct member *v = message_get(m, key);

	*integer = false;
	*out = NAN;
	if (!v)
		return false;
	if (member_is(v, "\"NaN\""))
		return true;
	if (member_is(v, "\"Infinity\"") || member_is(v, "\"-Infinity\"")) {
		*out = v->raw[1] == '-' ? -INFINITY : INFINITY;
		return true;
	}
	if (*v->raw != '-' && (*v->raw < '0' || *v->raw > '9'))
		return false;
	*integer = is_integer(v);
	*out = strtold(v->raw, NULL);
	return true;
}

void member_add(struct buf *out, const struct member *v)
{
	bool inside = false;

	for (size_t i = 0; i < v->n; i++) {
		char c = v->raw[i];
		if (!inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r'))
			continue;
		buf_addc(out, c);
		if (inside && c == '\\' && i + 1 < v->n)
			buf_addc(out, v->raw[++i]);
		else if (c == '"')
			inside = !inside;
	}
}
