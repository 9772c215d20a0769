/* Reading a run folder back. */
#include "tracer/rundir.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *load_json(const char *dir, const char *name, struct err *e)
{
	char *path = xasprintf("%s/%s", dir, name);
	json_error_t je;
	json_t *j = json_load_file(path, 0, &je);

	if (!j)
		err_set(e, 0, "%s: %s%s", path, je.text, je.line > 0 ? "; the file is damaged" : "");
	else if (!json_is_object(j)) {
		err_set(e, 0, "%s: not a JSON object", path);
		json_decref(j);
		j = NULL;
	}
	free(path);
	return j;
}

static int missing(const char *name, const char *what, struct err *e)
{
	return err_set(e, 0, "run.json: '%s' is %s", name, what);
}

/* A heap copy of a string member. optional: NULL when there is none. */
static int get_string(const json_t *j, const char *name, bool optional, char **out, struct err *e)
{
	const json_t *v = json_object_get(j, name);

	*out = NULL;
	if (!v && optional)
		return 0;
	if (!json_is_string(v))
		return missing(name, v ? "not text" : "missing", e);
	*out = xstrdup(json_string_value(v));
	return 0;
}

static int get_int(const json_t *j, const char *name, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	const json_t *v = json_object_get(j, name);

	if (!json_is_integer(v))
		return missing(name, v ? "not an integer" : "missing", e);
	*out = json_integer_value(v);
	return *out < min || *out > max ? missing(name, "out of range", e) : 0;
}

/* The text of a JSON text, or of {"hex": …}. Heap; NULL: neither. */
static char *exact_text(const json_t *j)
{
	const char *text = json_string_value(j), *hex = json_string_value(json_object_get(j, "hex"));
	struct buf b = {0};
	unsigned byte;

	if (text)
		return xstrdup(text);
	for (; hex && sscanf(hex, "%2x", &byte) == 1 && hex[1]; hex += 2)
		buf_addc(&b, (char)byte);
	if (hex && !*hex && b.len)
		return b.data;
	buf_clear(&b);
	return NULL;
}

static int get_strings(const json_t *j, const char *name, struct strvec *out, struct err *e)
{
	const json_t *list = json_object_get(j, name), *v;
	size_t i;

	if (!json_is_array(list))
		return missing(name, list ? "not a list" : "missing", e);
	json_array_foreach(list, i, v) {
		char *text = exact_text(v);
		if (!text)
			return missing(name, "not a list of texts", e);
		strvec_add(out, text);
		free(text);
	}
	return 0;
}

static int get_seed(const json_t *j, uint64_t *seed, struct err *e)
{
	const json_t *v = json_object_get(j, "seed");

	if (json_is_string(v))
		return parse_u64(json_string_value(v), seed, e);
	if (!json_is_integer(v))
		return missing("seed", v ? "not a number" : "missing", e);
	*seed = (uint64_t)json_integer_value(v);
	return 0;
}

/* Names of choices, translated. */
static int get_choices(const json_t *j, struct run_config *cfg, struct err *e)
{
	char *sched = NULL, *trace = NULL, *preempt = NULL;
	int rc = get_string(j, "sched", false, &sched, e) < 0 || get_string(j, "trace", false, &trace, e) < 0 ||
				 get_string(j, "preempt", false, &preempt, e) < 0 ? -1 : 0;

	if (!rc && !sched_policy_parse(sched, &cfg->sched))
		rc = missing("sched", "no policy of this version", e);
	if (!rc && !trace_level_parse(trace, &cfg->trace))
		rc = missing("trace", "no level of this version", e);
	if (!rc && !preempt_parse(preempt, &cfg->preempt))
		rc = missing("preempt", "no level of this version", e);
	free(sched);
	free(trace);
	free(preempt);
	return rc;
}

static int get_faults(const json_t *j, struct run_options *o, struct err *e)
{
	const json_t *v = json_object_get(j, "faults");

	if (!v)
		return missing("faults", "missing", e);
	o->cfg.faults = &o->faults;
	return fault_config_from_json(&o->faults, v, e) < 0 ? err_wrap(e, "run.json: faults") : 0;
}

static int get_scenario(const json_t *j, struct run_options *o, struct err *e)
{
	const json_t *v = json_object_get(j, "scenario");
	char *text = v ? json_dumps(v, JSON_COMPACT) : NULL;
	int rc = text ? scenario_parse(&o->scenario, "scenario", text, strlen(text), e) : 0;

	o->cfg.scenario = &o->scenario;
	free(text);
	return rc < 0 ? err_wrap(e, "run.json") : 0;
}

static int get_config(const json_t *j, struct run_options *o, struct rundir_record *rec, struct err *e)
{
	struct run_config *cfg = &o->cfg;
	int64_t cpus, leak = 0;

	if (!json_is_object(j))
		return missing("config", j ? "not an object" : "missing", e);
	if (get_choices(j, cfg, e) < 0 || get_faults(j, o, e) < 0 || get_scenario(j, o, e) < 0 ||
	    get_int(j, "epoch_s", 0, INT64_MAX, &cfg->epoch_s, e) < 0 ||
	    get_int(j, "cpus", 1, 1024, &cpus, e) < 0 ||
	    get_int(j, "call_cost_ns", 0, INT64_MAX, &cfg->call_cost_ns, e) < 0 ||
	    get_int(j, "clock_read_cost_ns", 0, INT64_MAX, &cfg->clock_read_cost_ns, e) < 0 ||
	    get_int(j, "timeout_s", 1, INT64_MAX, &cfg->timeout_s, e) < 0 ||
	    get_string(j, "at", true, &rec->at, e) < 0 || get_string(j, "until_output", true, &rec->until_output, e) < 0)
		return -1;
	if (json_object_get(j, "counting_sites") &&
	    sites_from_json(&rec->sites, json_object_get(j, "counting_sites"), e) < 0)
		return err_wrap(e, "run.json: counting_sites");
	cfg->sites = &rec->sites;
	if (json_object_get(j, "debug_leak") && get_int(j, "debug_leak", 0, UINT32_MAX, &leak, e) < 0)
		return -1;
	cfg->cpus = (unsigned)cpus;
	cfg->debug_leak = (unsigned)leak;
	cfg->at = rec->at;
	cfg->until_output = rec->until_output;
	return 0;
}

static void get_binaries(const json_t *j, struct strvec *out)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(j, "binaries"), i, v) {
		const char *path = json_string_value(json_object_get(v, "path"));
		const char *digest = json_string_value(json_object_get(v, "xxh3"));
		if (path && digest) {
			char *line = xasprintf("%s %s", path, digest);
			strvec_add(out, line);
			free(line);
		}
	}
}

/* A run that was broken off has no result: then there is nothing to compare with. */
static void load_result(const char *dir, struct rundir_record *rec)
{
	struct err ignored = {0};
	json_t *j = load_json(dir, "result.json", &ignored);
	const char *hash = json_string_value(json_object_get(j, "determinism_hash"));
	char *end;

	if (hash) {
		rec->hash = strtoull(hash, &end, 16);
		rec->calls = (uint64_t)json_integer_value(json_object_get(j, "host_calls"));
		rec->has_result = !*end;
	}
	json_decref(j);
}

static char *no_program[] = {NULL};

int rundir_load(const char *dir, struct run_options *o, struct rundir_record *rec, struct err *e)
{
	json_t *j = load_json(dir, "run.json", e);
	uint64_t seed;
	int rc = -1;

	*rec = (struct rundir_record){0};
	if (!j)
		return -1;
	if (get_string(j, "version", false, &rec->version, e) == 0 && get_seed(j, &seed, e) == 0 &&
	    get_strings(j, "argv", &rec->argv, e) == 0 && get_string(j, "directory", false, &rec->directory, e) == 0 &&
	    get_strings(j, "environment", &o->env, e) == 0 &&
	    get_config(json_object_get(j, "config"), o, rec, e) == 0)
		rc = rec->argv.n || scenario_runs(&o->scenario) ? 0 : missing("argv", "empty", e);
	if (rc < 0) {
		err_wrap(e, "%s", dir);
	} else {
		get_binaries(j, &rec->binaries);
		load_result(dir, rec);
		o->cfg.argv = rec->argv.n ? rec->argv.v : no_program;
		o->cfg.env = (const char *const *)o->env.v;
		seeds_set(&o->seeds, seed, seed);
	}
	json_decref(j);
	return rc;
}

void rundir_record_clear(struct rundir_record *rec)
{
	free(rec->directory);
	free(rec->version);
	free(rec->at);
	free(rec->until_output);
	strvec_clear(&rec->argv);
	strvec_clear(&rec->binaries);
	*rec = (struct rundir_record){0};
}
