/* A user's own model from a shared object (model.h). */
#include "checker/user.h"

#include "base/mem.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(struct part *p, val x)
{
	struct buf b = {0};

	val_json(p->h->v, x, &b);
	return b.data;
}

/* What the model sees of an operation; lives as long as the part (in part.user_ops). */
static int compile(struct part *p, struct op *o, struct lop *l, struct err *e)
{
	struct values *v = p->h->v;
	struct simrun_op u = {.id = o->id, .status = l->unknown ? SIMRUN_UNKNOWN : SIMRUN_OK};
	const struct simrun_model *m = p->model->user;
	const char *wrong;

	if (!l->unknown && hist_out(p->h, o, e))
		return -1;
	u.f = xstrdup(val_bytes(v, o->f));
	u.key = text_of(p, o->key);
	u.input = text_of(p, o->in);
	u.process = text_of(p, o->process);
	u.output = l->unknown ? NULL : text_of(p, o->out);
	u.input_is_int = val_is_int(v, o->in);
	u.input_int = u.input_is_int ? v->nodes[o->in].i : 0;
	u.output_is_int = !l->unknown && val_is_int(v, o->out);
	u.output_int = u.output_is_int ? v->nodes[o->out].i : 0;
	wrong = m->check ? m->check(&u) : NULL;
	if (wrong)
		return err_set(e, 0, "history (model %s): operation \"%s\": %s", m->name, u.f, wrong);
	l->code = C_USER;
	l->readonly = m->readonly && m->readonly(&u);
	l->list = p->nuser_ops;
	p->user_ops = xrealloc(p->user_ops, (p->nuser_ops + 1) * sizeof *p->user_ops);
	p->user_ops[p->nuser_ops] = xmemdup(&u, sizeof u);
	p->nuser_ops++;
	return l->unknown && l->readonly;
}

/* The number of a state; a new pointer that equals an old one is released. */
static state_t intern(struct machine *m, void *s)
{
	const struct simrun_model *u = m->part->model->user;
	uint64_t h = u->hash(s);
	uint32_t w[3] = {(uint32_t)h, (uint32_t)(h >> 32), 0};

	/* Entries of the store are (hash, number among those of this hash). */
	for (;; w[2]++) {
		uint32_t before = m->st.n;
		state_t x = states_intern(&m->st, w, 3);
		if (m->st.n != before) {
			if (m->nuser == m->user_cap) {
				m->user_cap = m->user_cap * 2 + 64;
				m->user = xrealloc(m->user, m->user_cap * sizeof *m->user);
			}
			m->user[m->nuser++] = s;
			return x;
		}
		if (m->user[x] == s)
			return x;
		if (u->equal(m->user[x], s)) {
			u->release(s);
			return x;
		}
	}
}

static state_t initial(struct machine *m)
{
	const struct part *p = m->part;
	struct buf b = {0};
	void *s;

	if (p->initial != VAL_NONE)
		val_json(p->h->v, p->initial, &b);
	s = p->model->user->init(b.data);
	buf_clear(&b);
	ENSURE(s != NULL);
	return intern(m, s);
}

static state_t step(struct machine *m, state_t s, const struct lop *l)
{
	void *next = m->part->model->user->step(m->user[s], m->part->user_ops[l->list]);

	if (!next)
		return l->unknown ? s : STATE_BAD;
	return next == m->user[s] ? s : intern(m, next);
}

static void print(struct machine *m, state_t s, struct buf *b)
{
	char text[256] = "";

	m->part->model->user->print(m->user[s], text, sizeof text);
	text[sizeof text - 1] = 0;
	buf_adds(b, text);
}

const struct model *model_load(const char *path, struct err *e)
{
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct simrun_model *u;
	struct model *m;

	if (!so) {
		err_set(e, 0, "cannot load model '%s': %s", path, dlerror());
		return NULL;
	}
	u = dlsym(so, "simrun_model");
	if (!u || u->abi != SIMRUN_MODEL_ABI) {
		err_set(e, 0, "'%s' %s", path, u ? "is made for another version of the model interface" :
		                                   "does not export simrun_model");
		return NULL;
	}
	if (!u->name || !u->operations || !u->init || !u->step || !u->equal || !u->hash || !u->print || !u->release) {
		err_set(e, 0, "'%s': a function of simrun_model is missing", path);
		return NULL;
	}
	m = xnew(struct model);
	*m = (struct model){.name = u->name, .about = path, .fs = u->operations, .compile = compile, .initial = initial,
	                    .flags = u->whole_history ? 0 : M_KEYED, .step = step, .print = print, .user = u};
	return m;
}

void user_ops_clear(struct part *p)
{
	for (uint32_t i = 0; i < p->nuser_ops; i++) {
		struct simrun_op *u = p->user_ops[i];
		free((char *)(uintptr_t)u->f);
		free((char *)(uintptr_t)u->key);
		free((char *)(uintptr_t)u->input);
		free((char *)(uintptr_t)u->output);
		free((char *)(uintptr_t)u->process);
		free(u);
	}
	free(p->user_ops);
	p->user_ops = NULL;
	p->nuser_ops = 0;
}
