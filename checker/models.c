#include "checker/spec.h"

#include "checker/model.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const struct model *const models[] = {
	&model_kv, &model_cas, &model_kv_append, &model_register, &model_cas_register, &model_append, &model_queue,
	&model_stack, &model_deque, &model_priority_queue, &model_set, &model_counter, &model_mutex, &model_owner_mutex,
	&model_reentrant_mutex, &model_fenced_mutex, &model_reentrant_fenced_mutex, &model_semaphore,
	&model_multi_register, &model_lease, &model_watch, &model_log, &model_ids, &model_list_append,
	&model_rw_register, &model_bank, &model_long_fork, NULL,
};

const struct model *model_find(const char *name)
{
	if (!strcmp(name, "lock"))
		name = "owner-mutex";
	for (size_t i = 0; models[i]; i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

int bad_value(struct part *p, const struct op *o, val x, const char *what, const char *expected, struct err *e)
{
	const struct values *v = p->h->v;
	struct buf b = {0};

	val_print(v, x, &b, 60);
	err_set(e, 0, "history (model %s): operation \"%s\": %s %s is not %s", p->model->name,
	        val_is_name(v, o->f) ? val_bytes(v, o->f) : "?", what, b.data, expected);
	buf_clear(&b);
	return -1;
}

/* An element or a register's value: in simrun's own histories a string, in files of other tools anything. */
int want_element(struct part *p, const struct op *o, val x, const char *what, struct err *e)
{
	if (p->h->native && (x == VAL_NONE || val_kind(p->h->v, x) != V_STRING))
		return bad_value(p, o, x, what, "a string", e);
	return 0;
}

/* The output of o as a list of elements. */
int want_list(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	const struct values *v = p->h->v;
	enum val_kind k;

	if (hist_out(p->h, o, e))
		return -1;
	if (o->out == VAL_NULL) {
		l->list = part_words(p, NULL, 0);
		return 0;
	}
	k = val_kind(v, o->out);
	if (k != V_ARRAY && k != V_SET)
		return bad_value(p, o, o->out, "output", "a list", e);
	for (uint32_t i = 0; i < val_len(v, o->out); i++)
		if (want_element(p, o, val_items(v, o->out)[i], "output's element", e))
			return -1;
	l->nlist = val_len(v, o->out);
	l->list = part_words(p, val_items(v, o->out), l->nlist);
	return 0;
}

static bool has_operation(const struct model *m, const struct values *v, val f)
{
	for (size_t i = 0; m->fs[i]; i++)
		if (val_named(v, f, m->fs[i]))
			return true;
	return false;
}

static int unknown_operation(struct part *p, const struct op *o, struct err *e)
{
	struct buf b = {0}, name = {0};

	for (size_t i = 0; p->model->fs[i]; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", p->model->fs[i]);
	if (val_is_name(p->h->v, o->f))
		buf_add_escaped(&name, val_bytes(p->h->v, o->f), val_len(p->h->v, o->f));
	err_set(e, 0, "history (model %s): operation \"%s\" is not one of %s", p->model->name, name.data ? name.data : "",
	        b.data);
	buf_clear(&b);
	buf_clear(&name);
	return -1;
}

int part_add(struct part *p, struct op *o, struct err *e)
{
	struct lop *l = &p->ops[p->n];
	int r;

	if (!has_operation(p->model, p->h->v, o->f))
		return unknown_operation(p, o, e);
	*l = (struct lop){.op = (uint32_t)(o - p->h->ops), .call = o->call, .ret = o->ret, .out = VAL_NONE,
	                  .unknown = o->status != OP_OK};
	if (hist_in(p->h, o, e))
		return -1;
	r = p->model->compile(p, o, l, e);
	if (r < 0)
		return -1;
	if (r || o->status == OP_FAILED) { /* a failed operation is checked for its type, and did not happen */
		p->dropped++;
		return 0;
	}
	p->n++;
	return 0;
}

void machine_clear(struct machine *m)
{
	states_clear(&m->st);
	free(m->target);
	for (uint32_t i = 0; m->subs && i < m->part->nsubs; i++)
		machine_clear(&m->subs[i]);
	free(m->subs);
	if (m->part && m->part->model->user)
		for (uint32_t i = 0; i < m->nuser; i++)
			m->part->model->user->release(m->user[i]);
	free(m->user);
	buf_clear(&m->tmp);
}

int model_check_initial(const struct model *m, const struct values *v, val initial, struct err *e)
{
	if (initial == VAL_NONE)
		return 0;
	if (m->flags & M_LIST && val_kind(v, initial) != V_ARRAY)
		return err_set(e, 0, "model %s: the initial value is not a list", m->name);
	if ((m == &model_counter || m == &model_semaphore) && !val_is_int(v, initial))
		return err_set(e, 0, "model %s: the initial value is not an integer", m->name);
	if (m == &model_multi_register && val_kind(v, initial) != V_MAP)
		return err_set(e, 0, "model %s: the initial value is not an object", m->name);
	if ((m == &model_kv || m == &model_kv_append) && val_kind(v, initial) != V_STRING)
		return err_set(e, 0, "model %s: the initial value is not a string", m->name);
	return 0;
}

state_t initial_list(struct machine *m)
{
	val init = m->part->initial;

	if (init == VAL_NONE)
		return states_intern(&m->st, NULL, 0);
	return states_intern(&m->st, val_items(m->part->h->v, init), val_len(m->part->h->v, init));
}

void print_state_list(struct machine *m, state_t s, struct buf *b)
{
	buf_addc(b, '[');
	for (uint32_t i = 0; i < states_len(&m->st, s); i++) {
		if (i == 12) {
			buf_addf(b, " … %u more", states_len(&m->st, s) - i);
			break;
		}
		buf_adds(b, i ? " " : "");
		val_print(m->part->h->v, states_words(&m->st, s)[i], b, 24);
	}
	buf_addc(b, ']');
}
