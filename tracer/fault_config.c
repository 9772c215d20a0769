#include "tracer/fault_config.h"

#include "base/mem.h"
#include "tracer/syscalls.h"

#include <stdlib.h>
#include <string.h>

/* ---- one kind ---- */

static struct fault_setting *setting_of(struct fault_config *c, const struct fault_kind *k)
{
	return &c->kind[k - fault_kinds];
}

/* "1s" or "1s..5s". */
static int set_range(struct fault_setting *s, const struct fault_kind *k, int i, const char *value, struct err *e)
{
	const struct fault_param *p = &k->params[i];
	const char *dots = fault_value_is_text(p->type) ? NULL : strstr(value, "..");
	char *lo = dots ? xstrndup(value, (size_t)(dots - value)) : xstrdup(value);
	struct fault_value a = {0}, b = {0};
	int rc = fault_value_parse(p, lo, &a, e);

	free(lo);
	if (!rc)
		rc = fault_value_parse(p, dots ? dots + 2 : value, &b, e);
	if (!rc && a.n > b.n)
		rc = err_set(e, 0, "the range '%s' is empty", value);
	if (rc < 0) {
		fault_value_clear(&a);
		fault_value_clear(&b);
		return err_wrap(e, "%s: %s", k->name, p->name);
	}
	fault_value_clear(&s->param[i].lo);
	fault_value_clear(&s->param[i].hi);
	s->param[i].lo = a;
	s->param[i].hi = b;
	s->param[i].set = true;
	return 0;
}

static int set_of_kind(struct fault_setting *s, const struct fault_kind *k, const char *name, const char *value, struct err *e)
{
	int i = fault_param_index(k, name, strlen(name));

	if (!strcmp(name, "rate"))
		return rate_parse(value, &s->interval_ns, e) < 0 ? err_wrap(e, "%s: rate", k->name) : 0;
	if (i >= 0)
		return set_range(s, k, i, value, e);
	return err_set(e, 0, "%s has no setting '%s' that could be drawn; see simrun faults", k->name, name);
}

static const struct fault_kind *drawable(const char *name, size_t len, struct err *e)
{
	const struct fault_kind *k = fault_kind_find(name, len);

	if (!k) {
		err_set(e, 0, "unknown faults '%.*s'; write none, light, default, heavy, or kinds that simrun faults lists",
			(int)MIN(len, (size_t)64), name);
	} else if (k->level == LEVEL_NONE) {
		err_set(e, 0, "%s cannot be drawn; write it with -fault", k->name);
		k = NULL;
	}
	return k;
}

/* "crash:rate=6/m,downtime=1s..5s" */
static int add_kind(struct fault_config *c, const char *text, struct err *e)
{
	size_t len = strcspn(text, ":");
	const struct fault_kind *k = drawable(text, len, e);
	struct fault_setting *s;
	int rc = 0;

	if (!k)
		return -1;
	s = setting_of(c, k);
	s->on = true;
	s->off = false;
	for (const char *at = text + len + 1; !rc && *at;) {
		size_t n = strcspn(at, ",");
		char *word = xstrndup(at, n), *eq = strchr(word, '=');
		if (eq)
			*eq = 0;
		rc = eq ? set_of_kind(s, k, word, eq + 1, e) : err_set(e, 0, "%s: '%s' is not NAME=VALUE", k->name, word);
		free(word);
		at += n + (at[n] == ',');
	}
	return rc;
}

/* ---- words ---- */

static void add_exempt(struct fault_config *c, const char *name, size_t len)
{
	size_t n = 0;

	while (c->exempt && c->exempt[n])
		n++;
	c->exempt = xrealloc(c->exempt, (n + 2) * sizeof *c->exempt);
	c->exempt[n] = xstrndup(name, len);
	c->exempt[n + 1] = NULL;
}

static int add_exempt_names(struct fault_config *c, const char *names, size_t len, struct err *e)
{
	static const struct fault_param nodes = {.name = "exempt", .type = FV_NODES};
	char *text = xstrndup(names, len);
	struct fault_value v;
	int rc = fault_value_parse(&nodes, text, &v, e);

	free(text);
	for (const char *s = v.text; !rc && *s;) {
		size_t n = strcspn(s, "+");
		add_exempt(c, s, n);
		s += n + (s[n] == '+');
	}
	fault_value_clear(&v);
	return rc;
}

static int add_max_down(struct fault_config *c, const char *value, size_t len, struct err *e)
{
	static const struct fault_param count = {.name = "max_down", .type = FV_COUNT, .min = 1, .max = 4096};
	char *text = xstrndup(value, len);
	struct fault_value v;
	int rc = fault_value_parse(&count, text, &v, e);

	free(text);
	if (!rc)
		c->max_down = (unsigned)v.n;
	return rc < 0 ? err_wrap(e, "max_down") : 0;
}

static int add_word(struct fault_config *c, const char *word, size_t n, struct err *e)
{
	static const char exempt[] = "exempt=", down[] = "max_down=";
	int level = fault_level_parse(word, n);
	bool minus = n > 1 && *word == '-';
	const struct fault_kind *k;

	if (level >= 0) {
		c->preset = (enum fault_level)level;
		return 0;
	}
	if (n == 6 && !strncmp(word, "driver", n)) {
		c->driver = true;
		return 0;
	}
	if (n == 6 && !strncmp(word, "steady", n)) {
		c->steady = true;
		return 0;
	}
	if (n > sizeof exempt - 1 && !strncmp(word, exempt, sizeof exempt - 1))
		return add_exempt_names(c, word + sizeof exempt - 1, n - (sizeof exempt - 1), e);
	if (n > sizeof down - 1 && !strncmp(word, down, sizeof down - 1))
		return add_max_down(c, word + sizeof down - 1, n - (sizeof down - 1), e);
	k = drawable(word + minus, n - minus, e);
	if (!k)
		return -1;
	setting_of(c, k)->on = !minus;
	setting_of(c, k)->off = minus;
	return 0;
}

int fault_config_add(struct fault_config *c, const char *text, struct err *e)
{
	if (c->is_plan)
		return err_set(e, 0, "a plan says already what is injected");
	if (fault_text_check(text, e) < 0)
		return -1;
	if (strchr(text, ':'))
		return add_kind(c, text, e);
	for (const char *s = text;;) {
		size_t n = strcspn(s, ",");
		if (add_word(c, s, n, e) < 0)
			return -1;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

/* ---- faults by name, plans ---- */

static int add_spec(struct fault_config *c, struct fault_spec *f, struct err *e)
{
	for (unsigned i = 0; f->id[0] && i < c->nspecs; i++)
		if (!strcmp(c->specs[i].id, f->id)) {
			err_set(e, 0, "two faults have the id '%s'", f->id);
			fault_spec_clear(f);
			return -1;
		}
	c->specs = xrealloc(c->specs, (c->nspecs + 1) * sizeof *c->specs);
	c->specs[c->nspecs++] = *f;
	return 0;
}

int fault_config_add_spec(struct fault_config *c, const char *text, struct err *e)
{
	struct fault_spec f;

	if (c->is_plan)
		return err_set(e, 0, "a plan says already what is injected");
	return fault_spec_parse(&f, text, e) < 0 ? -1 : add_spec(c, &f, e);
}

static int add_notify(struct fault_config *c, const json_t *list, struct err *e)
{
	const json_t *v;
	size_t i;

	if (list && !json_is_array(list))
		return err_set(e, 0, "'notify' is no list of calls");
	json_array_foreach(list, i, v) {
		struct callset one;
		if (!json_is_string(v))
			return err_set(e, 0, "'notify' is no list of calls");
		if (fault_text_check(json_string_value(v), e) < 0 || callset_parse(json_string_value(v), &one, e) < 0)
			return err_wrap(e, "notify");
		for (unsigned w = 0; w < FAULT_CALL_WORDS; w++)
			c->notify.bits[w] |= one.bits[w];
	}
	return 0;
}

bool fault_config_empty(const struct fault_config *c)
{
	for (unsigned i = 0; i < fault_nkinds(); i++)
		if (c->kind[i].on)
			return false;
	return c->preset == LEVEL_NONE && !c->nspecs;
}

void fault_config_clear(struct fault_config *c)
{
	for (unsigned i = 0; i < c->nspecs; i++)
		fault_spec_clear(&c->specs[i]);
	free(c->specs);
	for (unsigned k = 0; k < FAULT_KINDS_MAX; k++)
		for (unsigned i = 0; i < FAULT_PARAMS_MAX; i++) {
			fault_value_clear(&c->kind[k].param[i].lo);
			fault_value_clear(&c->kind[k].param[i].hi);
		}
	for (char **x = c->exempt; x && *x; x++)
		free(*x);
	free(c->exempt);
	*c = (struct fault_config){0};
}

/* ---- JSON ---- */

/* A setting as text: numbers are written plainly too. Heap; NULL: neither. */
static char *value_text(const json_t *v)
{
	if (json_is_string(v))
		return xstrdup(json_string_value(v));
	if (json_is_integer(v))
		return xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return json_is_real(v) ? xasprintf("%g", json_real_value(v)) : NULL;
}

static int kind_from_json(struct fault_config *c, const char *name, const json_t *v, struct err *e)
{
	const struct fault_kind *k = drawable(name, strlen(name), e);
	struct fault_setting *s = k ? setting_of(c, k) : NULL;
	const char *key;
	json_t *member;

	if (!k)
		return -1;
	if (json_is_boolean(v)) {
		s->on = json_is_true(v);
		s->off = !s->on;
		return 0;
	}
	if (!json_is_object(v))
		return err_set(e, 0, "'%s' is neither an object nor true or false", name);
	s->on = true;
	json_object_foreach((json_t *)(uintptr_t)v, key, member) {
		char *text = value_text(member);
		int rc = fault_text_check(key, e);
		if (!rc && text)
			rc = fault_text_check(text, e);
		if (!rc)
			rc = text ? set_of_kind(s, k, key, text, e) : err_set(e, 0, "%s: '%s' is neither text nor a number", name, key);
		free(text);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int texts_from_json(const json_t *v, const char *name, int (*add)(struct fault_config *, const char *, struct err *),
			   struct fault_config *c, struct err *e)
{
	const json_t *one;
	size_t i;

	if (!json_is_array(v))
		return err_set(e, 0, "'%s' is no list", name);
	json_array_foreach(v, i, one) {
		if (!json_is_string(one))
			return err_set(e, 0, "'%s' is no list of texts", name);
		if (add(c, json_string_value(one), e) < 0)
			return -1;
	}
	return 0;
}

static int exempt_one(struct fault_config *c, const char *name, struct err *e)
{
	return fault_text_check(name, e) < 0 ? -1 : add_exempt_names(c, name, strlen(name), e);
}

static int bool_from_json(const json_t *v, const char *name, bool *out, struct err *e)
{
	if (!json_is_boolean(v))
		return err_set(e, 0, "'%s' is neither true nor false", name);
	*out = json_is_true(v);
	return 0;
}

/* Who takes part. 1: the member is about something else. */
static int scope_member(struct fault_config *c, const char *name, const json_t *v, struct err *e)
{
	if (!strcmp(name, "driver"))
		return bool_from_json(v, name, &c->driver, e);
	if (!strcmp(name, "exempt"))
		return texts_from_json(v, name, exempt_one, c, e);
	return 1;
}

static int scope_from_json(struct fault_config *c, const json_t *plan, struct err *e)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)plan, name, v)
		if (scope_member(c, name, v, e) < 0)
			return -1;
	return 0;
}

static int set_plan(struct fault_config *c, const json_t *j, struct err *e)
{
	const json_t *list = json_object_get(j, "faults"), *v;
	size_t i;

	if (c->is_plan || c->nspecs || !fault_config_empty(c))
		return err_set(e, 0, "a plan holds all that is injected; -faults, -fault or another plan beside it say more");
	if (!json_is_array(list))
		return err_set(e, 0, "no list 'faults'");
	json_array_foreach(list, i, v) {
		struct fault_spec f;
		if (fault_spec_from_json(&f, v, e) < 0 || add_spec(c, &f, e) < 0)
			return err_wrap(e, "fault %zu", i + 1);
	}
	if (add_notify(c, json_object_get(j, "notify"), e) < 0 || scope_from_json(c, j, e) < 0)
		return -1;
	c->is_plan = true;
	return 0;
}

static int member_from_json(struct fault_config *c, const char *name, const json_t *v, struct err *e)
{
	bool swarm = true;
	int level, rc;

	if (fault_text_check(name, e) < 0)
		return -1;
	if (!strcmp(name, "preset")) {
		level = json_is_string(v) ? fault_level_parse(json_string_value(v), json_string_length(v)) : -1;
		if (level < 0)
			return err_set(e, 0, "'preset' is none of none, light, default, heavy");
		c->preset = (enum fault_level)level;
		return 0;
	}
	if (!strcmp(name, "swarm")) {
		if (bool_from_json(v, name, &swarm, e) < 0)
			return -1;
		c->steady = !swarm;
		return 0;
	}
	if (!strcmp(name, "at"))
		return texts_from_json(v, name, fault_config_add_spec, c, e);
	if (!strcmp(name, "plan"))
		return set_plan(c, v, e);
	if (!strcmp(name, "max_down")) {
		char *text = value_text(v);
		if (text && fault_text_check(text, e) < 0) {
			free(text);
			return -1;
		}
		rc = text ? add_max_down(c, text, strlen(text), e) : err_set(e, 0, "'max_down' is no number");
		free(text);
		return rc;
	}
	rc = scope_member(c, name, v, e);
	return rc <= 0 ? rc : kind_from_json(c, name, v, e);
}

int fault_config_from_json(struct fault_config *c, const json_t *j, struct err *e)
{
	const char *name;
	json_t *v;

	if (json_is_string(j))
		return fault_config_add(c, json_string_value(j), e);
	if (!json_is_object(j))
		return err_set(e, 0, "'faults' is neither an object nor a text");
	json_object_foreach((json_t *)(uintptr_t)j, name, v)
		if (member_from_json(c, name, v, e) < 0)
			return -1;
	return 0;
}

static json_t *kind_json(const struct fault_kind *k, const struct fault_setting *s)
{
	json_t *j = json_object();
	struct buf b = {0};

	if (s->interval_ns) {
		rate_print(s->interval_ns, &b);
		json_object_set_new(j, "rate", json_string(b.data));
	}
	for (int i = 0; k->params[i].name; i++) {
		if (!s->param[i].set)
			continue;
		buf_reset(&b);
		fault_value_print(&k->params[i], &s->param[i].lo, &b);
		if (!fault_value_is_text(k->params[i].type)) {
			buf_adds(&b, "..");
			fault_value_print(&k->params[i], &s->param[i].hi, &b);
		}
		json_object_set_new(j, k->params[i].name, json_string(b.data));
	}
	buf_clear(&b);
	return j;
}

static json_t *plan_json(const struct fault_config *c)
{
	json_t *plan = json_object(), *list = json_array(), *notify = json_array();

	for (long nr = 0; nr < SYSROW_MAX; nr++)
		if (callset_has(&c->notify, nr))
			json_array_append_new(notify, json_string(sysrow_get(nr)->name));
	for (unsigned i = 0; i < c->nspecs; i++)
		json_array_append_new(list, fault_spec_json(&c->specs[i]));
	json_object_set_new(plan, "notify", notify);
	json_object_set_new(plan, "faults", list);
	return plan;
}

static json_t *specs_json(const struct fault_config *c)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < c->nspecs; i++) {
		struct buf b = {0};
		fault_spec_print(&c->specs[i], &b);
		json_array_append_new(list, json_string(b.data));
		buf_clear(&b);
	}
	return list;
}

void fault_config_scope_json(const struct fault_config *c, json_t *j)
{
	json_t *exempt;

	if (c->driver)
		json_object_set_new(j, "driver", json_true());
	if (!c->exempt)
		return;
	exempt = json_array();
	for (char **x = c->exempt; *x; x++)
		json_array_append_new(exempt, json_string(*x));
	json_object_set_new(j, "exempt", exempt);
}

json_t *fault_config_json(const struct fault_config *c)
{
	json_t *j = json_object();

	if (c->preset != LEVEL_NONE)
		json_object_set_new(j, "preset", json_string(fault_level_name(c->preset)));
	if (c->steady)
		json_object_set_new(j, "swarm", json_false());
	fault_config_scope_json(c, j);
	if (c->max_down)
		json_object_set_new(j, "max_down", json_integer(c->max_down));
	for (unsigned i = 0; i < fault_nkinds(); i++) {
		if (c->kind[i].on)
			json_object_set_new(j, fault_kinds[i].name, kind_json(&fault_kinds[i], &c->kind[i]));
		else if (c->kind[i].off)
			json_object_set_new(j, fault_kinds[i].name, json_false());
	}
	if (c->is_plan)
		json_object_set_new(j, "plan", plan_json(c));
	else if (c->nspecs)
		json_object_set_new(j, "at", specs_json(c));
	return j;
}

int fault_config_load_plan(struct fault_config *c, const char *path, struct err *e)
{
	json_error_t je;
	json_t *j = json_load_file(path, 0, &je);
	int rc;

	if (!j)
		return je.line > 0 ? err_set(e, 0, "line %d, column %d: %s", je.line, je.column, je.text) :
				     err_set(e, 0, "%s", je.text);
	rc = set_plan(c, j, e);
	json_decref(j);
	return rc;
}
