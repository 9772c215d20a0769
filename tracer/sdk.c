#include "tracer/sdk.h"

#include "base/mem.h"
#include "tracer/fault.h"
#include "tracer/message.h"
#include "tracer/node.h"
#include "tracer/phase.h"
#include "tracer/scenario.h"
#include "tracer/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 10000 }; /* kept for the result; the trace has all */

void sdk_init(struct sim *s)
{
	s->sdk = xnew(struct sdk);
	s->sdk->budget_asked = -1;
	rng_init(&s->sdk->random, s->cfg->seed, "sdk");
}

void sdk_clear(struct sim *s)
{
	if (!s->sdk)
		return;
	properties_clear(&s->sdk->props);
	oplog_clear(&s->sdk->ops);
	buf_clear(&s->sdk->events);
	free(s->sdk);
	s->sdk = NULL;
}

uint64_t sdk_stream(struct sim *s, const struct proc *p)
{
	const struct node *n = sim_node_of(s, p);

	return (uint64_t)n->index << 32 | (n->incarnation + 1);
}

const char *instance_name(struct sim *s, const struct proc *p, char *buf, size_t n)
{
	const struct node *nd = sim_node_of(s, p);

	if (nd->index)
		snprintf(buf, n, "%s#%u", nd->name, nd->incarnation + 1);
	else
		snprintf(buf, n, "%s", nd->name);
	return buf;
}

static void trace_text(struct sender *from, const char *kind, struct buf *b)
{
	trace_line(from->s, from->p, NULL, kind, b->data ? b->data : "");
	buf_clear(b);
}

/* ---- failures ---- */

static void blame(struct sender *from, enum verdict_class cls, const char *group, struct buf *text)
{
	struct sim *s = from->s;

	if (!s->finished) {
		snprintf(s->res->node, sizeof s->res->node, "%s", sim_node_of(s, from->p)->name);
		snprintf(s->res->group, sizeof s->res->group, "%s", group);
	}
	sim_verdict(s, cls, "%s", text->data);
	buf_clear(text);
}

static void begin_text(struct sender *from, struct buf *b)
{
	char name[96];

	buf_addf(b, "%s: ", instance_name(from->s, from->p, name, sizeof name));
}

static void add_place(struct buf *b, const char *location)
{
	if (location)
		buf_addf(b, " (%s)", short_location(location));
}

static int64_t malformed(struct sender *from, const struct err *e, const char *text, size_t n)
{
	struct buf b = {0};

	begin_text(from, &b);
	buf_addf(&b, "%s; the message was: ", e->msg);
	for (size_t i = 0; i < MIN(n, (size_t)160); i++)
		buf_addc(&b, (unsigned char)text[i] < 0x20 ? ' ' : text[i]);
	buf_adds(&b, n > 160 ? "…" : "");
	blame(from, CLASS_ASSERT, "a message that cannot be understood", &b);
	return -EINVAL;
}

/* ---- properties ---- */

void sdk_catalog(struct sim *s, enum property_kind k, const char *message, const char *location)
{
	property_note(&s->sdk->props, k, message, location);
}

static void violated(struct sender *from, const struct evaluation *ev)
{
	struct buf b = {0};

	begin_text(from, &b);
	if (ev->kind == PROP_UNREACHABLE)
		buf_addf(&b, "unreachable \"%s\" was reached", ev->message);
	else
		buf_addf(&b, "%s \"%s\" is false", property_kind_name(ev->kind), ev->message);
	if (ev->details)
		buf_addf(&b, ": %s", ev->details);
	add_place(&b, ev->location);
	blame(from, CLASS_PROPERTY, ev->message, &b);
}

void sdk_evaluate(struct sender *from, const struct evaluation *ev)
{
	struct property *p = property_note(&from->s->sdk->props, ev->kind, ev->message, ev->location);
	bool first = !p->reached || (ev->condition && !p->was_true);
	struct buf b = {0};

	p->reached = true;
	p->was_true |= ev->condition;
	if (ev->has_margin)
		property_margin(p, ev->margin, ev->integer);
	if (first || !ev->condition) {
		begin_text(from, &b);
		buf_addf(&b, "%s \"%s\"", property_kind_name(ev->kind), ev->message);
		if (ev->kind != PROP_REACHABLE && ev->kind != PROP_UNREACHABLE)
			buf_adds(&b, ev->condition ? " is true" : " is false");
		if (ev->details)
			buf_addf(&b, ": %s", ev->details);
		trace_text(from, "property", &b);
	}
	if (!ev->condition && property_fails_when_false(ev->kind))
		violated(from, ev);
}

/* {"left":41,"right":40}, {"primary":true,"backup":false}, with further details under "details"; or just these. */
static char *details_of(const struct message *m)
{
	const struct member *left = message_get(m, "left"), *right = message_get(m, "right"), *named = message_get(m, "named"),
			    *more = message_get(m, "details");
	struct buf b = {0};

	if (left && right) {
		buf_adds(&b, "{\"left\":");
		member_add(&b, left);
		buf_adds(&b, ",\"right\":");
		member_add(&b, right);
	} else if (named && *named->raw == '{') {
		member_add(&b, named);
		b.len--; /* its '}' */
	} else if (!more) {
		return NULL;
	} else {
		member_add(&b, more);
		buf_addc(&b, 0);
		return b.data;
	}
	if (more) {
		buf_addf(&b, "%s\"details\":", b.len > 1 ? "," : "");
		member_add(&b, more);
	}
	buf_addc(&b, '}');
	buf_addc(&b, 0);
	return b.data;
}

static int take_margin(const struct message *m, struct evaluation *ev, struct err *e)
{
	char *op = message_text(m, "op");
	long double left, right;
	bool li, ri;

	if (!message_get(m, "left")) {
		free(op);
		return 0;
	}
	if (!message_number(m, "left", &left, &li) || !message_number(m, "right", &right, &ri) || !op || !strchr("<>", *op)) {
		free(op);
		return err_set(e, 0, "a comparison has \"left\", \"op\" and \"right\"");
	}
	ev->has_margin = true;
	ev->integer = li && ri;
	ev->margin = *op == '>' ? left - right : right - left;
	free(op);
	return 0;
}

static int64_t take_property(struct sender *from, const struct message *m, enum property_kind k, struct err *e)
{
	char *message = message_text(m, "message"), *location = message_text(m, "location"), *details = NULL;
	struct evaluation ev = {.kind = k, .message = message, .location = location, .condition = k == PROP_REACHABLE};
	int64_t rc = 0;

	if (!message || !*message)
		rc = err_set(e, 0, "a property has a \"message\"");
	else if (member_is(message_get(m, "hit"), "false"))
		sdk_catalog(from->s, k, message, location);
	else if (k != PROP_REACHABLE && k != PROP_UNREACHABLE && !message_bool(m, "condition", &ev.condition))
		rc = err_set(e, 0, "\"condition\" is true or false");
	else
		rc = take_margin(m, &ev, e);
	if (!rc && !member_is(message_get(m, "hit"), "false")) {
		ev.details = details = details_of(m);
		sdk_evaluate(from, &ev);
	}
	free(message);
	free(location);
	free(details);
	return rc;
}

static int64_t take_eventually(struct sender *from, const struct message *m, struct err *e)
{
	char *message = message_text(m, "message"), *location = message_text(m, "location"), within[32];
	struct property *p;
	struct buf b = {0};
	int64_t ns = 0;
	bool cond;

	if (!message || !*message) {
		free(location);
		free(message);
		return err_set(e, 0, "a property has a \"message\"");
	}
	p = property_note(&from->s->sdk->props, PROP_EVENTUALLY, message, location);
	message_int(m, "within", &ns);
	duration_print(ns, within, sizeof within);
	if (!member_is(message_get(m, "hit"), "false") && !p->reached) {
		p->reached = true;
		begin_text(from, &b);
		buf_addf(&b, "eventually \"%s\", within %s", message, within);
		trace_text(from, "property", &b);
	}
	if (message_bool(m, "condition", &cond)) {
		p->was_true |= cond;
		begin_text(from, &b);
		if (cond) {
			buf_addf(&b, "eventually \"%s\" is true", message);
			trace_text(from, "property", &b);
		} else {
			buf_addf(&b, "%s: not true within %s", message, within);
			add_place(&b, location);
			blame(from, CLASS_LIVENESS, message, &b);
		}
	}
	free(message);
	free(location);
	return 0;
}

static int64_t take_fail(struct sender *from, const struct message *m, struct err *e)
{
	char *message = message_text(m, "message"), *location = message_text(m, "location");
	struct buf b = {0};

	begin_text(from, &b);
	buf_adds(&b, message ? message : "failed");
	add_place(&b, location);
	/* Messages of Fail are made at run time: what they have in common is the place. */
	blame(from, CLASS_ASSERT, location ? location : "", &b);
	free(message);
	free(location);
	return 0;
}

/* ---- events ---- */

void sdk_event(struct sender *from, const char *name, const struct member *details)
{
	struct sdk *k = from->s->sdk;
	struct buf b = {0};
	char who[96];

	buf_addf(&b, "event %s from %s", name, instance_name(from->s, from->p, who, sizeof who));
	if (details && !member_is(details, "null")) {
		buf_adds(&b, ": ");
		member_add(&b, details);
		buf_addc(&b, 0);
	}
	trace_text(from, "sdk-event", &b);
	if (k->nevents++ >= EVENTS_MAX)
		return;
	buf_addf(&k->events, "%s{\"t\":%" PRId64 ",\"node\":", k->nevents > 1 ? "," : "", sim_elapsed_ns(from->s));
	json_add_string(&k->events, who, strlen(who));
	buf_adds(&k->events, ",\"name\":");
	json_add_string(&k->events, name, strlen(name));
	buf_adds(&k->events, ",\"details\":");
	if (details)
		member_add(&k->events, details);
	else
		buf_adds(&k->events, "null");
	buf_addf(&k->events, "}");
}

static int64_t take_event(struct sender *from, const struct message *m, struct err *e)
{
	char *name = message_text(m, "name");

	if (!name)
		return err_set(e, 0, "an event has a \"name\"");
	sdk_event(from, name, message_get(m, "details"));
	free(name);
	return 0;
}

/* ---- what guests ask for ---- */

static int64_t take_buggify(struct sender *from, const struct message *m, struct err *e)
{
	char *site = message_text(m, "site");
	bool fires;

	if (!site)
		return err_set(e, 0, "\"site\" is a string");
	fires = fault_buggify(from->s, sim_node_of(from->s, from->p), site);
	free(site);
	return fires;
}

static int64_t take_quiet(struct sender *from, const struct message *m, struct err *e)
{
	int64_t ns;

	if (!message_int(m, "for", &ns) || ns < 0)
		return err_set(e, 0, "\"for\" is a number of nanoseconds");
	phase_quiet(from->s, from->p, ns);
	return 0;
}

static int64_t take_setup(struct sender *from, const struct message *m, struct err *e)
{
	phase_setup_complete(from->s, from->p);
	return 0;
}

static int64_t take_budget(struct sender *from, const struct message *m, struct err *e)
{
	struct sdk *k = from->s->sdk;
	int64_t n, cap = from->s->cfg->scenario ? from->s->cfg->scenario->ops : 0;
	struct buf b = {0};

	if (!message_int(m, "n", &n) || n < 0)
		return err_set(e, 0, "\"n\" is a number of operations");
	k->budget_asked = MAX(k->budget_asked, n);
	if (!cap || n <= cap)
		return n;
	k->budget_capped = true;
	begin_text(from, &b);
	buf_addf(&b, "budget capped at %" PRId64 " of %" PRId64 " operations", cap, n);
	trace_text(from, "budget", &b);
	return cap;
}

static int64_t take_random(struct sender *from, const struct message *m, struct err *e)
{
	from->random = rng_u64(&from->s->sdk->random);
	from->has_random = true;
	return 0;
}

static int64_t take_operation(struct sender *from, const struct message *m, struct err *e)
{
	struct buf note = {0};
	int64_t id = oplog_take(&from->s->sdk->ops, from->stream, m, sim_elapsed_ns(from->s), &note, e);

	if (id >= 0)
		trace_text(from, "op", &note);
	buf_clear(&note);
	return id;
}

/* ---- all of them ---- */

static const struct {
	const char *word;
	int64_t (*take)(struct sender *from, const struct message *m, struct err *e);
} kinds[] = {
	{"fail", take_fail},     {"eventually", take_eventually}, {"event", take_event},   {"buggify", take_buggify},
	{"quiet", take_quiet},   {"setup_complete", take_setup},  {"budget", take_budget}, {"random", take_random},
};

static int64_t take_ours(struct sender *from, const struct message *m, const char *word, struct err *e)
{
	enum property_kind k;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].word, word))
			return kinds[i].take(from, m, e);
	if (property_kind_find(word, &k))
		return take_property(from, m, k, e);
	return err_set(e, 0, "there is no message \"%s\"", word);
}

int64_t sdk_take(struct sender *from, const char *text, size_t n)
{
	struct message m;
	struct err e = {0};
	char *word;
	int64_t rc;

	if (message_parse(&m, text, n, "message", &e) < 0)
		return malformed(from, &e, text, n);
	word = message_text(&m, "simrun");
	if (word)
		rc = take_ours(from, &m, word, &e);
	else if (message_get(&m, "type") && message_get(&m, "simrun") == NULL)
		rc = take_operation(from, &m, &e);
	else
		rc = err_set(&e, 0, "a message has \"simrun\", or is an operation and has \"type\"");
	if (rc < 0)
		rc = malformed(from, &e, text, n);
	free(word);
	message_clear(&m);
	return rc;
}

int64_t sdk_take_antithesis(struct sender *from, const char *text, size_t n)
{
	struct message m;
	struct err e = {0};
	int64_t rc;

	if (message_parse(&m, text, n, "message", &e) < 0)
		return malformed(from, &e, text, n);
	rc = antithesis_take(from, &m);
	if (rc < 0) {
		err_set(&e, 0, "this is no message of an SDK of Antithesis");
		rc = malformed(from, &e, text, n);
	}
	message_clear(&m);
	return rc;
}

void sdk_result(struct sim *s)
{
	struct run_result *r = s->res;
	struct sdk *k = s->sdk;

	properties_json(&k->props, &r->properties);
	buf_addf(&r->events, "[%s]", k->events.data ? k->events.data : "");
	r->history = k->ops.text;
	k->ops.text = (struct buf){0};
	r->budget_asked = k->budget_asked;
}
