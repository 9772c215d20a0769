#include "tracer/divergence.h"

#include "base/mem.h"
#include "base/runhash.h"

#include <inttypes.h>
#include <string.h>

/* Only the first run of a seed has its history checked. */
static enum verdict_class class_as_run(const struct run_result *r)
{
	return r->judged ? CLASS_PASS : r->cls;
}

bool runs_differ(const struct run_result *a, const struct run_result *b)
{
	return a->hash != b->hash || a->calls != b->calls || class_as_run(a) != class_as_run(b) || a->exit_status != b->exit_status;
}

void divergence_window(const struct run_result *a, const struct run_result *b, uint64_t *from, uint64_t *to)
{
	size_t common = MIN(a->nwindows, b->nwindows), i = 0;

	while (i < common && a->windows[i] == b->windows[i])
		i++;
	/* Window i holds the calls i * W to i * W + W - 1. */
	*from = i ? (uint64_t)i * RUNHASH_WINDOW - 1 : 0;
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

static bool same(struct line a, struct line b)
{
	return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

/* Cuts the line at the next tab: the part before it. */
static struct line take_field(struct line *l)
{
	const char *tab = memchr(l->s, '\t', l->n);
	struct line field = {l->s, tab ? (size_t)(tab - l->s) : l->n};
	size_t used = field.n + (tab != NULL);

	l->s += used;
	l->n -= used;
	return field;
}

/* A recorded call: number, who and when, the call, the hash after it; separated by tabs (trace.c). */
struct recorded {
	struct line number, who, call;
};

static struct recorded split(struct line l)
{
	struct recorded r;

	r.number = take_field(&l);
	r.who = take_field(&l);
	r.call = take_field(&l);
	return r;
}

static void add_call(struct buf *out, const struct recorded *r, const char *none)
{
	if (!r->number.n) {
		buf_adds(out, none);
		return;
	}
	buf_add(out, r->who.s, r->who.n);
	buf_addc(out, ' ');
	buf_add(out, r->call.s, r->call.n);
}

void divergence_describe(struct buf *out, const struct run_result *a, const struct run_result *b, uint64_t from,
			 uint64_t to)
{
	size_t ia = 0, ib = 0;
	struct line la, lb, last = {"", 0};
	struct recorded ra, rb, common;

	for (;;) {
		la = next_line(&a->recorded, &ia);
		lb = next_line(&b->recorded, &ib);
		if (!la.n || !same(la, lb))
			break;
		last = la;
	}
	if (!la.n && !lb.n) {
		buf_addf(out, "the runs differ in host calls %" PRIu64 " to %" PRIu64
			      ", but not when these were run again and recorded", from, to - 1);
		return;
	}
	ra = split(la);
	rb = split(lb);
	common = split(last);
	buf_adds(out, "host call ");
	buf_add(out, ra.number.n ? ra.number.s : rb.number.s, ra.number.n ? ra.number.n : rb.number.n);
	buf_adds(out, ": ");
	add_call(out, &ra, "no further call");
	buf_adds(out, " vs ");
	add_call(out, &rb, "no further call");
	/* Then they differ in what was read or written. */
	if (la.n && lb.n && same(ra.who, rb.who) && same(ra.call, rb.call))
		buf_adds(out, " with other bytes");
	buf_adds(out, ", after ");
	add_call(out, &common, "no call");
}
