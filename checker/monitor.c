#include "checker/monitor.h"

void not_linearizable(struct found *f, struct reason *r, enum why why, val value, uint32_t nop, const uint32_t *ops)
{
	*r = (struct reason){.why = why, .value = value, .nop = nop};
	for (uint32_t i = 0; i < nop; i++)
		r->op[i] = ops[i];
	f->verdict = NOT_LINEARIZABLE;
}

void monitor(const struct part *p, struct found *f, struct reason *r)
{
	*f = (struct found){.verdict = UNDECIDED};
	*r = (struct reason){.value = VAL_NONE};
	if (p->subs)
		return;
	if (p->model == &model_kv || p->model == &model_cas || p->model == &model_register || p->model == &model_cas_register ||
	    p->model == &model_append || p->model == &model_kv_append)
		monitor_zones(p, f, r);
	else if (p->model == &model_queue)
		monitor_fifo(p, f, r);
	else if (p->model == &model_stack)
		monitor_lifo(p, f, r);
	else if (p->model == &model_counter)
		monitor_counter(p, f, r);
	else if (p->model == &model_set)
		monitor_set(p, f, r);
}
