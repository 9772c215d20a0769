#include "checker/search.h"

#include "base/mem.h"

#include <stdlib.h>

/* Edges, also through unknown operations that did not take effect: what is before one of those is before all after it.
 * pos: place in the order, NEVER when absent. */
static bool edges_hold(const struct part *p, const uint32_t *pos)
{
	uint32_t *after = xnewn(uint32_t, p->n + 1); /* 1 + latest place that must come before */
	bool changed = true, ok = true;

	while (changed && ok) { /* chains of absent operations are short: few rounds */
		changed = false;
		for (size_t i = 0; i < p->nedges && ok; i++) {
			uint32_t from = p->edges[i].from, to = p->edges[i].to;
			uint32_t least = pos[from] != NEVER ? pos[from] + 1 : after[from];
			if (least > after[to]) {
				after[to] = least;
				changed = true;
			}
			if (pos[to] != NEVER && pos[to] < after[to])
				ok = false;
		}
	}
	free(after);
	return ok;
}

const char *verify_order(const struct part *p, const uint32_t *order, uint32_t n)
{
	uint32_t *pos = xmalloc((p->n + 1) * sizeof *pos), latest_call = 0;
	struct machine m;
	const char *wrong = NULL;
	state_t s;

	for (uint32_t i = 0; i < p->n; i++)
		pos[i] = NEVER;
	machine_init(&m, p);
	s = p->model->initial(&m);
	for (uint32_t i = 0; i < n && !wrong; i++) {
		const struct lop *l = &p->ops[order[i]];
		if (order[i] >= p->n || pos[order[i]] != NEVER) {
			wrong = "an operation takes effect twice";
			break;
		}
		pos[order[i]] = i;
		if (p->realtime && l->ret < latest_call)
			wrong = "an operation takes effect after one that was invoked when it had returned";
		latest_call = MAX(latest_call, p->realtime ? l->call : 0);
		s = p->model->step(&m, s, l);
		if (s == STATE_BAD)
			wrong = "a step is impossible";
	}
	for (uint32_t i = 0; i < p->n && !wrong; i++)
		if (!p->ops[i].unknown && pos[i] == NEVER)
			wrong = "a completed operation is missing";
	if (!wrong && p->nedges && !edges_hold(p, pos))
		wrong = "an \"after\" edge is not respected";
	machine_clear(&m);
	free(pos);
	return wrong;
}
