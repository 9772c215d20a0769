/* Registers: kv, cas, kv-append, register, cas-register. The state is the value itself, by its id. */
#include "checker/spec.h"

#include "base/mem.h"

#include <string.h>

static bool is(const struct part *p, const struct op *o, const char *f)
{
	return val_named(p->h->v, o->f, f);
}

static int compile_put(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	l->code = C_WRITE;
	l->blind = true;
	l->a = o->in;
	return want_element(p, o, o->in, "value", e);
}

/* An unknown read says nothing. */
static int compile_get(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (l->unknown)
		return 1;
	if (hist_out(p->h, o, e))
		return -1;
	l->code = C_READ;
	l->readonly = true;
	l->out = o->out;
	return want_element(p, o, o->out, "output", e);
}

static int compile_cas(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;

	if (val_kind(v, o->in) != V_ARRAY || val_len(v, o->in) != 2)
		return bad_value(p, o, o->in, "value", "a pair [old, new]", e);
	l->code = C_CAS;
	l->a = val_items(v, o->in)[0];
	l->b = val_items(v, o->in)[1];
	return 0;
}

static int compile_kv(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	return is(p, o, "get") ? compile_get(p, o, l, e) : compile_put(p, o, l, e);
}

static int compile_kv_cas(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (!is(p, o, "cas"))
		return compile_kv(p, o, l, e);
	if (compile_cas(p, o, l, e) || want_element(p, o, l->a, "value's first element", e) ||
	    want_element(p, o, l->b, "value's second element", e))
		return -1;
	if (l->unknown)
		return 0;
	if (hist_out(p->h, o, e))
		return -1;
	if (o->out != VAL_TRUE && o->out != VAL_FALSE)
		return bad_value(p, o, o->out, "output", "true or false", e);
	l->out = o->out;
	l->readonly = o->out == VAL_FALSE;
	return 0;
}

/* Jepsen's registers: nil at first. With another initial value a read of nil was not observed. */
static int compile_register(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (is(p, o, "read")) {
		if (l->unknown)
			return 1;
		if (hist_out(p->h, o, e))
			return -1;
		l->code = C_READ;
		l->readonly = true;
		l->out = o->out;
		return o->out == VAL_NULL && p->initial != VAL_NONE && p->initial != VAL_NULL;
	}
	l->code = C_WRITE;
	l->blind = true;
	l->a = o->in;
	return 0;
}

static int compile_cas_register(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (!is(p, o, "cas"))
		return compile_register(p, o, l, e);
	if (compile_cas(p, o, l, e))
		return -1;
	if (l->unknown)
		return 0;
	if (hist_out(p->h, o, e))
		return -1;
	l->readonly = o->out == VAL_FALSE;
	l->out = l->readonly ? VAL_FALSE : VAL_TRUE;
	return 0;
}

static state_t initial_empty(struct machine *m)
{
	return m->part->initial == VAL_NONE ? VAL_EMPTY_STRING : m->part->initial;
}

static state_t initial_null(struct machine *m)
{
	return m->part->initial == VAL_NONE ? VAL_NULL : m->part->initial;
}

static state_t step(struct machine *m, state_t s, const struct lop *l)
{
	switch (l->code) {
	case C_READ:
		return s == l->out ? s : STATE_BAD;
	case C_WRITE:
		return l->a;
	default: /* C_CAS; of unknown outcome: takes effect when it can */
		if (l->out == VAL_FALSE)
			return s != l->a ? s : STATE_BAD;
		return s == l->a ? l->b : l->out == VAL_TRUE ? STATE_BAD : s;
	}
}

static void print(struct machine *m, state_t s, struct buf *b)
{
	val_print(m->part->h->v, s, b, 60);
}

static const char *const kv_fs[] = {"get", "put", NULL};
const struct model model_kv = {
	.name = "kv", .about = "a register of strings per key: put, get (\"\" for absent)", .fs = kv_fs, .flags = M_KEYED,
	.compile = compile_kv, .initial = initial_empty, .step = step, .print = print};

static const char *const cas_fs[] = {"cas", "get", "put", NULL};
const struct model model_cas = {
	.name = "cas", .about = "kv with cas [old, new], output true or false", .fs = cas_fs, .flags = M_KEYED,
	.compile = compile_kv_cas, .initial = initial_empty, .step = step, .print = print};

static const char *const register_fs[] = {"read", "write", NULL};
const struct model model_register = {
	.name = "register", .about = "Jepsen's register: read, write; nil at first", .fs = register_fs, .flags = M_KEYED,
	.compile = compile_register, .initial = initial_null, .step = step, .print = print};

static const char *const cas_register_fs[] = {"cas", "read", "write", NULL};
const struct model model_cas_register = {
	.name = "cas-register", .about = "register with cas [old, new]", .fs = cas_register_fs, .flags = M_KEYED,
	.compile = compile_cas_register, .initial = initial_null, .step = step, .print = print};

/* kv-append: the state's words are the string's length in bytes, then its bytes, padded with zeros. */
static int compile_kv_append(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;

	if (is(p, o, "get")) {
		if (compile_get(p, o, l, e))
			return l->unknown ? 1 : -1;
		return val_kind(v, l->out) == V_STRING ? 0 : bad_value(p, o, l->out, "output", "a string", e);
	}
	if (val_kind(v, o->in) != V_STRING)
		return bad_value(p, o, o->in, "value", "a string", e);
	l->code = is(p, o, "put") ? C_WRITE : C_CONCAT;
	l->blind = l->code == C_WRITE;
	l->a = o->in;
	return 0;
}

static state_t string_state(struct machine *m, const char *head, uint32_t nhead, val tail)
{
	const struct values *v = m->part->h->v;
	uint32_t n = nhead + val_len(v, tail), words = 1 + (n + 3) / 4;

	buf_reset(&m->tmp);
	buf_reserve(&m->tmp, words * sizeof(uint32_t));
	memset(m->tmp.data, 0, words * sizeof(uint32_t));
	memcpy(m->tmp.data, &n, sizeof n);
	memcpy(m->tmp.data + 4, head, nhead);
	memcpy(m->tmp.data + 4 + nhead, val_bytes(v, tail), val_len(v, tail));
	return states_intern(&m->st, (const uint32_t *)(const void *)m->tmp.data, words);
}

static state_t string_initial(struct machine *m)
{
	return string_state(m, "", 0, m->part->initial == VAL_NONE ? VAL_EMPTY_STRING : m->part->initial);
}

static state_t string_step(struct machine *m, state_t s, const struct lop *l)
{
	const struct values *v = m->part->h->v;
	const uint32_t *w = states_words(&m->st, s);

	if (l->code == C_READ)
		return w[0] == val_len(v, l->out) && !memcmp(w + 1, val_bytes(v, l->out), w[0]) ? s : STATE_BAD;
	if (l->code == C_WRITE)
		return string_state(m, "", 0, l->a);
	return string_state(m, (const char *)(w + 1), w[0], l->a);
}

static void string_print(struct machine *m, state_t s, struct buf *b)
{
	const uint32_t *w = states_words(&m->st, s);

	text_json(b, (const char *)(w + 1), MIN(w[0], 60));
	buf_adds(b, w[0] > 60 ? "…" : "");
}

static const char *const kv_append_fs[] = {"append", "get", "put", NULL};
const struct model model_kv_append = {
	.name = "kv-append", .about = "kv with append, which puts a string behind the old value", .fs = kv_append_fs,
	.flags = M_KEYED, .compile = compile_kv_append, .initial = string_initial, .step = string_step,
	.print = string_print};
