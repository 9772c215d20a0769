#include "base/mem.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *p, size_t n)
{
	if (!p && n)
		die(125, "out of memory (%zu bytes wanted)", n);
	return p;
}

void *xmalloc(size_t n)
{
	return check(malloc(n), n);
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count, size), count * size);
}

void *xrealloc(void *p, size_t n)
{
	return check(realloc(p, n), n);
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = 0;
	return p;
}

void *xmemdup(const void *p, size_t n)
{
	void *q = xmalloc(n ? n : 1);

	memcpy(q, p, n);
	return q;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		die(125, "out of memory");
	va_end(ap);
	return s;
}
