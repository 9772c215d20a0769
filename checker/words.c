/* Reasons in words. */
#include "checker/linear.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

const struct op *op_of_lop(const struct part *p, uint32_t l)
{
	return &p->h->ops[p->ops[l].op];
}

void describe_lop(const struct part *p, uint32_t l, struct buf *b)
{
	hist_describe(p->h, op_of_lop(p, l), b);
	buf_adds(b, "  [");
	hist_place(p->h, op_of_lop(p, l), b);
	buf_addc(b, ']');
}

/* "3's get (line 16)" */
static void short_name(const struct part *p, uint32_t l, struct buf *b)
{
	const struct op *o = op_of_lop(p, l);
	const struct values *v = p->h->v;

	if (o->process != VAL_NULL) {
		if (val_is_name(v, o->process))
			buf_adds(b, val_bytes(v, o->process));
		else
			val_print(v, o->process, b, 20);
		buf_adds(b, "'s ");
	}
	buf_addf(b, "%s (line %u)", val_is_name(v, o->f) ? val_bytes(v, o->f) : "txn", o->line);
}

static void value(const struct part *p, val x, struct buf *b)
{
	val_print(p->h->v, x, b, 60);
}

static void list(const struct part *p, const struct lop *l, struct buf *b)
{
	buf_addc(b, '[');
	for (uint32_t i = 0; i < l->nlist && i < 8; i++) {
		buf_adds(b, i ? " " : "");
		val_print(p->h->v, p->words[l->list + i], b, 20);
	}
	buf_adds(b, l->nlist > 8 ? " …]" : "]");
}

static void with(const struct part *p, const char *verb, val x, struct buf *b)
{
	buf_adds(b, verb);
	val_print(p->h->v, x, b, 60);
}

static void swap(const struct part *p, const struct lop *l, struct buf *b)
{
	if (l->out == VAL_FALSE)
		return with(p, "did not find ", l->a, b);
	with(p, "replaced ", l->a, b);
	with(p, " by ", l->b, b);
}

/* Locks and the like; transactions and whatever else: what they returned is in the history. */
static void other_deed(const struct part *p, const struct lop *l, struct buf *b)
{
	static const char *const words[3][2] = {{"succeeded", "failed"}, {"released it", "failed"}, {"renewed it", "failed"}};
	const struct op *o = &p->h->ops[l->op];

	if (l->code >= C_ACQUIRE && l->code <= C_RENEW && l->out != VAL_NONE)
		buf_adds(b, words[l->code - C_ACQUIRE][l->out == VAL_FALSE]);
	else if (o->status == OP_OK && o->out != VAL_NONE && o->out != VAL_NULL)
		with(p, "returned ", o->out, b);
	else
		buf_adds(b, "took effect");
}

/* What an operation tells about the state: "returned 4", "wrote 4". */
static void deed(const struct part *p, uint32_t i, struct buf *b)
{
	const struct lop *l = &p->ops[i];

	switch (l->code) {
	case C_READ:
		return with(p, "returned ", l->out, b);
	case C_READ_LIST:
	case C_READ_SET:
		buf_adds(b, "returned ");
		return list(p, l, b);
	case C_READ_SUM:
		buf_addf(b, "returned %" PRId64, l->n);
		return;
	case C_DEQ: case C_POP: case C_POP_FRONT: case C_POP_BACK: case C_DELETE_MIN:
		if (l->out == VAL_NULL)
			buf_adds(b, "found nothing");
		else
			with(p, "returned ", l->out, b);
		return;
	case C_WRITE:
		return with(p, "wrote ", l->a, b);
	case C_CAS:
		return swap(p, l, b);
	case C_APPEND: case C_CONCAT:
		return with(p, "appended ", l->a, b);
	case C_ENQ: case C_PUSH: case C_PUSH_FRONT: case C_PUSH_BACK: case C_INSERT:
		return with(p, "put in ", l->a, b);
	case C_ADD:
		return with(p, "added ", l->a, b);
	default:
		other_deed(p, l, b);
	}
}

void lop_clause(const struct part *p, uint32_t i, struct buf *b)
{
	short_name(p, i, b);
	buf_addc(b, ' ');
	deed(p, i, b);
}

/* A read of a list or string that lacks an element appended before. */
static bool lost_append(const struct part *p, uint32_t read, uint32_t append, struct buf *b)
{
	uint8_t code = p->ops[append].code;

	if (!p->ops[read].readonly || (code != C_APPEND && code != C_CONCAT))
		return false;
	buf_adds(b, "lost element: ");
	lop_clause(p, read, b);
	buf_adds(b, ", without ");
	value(p, p->ops[append].a, b);
	buf_adds(b, ", which ");
	short_name(p, append, b);
	buf_adds(b, " had appended before it started");
	return true;
}

static void stale(const struct part *p, const struct reason *w, struct buf *b)
{
	bool read = p->ops[w->op[1]].readonly;

	if (lost_append(p, w->op[1], w->op[0], b))
		return;
	buf_adds(b, read ? "stale read: " : "out of order: ");
	lop_clause(p, w->op[1], b);
	buf_adds(b, ", but it started after ");
	short_name(p, w->op[0], b);
	buf_adds(b, " had ended, which ");
	deed(p, w->op[0], b);
	buf_adds(b, ": a newer value was already observed, and nothing brings the older one back");
}

static void interleaved(const struct part *p, const struct reason *w, struct buf *b)
{
	bool read = p->ops[w->op[3]].readonly;

	if (lost_append(p, w->op[3], w->op[2], b)) {
		buf_adds(b, " and after ");
		lop_clause(p, w->op[0], b);
		return;
	}
	buf_adds(b, read ? "stale read: " : "two values interleave: ");
	lop_clause(p, w->op[3], b);
	buf_adds(b, " although ");
	lop_clause(p, w->op[2], b);
	buf_adds(b, " before it started; and ");
	lop_clause(p, w->op[0], b);
	buf_adds(b, " before ");
	short_name(p, w->op[1], b);
	buf_adds(b, " started, so the older value came first and nothing brings it back");
}

/* Bounds of a counter at a read: increments that had ended before, that had started before its end. */
static void sum(const struct part *p, const struct reason *w, struct buf *b)
{
	const struct lop *r = &p->ops[w->op[0]];
	int64_t lo = 0, hi = 0, first = p->initial == VAL_NONE ? 0 : p->h->v->nodes[p->initial].i;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct lop *l = &p->ops[i];
		bool must = !l->unknown && lop_finish(p, i) < r->call, may = lop_start(p, i) <= lop_finish(p, w->op[0]);
		if (l->code != C_INC)
			continue;
		lo += must || (may && l->n < 0) ? l->n : 0;
		hi += must || (may && l->n > 0) ? l->n : 0;
	}
	buf_adds(b, "wrong sum: ");
	lop_clause(p, w->op[0], b);
	if (r->n < first + lo || r->n > first + hi)
		buf_addf(b, ", but the additions that can have taken effect make at least %" PRId64 " and at most %" PRId64,
		         first + lo, first + hi);
	else
		buf_adds(b, ", which does not fit the additions together with the other reads");
}

static void not_empty(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "lost element: ");
	short_name(p, w->op[0], b);
	buf_adds(b, " found nothing, but ");
	value(p, w->value, b);
	buf_adds(b, " was inside all that time: ");
	short_name(p, w->op[1], b);
	buf_adds(b, " had put it there before, and nobody took it before the end");
}

static void fifo_order(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "out of order: ");
	short_name(p, w->op[0], b);
	buf_adds(b, " put ");
	value(p, p->ops[w->op[0]].a, b);
	buf_adds(b, " in before ");
	short_name(p, w->op[1], b);
	buf_adds(b, " put ");
	value(p, p->ops[w->op[1]].a, b);
	buf_adds(b, " in, but ");
	short_name(p, w->op[2], b);
	buf_adds(b, " took the later one out ");
	if (w->nop > 3) {
		buf_adds(b, "before ");
		short_name(p, w->op[3], b);
		buf_adds(b, " took the first");
	} else {
		buf_adds(b, "and nobody took the first: it is lost");
	}
}

static void by_search(const struct part *p, const struct reason *w, struct buf *b)
{
	bool all = p->n == 1;

	if (all && w->nop) {
		short_name(p, w->op[0], b);
		buf_adds(b, " is impossible: nothing can come before it that makes its result right");
		return;
	}
	buf_addf(b, "no order of these %u operations that respects the given order explains their results", p->n);
	if (w->nop) {
		buf_adds(b, "; the longest attempt stops before ");
		lop_clause(p, w->op[0], b);
	}
}

static void never_written(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "value never written: ");
	short_name(p, w->op[0], b);
	buf_adds(b, p->ops[w->op[0]].code == C_CAS ? " replaced " : " returned ");
	value(p, w->value, b);
	buf_adds(b, ", which no operation wrote");
}

static void too_early(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "value not written yet: ");
	short_name(p, w->op[0], b);
	buf_adds(b, " returned ");
	value(p, w->value, b);
	buf_adds(b, " and ended before ");
	short_name(p, w->op[1], b);
	buf_adds(b, ", which wrote it, started");
}

static void twice(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, w->nop == 2 ? "delivered twice: " : "duplicate element: ");
	short_name(p, w->op[0], b);
	if (w->nop == 2) {
		buf_adds(b, " and ");
		short_name(p, w->op[1], b);
		buf_adds(b, " both returned ");
	} else {
		buf_adds(b, " shows more often than it was written ");
	}
	value(p, w->value, b);
}

static void two_clauses(const struct part *p, const struct reason *w, const char *what, struct buf *b)
{
	buf_adds(b, what);
	lop_clause(p, w->op[0], b);
	buf_adds(b, " and ");
	lop_clause(p, w->op[1], b);
}

static void two_cas(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "lost update: ");
	short_name(p, w->op[0], b);
	buf_adds(b, " and ");
	short_name(p, w->op[1], b);
	buf_adds(b, " both replaced ");
	value(p, w->value, b);
	buf_adds(b, ", which was there only once");
}

static void lost(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "lost element: ");
	lop_clause(p, w->op[0], b);
	buf_adds(b, ", without ");
	value(p, w->value, b);
	buf_adds(b, ", which ");
	short_name(p, w->op[1], b);
	buf_adds(b, lop_finish(p, w->op[1]) < lop_start(p, w->op[0]) ? " had added before it started" :
	                                                               " had added before an element that it shows was added");
}

static void lifo(const struct part *p, const struct reason *w, struct buf *b)
{
	buf_adds(b, "not last in, first out: ");
	if (w->nop < 3) {
		buf_adds(b, "none of these elements can have gone in first and come out last");
		return;
	}
	short_name(p, w->op[0], b);
	buf_adds(b, " returned ");
	value(p, p->ops[w->op[0]].out, b);
	buf_adds(b, " while ");
	value(p, w->value, b);
	buf_adds(b, " lay on top of it, which ");
	short_name(p, w->op[1], b);
	buf_adds(b, " had pushed later");
}

void put_in_words(const struct part *p, const struct reason *w, struct buf *b)
{
	switch (w->why) {
	case WHY_BLOCKED: break;
	case WHY_SEARCH: by_search(p, w, b); break;
	case WHY_NEVER_WRITTEN: never_written(p, w, b); break;
	case WHY_TOO_EARLY: too_early(p, w, b); break;
	case WHY_TWICE: twice(p, w, b); break;
	case WHY_INCOMPATIBLE:
		two_clauses(p, w, "incompatible order: neither is the beginning of the other: ", b);
		break;
	case WHY_STALE: stale(p, w, b); break;
	case WHY_INTERLEAVED: interleaved(p, w, b); break;
	case WHY_TWO_CAS: two_cas(p, w, b); break;
	case WHY_CAS_CIRCLE:
		buf_adds(b, "circle: ");
		short_name(p, w->op[0], b);
		buf_adds(b, " needs a value that can only come after its own");
		break;
	case WHY_ORDER: fifo_order(p, w, b); break;
	case WHY_NOT_EMPTY: not_empty(p, w, b); break;
	case WHY_LOST: lost(p, w, b); break;
	case WHY_LIFO: lifo(p, w, b); break;
	case WHY_SUM: sum(p, w, b); break;
	case WHY_BOTH:
		two_clauses(p, w, "incompatible reads: neither contains the other: ", b);
		break;
	}
}
