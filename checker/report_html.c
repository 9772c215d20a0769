/* The timeline: the history and what was found in it as data for the page. */
#include "checker/check.h"

#include "checker/timeline_page.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_SHOWN = 20000, PARTS_SHOWN = 200 };

static void string(struct buf *b, const char *s)
{
	text_json(b, s ? s : "", s ? strlen(s) : 0);
}

static void name_of(const struct values *v, val x, struct buf *b)
{
	struct buf t = {0};

	if (x == VAL_NULL)
		buf_adds(&t, "-");
	else if (val_is_name(v, x))
		buf_adds(&t, val_bytes(v, x));
	else
		val_print(v, x, &t, 40);
	string(b, t.data);
	buf_clear(&t);
}

/* Numbers for values (processes, keys) in order of first use, and their names as an array. */
static uint32_t *number(const struct check *c, bool keys, struct buf *b)
{
	const struct history *h = c->h;
	uint32_t *no = xmalloc((h->v->len + 1) * sizeof *no), n = 0;

	memset(no, 0xff, (h->v->len + 1) * sizeof *no);
	buf_addc(b, '[');
	for (uint32_t i = 0; i < h->n; i++) {
		val x = keys ? h->ops[i].key : h->ops[i].process;
		if (no[x] != UINT32_MAX)
			continue;
		no[x] = n++;
		buf_adds(b, n > 1 ? "," : "");
		name_of(h->v, x, b);
	}
	buf_addc(b, ']');
	return no;
}

static void label(const struct history *h, const struct op *o, bool transactions, struct buf *b)
{
	struct buf t = {0};
	const char *colon;

	if (transactions) {
		hist_describe_txn(h, o, &t);
		string(b, t.data);
		buf_clear(&t);
		return;
	}
	hist_describe(h, o, &t);
	colon = strstr(t.data, ": "); /* without the process: the row says it */
	string(b, colon ? colon + 2 : t.data);
	buf_clear(&t);
}

static void operations(const struct check *c, const uint32_t *proc, const uint32_t *key, struct buf *b)
{
	const struct history *h = c->h;
	uint32_t pmax = 1;
	int64_t tmin = INT64_MAX, tmax = INT64_MIN;

	buf_adds(b, "\"ops\":[");
	for (uint32_t i = 0; i < h->n; i++) {
		const struct op *o = &h->ops[i];
		uint32_t call = h->ordered ? o->call : 2 * i + 1, ret = h->ordered ? o->ret : 2 * i + 2;
		bool never = o->ret == NEVER && h->ordered;
		buf_addf(b, "%s[%u,%u,%u,%d,", i ? "," : "", proc[o->process], key[o->key], call, never ? -1 : (int)ret);
		if (o->call_time != TIME_NONE)
			buf_addf(b, "%" PRId64 ",", o->call_time);
		else
			buf_adds(b, "null,");
		if (o->ret_time != TIME_NONE && o->status != OP_UNKNOWN)
			buf_addf(b, "%" PRId64 ",", o->ret_time);
		else
			buf_adds(b, "null,");
		label(h, o, c->model->flags & M_TXN, b);
		buf_addf(b, ",%d,\"%u", o->status == OP_OK ? 0 : o->status == OP_FAILED ? 2 : 1, o->line);
		if (o->ret_line && o->ret_line != o->line)
			buf_addf(b, "–%u", o->ret_line);
		buf_adds(b, "\"]");
		pmax = MAX(pmax, never ? call + 1 : MAX(call, ret));
		if (o->call_time != TIME_NONE) {
			tmin = MIN(tmin, o->call_time);
			tmax = MAX(tmax, MAX(o->call_time, o->ret_time));
		}
	}
	buf_addf(b, "],\n\"pmax\":%u,\"tmin\":%" PRId64 ",\"tmax\":%" PRId64 ",\"timed\":%s,\"ns\":%s,", pmax + 1,
		tmin == INT64_MAX ? 0 : tmin,
	         tmax == INT64_MIN ? 1 : tmax + 1, h->timed ? "true" : "false", h->timed && tmax - tmin > 10000000 ? "true" : "false");
}

static void op_list(const struct part *p, const char *name, const uint32_t *l, uint32_t n, struct buf *b)
{
	buf_addf(b, ",\"%s\":[", name);
	for (uint32_t i = 0; i < n; i++)
		buf_addf(b, "%s%u", i ? "," : "", p->ops[l[i]].op);
	buf_addc(b, ']');
}

/* The order of a witness or of a partial linearization, with the state after each step. */
static void order_list(const struct part *p, const uint32_t *l, uint32_t n, struct buf *b)
{
	struct machine m;
	struct buf t = {0};
	state_t s;

	op_list(p, "order", l, n, b);
	if (n > STATES_SHOWN)
		return;
	buf_adds(b, ",\"states\":[");
	machine_init(&m, p);
	s = p->model->initial(&m);
	for (uint32_t i = 0; i < n && s != STATE_BAD; i++) {
		s = p->model->step(&m, s, &p->ops[l[i]]);
		buf_reset(&t);
		if (s != STATE_BAD)
			p->model->print(&m, s, &t);
		buf_adds(b, i ? "," : "");
		string(b, t.data);
	}
	buf_addc(b, ']');
	machine_clear(&m);
	buf_clear(&t);
}

static uint32_t end_of_prefix(const struct history *h, const struct part_result *r)
{
	for (uint32_t i = 0; r->prefix_line && i < r->part->n; i++)
		if (op_of_lop(r->part, i)->ret_line == r->prefix_line)
			return h->ordered && !h->whole ? op_of_lop(r->part, i)->ret : 0;
	return 0;
}

static void part(const struct check *c, const struct part_result *r, const uint32_t *key, bool first, struct buf *b)
{
	const struct part *p = r->part;
	bool keyed = !p->subs && p->model->flags & M_KEYED, bad = r->verdict == NOT_LINEARIZABLE;
	struct buf name = {0};

	if (keyed && p->key != VAL_NULL) {
		buf_adds(&name, "key ");
		val_print(c->h->v, p->key, &name, 40);
	} else {
		buf_adds(&name, p->subs ? "all keys" : "history");
	}
	buf_addf(b, "%s{\"key\":%d,\"name\":", first ? "" : ",\n", keyed ? (int)key[p->key] : -1);
	string(b, name.data);
	buf_addf(b, ",\"cls\":\"%s\",\"verdict\":\"%s\",\"reason\":", bad ? "" : r->verdict == UNDECIDED ? "un" : "ok",
	         bad ? "not linearizable" : r->verdict == UNDECIDED ? "undecided" : "linearizable");
	string(b, r->words.data);
	if (bad) {
		op_list(p, "core", r->core, r->ncore, b);
		order_list(p, r->partial, r->npartial, b);
		buf_addf(b, ",\"partial\":true,\"end\":%u", end_of_prefix(c->h, r));
	} else if (r->verdict == LINEARIZABLE) {
		order_list(p, r->order, r->norder, b);
	}
	buf_addc(b, '}');
	buf_clear(&name);
}

static void parts(const struct check *c, const uint32_t *key, struct buf *b)
{
	uint32_t shown = 0;

	buf_adds(b, "\"parts\":[");
	if (c->lin.global && c->lin.whole.verdict == NOT_LINEARIZABLE)
		part(c, &c->lin.whole, key, shown++ == 0, b);
	for (int pass = 0; pass < 2; pass++) /* violations first */
		for (uint32_t i = 0; i < c->lin.n && shown < PARTS_SHOWN; i++)
			if ((c->lin.part[i].verdict == NOT_LINEARIZABLE) == (pass == 0))
				part(c, &c->lin.part[i], key, shown++ == 0, b);
	buf_adds(b, "],\n");
}

static const char *kind_name(uint8_t k)
{
	return k == EDGE_WW ? "ww" : k == EDGE_WR ? "wr" : k == EDGE_RW ? "rw" : k == EDGE_PROCESS ? "process" : "realtime";
}

static void cycle(const struct check *c, const struct anomaly *a, bool first, struct buf *b)
{
	buf_addf(b, "%s{\"name\":", first ? "" : ",\n");
	string(b, a->name);
	buf_adds(b, ",\"text\":");
	string(b, a->text);
	buf_adds(b, ",\"nodes\":[");
	for (uint32_t i = 0; i < a->nop; i++)
		buf_addf(b, "%s%u", i ? "," : "", a->op[i]);
	buf_adds(b, "],\"names\":[");
	for (uint32_t i = 0; i < a->nop; i++)
		buf_addf(b, "%s\"T%" PRId64 "\"", i ? "," : "", c->h->ops[a->op[i]].id);
	buf_adds(b, "],\"edges\":[");
	for (uint32_t i = 0; a->cycle && i < a->nop; i++) {
		buf_addf(b, "%s{\"kind\":\"%s\",\"key\":", i ? "," : "", kind_name(a->edge[i]));
		if (a->key[i] == VAL_NONE)
			buf_adds(b, "\"\"");
		else
			name_of(c->h->v, a->key[i], b);
		buf_addc(b, '}');
	}
	buf_adds(b, "]}");
}

static void findings(const struct check *c, struct buf *b)
{
	buf_adds(b, "\"cycles\":[");
	for (uint32_t i = 0; i < c->txn.n; i++)
		cycle(c, &c->txn.anomaly[i], i == 0, b);
	for (uint32_t i = 0; i < c->an.n; i++) {
		const struct finding *f = &c->an.finding[i];
		cycle(c, &(struct anomaly){.name = f->kind, .text = f->text, .op = (uint32_t *)(uintptr_t)f->op, .nop = f->nop}, i == 0, b);
	}
	buf_adds(b, "]");
}

void report_html(const struct check *c, struct buf *b)
{
	uint32_t *proc, *key;
	struct buf about = {0};

	report_head(c, &about);
	buf_adds(b, timeline_head);
	buf_adds(b, "{\"title\":");
	string(b, c->h->name);
	buf_adds(b, ",\"verdict\":");
	string(b, verdict_word(c));
	buf_addf(b, ",\"pass\":%s,\"about\":", c->verdict == LINEARIZABLE ? "true" : "false");
	string(b, about.data);
	buf_adds(b, ",\n\"procs\":");
	proc = number(c, false, b);
	buf_adds(b, ",\n\"keys\":");
	key = number(c, true, b);
	buf_adds(b, ",\n");
	operations(c, proc, key, b);
	parts(c, key, b);
	findings(c, b);
	buf_adds(b, "}\n");
	buf_adds(b, timeline_tail);
	free(proc);
	free(key);
	buf_clear(&about);
}
