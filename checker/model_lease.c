/*
 * Leases: a lock that its owner loses ttl nanoseconds after it was acquired or renewed, on the history's clock.
 *
 * Each operation takes effect at some time within its interval, so a state cannot hold one time of the last
 * acquisition; it holds the earliest and the latest that are still possible (lo, hi), and the earliest time of the next
 * operation (now). These three are enough: the times of the operations since then only have to grow, and every one of
 * them may be chosen as early as possible; a later operation that saw the lease held pushes lo up, one that saw it
 * expired uses lo as it is.
 */
#include "checker/spec.h"

#include <inttypes.h>
#include <string.h>

#define FAR_FUTURE (INT64_MAX / 4)

struct lease {
	uint32_t owner; /* + 1; 0: free */
	uint32_t zero;
	int64_t ttl, lo, hi, now;
};

static bool is(const struct part *p, const struct op *o, const char *f)
{
	return val_named(p->h->v, o->f, f);
}

static int compile(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;
	val ttl = val_kind(v, o->in) == V_MAP ? val_member(v, o->in, "ttl") : o->in;
	val who = val_member(v, o->in, "client");

	l->code = is(p, o, "acquire") ? C_ACQUIRE : is(p, o, "renew") ? C_RENEW : C_RELEASE;
	l->a = who != VAL_NONE ? who : o->process;
	if (l->code != C_RELEASE) {
		if (!val_is_int(v, ttl) || v->nodes[ttl].i <= 0)
			return bad_value(p, o, o->in, "value", "a time to live in nanoseconds ({\"ttl\": N} or N)", e);
		l->n = v->nodes[ttl].i;
	}
	if (o->call_time == TIME_NONE || (!l->unknown && o->ret_time == TIME_NONE))
		return err_set(e, 0, "history (model lease): operation \"%s\": it has no time", val_bytes(v, o->f));
	if (o->call_time < -FAR_FUTURE || o->call_time > FAR_FUTURE || l->n > FAR_FUTURE)
		return err_set(e, 0, "history (model lease): operation \"%s\": its time is out of range", val_bytes(v, o->f));
	l->t0 = o->call_time;
	l->t1 = l->unknown ? FAR_FUTURE : o->ret_time;
	if (l->unknown)
		return 0;
	if (hist_out(p->h, o, e))
		return -1;
	l->out = o->out == VAL_FALSE ? VAL_FALSE : VAL_TRUE;
	return 0;
}

static state_t put(struct machine *m, const struct lease *l)
{
	uint32_t w[sizeof *l / 4];

	memcpy(w, l, sizeof w);
	return states_intern(&m->st, w, sizeof w / 4);
}

static state_t initial(struct machine *m)
{
	return put(m, &(struct lease){.now = -FAR_FUTURE});
}

/* The lease is held when op takes effect: its last acquisition was late enough. */
static bool still_held(struct lease *s, const struct lop *op)
{
	int64_t t = s->now > op->t0 ? s->now : op->t0;

	if (t - s->ttl + 1 > s->lo)
		s->lo = t - s->ttl + 1;
	if (op->t1 < s->hi)
		s->hi = op->t1;
	s->now = t > s->lo ? t : s->lo;
	return s->lo <= s->hi && s->now <= op->t1;
}

static void hold(struct lease *s, const struct lop *op, int64_t latest)
{
	s->owner = op->a + 1;
	s->ttl = op->n;
	s->lo = s->now;
	s->hi = latest;
}

/* Nobody holds it when op takes effect; op->a itself may (it then acquires again). */
static bool obtainable(struct lease *s, const struct lop *op)
{
	int64_t t = s->now > op->t0 ? s->now : op->t0;

	if (s->owner && s->owner != op->a + 1 && s->lo + s->ttl > t)
		t = s->lo + s->ttl;
	s->now = t;
	return t <= op->t1;
}

static bool acquire(struct lease *s, const struct lop *op)
{
	if (op->out == VAL_FALSE)
		return s->owner && s->owner != op->a + 1 && still_held(s, op);
	if (!obtainable(s, op))
		return false;
	hold(s, op, op->t1);
	return true;
}

static bool renew(struct lease *s, const struct lop *op)
{
	bool mine = s->owner == op->a + 1;
	int64_t latest;

	if (op->out == VAL_FALSE) {
		int64_t t = s->now > op->t0 ? s->now : op->t0;
		if (mine && s->lo + s->ttl > t)
			t = s->lo + s->ttl;
		s->now = t;
		if (op->t1 < s->hi)
			s->hi = op->t1;
		return t <= op->t1;
	}
	if (!mine || !still_held(s, op))
		return false;
	latest = s->hi + s->ttl - 1;
	hold(s, op, latest < op->t1 ? latest : op->t1);
	return s->lo <= s->hi;
}

static bool release(struct lease *s, const struct lop *op)
{
	int64_t t = s->now > op->t0 ? s->now : op->t0;

	if (op->out == VAL_FALSE)
		return renew(s, op);
	if (s->owner == op->a + 1 && op->out == VAL_TRUE) {
		if (!still_held(s, op))
			return false;
	} else if (op->out == VAL_TRUE) {
		return false;
	}
	if (s->now < t)
		s->now = t;
	if (s->owner == op->a + 1)
		*s = (struct lease){.now = s->now};
	return s->now <= op->t1;
}

static state_t step(struct machine *m, state_t from, const struct lop *op)
{
	struct lease s;
	bool ok;

	memcpy(&s, states_words(&m->st, from), sizeof s);
	ok = op->code == C_ACQUIRE ? acquire(&s, op) : op->code == C_RENEW ? renew(&s, op) : release(&s, op);
	if (!ok)
		return op->unknown ? from : STATE_BAD;
	return put(m, &s);
}

static void print(struct machine *m, state_t x, struct buf *b)
{
	struct lease s;

	memcpy(&s, states_words(&m->st, x), sizeof s);
	if (!s.owner) {
		buf_adds(b, "free");
		return;
	}
	buf_adds(b, "held by ");
	val_print(m->part->h->v, s.owner - 1, b, 30);
	buf_addf(b, " until %" PRId64, s.lo + s.ttl);
	if (s.hi > s.lo)
		buf_addf(b, "…%s", s.hi == FAR_FUTURE ? "" : "later");
}

static const char *const fs[] = {"acquire", "release", "renew", NULL};
const struct model model_lease = {
	.name = "lease", .about = "a lock with a time to live on the history's clock: acquire, renew, release", .fs = fs,
	.flags = M_KEYED, .compile = compile, .initial = initial, .step = step, .print = print};
