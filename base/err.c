#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void (*bug_hook)(void);

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	if (code) {
		size_t n = strlen(e->msg);
		snprintf(e->msg + n, sizeof e->msg - n, ": %s", strerror(code));
	}
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof e->msg];
	va_list ap;
	size_t n;

	memcpy(old, e->msg, sizeof old);
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof e->msg - n, ": %.*s", (int)(sizeof old - 3), old);
	return -1;
}

void die(int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("simrun: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "simrun: internal error at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (bug_hook)
		bug_hook();
	abort();
}
