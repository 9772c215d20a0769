#include "base/buf.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_clear(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = 0;
}

char *buf_reserve(struct buf *b, size_t more)
{
	if (b->len + more + 1 > b->cap) {
		b->cap = MAX(b->cap * 2, b->len + more + 64);
		b->data = xrealloc(b->data, b->cap);
	}
	return b->data + b->len;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (!n)
		return;
	memcpy(buf_reserve(b, n), p, n);
	b->len += n;
	b->data[b->len] = 0;
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	b->len += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		buf_reset(b);
		return;
	}
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
}

void buf_add_escaped(struct buf *b, const void *p, size_t n)
{
	const unsigned char *s = p;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\n')
			buf_adds(b, "\\n");
		else if (s[i] == '"' || s[i] == '\\')
			buf_addf(b, "\\%c", s[i]);
		else if (s[i] >= 32 && s[i] < 127)
			buf_addc(b, (char)s[i]);
		else
			buf_addf(b, "\\x%02x", s[i]);
	}
}
