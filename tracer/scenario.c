#include "tracer/scenario.h"

#include "base/buf.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int64_t ns;
} units[] = {{"h", 3600000000000}, {"ms", 1000000}, {"m", 60000000000}, {"s", 1000000000}, {"us", 1000}, {"ns", 1}};

int duration_parse(const char *text, int64_t *ns, struct err *e)
{
	long double sum = 0;
	const char *s = text;

	do {
		char *end;
		long double v = *s >= '0' && *s <= '9' ? strtold(s, &end) : -1;
		size_t i = 0;
		if (v < 0)
			break;
		while (i < ARRAY_LEN(units) && strncmp(end, units[i].name, strlen(units[i].name)))
			i++;
		if (i == ARRAY_LEN(units))
			break;
		sum += v * (long double)units[i].ns;
		s = end + strlen(units[i].name);
	} while (*s);
	if (*s || sum < 1)
		return err_set(e, 0, "'%s' is no duration; write one like 20s, 500ms or 1m30s", text);
	/* 100 years: later than any run, and far from the clock's end. */
	if (sum > 3.2e18L)
		return err_set(e, 0, "'%s' is too long", text);
	*ns = (int64_t)sum;
	return 0;
}

void duration_print(int64_t ns, char *out, size_t n)
{
	int64_t s = ns / 1000000000;

	if (ns % 1000000000 == 0 && s >= 60 && s % 60 == 0)
		snprintf(out, n, "%" PRId64 "m", s / 60);
	else if (ns % 1000000000 == 0 && s >= 60)
		snprintf(out, n, "%" PRId64 "m%" PRId64 "s", s / 60, s % 60);
	else if (ns >= 1000000000)
		snprintf(out, n, "%.9gs", (double)ns / 1e9);
	else if (ns >= 1000000)
		snprintf(out, n, "%.9gms", (double)ns / 1e6);
	else if (ns >= 1000)
		snprintf(out, n, "%.9gus", (double)ns / 1e3);
	else
		snprintf(out, n, "%" PRId64 "ns", ns);
}

bool scenario_has(const struct scenario *sc, enum role role)
{
	for (size_t i = 0; i < sc->n; i++)
		if (sc->program[i].role == role && sc->program[i].argv.n)
			return true;
	return false;
}

void scenario_clear(struct scenario *sc)
{
	for (size_t i = 0; i < sc->n; i++) {
		struct program *p = &sc->program[i];
		free(p->name);
		strvec_clear(&p->argv);
		strvec_clear(&p->env);
		free(p->directory);
		free(p->ip);
	}
	free(sc->program);
	free(sc->judging.model);
	free(sc->judging.initial);
	free(sc->judging.order);
	free(sc->judging.consistency);
	strvec_clear(&sc->forbid_output);
	strvec_clear(&sc->catalog);
	json_decref(sc->faults);
	json_decref(sc->options);
	*sc = (struct scenario){0};
}

/* ---- as JSON ---- */

static json_t *strings(const struct strvec *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(a, json_string(v->v[i]));
	return a;
}

static void set_text(json_t *j, const char *key, const char *text)
{
	if (text)
		json_object_set_new(j, key, json_string(text));
}

static void set_duration(json_t *j, const char *key, int64_t ns)
{
	char text[40];

	snprintf(text, sizeof text, "%" PRId64 "ns", ns);
	json_object_set_new(j, key, json_string(text));
}

static json_t *program_json(const struct program *p)
{
	json_t *j = json_object(), *env = json_object();

	set_text(j, "name", p->name);
	if (p->argv.n)
		json_object_set_new(j, "command", strings(&p->argv));
	for (size_t i = 0; i < p->env.n; i++) {
		size_t n = strcspn(p->env.v[i], "=");
		char *name = xstrndup(p->env.v[i], n);
		json_object_set_new(env, name, json_string(p->env.v[i] + n + 1));
		free(name);
	}
	if (p->env.n)
		json_object_set(j, "env", env);
	json_decref(env);
	set_text(j, "directory", p->directory);
	set_text(j, "ip", p->ip);
	json_object_set_new(j, "faults", json_boolean(p->faults));
	return j;
}

static void set_programs(json_t *j, const struct scenario *sc, enum role role, const char *key)
{
	json_t *a = json_array();

	for (size_t i = 0; i < sc->n; i++)
		if (sc->program[i].role == role)
			json_array_append_new(a, program_json(&sc->program[i]));
	if (json_array_size(a))
		json_object_set(j, key, a);
	json_decref(a);
}

json_t *scenario_json(const struct scenario *sc)
{
	json_t *j = json_object(), *checker = json_object();

	set_programs(j, sc, ROLE_NODE, "nodes");
	set_programs(j, sc, ROLE_WORKLOAD, "workload");
	set_programs(j, sc, ROLE_FINALLY, "finally");
	if (sc->duration_ns)
		set_duration(j, "duration", sc->duration_ns);
	if (sc->within_ns) {
		json_t *l = json_object();
		set_duration(l, "within", sc->within_ns);
		json_object_set_new(j, "liveness", l);
	}
	if (sc->faults_after_setup)
		json_object_set_new(j, "faults_after_setup", json_true());
	set_text(checker, "model", sc->judging.model);
	if (sc->judging.initial)
		json_object_set_new(checker, "initial", json_loads(sc->judging.initial, JSON_DECODE_ANY, NULL));
	set_text(checker, "order", sc->judging.order);
	set_text(checker, "consistency", sc->judging.consistency);
	if (sc->judging.budget)
		json_object_set_new(checker, "budget", json_integer((json_int_t)sc->judging.budget));
	if (json_object_size(checker))
		json_object_set(j, "checker", checker);
	json_decref(checker);
	if (sc->forbid_output.n)
		json_object_set_new(j, "forbid_output", strings(&sc->forbid_output));
	if (sc->ops)
		json_object_set_new(j, "ops", json_integer(sc->ops));
	if (json_object_size(j))
		return j;
	json_decref(j);
	return NULL;
}

bool scenario_runs(const struct scenario *sc)
{
	return scenario_has(sc, ROLE_NODE) || scenario_has(sc, ROLE_WORKLOAD) || scenario_has(sc, ROLE_FINALLY);
}
