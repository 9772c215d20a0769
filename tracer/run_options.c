#include "tracer/run_options.h"

#include "base/mem.h"
#include "tracer/judge.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOBS_MAX = 1024, CPUS_MAX = 64 };

static const char *const trace_levels[] = {[TRACE_OFF] = "off", [TRACE_EVENTS] = "events", [TRACE_CALLS] = "calls",
					   [TRACE_BYTES] = "bytes"};

const char *trace_level_name(enum trace_level l)
{
	return trace_levels[l];
}

bool trace_level_parse(const char *name, enum trace_level *out)
{
	for (size_t i = 0; i < ARRAY_LEN(trace_levels); i++)
		if (!strcmp(name, trace_levels[i])) {
			*out = (enum trace_level)i;
			return true;
		}
	return false;
}

static int set_seed(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;
	uint64_t seed;

	if (parse_u64(v, &seed, e) < 0)
		return -1;
	seeds_set(&o->seeds, seed, seed);
	o->seeds_given = true;
	return 0;
}

static int set_seeds(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	o->seeds_given = true;
	return seeds_parse(&o->seeds, v, e);
}

static int set_jobs(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	if (parse_u64(v, &o->jobs, e) < 0)
		return -1;
	if (o->jobs < 1 || o->jobs > JOBS_MAX)
		return err_set(e, 0, "runs at once are 1 to %d; as many as there are CPUs is best", JOBS_MAX);
	return 0;
}

static int set_until_fail(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->until_fail = true;
	return 0;
}

static int set_max_failures(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	if (parse_u64(v, &o->max_failures, e) < 0)
		return -1;
	return o->max_failures ? 0 : err_set(e, 0, "the least that makes sense is 1");
}

static int set_for(void *to, const char *v, struct err *e)
{
	return parse_duration(v, &((struct run_options *)to)->for_s, e);
}

static int set_remember(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->remember = true;
	return 0;
}

static int set_until_output(void *to, const char *v, struct err *e)
{
	char msg[256];
	regex_t re;
	int rc = regcomp(&re, v, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &re, msg, sizeof msg);
		return err_set(e, 0, "not an extended regular expression: %s", msg);
	}
	regfree(&re);
	((struct run_options *)to)->cfg.until_output = v;
	return 0;
}

static int set_check(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->check = true;
	return 0;
}

static int set_faults(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	o->cfg.faults = &o->faults;
	o->faults_said = true;
	return fault_config_add(&o->faults, v, e);
}

static int set_fault(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	o->cfg.faults = &o->faults;
	o->faults_said = true;
	return fault_config_add_spec(&o->faults, v, e);
}

static int set_plan(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	o->cfg.faults = &o->faults;
	if (!o->faults_said) /* instead of what the file of -c says */
		fault_config_clear(&o->faults);
	return fault_config_load_plan(&o->faults, v, e);
}

static int set_preempt(void *to, const char *v, struct err *e)
{
	if (!preempt_parse(v, &((struct run_options *)to)->cfg.preempt))
		return err_set(e, 0, "'%s' is no level: off, light, default or heavy", v);
	return 0;
}

static int set_sched(void *to, const char *v, struct err *e)
{
	if (!sched_policy_parse(v, &((struct run_options *)to)->cfg.sched))
		return err_set(e, 0, "unknown policy; write auto, random, sticky, pct or fifo");
	return 0;
}

static int set_epoch(void *to, const char *v, struct err *e)
{
	return parse_epoch(v, &((struct run_options *)to)->cfg.epoch_s, e);
}

static int set_at(void *to, const char *v, struct err *e)
{
	static const char *const taken[] = {"/proc", "/sys", "/dev"};

	if (v[0] != '/')
		return err_set(e, 0, "the directory in the view must be absolute; write /%s", v);
	if (!v[strspn(v, "/.")])
		return err_set(e, 0, "the view's root cannot be replaced; name a directory below it");
	for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
		size_t n = strlen(taken[i]);
		if (!strncmp(v, taken[i], n) && (v[n] == '/' || !v[n]))
			return err_set(e, 0, "%s is the simulator's own; name a directory outside it", taken[i]);
	}
	((struct run_options *)to)->cfg.at = v;
	return 0;
}

static int set_env(void *to, const char *v, struct err *e)
{
	return guestenv_add(&((struct run_options *)to)->env_added, v, e);
}

static int set_cpus(void *to, const char *v, struct err *e)
{
	uint64_t n;

	if (parse_u64(v, &n, e) < 0)
		return -1;
	if (n < 1 || n > CPUS_MAX)
		return err_set(e, 0, "guests can be shown 1 to %d CPUs", CPUS_MAX);
	((struct run_options *)to)->cfg.cpus = (unsigned)n;
	return 0;
}

static int set_json(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->json_path = v;
	return 0;
}

static int set_junit(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->junit_path = v;
	return 0;
}

static int set_trace(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;
	size_t n = strcspn(v, ":");
	char *level = xstrndup(v, n);
	bool ok = trace_level_parse(level, &o->cfg.trace);

	free(level);
	if (!ok)
		return err_set(e, 0, "unknown level; write off, events, calls or bytes, and :FILE behind it for a file");
	o->trace_path = v[n] ? v + n + 1 : NULL;
	if (o->trace_path && !*o->trace_path)
		return err_set(e, 0, "no file after ':'");
	return 0;
}

static int set_timeout(void *to, const char *v, struct err *e)
{
	return parse_duration(v, &((struct run_options *)to)->cfg.timeout_s, e);
}

static int set_keep(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->keep = true;
	return 0;
}

static int set_verbose(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->cfg.verbose = true;
	return 0;
}

static int set_quiet(void *to, const char *v, struct err *e)
{
	((struct run_options *)to)->quiet = true;
	return 0;
}

static int set_debug_leak(void *to, const char *v, struct err *e)
{
	uint64_t n;

	if (parse_u64(v, &n, e) < 0)
		return -1;
	((struct run_options *)to)->cfg.debug_leak = (unsigned)n;
	return 0;
}

/* What the file says of options of the command: those that come after -c say it anew. */
static int apply_file_options(struct run_options *o, struct err *e)
{
	const char *key;
	json_t *v, *kv;
	size_t i;

	json_object_foreach(o->scenario.options, key, v) {
		const struct option *opt = run_option_table;
		while (strcmp(opt->name, key))
			opt++;
		if (json_is_string(v) && opt->set(o, json_string_value(v), e) < 0)
			return err_wrap(e, "%s: %s", o->scenario_path, key);
		json_array_foreach(v, i, kv)
			guestenv_add(&o->env_added, json_string_value(kv), e);
	}
	return 0;
}

static int set_config(void *to, const char *v, struct err *e)
{
	struct run_options *o = to;

	if (o->scenario_path)
		return err_set(e, 0, "one file only");
	if (o->scenario.judging.model || o->scenario.catalog.n || o->scenario.ops)
		return err_set(e, 0, "give it before the options that change what it says");
	if (scenario_load(&o->scenario, v, e) < 0 || judging_check(&o->scenario.judging, e) < 0)
		return -1;
	o->scenario_path = v;
	if (o->scenario.faults && fault_config_from_json(&o->faults, o->scenario.faults, e) < 0)
		return err_wrap(e, "%s: faults", v);
	if (o->scenario.faults)
		o->cfg.faults = &o->faults;
	return apply_file_options(o, e);
}

static int set_model(void *to, const char *v, struct err *e)
{
	struct judging *j = &((struct run_options *)to)->scenario.judging;

	free(j->model);
	j->model = xstrdup(v);
	return judging_check(j, e);
}

static int set_catalog(void *to, const char *v, struct err *e)
{
	strvec_add(&((struct run_options *)to)->scenario.catalog, v);
	return 0;
}

static int set_ops(void *to, const char *v, struct err *e)
{
	uint64_t n;

	if (parse_u64(v, &n, e) < 0)
		return -1;
	if (!n || n > INT64_MAX)
		return err_set(e, 0, "the least that makes sense is 1");
	((struct run_options *)to)->scenario.ops = (int64_t)n;
	return 0;
}

const struct option run_option_table[] = {
	{"c", "FILE", OPTION_REPRO, "programs, faults, liveness … of simrun-config(5); options\nafter it say anew what it says",
	 set_config},
	{"model", "MODEL", OPTION_REPRO, "what the recorded history is checked against; default kv", set_model},
	{"catalog", "PATH", 0, "Go sources whose properties are known beforehand", set_catalog},
	{"ops", "N", OPTION_REPRO, "the most that simrun_budget() gives", set_ops},
	{"seed", "N", 0, "the run to make; a number, 1 if not given", set_seed},
	{"seeds", "A-B,C", 0, "several runs, for example 1-500,7", set_seeds},
	{"j", "N", 0, "this many runs at once, each on a CPU of its own", set_jobs},
	{"until-fail", NULL, 0, "stop at the first run that does not pass; without -seeds\ntry seeds from 1 on without end",
	 set_until_fail},
	{"until-output", "REGEX", 0,
	 "stop at the first run in which a process prints a line\nthat matches; without -seeds as above", set_until_output},
	{"max-failures", "N", 0, "stop when so many have failed; without -seeds as above", set_max_failures},
	{"for", "D", 0, "begin no run after so much real time, for example 10m;\nwithout -seeds as above", set_for},
	{"R", NULL, 0, "remember the seeds that fail, and run those first that\nfailed with the same options before", set_remember},
	{"check", NULL, 0, "run every seed twice and compare; show the first host\ncall that differs", set_check},
	{"faults", "WORDS", OPTION_REPRO,
	 "what a seed may inject: none (the default), light, default,\nheavy, or kinds, as in crash,partition; simrun faults lists\n"
	 "them. KIND:rate=R,SETTING=A..B says more of one",
	 set_faults},
	{"fault", "KIND:SETTINGS", OPTION_REPRO,
	 "inject this, as in crash:node=n2,call=fdatasync,when=3,after\nor partition:at=2s,for=1s; may be given several times", set_fault},
	{"plan", "FILE", OPTION_REPRO, "inject what the plan.json of a run folder says, and nothing\nelse", set_plan},
	{"preempt", "off|light|default|heavy", OPTION_REPRO,
	 "how often threads also change places between calls; default off", set_preempt},
	{"sched", "auto|random|sticky|pct|fifo", OPTION_REPRO,
	 "how the thread to run next is chosen; default auto: as the\nseed draws", set_sched},
	{"epoch", "T", OPTION_REPRO, "the date at which runs start; default 2027-01-01", set_epoch},
	{"at", "DIR", OPTION_REPRO, "where guests see the current directory; default: where\nit is", set_at},
	{"env", "K[=V]", OPTION_REPRO, "pass a variable to the guests, as set here or as V", set_env},
	{"cpus", "N", OPTION_REPRO, "the number of CPUs that guests see; default 2", set_cpus},
	{"timeout", "D", OPTION_REPRO | OPTION_REPLAY, "limit of real time for each run; default 10m", set_timeout},
	{"json", "FILE", OPTION_REPLAY, "write one JSON object a seed; - is standard output", set_json},
	{"junit", "FILE", 0, "write the results as JUnit's XML", set_junit},
	{"trace", "off|events|calls|bytes[:FILE]", OPTION_REPLAY,
	 "what the trace holds, default events, and where it\ngoes; default trace.jsonl in the run folder", set_trace},
	{"keep", NULL, 0, "keep the run folder of passing runs too", set_keep},
	{"v", NULL, OPTION_REPLAY, "show what every node prints, with virtual times", set_verbose},
	{"q", NULL, OPTION_REPLAY, "show nothing that guests print", set_quiet},
	{"debug-leak", "N", OPTION_HIDDEN | OPTION_REPRO, "", set_debug_leak},
	OPTIONS_END,
};

struct option *replay_option_table(const struct option *own)
{
	struct option *t;
	size_t n = 0;

	while (own[n].name)
		n++;
	t = xnewn(struct option, ARRAY_LEN(run_option_table) + n);
	memcpy(t, own, n * sizeof *own);

	for (const struct option *o = run_option_table; o->name; o++)
		if (o->flags & OPTION_REPLAY)
			t[n++] = *o;
	return t;
}

void run_options_init(struct run_options *o)
{
	*o = (struct run_options){
		.cfg = {
			.sched = SCHED_POLICY_AUTO,
			.epoch_s = 1798761600, /* 2027-01-01T00:00:00Z: later than any file of a current host */
			.cpus = 2,
			.call_cost_ns = 1000,
			.clock_read_cost_ns = 5,
			.timeout_s = 600,
			.pin_cpu = -1,
			.trace = TRACE_EVENTS,
			.trace_fd = -1,
			.guest_out = -1,
			.guest_err = -1,
		},
		.jobs = 1,
	};
	seeds_set(&o->seeds, 1, 1);
}

void run_options_clear(struct run_options *o)
{
	seeds_clear(&o->seeds);
	strvec_clear(&o->env_added);
	scenario_clear(&o->scenario);
	strvec_clear(&o->env);
	fault_config_clear(&o->faults);
	buf_clear(&o->repro);
}

int run_options_parse(struct run_options *o, int argc, char **argv, struct err *e)
{
	int n = options_parse(run_option_table, o, argc, argv, &o->repro, e);

	if (n < 0)
		return n;
	if (n == argc ? !scenario_runs(&o->scenario) : !*argv[n])
		return err_set(e, 0, "no program to run; write simrun [OPTIONS] PROGRAM [ARGS]; simrun -h says more");
	if (o->quiet && o->cfg.verbose)
		return err_set(e, 0, "options '-v' and '-q' contradict each other; give one of them");
	if (o->until_fail && o->cfg.until_output)
		return err_set(e, 0, "options '-until-fail' and '-until-output' contradict each other; give one of them");
	if (o->check && o->cfg.until_output)
		return err_set(e, 0, "options '-check' and '-until-output' contradict each other; give one of them");
	if ((o->until_fail || o->cfg.until_output || o->max_failures || o->for_s) && !o->seeds_given)
		seeds_set(&o->seeds, 1, UINT64_MAX);
	o->cfg.argv = argv + n;
	o->cfg.scenario = &o->scenario;
	o->env = guestenv_make(&o->env_added, environ);
	o->cfg.env = (const char *const *)o->env.v;
	return 0;
}
