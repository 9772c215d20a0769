#include "tracer/fault_spec.h"

#include "base/mem.h"
#include "vclock/clock.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const common_keys[] = {"id", "at", "call", "path", "peer", "on", "when"};

/* ---- fields ---- */

static int set_text(char **to, const char *name, const char *value, struct err *e)
{
	json_t *j = json_string(value);

	json_decref(j);
	if (!j)
		return err_set(e, 0, "'%s' is not UTF-8", name); /* a plan could not hold it */
	if (!*value)
		return err_set(e, 0, "'%s' is empty", name);
	free(*to);
	*to = xstrdup(value);
	return 0;
}

static int set_id(struct fault_spec *f, const char *value, struct err *e)
{
	for (const char *s = value; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("-_.", *s))
			return err_set(e, 0, "'%s' is no id; letters, digits, '-', '_' and '.' can be in one", value);
	if (!*value || strlen(value) >= sizeof f->id)
		return err_set(e, 0, "the id '%s' is empty or too long", value);
	strcpy(f->id, value);
	return 0;
}

static int set_at(struct fault_spec *f, const char *value, struct err *e)
{
	if (time_parse(value, &f->at_ns, e) < 0)
		return -1;
	if (f->at_ns < 0 || f->at_ns == VCLOCK_NEVER)
		return err_set(e, 0, "'%s' is no time since the run's start", value);
	return 0;
}

/* What every kind has. 1: no such field. */
static int set_common(struct fault_spec *f, const char *name, const char *value, struct err *e)
{
	if (!strcmp(name, "id"))
		return set_id(f, value, e);
	if (!strcmp(name, "at"))
		return set_at(f, value, e);
	if (!strcmp(name, "when")) {
		f->has_when = true;
		return fault_when_parse(value, &f->when, e);
	}
	if (!strcmp(name, "call"))
		return set_text(&f->calls, name, value, e) < 0 ? -1 : callset_parse(value, &f->set, e);
	if (!strcmp(name, "path"))
		return set_text(&f->path, name, value, e);
	if (!strcmp(name, "peer"))
		return set_text(&f->peer, name, value, e);
	if (!strcmp(name, "on"))
		return set_text(&f->on, name, value, e);
	return 1;
}

static int unknown_field(const struct fault_spec *f, const char *name, struct err *e)
{
	struct buf known = {0};
	int rc;

	for (const struct fault_param *p = f->kind->params; p->name; p++)
		buf_addf(&known, "%s, ", p->name);
	for (size_t i = 0; i < ARRAY_LEN(common_keys); i++)
		buf_addf(&known, "%s, ", common_keys[i]);
	buf_addf(&known, "before, after");
	rc = err_set(e, 0, "%s has no setting '%s'; it has %s", f->kind->name, name, known.data);
	buf_clear(&known);
	return rc;
}

static int set_field(struct fault_spec *f, const char *name, const char *value, struct err *e)
{
	int i = fault_param_index(f->kind, name, strlen(name)), rc;

	if (fault_text_check(name, e) < 0 || fault_text_check(value, e) < 0)
		return -1;
	if (i >= 0) {
		fault_value_clear(&f->val[i]);
		rc = fault_value_parse(&f->kind->params[i], value, &f->val[i], e);
	} else {
		rc = set_common(f, name, value, e);
		if (rc > 0)
			return unknown_field(f, name, e);
	}
	return rc < 0 ? err_wrap(e, "%s: %s", f->kind->name, name) : 0;
}

static int set_order(struct fault_spec *f, const char *word, struct err *e)
{
	bool after = !strcmp(word, "after");

	if (!after && strcmp(word, "before"))
		return err_set(e, 0, "%s: '%s' is no setting; write NAME=VALUE, before or after", f->kind->name, word);
	if (after && (f->kind->flags & KIND_CALL))
		return err_set(e, 0, "%s: it is what happens to the call, neither before nor after it", f->kind->name);
	f->after = after;
	return 0;
}

/* ---- checks of the whole ---- */

static int check_calls(struct fault_spec *f, struct err *e)
{
	const char *name = f->kind->name;

	if (f->path && !callset_has_path(&f->set))
		return err_set(e, 0, "%s: no call of '%s' has a path", name, f->calls ? f->calls : f->kind->calls);
	if (f->peer && !callset_has_peer(&f->set))
		return err_set(e, 0, "%s: no call of '%s' has a peer", name, f->calls ? f->calls : f->kind->calls);
	return 0;
}

static int check_when(struct fault_spec *f, struct err *e)
{
	const char *name = f->kind->name;
	bool on_call = f->kind->flags & KIND_CALL;

	f->matches = on_call || f->calls || f->path || f->peer;
	if (!f->matches && (f->has_when || f->on || f->after))
		return err_set(e, 0, "%s: 'when', 'on', 'before' and 'after' count calls; name them with call=", name);
	if (f->matches && !f->calls && !f->kind->calls)
		return err_set(e, 0, "%s: which calls? write for example call=%%net or call=fsync", name);
	if (f->matches && !on_call && f->at_ns != VCLOCK_NEVER)
		return err_set(e, 0, "%s: either at a time (at=) or at a call (call=), not both", name);
	if (!f->matches && f->at_ns == VCLOCK_NEVER)
		return err_set(e, 0, "%s: when? write at=TIME, or call=CALLS for the first such call", name);
	if (!f->has_when) /* what happens to calls happens to all of them, anything else once */
		f->when = (struct fault_when){.first = 1, .last = on_call ? UINT64_MAX : 1, .step = 1};
	return f->matches ? check_calls(f, e) : 0;
}

static int check(struct fault_spec *f, struct err *e)
{
	for (int i = 0; f->kind->params[i].name; i++)
		if (f->kind->params[i].required && !f->val[i].set)
			return err_set(e, 0, "%s: '%s' is missing (%s)", f->kind->name, f->kind->params[i].name,
				       f->kind->params[i].help);
	if (!f->calls && f->kind->calls && callset_parse(f->kind->calls, &f->set, e) < 0)
		BUG("the calls of %s: %s", f->kind->name, e->msg);
	return check_when(f, e);
}

static int begin(struct fault_spec *f, const char *kind, size_t len, struct err *e)
{
	*f = (struct fault_spec){.at_ns = VCLOCK_NEVER, .kind = fault_kind_find(kind, len)};
	return f->kind ? 0 : err_set(e, 0, "no fault '%.*s'; simrun faults lists them", (int)MIN(len, (size_t)64), kind);
}

static int end(struct fault_spec *f, int rc, struct err *e)
{
	if (!rc)
		rc = check(f, e);
	if (rc < 0)
		fault_spec_clear(f);
	return rc;
}

/* ---- as text ---- */

/* The next word up to a comma; a backslash takes the next character as it is. *s moves on. */
static char *next_word(const char **s)
{
	struct buf b = {0};

	for (; **s && **s != ','; ++*s) {
		if (**s == '\\' && (*s)[1])
			++*s;
		buf_addc(&b, **s);
	}
	if (**s)
		++*s;
	return b.data ? b.data : xstrdup("");
}

int fault_spec_parse(struct fault_spec *f, const char *text, struct err *e)
{
	size_t len = strcspn(text, ":");
	const char *s = text + len + (text[len] == ':');
	int rc = fault_text_check(text, e);

	if (rc < 0 || (rc = begin(f, text, len, e)) < 0)
		return rc;
	while (!rc && *s) {
		char *word = next_word(&s), *eq = strchr(word, '=');
		if (eq) {
			*eq = 0;
			rc = set_field(f, word, eq + 1, e);
		} else {
			rc = set_order(f, word, e);
		}
		free(word);
	}
	return end(f, rc, e);
}

static void print_field(struct buf *out, const char **sep, const char *name, const char *value)
{
	buf_addf(out, "%s%s=", *sep, name);
	for (; *value; value++) {
		if (*value == ',' || *value == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *value);
	}
	buf_adds(out, "");
	*sep = ",";
}

typedef void field_fn(void *ctx, const char *name, const char *value);

/* Every field that is set, in one order. */
static void each_field(const struct fault_spec *f, field_fn *fn, void *ctx)
{
	struct buf b = {0};

	for (int i = 0; f->kind->params[i].name; i++) {
		if (!f->val[i].set)
			continue;
		buf_reset(&b);
		fault_value_print(&f->kind->params[i], &f->val[i], &b);
		fn(ctx, f->kind->params[i].name, b.data);
	}
	if (f->at_ns != VCLOCK_NEVER) {
		buf_reset(&b);
		time_print(f->at_ns, &b);
		fn(ctx, "at", b.data);
	}
	if (f->calls)
		fn(ctx, "call", f->calls);
	if (f->path)
		fn(ctx, "path", f->path);
	if (f->peer)
		fn(ctx, "peer", f->peer);
	if (f->on)
		fn(ctx, "on", f->on);
	if (f->has_when) {
		buf_reset(&b);
		fault_when_print(&f->when, &b);
		fn(ctx, "when", b.data);
	}
	buf_clear(&b);
}

struct printing {
	struct buf *out;
	const char *sep;
};

static void print_one(void *ctx, const char *name, const char *value)
{
	struct printing *p = ctx;

	print_field(p->out, &p->sep, name, value);
}

void fault_spec_print(const struct fault_spec *f, struct buf *out)
{
	struct printing p = {out, ":"};

	buf_adds(out, f->kind->name);
	if (f->id[0])
		print_field(out, &p.sep, "id", f->id);
	each_field(f, print_one, &p);
	if (f->after)
		buf_addf(out, "%safter", p.sep);
}

/* ---- as JSON ---- */

static void add_member(void *ctx, const char *name, const char *value)
{
	json_object_set_new(ctx, name, json_string(value));
}

json_t *fault_spec_json(const struct fault_spec *f)
{
	json_t *j = json_object();

	json_object_set_new(j, "id", json_string(f->id));
	json_object_set_new(j, "kind", json_string(f->kind->name));
	each_field(f, add_member, j);
	if (f->after)
		json_object_set_new(j, "order", json_string("after"));
	return j;
}

/* What fault_plan_json() adds to say what became of it; no part of what it is. */
static bool is_outcome(const char *name)
{
	return word_index("applied|effect|without_effect|suppressed|first_ns|seen", name, strlen(name)) >= 0;
}

static int set_member(struct fault_spec *f, const char *name, const json_t *v, struct err *e)
{
	char number[32];

	if (is_outcome(name) || !strcmp(name, "kind"))
		return 0;
	if (fault_text_check(name, e) < 0)
		return -1;
	if (json_is_integer(v)) {
		snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return set_field(f, name, number, e);
	}
	if (!json_is_string(v))
		return err_set(e, 0, "%s: '%s' is neither text nor a number", f->kind->name, name);
	if (strcmp(name, "order"))
		return set_field(f, name, json_string_value(v), e);
	return fault_text_check(json_string_value(v), e) < 0 ? -1 : set_order(f, json_string_value(v), e);
}

int fault_spec_from_json(struct fault_spec *f, const json_t *j, struct err *e)
{
	const char *kind = json_string_value(json_object_get(j, "kind")), *name;
	json_t *v;
	int rc;

	if (!kind)
		return err_set(e, 0, json_is_object(j) ? "a fault without a 'kind'" : "a fault that is no object");
	if (fault_text_check(kind, e) < 0)
		return -1;
	rc = begin(f, kind, strlen(kind), e);
	if (rc < 0)
		return rc;
	json_object_foreach((json_t *)(uintptr_t)j, name, v) {
		rc = set_member(f, name, v, e);
		if (rc < 0)
			break;
	}
	return end(f, rc, e);
}

/* ---- values ---- */

void fault_spec_copy(struct fault_spec *to, const struct fault_spec *from)
{
	*to = *from;
	for (int i = 0; i < FAULT_PARAMS_MAX; i++)
		fault_value_copy(&to->val[i], &from->val[i]);
	to->calls = from->calls ? xstrdup(from->calls) : NULL;
	to->path = from->path ? xstrdup(from->path) : NULL;
	to->peer = from->peer ? xstrdup(from->peer) : NULL;
	to->on = from->on ? xstrdup(from->on) : NULL;
}

void fault_spec_clear(struct fault_spec *f)
{
	for (int i = 0; i < FAULT_PARAMS_MAX; i++)
		fault_value_clear(&f->val[i]);
	free(f->calls);
	free(f->path);
	free(f->peer);
	free(f->on);
	*f = (struct fault_spec){0};
}

static int index_of(const struct fault_spec *f, const char *name)
{
	int i = fault_param_index(f->kind, name, strlen(name));

	if (i < 0)
		BUG("%s has no setting %s", f->kind->name, name);
	return i;
}

struct fault_value *fault_spec_value(struct fault_spec *f, const char *name)
{
	return &f->val[index_of(f, name)];
}

int64_t fault_spec_number(const struct fault_spec *f, const char *name)
{
	int i = index_of(f, name);

	return f->val[i].set ? f->val[i].n : f->kind->params[i].def;
}

const char *fault_spec_text(const struct fault_spec *f, const char *name)
{
	return f->val[index_of(f, name)].text;
}
