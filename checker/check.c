#include "checker/check.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_initial(struct check *c, struct err *e)
{
	struct scan s;
	int r;

	c->initial = VAL_NONE;
	if (!c->opt->initial)
		return 0;
	s = (struct scan){.p = c->opt->initial, .end = c->opt->initial + strlen(c->opt->initial), .text = c->opt->initial,
	                  .name = "-initial", .e = e};
	r = c->h->format == FMT_JSON ? json_read(&s, c->h->v, &c->initial) : edn_read(&s, c->h->v, &c->initial);
	if (r)
		return -1;
	edn_space(&s);
	return s.p < s.end ? scan_fail(&s, s.p, "one value") : 0;
}

static int by_position(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* How many completed operations of a part overlap at most; and how many are unknown. */
static uint32_t part_concurrency(const struct part *p, uint32_t *unknown)
{
	uint64_t *t = xnewn(uint64_t, 2 * (size_t)p->n + 1);
	uint32_t n = 0, open = 0, max = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		*unknown += p->ops[i].unknown;
		if (p->ops[i].unknown)
			continue;
		t[n++] = (uint64_t)p->ops[i].call << 1;
		if (p->ops[i].ret != NEVER)
			t[n++] = (uint64_t)p->ops[i].ret << 1 | 1;
	}
	qsort(t, n, sizeof *t, by_position);
	for (uint32_t i = 0; i < n; i++) {
		open += t[i] & 1 ? -1u : 1u;
		max = MAX(max, open);
	}
	free(t);
	return max;
}

static void warn(struct check *c)
{
	uint32_t most = 0, unknown = 0;

	if (c->model->flags & (M_TXN | M_ANALYSIS))
		return;
	for (uint32_t i = 0; i < c->parts.n && (c->h->max_concurrency > 24 || c->h->nunknown + c->h->npending > 24); i++) {
		uint32_t u = 0, open = part_concurrency(&c->parts.part[i], &u);
		most = MAX(most, open);
		unknown = MAX(unknown, u);
	}
	/* What makes a search hard is how many operations can be next: those that overlap and the unknown ones. Models with a
	 * monitor are mostly decided without a search. */
	if (most > 24 || unknown > 24)
		buf_addf(&c->warnings, "warning: up to %u operations at once and %u of unknown outcome on one key: if it takes a "
		                       "search, that may end without a verdict\n", most, unknown);
	if (c->order & ORDER_PROCESS && c->parts.n > 1)
		buf_adds(&c->warnings, "note: process order is not local to a key: all keys are checked together\n");
}

/* Nothing but the operations of the model; f may be missing in transactions of other tools. */
int check_prepare(struct check *c, struct history *h, const struct check_options *opt, struct err *e, uint32_t *line)
{
	*c = (struct check){.opt = opt, .h = h};
	*line = 0;
	c->model = opt->own;
	if (!c->model && opt->model && !(c->model = model_find(opt->model)))
		return err_set(e, 0, "there is no model '%s'", opt->model);
	if (!c->model) {
		c->model = model_guess(h);
		c->guessed = c->model != NULL;
		if (!c->model)
			c->model = &model_kv;
	}
	if (read_initial(c, e))
		return -1;
	c->order = opt->order ? opt->order : h->ordered ? ORDER_REALTIME | ORDER_EXPLICIT : ORDER_EXPLICIT;
	if (c->order & ORDER_REALTIME && h->whole && !h->timed)
		c->order &= ~(unsigned)ORDER_REALTIME; /* there is none in the file */
	if (!(c->model->flags & (M_TXN | M_ANALYSIS)) &&
	    parts_build(&c->parts, h, c->model, c->initial, c->order, e, line))
		return -1;
	warn(c);
	return 0;
}

static void summarise(struct check *c)
{
	const char *what = c->model->flags & M_TXN ? "transactions" : "operations";
	struct buf why = {0};
	size_t n = 0;

	if (c->model->flags & M_TXN) {
		for (uint32_t i = 0; i < c->txn.n; i++)
			if (c->txn.anomaly[i].levels & 1u << c->opt->consistency)
				buf_addf(&why, "%s%s", n++ ? ", " : "", c->txn.anomaly[i].name);
	} else if (c->model->flags & M_ANALYSIS) {
		for (uint32_t i = 0; i < c->an.n; i++)
			buf_addf(&why, "%s%s", i ? ", " : "", c->an.finding[i].kind);
	} else if (c->lin.global && c->lin.whole.verdict == NOT_LINEARIZABLE) {
		buf_adds(&why, c->lin.whole.words.data ? c->lin.whole.words.data : "");
	} else {
		for (uint32_t i = 0; i < c->lin.n && !why.len; i++)
			if (c->lin.part[i].verdict == NOT_LINEARIZABLE && c->lin.part[i].words.data)
				buf_adds(&why, c->lin.part[i].words.data);
	}
	snprintf(c->summary, sizeof c->summary, "history of %u %s is %s%s%s%s%s", c->h->n, what, verdict_word(c),
	         c->model->flags & M_TXN ? "" : " (model ", c->model->flags & M_TXN ? "" : c->model->name,
	         c->model->flags & M_TXN ? "" : ")", "");
	if (c->verdict == NOT_LINEARIZABLE && why.len) {
		n = strlen(c->summary);
		snprintf(c->summary + n, sizeof c->summary - n, ": %s", why.data);
	}
	buf_clear(&why);
}

int check_run(struct check *c, struct err *e, uint32_t *line)
{
	struct analysis_options ao = {.initial = c->initial, .group = c->opt->group,
	                              .negative_balances = c->opt->negative_balances};

	*line = 0;
	if (c->model->flags & M_TXN) {
		if (txn_check(c->model, c->h, c->opt->consistency, c->initial, &c->txn, e, line))
			return -1;
		c->verdict = c->txn.verdict;
	} else if (c->model->flags & M_ANALYSIS) {
		if (analyse(c->model, c->h, &ao, &c->an, e, line))
			return -1;
		c->verdict = c->an.verdict;
	} else {
		linear_check(&c->parts, &c->opt->limits, &c->lin);
		if (c->opt->checked)
			c->opt->checked(c->opt->checked_arg);
		linear_explain(&c->opt->limits, &c->lin);
		c->verdict = c->lin.verdict;
	}
	summarise(c);
	return 0;
}

void check_clear(struct check *c)
{
	linear_clear(&c->lin);
	parts_clear(&c->parts);
	txn_clear(&c->txn);
	analysis_clear(&c->an);
	buf_clear(&c->warnings);
}
