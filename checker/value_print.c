#include "checker/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Length of the well-formed UTF-8 character at s, 0 when there is none. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (len == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
		return 0;
	return len;
}

void text_json(struct buf *b, const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;

	buf_addc(b, '"');
	for (size_t i = 0; i < n;) {
		size_t len = utf8_len(s + i, n - i);
		if (!len) {
			buf_adds(b, "\\ufffd");
			len = 1;
		} else if (s[i] == '"' || s[i] == '\\') {
			buf_addf(b, "\\%c", s[i]);
		} else if (s[i] == '\n') {
			buf_adds(b, "\\n");
		} else if (s[i] == '\t') {
			buf_adds(b, "\\t");
		} else if (s[i] < 0x20 || s[i] == 0x7f || s[i] == '<') { /* '<': so that a page may embed it */
			buf_addf(b, "\\u%04x", s[i]);
		} else {
			buf_add(b, s + i, len);
		}
		i += len;
	}
	buf_addc(b, '"');
}

static void print_decimal(const struct values *v, val x, struct buf *b)
{
	const char *s = val_bytes(v, x), *e = strchr(s, 'e');
	int64_t exp = strtoll(e + 1, NULL, 10);
	bool neg = *s == '-';
	int64_t n = e - s - neg;

	if (exp == 0) {
		buf_add(b, s, (size_t)(e - s));
	} else if (exp < 0 && exp > -24) {
		buf_adds(b, neg ? "-" : "");
		s += neg;
		if (-exp >= n) {
			buf_adds(b, "0.");
			for (int64_t i = n; i < -exp; i++)
				buf_addc(b, '0');
			buf_add(b, s, (size_t)n);
		} else {
			buf_add(b, s, (size_t)(n + exp));
			buf_addc(b, '.');
			buf_add(b, s + n + exp, (size_t)-exp);
		}
	} else {
		buf_adds(b, s);
	}
}

struct printer {
	const struct values *v;
	struct buf *b;
	size_t limit; /* position at which to stop; 0: none */
	bool json;
};

static bool full(const struct printer *p)
{
	return p->limit && p->b->len >= p->limit;
}

static void print(struct printer *p, val x);

static void print_items(struct printer *p, val x, const char *open, const char *close)
{
	enum val_kind kind = val_kind(p->v, x);
	uint32_t n = val_len(p->v, x);

	buf_adds(p->b, open);
	for (uint32_t i = 0; i < n && !full(p); i++) {
		val it = val_items(p->v, x)[i];
		if (i)
			buf_adds(p->b, kind == V_MAP && i % 2 ? ":" : p->json ? "," : " ");
		if (kind == V_MAP && i % 2 == 0 && p->json && !val_is_name(p->v, it)) {
			struct buf key = {0};
			val_print(p->v, it, &key, 0);
			text_json(p->b, key.data ? key.data : "", key.len);
			buf_clear(&key);
		} else {
			print(p, it);
		}
	}
	buf_adds(p->b, close);
}

static void print(struct printer *p, val x)
{
	const struct values *v = p->v;

	if (x == VAL_NONE) {
		buf_adds(p->b, p->json ? "null" : "?");
		return;
	}
	switch (val_kind(v, x)) {
	case V_NULL:
		buf_adds(p->b, p->json ? "null" : "nil");
		break;
	case V_BOOL:
		buf_adds(p->b, x == VAL_TRUE ? "true" : "false");
		break;
	case V_INT:
		buf_addf(p->b, "%" PRId64, v->nodes[x].i);
		break;
	case V_DECIMAL:
		print_decimal(v, x, p->b);
		break;
	case V_KEYWORD:
	case V_SYMBOL:
		if (!p->json) {
			buf_adds(p->b, val_kind(v, x) == V_KEYWORD ? ":" : "");
			buf_adds(p->b, val_bytes(v, x));
			break;
		}
		/* fall through */
	case V_STRING:
		text_json(p->b, val_bytes(v, x), val_len(v, x));
		break;
	case V_ARRAY:
		print_items(p, x, "[", "]");
		break;
	case V_SET:
		print_items(p, x, p->json ? "[" : "#{", p->json ? "]" : "}");
		break;
	case V_MAP:
		print_items(p, x, "{", "}");
		break;
	case V_TAGGED:
		print_items(p, x, p->json ? "[" : "#", p->json ? "]" : "");
		break;
	}
}

void val_print(const struct values *v, val x, struct buf *b, size_t max)
{
	struct printer p = {.v = v, .b = b, .limit = max ? b->len + max : 0};

	print(&p, x);
	if (max && b->len > p.limit + 8) {
		size_t cut = p.limit;
		while (cut && ((unsigned char)b->data[cut] & 0xc0) == 0x80)
			cut--;
		b->len = cut;
		buf_adds(b, "…");
	}
}

void val_json(const struct values *v, val x, struct buf *b)
{
	struct printer p = {.v = v, .b = b, .json = true};

	print(&p, x);
}
