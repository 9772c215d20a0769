/* The result for people. */
#include "checker/check.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WITNESS_SHOWN = 40, KEYS_SHOWN = 20 };

const char *verdict_word(const struct check *c)
{
	bool yes = c->verdict == LINEARIZABLE, no = c->verdict == NOT_LINEARIZABLE;

	if (c->verdict == UNDECIDED)
		return "undecided";
	if (c->model->flags & M_TXN) {
		static char word[2][64];
		snprintf(word[no], sizeof word[no], "%s%s", no ? "not " : "", level_name(c->opt->consistency));
		return word[no];
	}
	if (c->model->flags & M_ANALYSIS)
		return yes ? "valid" : "not valid";
	if (c->order & ORDER_REALTIME)
		return yes ? "linearizable" : "not linearizable";
	if (c->order & ORDER_PROCESS)
		return yes ? "sequentially consistent" : "not sequentially consistent";
	return yes ? "consistent with the given order" : "not consistent with the given order";
}

static void count(struct buf *b, uint32_t n, const char *what, bool *first)
{
	if (!n)
		return;
	buf_addf(b, "%s%u %s", *first ? "" : ", ", n, what);
	*first = false;
}

/* What a user asks first: sizes, processes, keys, concurrency, unknowns; the model and the order. */
void report_head(const struct check *c, struct buf *b)
{
	const struct history *h = c->h;
	bool first = true;

	buf_addf(b, "history   %s: %s, %u operations (", h->name, hist_format_name(h), h->n);
	count(b, h->nok, "ok", &first);
	count(b, h->nunknown, "unknown", &first);
	count(b, h->npending, "without return", &first);
	count(b, h->nfailed, "failed", &first);
	buf_addf(b, "%s), %u process%s", first ? "none" : "", h->nprocesses, h->nprocesses == 1 ? "" : "es");
	if (c->parts.n && c->model->flags & M_KEYED)
		buf_addf(b, ", %u key%s", c->parts.n, c->parts.n == 1 ? "" : "s");
	buf_addf(b, ", at most %u at once\n", h->max_concurrency);
	if (h->nskipped)
		buf_addf(b, "          %u events of the nemesis left out\n", h->nskipped);
	buf_addf(b, "model     %s%s", c->model->name, c->guessed ? " (guessed from the operations)" : "");
	if (c->initial != VAL_NONE) {
		buf_adds(b, ", initial value ");
		val_print(h->v, c->initial, b, 60);
	}
	buf_addc(b, '\n');
	if (c->model->flags & M_TXN) {
		buf_addf(b, "level     %s\n", level_name(c->opt->consistency));
		return;
	}
	if (c->model->flags & M_ANALYSIS)
		return;
	buf_addf(b, "order     %s%s%s%s\n", c->order & ORDER_REALTIME ? "real time" : c->order & ORDER_PROCESS ? "each process's own" :
	         c->order & ORDER_EXPLICIT && h->nedges ? "" : "none",
	         c->order & ORDER_EXPLICIT && h->nedges ? (c->order & (ORDER_REALTIME | ORDER_PROCESS) ? " and " : "") : "",
	         c->order & ORDER_EXPLICIT && h->nedges ? "the \"after\" edges" : "",
	         c->order == ORDER_EXPLICIT && !c->opt->order && h->nedges ? " (the history has no times)" : "");
}

static void print_key(const struct part_result *r, struct buf *b)
{
	const struct part *p = r->part;

	if (p->subs) {
		buf_adds(b, "all keys");
	} else if (p->model->flags & M_KEYED && p->key != VAL_NULL) {
		buf_adds(b, "key ");
		val_print(p->h->v, p->key, b, 40);
	} else {
		buf_adds(b, "history");
	}
}

/* The order, replayed step by step with the state after each. */
static void witness(const struct check *c, const struct part_result *r, struct buf *b)
{
	const struct part *p = r->part;
	uint32_t shown = c->opt->all_events ? r->norder : MIN(r->norder, WITNESS_SHOWN);
	struct machine m;
	state_t s;

	machine_init(&m, p);
	s = p->model->initial(&m);
	for (uint32_t i = 0; i < shown; i++) {
		struct buf line = {0};
		state_t before = s;
		hist_describe(p->h, op_of_lop(p, r->order[i]), &line);
		s = p->model->step(&m, s, &p->ops[r->order[i]]);
		buf_addf(b, "  %4u. %-44s ", i + 1, line.data);
		if (s == before) {
			buf_adds(b, "= ");
		} else {
			p->model->print(&m, before, b);
			buf_adds(b, " -> ");
		}
		p->model->print(&m, s, b);
		buf_addc(b, '\n');
		buf_clear(&line);
	}
	if (shown < r->norder)
		buf_addf(b, "        … %u more (all with -v, or in -json)\n", r->norder - shown);
	machine_clear(&m);
}

static void violation(const struct check *c, const struct part_result *r, struct buf *b)
{
	const struct part *p = r->part;

	print_key(r, b);
	buf_addf(b, " (%u operations): %s\n", p->n, c->order & ORDER_REALTIME ? "not linearizable" : "violates the order");
	if (r->words.len)
		buf_addf(b, "  reason: %s\n", r->words.data);
	if (r->ncore) {
		buf_addf(b, "  %s failing history, %u of %u operations:\n", r->core_minimal ? "smallest" : "a small", r->ncore, p->n);
		for (uint32_t i = 0; i < r->ncore; i++) {
			if (i == WITNESS_SHOWN && !c->opt->all_events) {
				buf_addf(b, "    … %u more\n", r->ncore - i);
				break;
			}
			buf_adds(b, "    ");
			describe_lop(p, r->core[i], b);
			buf_addc(b, '\n');
		}
	}
	if (r->prefix_line)
		buf_addf(b, "  longest linearizable prefix: before line %u, %u of %u operations invoked\n", r->prefix_line, r->prefix,
		         p->n);
}

static void undecided(const struct part_result *r, struct buf *b)
{
	print_key(r, b);
	buf_addf(b, " (%u operations): undecided after %" PRIu64 " configurations%s; the longest attempt left out %u operations\n",
	         r->part->n, r->visited, r->out_of_memory ? " (memory: -memory)" : r->out_of_time ? " (time: -timeout)" : "", r->left);
}

static void linear(const struct check *c, struct buf *b)
{
	const struct linear_result *l = &c->lin;
	uint32_t ok = l->n - l->nbad - l->nundecided, shown = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->part[i].verdict == NOT_LINEARIZABLE)
			violation(c, &l->part[i], b);
	for (uint32_t i = 0; i < l->n; i++)
		if (l->part[i].verdict == UNDECIDED)
			undecided(&l->part[i], b);
	if (l->global && l->whole.verdict == NOT_LINEARIZABLE)
		violation(c, &l->whole, b);
	if (l->global && l->whole.verdict == UNDECIDED)
		undecided(&l->whole, b);
	if (l->global && l->whole.verdict == LINEARIZABLE) {
		buf_addf(b, "all keys: a witness order of %u operations\n", l->whole.norder);
		witness(c, &l->whole, b);
		return;
	}
	if (l->nbad || l->nundecided || l->global) {
		if (ok && l->n > 1)
			buf_addf(b, "%u other key%s: linearizable\n", ok, ok == 1 ? "" : "s");
		return;
	}
	for (uint32_t i = 0; i < l->n && (shown < KEYS_SHOWN || c->opt->all_events); i++, shown++) {
		print_key(&l->part[i], b);
		buf_addf(b, " (%u operations): %s, witness order:\n", l->part[i].part->n, verdict_word(c));
		witness(c, &l->part[i], b);
	}
	if (shown < l->n)
		buf_addf(b, "%u more keys: linearizable (all with -v, or in -json)\n", l->n - shown);
}

static void transactions(const struct check *c, struct buf *b)
{
	for (uint32_t i = 0; i < c->txn.n; i++) {
		const struct anomaly *a = &c->txn.anomaly[i];
		buf_addf(b, "%s: %s\n", a->name, a->text);
		if (!(a->levels >> c->opt->consistency & 1))
			buf_addf(b, "  (allowed by %s)\n", level_name(c->opt->consistency));
		if (a->count > 1)
			buf_addf(b, "  (%" PRIu64 " of this kind)\n", a->count);
	}
	if (c->txn.note.len)
		buf_addf(b, "%s\n", c->txn.note.data);
	buf_adds(b, "strongest level compatible with the history: ");
	txn_strongest(&c->txn, b);
	buf_addc(b, '\n');
}

void report_text(const struct check *c, struct buf *b)
{
	if (c->model->flags & M_TXN) {
		transactions(c, b);
	} else if (c->model->flags & M_ANALYSIS) {
		for (uint32_t i = 0; i < c->an.n; i++)
			buf_addf(b, "%s: %s%s\n", c->an.finding[i].kind, c->an.finding[i].text,
			         c->an.finding[i].count > 1 ? " (and more of this kind)" : "");
		if (c->an.note.len)
			buf_addf(b, "%s\n", c->an.note.data);
	} else {
		linear(c, b);
	}
	buf_addf(b, "%s  %s\n", c->verdict == LINEARIZABLE ? "ok   " : c->verdict == UNDECIDED ? "UNKNOWN" : "FAIL ", c->summary);
}
