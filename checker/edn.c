#include "checker/scan.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	struct scan *s;
	struct values *v;
	val *stack;
	size_t len, cap;
};

void edn_space(struct scan *s)
{
	while (s->p < s->end) {
		if (strchr(" \t\r\n,\f", *s->p) && *s->p) {
			s->p++;
		} else if (*s->p == ';') {
			const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));
			s->p = nl ? nl : s->end;
		} else {
			break;
		}
	}
}

static bool token_char(char c)
{
	return c && !strchr(" \t\r\n,\f;\"()[]{}", c);
}

static int read_form(struct reader *r, val *out, int depth);

static void push(struct reader *r, val x)
{
	if (r->len == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->stack = xrealloc(r->stack, r->cap * sizeof *r->stack);
	}
	r->stack[r->len++] = x;
}

static int read_list(struct reader *r, char close, enum val_kind kind, val *out, int depth)
{
	struct scan *s = r->s;
	size_t mark = r->len;
	const char *open = s->p - 1;
	char what[] = "a form or ' '";
	val x;

	what[11] = close;
	if (depth >= SCAN_DEPTH)
		return scan_fail(s, open, "a form that is not nested so deeply");
	for (;;) {
		edn_space(s);
		if (s->p == s->end)
			return scan_fail(s, s->p, what);
		if (*s->p == close)
			break;
		if (s->end - s->p > 1 && s->p[0] == '#' && s->p[1] == '_') {
			s->p += 2;
			if (read_form(r, &x, depth + 1))
				return -1;
			continue;
		}
		if (read_form(r, &x, depth + 1))
			return -1;
		push(r, x);
	}
	if (kind == V_MAP && (r->len - mark) % 2)
		return scan_fail(s, s->p, "a value for the map's last key");
	s->p++;
	*out = val_list(r->v, kind, r->stack ? r->stack + mark : NULL, r->len - mark);
	r->len = mark;
	return 0;
}

static int read_string(struct reader *r, val *out)
{
	struct scan *s = r->s;
	struct buf b = {0};
	const char *p = s->p + 1;

	for (;; p++) {
		if (p >= s->end) {
			buf_clear(&b);
			return scan_fail(s, s->end, "'\"' at the end of the string");
		}
		if (*p == '"')
			break;
		if (*p != '\\' || p + 1 >= s->end) {
			buf_addc(&b, *p);
			continue;
		}
		switch (*++p) {
		case 'n': buf_addc(&b, '\n'); break;
		case 't': buf_addc(&b, '\t'); break;
		case 'r': buf_addc(&b, '\r'); break;
		case '"':
		case '\\': buf_addc(&b, *p); break;
		default:
			buf_addc(&b, '\\');
			buf_addc(&b, *p);
		}
	}
	*out = val_text(r->v, V_STRING, b.data ? b.data : "", b.len);
	buf_clear(&b);
	s->p = p + 1;
	return 0;
}

/* Decimal digits with sign, fraction, exponent and Clojure's suffixes N and M. */
static bool is_number(const char *p, size_t n)
{
	size_t i = 0, digits = 0;

	if (n && (p[0] == '-' || p[0] == '+'))
		i++;
	for (; i < n && p[i] >= '0' && p[i] <= '9'; i++)
		digits++;
	if (!digits)
		return false;
	if (i < n && p[i] == '.')
		for (i++; i < n && p[i] >= '0' && p[i] <= '9';)
			i++;
	if (i < n && (p[i] == 'e' || p[i] == 'E')) {
		i++;
		if (i < n && (p[i] == '-' || p[i] == '+'))
			i++;
		for (digits = 0; i < n && p[i] >= '0' && p[i] <= '9'; i++)
			digits++;
		if (!digits)
			return false;
	}
	if (i < n && (p[i] == 'N' || p[i] == 'M'))
		i++;
	return i == n;
}

static int read_token(struct reader *r, val *out)
{
	struct scan *s = r->s;
	const char *start = s->p;
	size_t n;

	if (*s->p == '\\' && s->p + 1 < s->end) /* a character: the one after the backslash may be anything */
		s->p += 2;
	while (s->p < s->end && token_char(*s->p))
		s->p++;
	n = (size_t)(s->p - start);
	if (!n)
		return scan_fail(s, start, "a form");
	if (*start == ':') {
		if (n == 1)
			return scan_fail(s, s->p, "a keyword's name");
		*out = val_text(r->v, V_KEYWORD, start + 1, n - 1);
	} else if (n == 3 && !memcmp(start, "nil", 3)) {
		*out = VAL_NULL;
	} else if (n == 4 && !memcmp(start, "true", 4)) {
		*out = VAL_TRUE;
	} else if (n == 5 && !memcmp(start, "false", 5)) {
		*out = VAL_FALSE;
	} else if (is_number(start, n)) {
		if (start[n - 1] == 'N' || start[n - 1] == 'M')
			n--;
		if (val_number(r->v, start, n, out))
			return scan_fail(s, start, "a number with an exponent below 1e9");
	} else {
		*out = val_text(r->v, V_SYMBOL, start, n);
	}
	return 0;
}

static int read_dispatch(struct reader *r, val *out, int depth)
{
	struct scan *s = r->s;
	val pair[2];

	s->p++;
	if (s->p < s->end && *s->p == '{') {
		s->p++;
		return read_list(r, '}', V_SET, out, depth);
	}
	if (s->p == s->end || !token_char(*s->p))
		return scan_fail(s, s->p, "a set or a tag");
	if (depth >= SCAN_DEPTH)
		return scan_fail(s, s->p, "a form that is not nested so deeply");
	if (read_token(r, &pair[0]) || read_form(r, &pair[1], depth + 1))
		return -1;
	*out = val_list(r->v, V_TAGGED, pair, 2);
	return 0;
}

static int read_form(struct reader *r, val *out, int depth)
{
	struct scan *s = r->s;

	edn_space(s);
	if (s->p == s->end)
		return scan_fail(s, s->p, "a form");
	switch (*s->p) {
	case '[':
	case '(':
		s->p++;
		return read_list(r, s->p[-1] == '[' ? ']' : ')', V_ARRAY, out, depth);
	case '{':
		s->p++;
		return read_list(r, '}', V_MAP, out, depth);
	case '"':
		return read_string(r, out);
	case '#':
		return read_dispatch(r, out, depth);
	default:
		return read_token(r, out);
	}
}

int edn_read(struct scan *s, struct values *v, val *out)
{
	struct reader r = {.s = s, .v = v};
	int ret = read_form(&r, out, 0);

	free(r.stack);
	return ret;
}
