/* Models over numbers and owners: counter, the mutexes, semaphore, multi-register. */
#include "checker/spec.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

static bool is(const struct part *p, const struct op *o, const char *f)
{
	return val_named(p->h->v, o->f, f);
}

static state_t int_state(struct machine *m, int64_t i)
{
	uint32_t w[2] = {(uint32_t)(uint64_t)i, (uint32_t)((uint64_t)i >> 32)};

	return states_intern(&m->st, w, 2);
}

static int64_t state_int(struct machine *m, state_t s)
{
	const uint32_t *w = states_words(&m->st, s);

	return (int64_t)(w[0] | (uint64_t)w[1] << 32);
}

static void int_print(struct machine *m, state_t s, struct buf *b)
{
	buf_addf(b, "%" PRId64, state_int(m, s));
}

/* No sum of a history's numbers may leave 64 bits. */
static int count_total(struct part *p, const struct op *o, int64_t n, struct err *e)
{
	uint64_t abs = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	if (p->total > INT64_MAX / 2 || abs > INT64_MAX / 2 - p->total)
		return bad_value(p, o, o->in, "value", "small enough: the sum leaves 63 bits", e);
	p->total += abs;
	return 0;
}

static int compile_counter(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (is(p, o, "add")) {
		if (!val_is_int(p->h->v, o->in))
			return bad_value(p, o, o->in, "value", "an integer", e);
		l->code = C_INC;
		l->n = p->h->v->nodes[o->in].i;
		return count_total(p, o, l->n, e);
	}
	if (l->unknown)
		return 1;
	if (hist_out(p->h, o, e))
		return -1;
	if (!val_is_int(p->h->v, o->out))
		return bad_value(p, o, o->out, "output", "an integer", e);
	l->code = C_READ_SUM;
	l->readonly = true;
	l->n = p->h->v->nodes[o->out].i;
	return 0;
}

static state_t counter_initial(struct machine *m)
{
	return int_state(m, m->part->initial == VAL_NONE ? 0 : m->part->h->v->nodes[m->part->initial].i);
}

static state_t counter_step(struct machine *m, state_t s, const struct lop *l)
{
	if (l->code == C_READ_SUM)
		return state_int(m, s) == l->n ? s : STATE_BAD;
	return int_state(m, (int64_t)((uint64_t)state_int(m, s) + (uint64_t)l->n));
}

static const char *const counter_fs[] = {"add", "read", NULL};
const struct model model_counter = {
	.name = "counter", .about = "a counter per key: add an integer, read the sum", .fs = counter_fs, .flags = M_KEYED,
	.compile = compile_counter, .initial = counter_initial, .step = counter_step, .print = int_print};

/*
 * Mutexes. a: who; out: VAL_FALSE for a try that failed; n: the fence, 0 when there is none.
 * Words of a state: owner + 1 (0: free), times held, the last fence (two words).
 */
enum { OWNER, HELD, FENCE, MUTEX_WORDS = 4 };

static int compile_mutex(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;
	val who = val_member(v, o->in, "client");

	l->code = is(p, o, "acquire") ? C_ACQUIRE : C_RELEASE;
	l->a = who != VAL_NONE ? who : o->in != VAL_NULL && val_kind(v, o->in) != V_MAP ? o->in : o->process;
	if (l->unknown)
		return 0;
	if (hist_out(p->h, o, e))
		return -1;
	l->out = o->out == VAL_FALSE ? VAL_FALSE : VAL_TRUE;
	l->readonly = l->out == VAL_FALSE;
	if (p->model == &model_fenced_mutex || p->model == &model_reentrant_fenced_mutex) {
		val fence = val_kind(v, o->out) == V_MAP ? val_member(v, o->out, "fence") : o->out;
		if (l->code == C_ACQUIRE && val_is_int(v, fence))
			l->n = v->nodes[fence].i;
		else if (l->code == C_ACQUIRE && l->out != VAL_FALSE && p->h->native)
			return bad_value(p, o, o->out, "output", "an integer (the fence) or false", e);
	}
	return 0;
}

static state_t mutex_initial(struct machine *m)
{
	uint32_t w[MUTEX_WORDS] = {0};

	return states_intern(&m->st, w, MUTEX_WORDS);
}

static state_t acquire(struct machine *m, const uint32_t *old, const struct lop *l)
{
	const struct model *model = m->part->model;
	bool reentrant = model == &model_reentrant_mutex || model == &model_reentrant_fenced_mutex;
	bool plain = model == &model_mutex, mine = !plain && old[OWNER] == l->a + 1;
	int64_t last = (int64_t)(old[FENCE] | (uint64_t)old[FENCE + 1] << 32);
	uint32_t w[MUTEX_WORDS];

	memcpy(w, old, sizeof w);
	if (old[OWNER] && !(reentrant && mine))
		return STATE_BAD;
	w[OWNER] = plain ? 1 : l->a + 1;
	w[HELD]++;
	if (l->n && old[OWNER] ? last && l->n != last : l->n && l->n <= last)
		return STATE_BAD;
	if (l->n) {
		w[FENCE] = (uint32_t)(uint64_t)l->n;
		w[FENCE + 1] = (uint32_t)((uint64_t)l->n >> 32);
	}
	return states_intern(&m->st, w, MUTEX_WORDS);
}

static state_t mutex_step(struct machine *m, state_t s, const struct lop *l)
{
	uint32_t w[MUTEX_WORDS];
	bool plain = m->part->model == &model_mutex;
	state_t next = STATE_BAD;

	memcpy(w, states_words(&m->st, s), sizeof w);
	if (l->code == C_ACQUIRE) {
		next = acquire(m, w, l);
	} else if (w[OWNER] && (plain || w[OWNER] == l->a + 1)) {
		if (!--w[HELD])
			w[OWNER] = 0;
		next = states_intern(&m->st, w, MUTEX_WORDS);
	}
	if (l->out == VAL_FALSE)
		return next == STATE_BAD ? s : STATE_BAD;
	return next == STATE_BAD && l->unknown ? s : next;
}

static void mutex_print(struct machine *m, state_t s, struct buf *b)
{
	const uint32_t *w = states_words(&m->st, s);
	int64_t fence = (int64_t)(w[FENCE] | (uint64_t)w[FENCE + 1] << 32);

	if (!w[OWNER]) {
		buf_adds(b, "free");
	} else if (m->part->model == &model_mutex) {
		buf_adds(b, "held");
	} else {
		buf_adds(b, "held by ");
		val_print(m->part->h->v, w[OWNER] - 1, b, 30);
		if (w[HELD] > 1)
			buf_addf(b, " %u times", w[HELD]);
	}
	if (fence)
		buf_addf(b, ", fence %" PRId64, fence);
}

static const char *const mutex_fs[] = {"acquire", "release", NULL};
#define MUTEX(ident, word, what)                                                                                   \
	const struct model ident = {.name = word, .about = what, .fs = mutex_fs, .flags = M_KEYED,                 \
	                            .compile = compile_mutex, .initial = mutex_initial, .step = mutex_step,        \
	                            .print = mutex_print}
MUTEX(model_mutex, "mutex", "Jepsen's mutex: acquire, release, whoever does it");
MUTEX(model_owner_mutex, "owner-mutex", "a lock that only its owner releases (the value, else the process); also: lock");
MUTEX(model_reentrant_mutex, "reentrant-mutex", "owner-mutex that its owner may acquire again");
MUTEX(model_fenced_mutex, "fenced-mutex", "owner-mutex whose acquire returns a growing fence");
MUTEX(model_reentrant_fenced_mutex, "reentrant-fenced-mutex", "both; acquired again it returns the same fence");

static int compile_semaphore(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	l->code = is(p, o, "acquire") ? C_ACQUIRE : C_RELEASE;
	l->n = 1;
	if (o->in != VAL_NULL) {
		if (!val_is_int(p->h->v, o->in) || p->h->v->nodes[o->in].i < 0)
			return bad_value(p, o, o->in, "value", "a number of permits", e);
		l->n = p->h->v->nodes[o->in].i;
	}
	if (l->unknown)
		return count_total(p, o, l->n, e);
	if (hist_out(p->h, o, e))
		return -1;
	l->out = o->out == VAL_FALSE ? VAL_FALSE : VAL_TRUE;
	l->readonly = l->out == VAL_FALSE;
	return count_total(p, o, l->n, e);
}

static state_t semaphore_initial(struct machine *m)
{
	return int_state(m, m->part->initial == VAL_NONE ? 1 : m->part->h->v->nodes[m->part->initial].i);
}

static state_t semaphore_step(struct machine *m, state_t s, const struct lop *l)
{
	int64_t have = state_int(m, s);
	bool can = l->code == C_RELEASE || have >= l->n;

	if (l->out == VAL_FALSE)
		return can ? STATE_BAD : s;
	if (!can)
		return l->unknown ? s : STATE_BAD;
	return int_state(m, l->code == C_RELEASE ? have + l->n : have - l->n);
}

const struct model model_semaphore = {
	.name = "semaphore", .about = "acquire and release permits (value: how many, 1); -initial: permits at first, 1",
	.fs = mutex_fs, .flags = M_KEYED, .compile = compile_semaphore, .initial = semaphore_initial, .step = semaphore_step,
	.print = int_print};

/* Several registers at once: [["read", k, v], ["write", k, v], …] as one operation. */
static uint32_t register_no(struct part *p, val name)
{
	for (uint32_t i = 0; i < p->nnames; i++)
		if (p->names[i] == name)
			return i;
	p->names = xrealloc(p->names, (p->nnames + 1) * sizeof *p->names);
	p->names[p->nnames] = name;
	return p->nnames++;
}

static int compile_mop(struct part *p, const struct op *o, val mop, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;
	const val *m;
	uint32_t w[3];
	bool read;

	if (val_kind(v, mop) != V_ARRAY || val_len(v, mop) != 3)
		return bad_value(p, o, mop, "micro-operation", "[\"read\" or \"write\", register, value]", e);
	m = val_items(v, mop);
	read = val_named(v, m[0], "read") || val_named(v, m[0], "r");
	if (!read && !val_named(v, m[0], "write") && !val_named(v, m[0], "w"))
		return bad_value(p, o, mop, "micro-operation", "[\"read\" or \"write\", register, value]", e);
	l->readonly &= read;
	w[0] = read ? C_READ : C_WRITE;
	w[1] = register_no(p, m[1]);
	w[2] = m[2];
	part_words(p, w, 3);
	l->nlist += 3;
	return 0;
}

static int compile_txn(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;
	val list;

	if (!l->unknown && hist_out(p->h, o, e))
		return -1;
	list = l->unknown || o->out == VAL_NULL ? o->in : o->out;
	if (val_kind(v, list) != V_ARRAY)
		return bad_value(p, o, list, "value", "a list of micro-operations", e);
	l->code = C_TXN;
	l->readonly = true;
	l->list = (uint32_t)p->nwords;
	for (uint32_t i = 0; i < val_len(v, list); i++)
		if (compile_mop(p, o, val_items(v, list)[i], l, e))
			return -1;
	return l->unknown && l->readonly;
}

static state_t txn_initial(struct machine *m)
{
	const struct part *p = m->part;
	const struct values *v = p->h->v;
	uint32_t *w = (uint32_t *)(void *)buf_reserve(&m->tmp, (p->nnames + 1) * sizeof *w);

	for (uint32_t i = 0; i < p->nnames; i++) {
		w[i] = VAL_NULL;
		for (uint32_t k = 0; p->initial != VAL_NONE && k < val_len(v, p->initial); k += 2)
			if (val_items(v, p->initial)[k] == p->names[i])
				w[i] = val_items(v, p->initial)[k + 1];
	}
	return states_intern(&m->st, w, p->nnames);
}

static state_t txn_step(struct machine *m, state_t s, const struct lop *l)
{
	const struct part *p = m->part;
	const uint32_t *op = p->words + l->list;
	uint32_t *w = (uint32_t *)(void *)buf_reserve(&m->tmp, (p->nnames + 1) * sizeof *w);

	if (p->nnames)
		memcpy(w, states_words(&m->st, s), p->nnames * sizeof *w);
	for (uint32_t i = 0; i < l->nlist; i += 3) {
		if (op[i] == C_WRITE)
			w[op[i + 1]] = op[i + 2];
		else if (!l->unknown && op[i + 2] != w[op[i + 1]])
			return STATE_BAD;
	}
	return states_intern(&m->st, w, p->nnames);
}

static void txn_print(struct machine *m, state_t s, struct buf *b)
{
	const struct part *p = m->part;

	for (uint32_t i = 0; i < p->nnames && i < 12; i++) {
		buf_adds(b, i ? " " : "");
		val_print(p->h->v, p->names[i], b, 20);
		buf_addc(b, '=');
		val_print(p->h->v, states_words(&m->st, s)[i], b, 20);
	}
}

static const char *const txn_fs[] = {"txn", NULL};
const struct model model_multi_register = {
	.name = "multi-register", .about = "several registers read and written at once: txn [[\"read\", k, v], …]",
	.fs = txn_fs, .compile = compile_txn, .initial = txn_initial, .step = txn_step, .print = txn_print};
