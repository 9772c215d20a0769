#include "checker/scan.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t scan_line(const struct scan *s, const char *at)
{
	uint32_t line = s->line0 + 1;

	for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
		line++;
	return line;
}

int scan_fail(struct scan *s, const char *at, const char *expected)
{
	const char *bol = at;
	char found[32] = "the end of the file";

	while (bol > s->text && bol[-1] != '\n')
		bol--;
	if (at < s->end) {
		unsigned char c = (unsigned char)*at;
		snprintf(found, sizeof found, c == '\n' ? "the end of the line" : c > 32 && c < 127 ? "'%c'" : "byte 0x%02x", c);
	}
	return err_set(s->e, 0, "%s:%u:%zu: expected %s, found %s", s->name, scan_line(s, at), (size_t)(at - bol) + 1,
	               expected, found);
}

static const char *skip_string(struct scan *s)
{
	const char *p = s->p + 1;

	for (; p < s->end; p++) {
		if (*p == '"')
			return s->p = p + 1;
		if ((unsigned char)*p < 0x20) {
			scan_fail(s, p, "a string without control characters");
			return NULL;
		}
		if (*p != '\\')
			continue;
		if (++p == s->end)
			break;
		if (*p == 'u') {
			for (int i = 0; i < 4; i++)
				if (++p >= s->end || !memchr("0123456789abcdefABCDEF", *p, 22)) {
					scan_fail(s, p < s->end ? p : s->end, "four hexadecimal digits");
					return NULL;
				}
		} else if (!strchr("\"\\/bfnrt", *p) || !*p) {
			scan_fail(s, p, "an escape (one of \"\\/bfnrtu)");
			return NULL;
		}
	}
	scan_fail(s, s->end, "'\"' at the end of the string");
	return NULL;
}

static int skip_number(struct scan *s)
{
	const char *p = s->p, *start;

	if (p < s->end && *p == '-')
		p++;
	start = p;
	while (p < s->end && *p >= '0' && *p <= '9')
		p++;
	if (p == start || (*start == '0' && p > start + 1))
		return scan_fail(s, start, "a value");
	if (p < s->end && *p == '.') {
		start = ++p;
		while (p < s->end && *p >= '0' && *p <= '9')
			p++;
		if (p == start)
			return scan_fail(s, p, "a digit");
	}
	if (p < s->end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < s->end && (*p == '-' || *p == '+'))
			p++;
		start = p;
		while (p < s->end && *p >= '0' && *p <= '9')
			p++;
		if (p == start)
			return scan_fail(s, p, "a digit");
	}
	s->p = p;
	return 0;
}

static int skip_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return scan_fail(s, s->p, "a value");
	s->p += n;
	return 0;
}

static int expect(struct scan *s, char c, const char *what)
{
	json_space(s);
	if (s->p == s->end || *s->p != c)
		return scan_fail(s, s->p, what);
	s->p++;
	return 0;
}

static bool next_is(struct scan *s, char c)
{
	json_space(s);
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

int json_skip(struct scan *s, int depth)
{
	char c;

	json_space(s);
	if (s->p == s->end)
		return scan_fail(s, s->p, "a value");
	c = *s->p;
	if (c == '"')
		return skip_string(s) ? 0 : -1;
	if (c == 't' || c == 'f' || c == 'n')
		return skip_word(s, c == 't' ? "true" : c == 'f' ? "false" : "null");
	if (c != '[' && c != '{')
		return skip_number(s);
	if (depth >= SCAN_DEPTH)
		return scan_fail(s, s->p, "a value that is not nested so deeply");
	s->p++;
	if (next_is(s, c == '[' ? ']' : '}'))
		return 0;
	for (;;) {
		if (c == '{') {
			json_space(s);
			if (s->p == s->end || *s->p != '"')
				return scan_fail(s, s->p, "a member's name");
			if (!skip_string(s) || expect(s, ':', "':'"))
				return -1;
		}
		if (json_skip(s, depth + 1))
			return -1;
		if (next_is(s, ','))
			continue;
		return c == '[' ? expect(s, ']', "',' or ']'") : expect(s, '}', "',' or '}'");
	}
}

static unsigned hex4(const char *p)
{
	char t[5] = {p[0], p[1], p[2], p[3], 0};

	return (unsigned)strtoul(t, NULL, 16);
}

static void add_utf8(struct buf *b, unsigned c)
{
	if (c < 0x80) {
		buf_addc(b, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_addc(b, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_addc(b, (char)(0xe0 | c >> 12));
		} else {
			buf_addc(b, (char)(0xf0 | c >> 18));
			buf_addc(b, (char)(0x80 | (c >> 12 & 63)));
		}
		buf_addc(b, (char)(0x80 | (c >> 6 & 63)));
	}
	buf_addc(b, (char)(0x80 | (c & 63)));
}

/* p..end: the inside of a string that has passed skip_string. */
static void unescape(struct buf *b, const char *p, const char *end)
{
	for (; p < end; p++) {
		unsigned c;
		if (*p != '\\') {
			buf_addc(b, *p);
			continue;
		}
		switch (*++p) {
		case 'b': buf_addc(b, '\b'); break;
		case 'f': buf_addc(b, '\f'); break;
		case 'n': buf_addc(b, '\n'); break;
		case 'r': buf_addc(b, '\r'); break;
		case 't': buf_addc(b, '\t'); break;
		case 'u':
			c = hex4(p + 1);
			p += 4;
			if (c >= 0xd800 && c < 0xdc00 && end - p > 6 && p[1] == '\\' && p[2] == 'u') {
				unsigned lo = hex4(p + 3);
				if (lo >= 0xdc00 && lo < 0xe000) {
					c = 0x10000 + ((c - 0xd800) << 10) + (lo - 0xdc00);
					p += 6;
				}
			}
			add_utf8(b, c);
			break;
		default: buf_addc(b, *p);
		}
	}
}

int json_text(struct scan *s, const char **text, size_t *n, struct buf *tmp)
{
	const char *start;

	json_space(s);
	if (s->p == s->end || *s->p != '"')
		return scan_fail(s, s->p, "a string");
	start = s->p + 1;
	if (!skip_string(s))
		return -1;
	*text = start;
	*n = (size_t)(s->p - 1 - start);
	if (memchr(start, '\\', *n)) {
		buf_reset(tmp);
		unescape(tmp, start, s->p - 1);
		*text = tmp->data ? tmp->data : "";
		*n = tmp->len;
	}
	return 0;
}

struct reader {
	struct scan *s;
	struct values *v;
	val *stack; /* items of the values being built */
	size_t len, cap;
	struct buf tmp;
};

static void push(struct reader *r, val x)
{
	if (r->len == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->stack = xrealloc(r->stack, r->cap * sizeof *r->stack);
	}
	r->stack[r->len++] = x;
}

static int read_value(struct reader *r, val *out, int depth);

static int read_items(struct reader *r, char c, val *out, int depth)
{
	struct scan *s = r->s;
	size_t mark = r->len;
	const char *text;
	size_t n;
	val x;

	s->p++;
	if (!next_is(s, c == '[' ? ']' : '}'))
		for (;;) {
			if (c == '{') {
				if (json_text(s, &text, &n, &r->tmp))
					return -1;
				push(r, val_text(r->v, V_STRING, text, n));
				if (expect(s, ':', "':'"))
					return -1;
			}
			if (read_value(r, &x, depth + 1))
				return -1;
			push(r, x);
			if (next_is(s, ','))
				continue;
			if (c == '[' ? expect(s, ']', "',' or ']'") : expect(s, '}', "',' or '}'"))
				return -1;
			break;
		}
	*out = val_list(r->v, c == '[' ? V_ARRAY : V_MAP, r->stack ? r->stack + mark : NULL, r->len - mark);
	r->len = mark;
	return 0;
}

static int read_value(struct reader *r, val *out, int depth)
{
	struct scan *s = r->s;
	const char *text;
	size_t n;
	char c;

	json_space(s);
	if (s->p == s->end)
		return scan_fail(s, s->p, "a value");
	c = *s->p;
	if (c == '"') {
		if (json_text(s, &text, &n, &r->tmp))
			return -1;
		*out = val_text(r->v, V_STRING, text, n);
		return 0;
	}
	if (c == 't' || c == 'f' || c == 'n') {
		*out = c == 't' ? VAL_TRUE : c == 'f' ? VAL_FALSE : VAL_NULL;
		return skip_word(s, c == 't' ? "true" : c == 'f' ? "false" : "null");
	}
	if (c == '[' || c == '{') {
		if (depth >= SCAN_DEPTH)
			return scan_fail(s, s->p, "a value that is not nested so deeply");
		return read_items(r, c, out, depth);
	}
	text = s->p;
	if (skip_number(s))
		return -1;
	if (val_number(r->v, text, (size_t)(s->p - text), out))
		return scan_fail(s, text, "a number with an exponent below 1e9");
	return 0;
}

int json_read(struct scan *s, struct values *v, val *out)
{
	struct reader r = {.s = s, .v = v};
	int ret = read_value(&r, out, 0);

	free(r.stack);
	buf_clear(&r.tmp);
	return ret;
}
