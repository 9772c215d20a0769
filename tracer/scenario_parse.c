/*
 * simrun.json. Strict: an unknown member, a value of the wrong type or out of range is an error that names the line, the
 * member and what would be right. jansson parses; where a member stands is looked up in the text when it is needed.
 */
#include "tracer/scenario.h"

#include "base/buf.h"
#include "base/mem.h"
#include "checker/scan.h"

#include <arpa/inet.h>
#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, NAME_MAX_LEN = 63, FILE_MAX = 1 << 20 };

/* A place in the file: the way to it from the top. */
struct step {
	const char *key; /* NULL: an element */
	size_t index;
};

struct parser {
	struct scenario *sc;
	const char *name, *text;
	size_t n;
	struct step way[DEPTH_MAX];
	unsigned depth;
	struct err *e;
};

static void enter_key(struct parser *p, const char *key)
{
	ENSURE(p->depth < DEPTH_MAX);
	p->way[p->depth++] = (struct step){.key = key};
}

static void enter_index(struct parser *p, size_t i)
{
	ENSURE(p->depth < DEPTH_MAX);
	p->way[p->depth++] = (struct step){.index = i};
}

static void leave(struct parser *p)
{
	p->depth--;
}

/* ---- where it is ---- */

/* Moves s to the member or element; false when it is not there. */
static bool descend(struct scan *s, const struct step *step)
{
	struct buf tmp = {0};
	bool object;

	json_space(s);
	object = s->p < s->end && *s->p == '{';
	if (s->p == s->end || object != (step->key != NULL))
		return false;
	s->p++;
	for (size_t i = 0;; i++) {
		const char *key = NULL;
		size_t n = 0;
		bool found;
		json_space(s);
		if (object && json_text(s, &key, &n, &tmp) < 0)
			break;
		found = object ? strlen(step->key) == n && !memcmp(key, step->key, n) : i == step->index;
		if (object) {
			json_space(s);
			s->p++; /* ':' */
		}
		json_space(s);
		if (found) {
			buf_clear(&tmp);
			return true;
		}
		if (json_skip(s, 0) < 0)
			break;
		json_space(s);
		if (s->p == s->end || *s->p != ',')
			break;
		s->p++;
	}
	buf_clear(&tmp);
	return false;
}

static unsigned line_of(const struct parser *p)
{
	struct err ignored = {0};
	struct scan s = {.p = p->text, .end = p->text + p->n, .text = p->text, .name = p->name, .e = &ignored};
	const char *at = p->text;

	for (unsigned i = 0; i < p->depth; i++) {
		if (!descend(&s, &p->way[i]))
			break;
		at = s.p;
	}
	return scan_line(&s, at);
}

static int fail(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct parser *p, const char *fmt, ...)
{
	struct buf where = {0};
	char what[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	for (unsigned i = 0; i < p->depth; i++)
		if (p->way[i].key)
			buf_addf(&where, "%s%s", where.len ? "." : "", p->way[i].key);
		else
			buf_addf(&where, "[%zu]", p->way[i].index);
	err_set(p->e, 0, "%s:%u: %s%s%s", p->name, line_of(p), where.data ? where.data : "", where.len ? ": " : "", what);
	buf_clear(&where);
	return -1;
}

static const char *type_name(const json_t *j)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		return "null";
	}
	return "?";
}

static int wrong_type(struct parser *p, const json_t *j, const char *expected, const char *example)
{
	return fail(p, "expected %s, found %s; write for example %s", expected, type_name(j), example);
}

/* ---- values ---- */

static int take_text(struct parser *p, const json_t *j, char **out, const char *example)
{
	const char *s = json_string_value(j);

	if (!s)
		return wrong_type(p, j, "a string", example);
	if (!*s || strlen(s) != json_string_length(j))
		return fail(p, "a text that is empty or holds a NUL is of no use here");
	free(*out);
	*out = xstrdup(s);
	return 0;
}

static int take_bool(struct parser *p, const json_t *j, bool *out)
{
	if (!json_is_boolean(j))
		return wrong_type(p, j, "true or false", "true");
	*out = json_is_true(j);
	return 0;
}

static int take_count(struct parser *p, const json_t *j, int64_t *out)
{
	if (!json_is_integer(j))
		return wrong_type(p, j, "a whole number", "100");
	if (json_integer_value(j) < 1)
		return fail(p, "the least that makes sense is 1");
	*out = json_integer_value(j);
	return 0;
}

static int take_duration(struct parser *p, const json_t *j, int64_t *out)
{
	struct err why = {0};

	if (!json_is_string(j))
		return wrong_type(p, j, "a duration", "\"20s\"");
	return duration_parse(json_string_value(j), out, &why) < 0 ? fail(p, "%s", why.msg) : 0;
}

static int take_strings(struct parser *p, const json_t *j, struct strvec *out, const char *example)
{
	size_t i;
	json_t *v;

	if (!json_is_array(j))
		return wrong_type(p, j, "an array of strings", example);
	json_array_foreach((json_t *)(uintptr_t)j, i, v) {
		enter_index(p, i);
		if (!json_is_string(v) || strlen(json_string_value(v)) != json_string_length(v))
			return wrong_type(p, v, "a string", example);
		strvec_add(out, json_string_value(v));
		leave(p);
	}
	return 0;
}

/* ---- members of objects, by table ---- */

struct field {
	const char *name;
	int (*take)(struct parser *p, const json_t *j, void *to);
};

static int unknown_member(struct parser *p, const struct field *fields, size_t n)
{
	struct buf all = {0};
	int rc;

	for (size_t i = 0; i < n; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", fields[i].name);
	rc = fail(p, "there is no such member; there are %s", all.data);
	buf_clear(&all);
	return rc;
}

static int take_object(struct parser *p, const json_t *j, const struct field *fields, size_t n, void *to, const char *example)
{
	const char *key;
	json_t *v;

	if (!json_is_object(j))
		return wrong_type(p, j, "an object", example);
	json_object_foreach((json_t *)(uintptr_t)j, key, v) {
		size_t i = 0;
		enter_key(p, key);
		while (i < n && strcmp(fields[i].name, key))
			i++;
		if (i == n)
			return unknown_member(p, fields, n);
		if (fields[i].take(p, v, to) < 0)
			return -1;
		leave(p);
	}
	return 0;
}

/* ---- programs ---- */

static int program_name(struct parser *p, const json_t *j, void *to)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	struct program *pr = to;

	if (take_text(p, j, &pr->name, "\"n1\"") < 0)
		return -1;
	if (strlen(pr->name) > NAME_MAX_LEN || pr->name[strspn(pr->name, plain)] || *pr->name == '.')
		return fail(p, "'%s' is no name for a program; use up to %d letters, digits, '-', '_', '.'", pr->name, NAME_MAX_LEN);
	if (!strcmp(pr->name, "driver"))
		return fail(p, "'driver' is the name of the script; use another one");
	for (size_t i = 0; i + 1 < p->sc->n; i++)
		if (p->sc->program[i].name && !strcmp(p->sc->program[i].name, pr->name))
			return fail(p, "two programs are named '%s'; give each a name of its own", pr->name);
	return 0;
}

static int program_command(struct parser *p, const json_t *j, void *to)
{
	static const char example[] = "[\"./server\", \"-port\", \"7001\"]";
	struct program *pr = to;

	if (json_is_string(j)) {
		strvec_add(&pr->argv, "/bin/sh");
		strvec_add(&pr->argv, "-c");
		strvec_add(&pr->argv, json_string_value(j));
		return *json_string_value(j) ? 0 : fail(p, "the command is empty; write for example %s", example);
	}
	if (!json_is_array(j))
		return wrong_type(p, j, "a command line for the shell, or an array of words", example);
	if (take_strings(p, j, &pr->argv, example) < 0)
		return -1;
	return pr->argv.n && *pr->argv.v[0] ? 0 : fail(p, "the command is empty; write for example %s", example);
}

static int program_env(struct parser *p, const json_t *j, void *to)
{
	struct program *pr = to;
	const char *key;
	json_t *v;

	if (!json_is_object(j))
		return wrong_type(p, j, "an object", "{\"NAME\": \"value\"}");
	json_object_foreach((json_t *)(uintptr_t)j, key, v) {
		char *kv;
		enter_key(p, key);
		if (!*key || strchr(key, '='))
			return fail(p, "that cannot be the name of a variable");
		if (!json_is_string(v) || strlen(json_string_value(v)) != json_string_length(v))
			return wrong_type(p, v, "a string", "\"value\"");
		kv = xasprintf("%s=%s", key, json_string_value(v));
		strvec_add(&pr->env, kv);
		free(kv);
		leave(p);
	}
	return 0;
}

static int program_directory(struct parser *p, const json_t *j, void *to)
{
	return take_text(p, j, &((struct program *)to)->directory, "\"data\"");
}

static int program_ip(struct parser *p, const json_t *j, void *to)
{
	struct program *pr = to;
	struct in6_addr addr;

	if (take_text(p, j, &pr->ip, "\"10.0.0.1\"") < 0)
		return -1;
	if (inet_pton(AF_INET, pr->ip, &addr) != 1 && inet_pton(AF_INET6, pr->ip, &addr) != 1)
		return fail(p, "'%s' is no address; write one like 10.0.0.1 or fd00::1", pr->ip);
	return 0;
}

static int program_faults(struct parser *p, const json_t *j, void *to)
{
	return take_bool(p, j, &((struct program *)to)->faults);
}

static const struct field program_fields[] = {
	{"name", program_name}, {"command", program_command}, {"env", program_env}, {"directory", program_directory},
	{"ip", program_ip}, {"faults", program_faults},
};

static int take_program(struct parser *p, const json_t *j, enum role role)
{
	static const char example[] = "{\"name\": \"n1\", \"command\": [\"./server\"]}";
	struct scenario *sc = p->sc;
	struct program *pr;

	sc->program = xrealloc(sc->program, (sc->n + 1) * sizeof *sc->program);
	pr = &sc->program[sc->n++];
	/* Only servers take part in faults, unless it is said. */
	*pr = (struct program){.role = role, .faults = role == ROLE_NODE};
	if (take_object(p, j, program_fields, ARRAY_LEN(program_fields), pr, example) < 0)
		return -1;
	if (!pr->name)
		return fail(p, "it has no name; write for example %s", example);
	if (!pr->argv.n && role != ROLE_NODE)
		return fail(p, "it has no command; write for example %s", example);
	if (role == ROLE_FINALLY && pr->faults)
		return fail(p, "what checks the end never takes part in faults; leave \"faults\" out");
	return 0;
}

static int take_programs(struct parser *p, const json_t *j, enum role role)
{
	size_t i;
	json_t *v;

	if (!json_is_array(j))
		return take_program(p, j, role);
	json_array_foreach((json_t *)(uintptr_t)j, i, v) {
		enter_index(p, i);
		if (take_program(p, v, role) < 0)
			return -1;
		leave(p);
	}
	return 0;
}

static int top_nodes(struct parser *p, const json_t *j, void *to)
{
	if (!json_is_array(j))
		return wrong_type(p, j, "an array", "[{\"name\": \"n1\", \"command\": [\"./server\"]}]");
	return take_programs(p, j, ROLE_NODE);
}

static int top_workload(struct parser *p, const json_t *j, void *to)
{
	return take_programs(p, j, ROLE_WORKLOAD);
}

static int top_finally(struct parser *p, const json_t *j, void *to)
{
	return take_programs(p, j, ROLE_FINALLY);
}

/* ---- the rest ---- */

static int liveness_within(struct parser *p, const json_t *j, void *to)
{
	return take_duration(p, j, &p->sc->within_ns);
}

static int top_liveness(struct parser *p, const json_t *j, void *to)
{
	static const struct field fields[] = {{"within", liveness_within}};

	if (take_object(p, j, fields, ARRAY_LEN(fields), to, "{\"within\": \"10s\"}") < 0)
		return -1;
	return p->sc->within_ns ? 0 : fail(p, "it needs \"within\": the time that the workload has after the faults; write for example "
					      "{\"within\": \"10s\"}");
}

static int top_duration(struct parser *p, const json_t *j, void *to)
{
	return take_duration(p, j, &p->sc->duration_ns);
}

static int top_after_setup(struct parser *p, const json_t *j, void *to)
{
	return take_bool(p, j, &p->sc->faults_after_setup);
}

static int checker_model(struct parser *p, const json_t *j, void *to)
{
	return take_text(p, j, &p->sc->judging.model, "\"kv\"");
}

static int checker_initial(struct parser *p, const json_t *j, void *to)
{
	p->sc->judging.initial = json_dumps(j, JSON_ENCODE_ANY | JSON_COMPACT);
	return 0;
}

static int checker_order(struct parser *p, const json_t *j, void *to)
{
	return take_text(p, j, &p->sc->judging.order, "\"realtime\"");
}

static int checker_consistency(struct parser *p, const json_t *j, void *to)
{
	return take_text(p, j, &p->sc->judging.consistency, "\"serializable\"");
}

static int checker_budget(struct parser *p, const json_t *j, void *to)
{
	int64_t n = 0;

	if (take_count(p, j, &n) < 0)
		return -1;
	p->sc->judging.budget = (uint64_t)n;
	return 0;
}

static int top_checker(struct parser *p, const json_t *j, void *to)
{
	static const struct field fields[] = {
		{"model", checker_model}, {"initial", checker_initial}, {"order", checker_order},
		{"consistency", checker_consistency}, {"budget", checker_budget},
	};

	return take_object(p, j, fields, ARRAY_LEN(fields), to, "{\"model\": \"queue\"}");
}

static int top_forbid(struct parser *p, const json_t *j, void *to)
{
	if (take_strings(p, j, &p->sc->forbid_output, "[\"panic:\"]") < 0)
		return -1;
	for (size_t i = 0; i < p->sc->forbid_output.n; i++) {
		char msg[256];
		regex_t re;
		int rc = regcomp(&re, p->sc->forbid_output.v[i], REG_EXTENDED | REG_NOSUB);
		if (rc) {
			regerror(rc, &re, msg, sizeof msg);
			enter_index(p, i);
			return fail(p, "not an extended regular expression: %s", msg);
		}
		regfree(&re);
	}
	return 0;
}

static int top_catalog(struct parser *p, const json_t *j, void *to)
{
	return take_strings(p, j, &p->sc->catalog, "[\"./client\"]");
}

static int top_ops(struct parser *p, const json_t *j, void *to)
{
	return take_count(p, j, &p->sc->ops);
}

static int top_faults(struct parser *p, const json_t *j, void *to)
{
	json_decref(p->sc->faults);
	p->sc->faults = json_incref((json_t *)(uintptr_t)j);
	return 0;
}

static int take_option(struct parser *p, const json_t *j, void *to)
{
	const char *key = p->way[p->depth - 1].key;
	json_t *text = json_is_integer(j) ? json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(j)) :
					    json_incref((json_t *)(uintptr_t)j);

	if (!json_is_string(text)) {
		json_decref(text);
		return wrong_type(p, j, "a string or a number", "as the option of the command");
	}
	if (!p->sc->options)
		p->sc->options = json_object();
	json_object_set_new(p->sc->options, key, text);
	return 0;
}

static int top_env(struct parser *p, const json_t *j, void *to)
{
	struct program pr = {0};
	int rc = program_env(p, j, &pr);

	if (!p->sc->options)
		p->sc->options = json_object();
	if (!rc) {
		json_t *a = json_array();
		for (size_t i = 0; i < pr.env.n; i++)
			json_array_append_new(a, json_string(pr.env.v[i]));
		json_object_set_new(p->sc->options, "env", a);
	}
	strvec_clear(&pr.env);
	return rc;
}

static const struct field top_fields[] = {
	{"nodes", top_nodes},
	{"workload", top_workload},
	{"finally", top_finally},
	{"faults", top_faults},
	{"faults_after_setup", top_after_setup},
	{"duration", top_duration},
	{"liveness", top_liveness},
	{"checker", top_checker},
	{"forbid_output", top_forbid},
	{"catalog", top_catalog},
	{"ops", top_ops},
	{"env", top_env},
	{"sched", take_option},
	{"cpus", take_option},
	{"epoch", take_option},
	{"timeout", take_option},
};

static int check_whole(struct parser *p)
{
	struct scenario *sc = p->sc;

	p->depth = 0;
	if (sc->within_ns && !sc->duration_ns) {
		enter_key(p, "liveness");
		return fail(p, "it begins when \"duration\" is over, which is not given; add for example \"duration\": \"20s\"");
	}
	if (scenario_has(sc, ROLE_NODE) && !scenario_has(sc, ROLE_WORKLOAD) && !scenario_has(sc, ROLE_FINALLY) && !sc->duration_ns) {
		enter_key(p, "nodes");
		return fail(p, "nothing ends the run: add a \"workload\" or a \"duration\"");
	}
	return 0;
}

int scenario_parse(struct scenario *sc, const char *name, const char *text, size_t n, struct err *e)
{
	struct parser p = {.sc = sc, .name = name, .text = text, .n = n, .e = e};
	json_error_t je;
	json_t *j;
	int rc;

	*sc = (struct scenario){0};
	if (n > FILE_MAX)
		return err_set(e, 0, "%s: more than 1 MiB cannot be a configuration", name);
	j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &je);
	if (!j)
		return err_set(e, 0, "%s:%d: %s", name, je.line < 0 ? 1 : je.line, je.text);
	rc = take_object(&p, j, top_fields, ARRAY_LEN(top_fields), NULL, "{\"nodes\": []}");
	if (!rc)
		rc = check_whole(&p);
	json_decref(j);
	if (rc < 0)
		scenario_clear(sc);
	return rc;
}

int scenario_load(struct scenario *sc, const char *path, struct err *e)
{
	struct buf text = {0};
	FILE *f = fopen(path, "re");
	int rc;

	*sc = (struct scenario){0};
	if (!f)
		return err_set(e, errno, "cannot open '%s'", path);
	for (;;) {
		size_t n = fread(buf_reserve(&text, 65536), 1, 65536, f);
		text.len += n;
		if (n < 65536 || text.len > FILE_MAX)
			break;
	}
	if (ferror(f))
		rc = err_set(e, EIO, "cannot read '%s'", path);
	else
		rc = scenario_parse(sc, path, text.data ? text.data : "", text.len, e);
	fclose(f);
	buf_clear(&text);
	return rc;
}
