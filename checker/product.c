/* Several keys as one object: the state is the list of the keys' states. */
#include "checker/spec.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static state_t initial(struct machine *m)
{
	const struct part *p = m->part;
	uint32_t *w = xnewn(uint32_t, p->nsubs + 1);
	state_t s;

	m->subs = xnewn(struct machine, p->nsubs);
	for (uint32_t i = 0; i < p->nsubs; i++) {
		machine_init(&m->subs[i], p->subs[i]);
		w[i] = p->subs[i]->model->initial(&m->subs[i]);
	}
	s = states_intern(&m->st, w, p->nsubs);
	free(w);
	return s;
}

static state_t step(struct machine *m, state_t s, const struct lop *l)
{
	const struct part *p = m->part, *sub = p->subs[l->list];
	state_t old = states_words(&m->st, s)[l->list];
	state_t next = sub->model->step(&m->subs[l->list], old, &sub->ops[l->nlist]);
	uint32_t *w;

	if (next == old || next == STATE_BAD)
		return next == old ? s : STATE_BAD;
	buf_reset(&m->tmp);
	w = (uint32_t *)(void *)buf_reserve(&m->tmp, p->nsubs * sizeof *w);
	memcpy(w, states_words(&m->st, s), p->nsubs * sizeof *w);
	w[l->list] = next;
	return states_intern(&m->st, w, p->nsubs);
}

static void print(struct machine *m, state_t s, struct buf *b)
{
	const struct part *p = m->part;

	for (uint32_t i = 0; i < p->nsubs && i < 8; i++) {
		buf_adds(b, i ? "  " : "");
		val_print(p->h->v, p->subs[i]->key, b, 20);
		buf_adds(b, ": ");
		p->subs[i]->model->print(&m->subs[i], states_words(&m->st, s)[i], b);
	}
}

static const char *const fs[] = {NULL};
const struct model model_product = {
	.name = "all keys", .about = "", .fs = fs, .initial = initial, .step = step, .print = print};
