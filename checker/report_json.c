/* The result as one JSON object. */
#include "checker/check.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

static void string(struct buf *b, const char *s)
{
	text_json(b, s ? s : "", s ? strlen(s) : 0);
}

static const char *verdict(enum verdict v, const struct check *c)
{
	return v == UNDECIDED ? "unknown" : v == LINEARIZABLE ? (c->model->flags & (M_TXN | M_ANALYSIS) ? "valid" : "linearizable") :
	       c->model->flags & (M_TXN | M_ANALYSIS) ? "not valid" : "not linearizable";
}

static void ids(const struct part *p, const char *name, const uint32_t *l, uint32_t n, struct buf *b)
{
	buf_addf(b, ",\"%s\":[", name);
	for (uint32_t i = 0; i < n; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", op_of_lop(p, l[i])->id);
	buf_addc(b, ']');
}

static void part(const struct check *c, const struct part_result *r, bool first, struct buf *b)
{
	buf_addf(b, "%s{\"key\":", first ? "" : ",");
	val_json(c->h->v, r->part->subs ? VAL_NULL : r->part->key, b);
	buf_addf(b, ",\"operations\":%u,\"verdict\":\"%s\",\"decided_by\":\"%s\",\"visited\":%" PRIu64, r->part->n,
	         verdict(r->verdict, c), r->by_monitor ? "monitor" : "search", r->visited);
	if (r->verdict == LINEARIZABLE)
		ids(r->part, "witness", r->order, r->norder, b);
	if (r->verdict == NOT_LINEARIZABLE) {
		buf_adds(b, ",\"reason\":");
		string(b, r->words.data);
		ids(r->part, "minimal", r->core, r->ncore, b);
		buf_addf(b, ",\"minimal_complete\":%s", r->core_minimal ? "true" : "false");
		ids(r->part, "partial", r->partial, r->npartial, b);
		if (r->prefix_line)
			buf_addf(b, ",\"prefix_line\":%u,\"prefix_operations\":%u", r->prefix_line, r->prefix);
	}
	if (r->verdict == UNDECIDED)
		buf_addf(b, ",\"left\":%u,\"because\":\"%s\"", r->left, r->out_of_memory ? "memory" : r->out_of_time ?
			"timeout" : "budget");
	buf_addc(b, '}');
}

static const char *kind_name(uint8_t k)
{
	return k == EDGE_WW ? "ww" : k == EDGE_WR ? "wr" : k == EDGE_RW ? "rw" : k == EDGE_PROCESS ? "process" : "realtime";
}

static void levels(uint32_t set, struct buf *b)
{
	bool first = true;

	buf_addc(b, '[');
	for (int l = 0; l < LEVELS; l++)
		if (set >> l & 1) {
			buf_addf(b, "%s\"%s\"", first ? "" : ",", level_name((enum level)l));
			first = false;
		}
	buf_addc(b, ']');
}

static void anomaly(const struct check *c, const struct anomaly *a, bool first, struct buf *b)
{
	buf_addf(b, "%s{\"name\":\"%s\",\"count\":%" PRIu64 ",\"rules_out\":", first ? "" : ",", a->name, a->count);
	levels(a->levels, b);
	buf_adds(b, ",\"text\":");
	string(b, a->text);
	buf_adds(b, ",\"transactions\":[");
	for (uint32_t i = 0; i < a->nop; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", c->h->ops[a->op[i]].id);
	buf_adds(b, "]");
	if (a->cycle) {
		buf_adds(b, ",\"edges\":[");
		for (uint32_t i = 0; i < a->nop; i++) {
			buf_addf(b, "%s{\"kind\":\"%s\"", i ? "," : "", kind_name(a->edge[i]));
			if (a->key[i] != VAL_NONE) {
				buf_adds(b, ",\"key\":");
				val_json(c->h->v, a->key[i], b);
			}
			buf_addc(b, '}');
		}
		buf_adds(b, "]");
	}
	buf_addc(b, '}');
}

static void transactions(const struct check *c, struct buf *b)
{
	struct buf s = {0};

	buf_addf(b, ",\"level\":\"%s\",\"ruled_out\":", level_name(c->opt->consistency));
	levels(c->txn.ruled_out, b);
	txn_strongest(&c->txn, &s);
	buf_adds(b, ",\"strongest\":");
	string(b, s.data);
	buf_clear(&s);
	buf_adds(b, ",\"anomalies\":[");
	for (uint32_t i = 0; i < c->txn.n; i++)
		anomaly(c, &c->txn.anomaly[i], i == 0, b);
	buf_addc(b, ']');
}

static void findings(const struct check *c, struct buf *b)
{
	buf_adds(b, ",\"findings\":[");
	for (uint32_t i = 0; i < c->an.n; i++) {
		const struct finding *f = &c->an.finding[i];
		buf_addf(b, "%s{\"kind\":\"%s\",\"count\":%" PRIu64 ",\"text\":", i ? "," : "", f->kind, f->count);
		string(b, f->text);
		buf_adds(b, ",\"operations\":[");
		for (uint32_t k = 0; k < f->nop; k++)
			buf_addf(b, "%s%" PRId64, k ? "," : "", c->h->ops[f->op[k]].id);
		buf_adds(b, "]}");
	}
	buf_addc(b, ']');
}

void report_json(const struct check *c, struct buf *b)
{
	const struct history *h = c->h;

	buf_adds(b, "{\"history\":");
	string(b, h->name);
	buf_addf(b, ",\"format\":\"%s\",\"model\":", hist_format_name(h));
	string(b, c->model->name);
	buf_addf(b, ",\"guessed\":%s,\"verdict\":\"%s\",\"summary\":", c->guessed ? "true" : "false", verdict(c->verdict, c));
	string(b, c->summary);
	buf_addf(b, ",\"operations\":%u,\"ok\":%u,\"unknown\":%u,\"pending\":%u,\"failed\":%u,\"processes\":%u,\"keys\":%u,"
	         "\"max_concurrency\":%u,\"visited\":%" PRIu64, h->n, h->nok, h->nunknown, h->npending, h->nfailed,
		h->nprocesses, c->parts.n,
	         h->max_concurrency, c->lin.visited);
	if (c->model->flags & M_TXN) {
		transactions(c, b);
	} else if (c->model->flags & M_ANALYSIS) {
		findings(c, b);
	} else {
		buf_adds(b, ",\"parts\":[");
		for (uint32_t i = 0; i < c->lin.n; i++)
			part(c, &c->lin.part[i], i == 0, b);
		buf_addc(b, ']');
		if (c->lin.global) {
			buf_adds(b, ",\"all_keys\":");
			part(c, &c->lin.whole, true, b);
		}
	}
	buf_adds(b, "}\n");
}
