/* Models over sequences: append, queue, stack, deque, priority-queue, set. */
#include "checker/spec.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is(const struct part *p, const struct op *o, const char *f)
{
	return val_named(p->h->v, o->f, f);
}

static int want_item(struct part *p, const struct op *o, struct err *e)
{
	if (want_element(p, o, o->in, "value", e))
		return -1;
	if (o->in == VAL_NULL || (p->h->native && o->in == VAL_EMPTY_STRING))
		return bad_value(p, o, o->in, "value", "an item: it is what an empty one returns", e);
	return 0;
}

/* Takes an item: an output of "" (or nil) says that there was none. Unknown ones are kept, with any result. */
static int compile_take(struct part *p, struct op *o, struct lop *l, uint8_t code, struct err *e)
{
	l->code = code;
	if (l->unknown)
		return 0;
	if (hist_out(p->h, o, e))
		return -1;
	l->out = o->out == VAL_EMPTY_STRING ? VAL_NULL : o->out;
	l->readonly = l->out == VAL_NULL;
	return want_element(p, o, o->out, "output", e);
}

static int compile_give(struct part *p, struct op *o, struct lop *l, uint8_t code, struct err *e)
{
	l->code = code;
	l->a = o->in;
	return want_item(p, o, e);
}

/* Persistent lists: a state is (state before, last element); append, stack. */
static state_t node(struct machine *m, state_t before, val x)
{
	uint32_t w[2] = {before, x};

	return states_intern(&m->st, w, 2);
}

static state_t nodes_initial(struct machine *m)
{
	const struct values *v = m->part->h->v;
	val init = m->part->initial;
	state_t s = states_intern(&m->st, NULL, 0);

	for (uint32_t i = 0; init != VAL_NONE && i < val_len(v, init); i++)
		s = node(m, s, val_items(v, init)[i]);
	return s;
}

static void nodes_print(struct machine *m, state_t s, struct buf *b)
{
	val last[12];
	uint32_t n = 0, more = 0;

	for (; states_len(&m->st, s); s = states_words(&m->st, s)[0]) {
		if (n < 12)
			last[n++] = states_words(&m->st, s)[1];
		else
			more++;
	}
	buf_addc(b, '[');
	if (more)
		buf_addf(b, "%u more … ", more);
	while (n) {
		val_print(m->part->h->v, last[--n], b, 24);
		buf_adds(b, n ? " " : "");
	}
	buf_addc(b, ']');
}

static int compile_append(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (is(p, o, "append")) {
		l->code = C_APPEND;
		l->a = o->in;
		return want_element(p, o, o->in, "value", e);
	}
	if (l->unknown)
		return 1;
	l->code = C_READ_LIST;
	l->readonly = true;
	return want_list(p, o, l, e);
}

static state_t append_step(struct machine *m, state_t s, const struct lop *l)
{
	const struct part *p = m->part;
	state_t *t;

	if (l->code == C_APPEND)
		return node(m, s, l->a);
	if (!m->target) {
		m->target = xmalloc((p->n + 1) * sizeof *m->target);
		memset(m->target, 0xff, (p->n + 1) * sizeof *m->target);
	}
	t = &m->target[l - p->ops];
	if (*t == STATE_BAD) {
		*t = states_intern(&m->st, NULL, 0);
		for (uint32_t i = 0; i < l->nlist; i++)
			*t = node(m, *t, p->words[l->list + i]);
	}
	return *t == s ? s : STATE_BAD;
}

static const char *const append_fs[] = {"append", "read", NULL};
const struct model model_append = {
	.name = "append", .about = "an append-only list per key; read returns the whole list", .fs = append_fs,
	.flags = M_KEYED | M_LIST, .compile = compile_append, .initial = nodes_initial, .step = append_step,
	.print = nodes_print};

static int compile_queue(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	return is(p, o, "enqueue") ? compile_give(p, o, l, C_ENQ, e) : compile_take(p, o, l, C_DEQ, e);
}

/* The list with x put at the front or the back. */
static state_t list_put(struct machine *m, state_t s, val x, bool front)
{
	uint32_t n = states_len(&m->st, s), *w;

	buf_reset(&m->tmp);
	w = (uint32_t *)(void *)buf_reserve(&m->tmp, (n + 1) * sizeof *w);
	if (n)
		memcpy(w + front, states_words(&m->st, s), n * sizeof *w);
	w[front ? 0 : n] = x;
	return states_intern(&m->st, w, n + 1);
}

/* The list without its front or back, which must be what l returned. */
static state_t list_take(struct machine *m, state_t s, const struct lop *l, bool front)
{
	uint32_t n = states_len(&m->st, s);
	const uint32_t *w = states_words(&m->st, s);

	if (!n)
		return l->out == VAL_NULL || l->out == VAL_NONE ? s : STATE_BAD;
	if (l->out != VAL_NONE && l->out != w[front ? 0 : n - 1])
		return STATE_BAD;
	return states_intern(&m->st, w + front, n - 1);
}

static state_t queue_step(struct machine *m, state_t s, const struct lop *l)
{
	return l->code == C_ENQ ? list_put(m, s, l->a, false) : list_take(m, s, l, true);
}

static const char *const queue_fs[] = {"dequeue", "enqueue", NULL};
const struct model model_queue = {
	.name = "queue", .about = "a FIFO queue per key; dequeue returns \"\" when it is empty", .fs = queue_fs,
	.flags = M_KEYED | M_LIST, .compile = compile_queue, .initial = initial_list, .step = queue_step,
	.print = print_state_list};

static int compile_stack(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	return is(p, o, "push") ? compile_give(p, o, l, C_PUSH, e) : compile_take(p, o, l, C_POP, e);
}

static state_t stack_step(struct machine *m, state_t s, const struct lop *l)
{
	const uint32_t *w;

	if (l->code == C_PUSH)
		return node(m, s, l->a);
	if (!states_len(&m->st, s))
		return l->out == VAL_NULL || l->out == VAL_NONE ? s : STATE_BAD;
	w = states_words(&m->st, s);
	return l->out == VAL_NONE || l->out == w[1] ? w[0] : STATE_BAD;
}

static const char *const stack_fs[] = {"pop", "push", NULL};
const struct model model_stack = {
	.name = "stack", .about = "a LIFO stack per key; pop returns \"\" when it is empty", .fs = stack_fs,
	.flags = M_KEYED | M_LIST, .compile = compile_stack, .initial = nodes_initial, .step = stack_step,
	.print = nodes_print};

static int compile_deque(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (is(p, o, "push-front") || is(p, o, "push-back"))
		return compile_give(p, o, l, is(p, o, "push-front") ? C_PUSH_FRONT : C_PUSH_BACK, e);
	return compile_take(p, o, l, is(p, o, "pop-front") ? C_POP_FRONT : C_POP_BACK, e);
}

static state_t deque_step(struct machine *m, state_t s, const struct lop *l)
{
	if (l->code == C_PUSH_FRONT || l->code == C_PUSH_BACK)
		return list_put(m, s, l->a, l->code == C_PUSH_FRONT);
	return list_take(m, s, l, l->code == C_POP_FRONT);
}

static const char *const deque_fs[] = {"pop-back", "pop-front", "push-back", "push-front", NULL};
const struct model model_deque = {
	.name = "deque", .about = "a double-ended queue per key", .fs = deque_fs, .flags = M_KEYED | M_LIST,
	.compile = compile_deque, .initial = initial_list, .step = deque_step, .print = print_state_list,
	.doomed = deque_doomed};

static int compile_priority_queue(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (is(p, o, "delete-min")) {
		l->code = C_DELETE_MIN;
		if (l->unknown)
			return 0;
		if (hist_out(p->h, o, e))
			return -1;
		l->out = o->out == VAL_EMPTY_STRING ? VAL_NULL : o->out;
		l->readonly = l->out == VAL_NULL;
		if (l->out != VAL_NULL && !val_is_number(p->h->v, l->out) && !val_is_name(p->h->v, l->out))
			return bad_value(p, o, o->out, "output", "a number or a string", e);
		return 0;
	}
	l->code = C_INSERT;
	l->a = o->in;
	if (o->in == VAL_EMPTY_STRING || (!val_is_number(p->h->v, o->in) && !val_is_name(p->h->v, o->in)))
		return bad_value(p, o, o->in, "value", "a number or a string with a character in it", e);
	return 0;
}

static state_t priority_queue_step(struct machine *m, state_t s, const struct lop *l)
{
	uint32_t n = states_len(&m->st, s), *w, i;

	if (l->code == C_DELETE_MIN)
		return list_take(m, s, l, true);
	buf_reset(&m->tmp);
	w = (uint32_t *)(void *)buf_reserve(&m->tmp, (n + 1) * sizeof *w);
	if (n)
		memcpy(w, states_words(&m->st, s), n * sizeof *w);
	for (i = n; i && val_compare(m->part->h->v, w[i - 1], l->a) > 0; i--)
		w[i] = w[i - 1];
	w[i] = l->a;
	return states_intern(&m->st, w, n + 1);
}

static state_t priority_queue_initial(struct machine *m)
{
	state_t s = states_intern(&m->st, NULL, 0);
	val init = m->part->initial;

	for (uint32_t i = 0; init != VAL_NONE && i < val_len(m->part->h->v, init); i++)
		s = priority_queue_step(m, s, &(struct lop){.code = C_INSERT, .a = val_items(m->part->h->v, init)[i]});
	return s;
}

static const char *const priority_queue_fs[] = {"delete-min", "insert", NULL};
const struct model model_priority_queue = {
	.name = "priority-queue", .about = "insert, delete-min: numbers by value, strings by bytes", .fs = priority_queue_fs,
	.flags = M_KEYED | M_LIST, .compile = compile_priority_queue, .initial = priority_queue_initial,
	.step = priority_queue_step, .print = print_state_list};

static int by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t sort_unique(uint32_t *w, uint32_t n)
{
	uint32_t out = 0;

	if (n)
		qsort(w, n, sizeof *w, by_id);
	for (uint32_t i = 0; i < n; i++)
		if (!out || w[out - 1] != w[i])
			w[out++] = w[i];
	return out;
}

static int compile_set(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	if (is(p, o, "add")) {
		l->code = C_ADD;
		l->a = o->in;
		return want_element(p, o, o->in, "value", e);
	}
	if (l->unknown)
		return 1;
	l->code = C_READ_SET;
	l->readonly = true;
	if (want_list(p, o, l, e))
		return -1;
	l->nlist = sort_unique(p->words + l->list, l->nlist);
	return 0;
}

static state_t set_step(struct machine *m, state_t s, const struct lop *l)
{
	uint32_t n = states_len(&m->st, s), *w, i;
	const uint32_t *old = states_words(&m->st, s);

	if (l->code == C_READ_SET)
		return n == l->nlist && (!n || !memcmp(old, m->part->words + l->list, n * sizeof *old)) ? s : STATE_BAD;
	buf_reset(&m->tmp);
	w = (uint32_t *)(void *)buf_reserve(&m->tmp, (n + 1) * sizeof *w);
	for (i = 0; i < n && old[i] < l->a; i++)
		w[i] = old[i];
	if (i < n && old[i] == l->a)
		return s;
	w[i] = l->a;
	if (i < n)
		memcpy(w + i + 1, old + i, (n - i) * sizeof *w);
	return states_intern(&m->st, w, n + 1);
}

static state_t set_initial(struct machine *m)
{
	state_t s = states_intern(&m->st, NULL, 0);
	val init = m->part->initial;

	for (uint32_t i = 0; init != VAL_NONE && i < val_len(m->part->h->v, init); i++)
		s = set_step(m, s, &(struct lop){.code = C_ADD, .a = val_items(m->part->h->v, init)[i]});
	return s;
}

static void set_print(struct machine *m, state_t s, struct buf *b)
{
	print_state_list(m, s, b);
}

static const char *const set_fs[] = {"add", "read", NULL};
const struct model model_set = {
	.name = "set", .about = "a grow-only set per key; read returns the members", .fs = set_fs,
	.flags = M_KEYED | M_LIST, .compile = compile_set, .initial = set_initial, .step = set_step, .print = set_print};
