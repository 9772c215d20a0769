#include "tracer/divergence.h"

#include "base/mem.h"
#include "base/runhash.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool runs_differ(const struct run_result *a, const struct run_result *b)
{
	return a->hash != b->hash || a->calls != b->calls || a->cls != b->cls || a->exit_status != b->exit_status;
}

void divergence_window(const struct run_result *a, const struct run_result *b, uint64_t *from, uint64_t *to)
{
	size_t common = MIN(a->nwindows, b->nwindows), i = 0;

	while (i < common && a->windows[i] == b->windows[i])
		i++;
	/* Calls are counted from 1: window i holds the calls i * W + 1 to i * W + W. */
	*from = i ? (uint64_t)i * RUNHASH_WINDOW : 1;
	*to = ((uint64_t)i + 1) * RUNHASH_WINDOW;
}

struct line {
	const char *s;
	size_t n;
};

/* The next line of a recording; n is 0 at its end. */
static struct line next_line(const struct buf *text, size_t *at)
{
	struct line l = {text->data + *at, 0};
	const char *end;

	if (*at >= text->len)
		return (struct line){"", 0};
	end = memchr(l.s, '\n', text->len - *at);
	l.n = end ? (size_t)(end - l.s) : text->len - *at;
	*at += l.n + 1;
	return l;
}

static bool same_line(struct line a, struct line b)
{
	return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

/* Recorded lines begin with the number of their call. */
static uint64_t take_number(struct line *l)
{
	uint64_t n = 0;

	while (l->n && isdigit((unsigned char)*l->s)) {
		n = n * 10 + (uint64_t)(*l->s - '0');
		l->s++;
		l->n--;
	}
	while (l->n && *l->s == ' ') {
		l->s++;
		l->n--;
	}
	return n;
}

static void add_call(struct buf *out, struct line l, const char *none)
{
	if (l.n)
		buf_add(out, l.s, l.n);
	else
		buf_adds(out, none);
}

void divergence_describe(struct buf *out, const struct run_result *a, const struct run_result *b, uint64_t from,
			 uint64_t to)
{
	size_t ia = 0, ib = 0;
	struct line la, lb, last = {"", 0};
	uint64_t number, other;

	for (;;) {
		la = next_line(&a->recorded, &ia);
		lb = next_line(&b->recorded, &ib);
		if (!same_line(la, lb) || !la.n)
			break;
		last = la;
	}
	if (!la.n && !lb.n) {
		buf_addf(out, "the runs differ in the host calls %" PRIu64 " to %" PRIu64
			      ", but did not when these calls were run again and recorded", from, to);
		return;
	}
	number = take_number(&la);
	other = take_number(&lb);
	take_number(&last);
	buf_addf(out, "host call %" PRIu64 ": ", number ? number : other);
	add_call(out, la, "(no further call)");
	buf_adds(out, " vs ");
	add_call(out, lb, "(no further call)");
	buf_adds(out, ", after ");
	add_call(out, last, "no call");
}
