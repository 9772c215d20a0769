/* Run folders: written whole, read back, replaced, cleaned up. */
#include "base/mem.h"
#include "tracer/result.h"
#include "tracer/rundir.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
	char dir[] = "/tmp/simrun-test-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	*state = xstrdup(dir);
	return 0;
}

static int teardown(void **state)
{
	char *cmd = xasprintf("rm -rf '%s'", (char *)*state);
	int rc = chdir("/") < 0 || system(cmd) != 0;

	free(cmd);
	free(*state);
	return rc;
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	static char text[8192];

	if (!f)
		return NULL;
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

static char *argv[] = {"./prog", "a b", "\xff\x01", "", NULL};
static const char *env[] = {"A=1", "B=\xe4", NULL};

static struct fault_config faults;

static struct run_config config(void)
{
	struct err e = {0};

	fault_config_clear(&faults);
	if (fault_config_add(&faults, "heavy,-stop,driver,exempt=n3+n4,max_down=2", &e) < 0 ||
	    fault_config_add(&faults, "crash:rate=7/m,downtime=1s..2.5s", &e) < 0 ||
	    fault_config_add_spec(&faults, "errno:call=openat,errno=EMFILE,path=*\\,v,when=10+5", &e) < 0)
		fail_msg("%s", e.msg);
	return (struct run_config){
		.argv = argv, .env = env, .seed = UINT64_MAX, .sched = SCHED_POLICY_FIFO, .epoch_s = 5, .at = "/w",
		.cpus = 3, .call_cost_ns = 1000, .clock_read_cost_ns = 5, .timeout_s = 60, .faults = &faults,
		.trace = TRACE_CALLS, .until_output = "x.*y", .debug_leak = 4, .trace_fd = -1,
	};
}

static void same_faults(const struct fault_config *got)
{
	json_t *a = fault_config_json(&faults), *b = fault_config_json(got);

	assert_true(json_equal(a, b));
	assert_int_equal(json_object_size(a), 7);
	json_decref(a);
	json_decref(b);
}

static void write_folder(uint64_t seed, const char *output)
{
	struct run_config cfg = config();
	struct run_result res = {.cls = CLASS_EXIT, .message = "status 1", .hash = 0xfedcba9876543210u, .calls = 77};
	struct err e = {0};
	int trace;

	cfg.seed = seed;
	json_t *header = rundir_header(&cfg);
	trace = unnamed_file(&e);
	assert_true(trace >= 0);
	assert_int_equal(write(trace, "{\"t\":0}\n", 8), 8);
	buf_adds(&res.output, output);
	buf_adds(&res.digests, "/bin/a b 0011\n/bin/c 22\n");
	if (rundir_write(seed, header, &cfg, &res, trace, &e) < 0)
		fail_msg("%s", e.msg);
	close(trace);
	json_decref(header);
	run_result_clear(&res);
}

static void test_contents(void **state)
{
	write_folder(7, "1.000000s driver | hello\n1.000001s n/1 | a | b\n1.000002s driver | end\n2.0s .. | dots\n"
			"no prefix\n3.0s driver | without end");
	assert_string_equal(slurp(".simrun/seed-7/output/driver"), "hello\nend\nwithout end");
	assert_string_equal(slurp(".simrun/seed-7/output/n_1"), "a | b\n");
	assert_string_equal(slurp(".simrun/seed-7/output/_."), "dots\n");
	assert_string_equal(slurp(".simrun/seed-7/trace.jsonl"), "{\"t\":0}\n");
	assert_string_equal(slurp(".simrun/seed-7/plan.json"), "[]\n");
	assert_non_null(strstr(slurp(".simrun/seed-7/result.json"), "\"determinism_hash\": \"fedcba9876543210\""));
	assert_non_null(strstr(slurp(".simrun/seed-7/run.json"), "\"path\": \"/bin/a b\""));
}

static void test_round_trip(void **state)
{
	struct run_options o;
	struct rundir_record rec;
	struct err e = {0};
	uint64_t seed;

	write_folder(UINT64_MAX, "");
	run_options_init(&o);
	if (rundir_load(".simrun/seed-18446744073709551615", &o, &rec, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(seeds_next(&o.seeds, &seed) && seed == UINT64_MAX);
	for (size_t i = 0; i < ARRAY_LEN(argv) - 1; i++)
		assert_string_equal(o.cfg.argv[i], argv[i]);
	assert_null(o.cfg.argv[4]);
	assert_string_equal(o.cfg.env[0], env[0]);
	assert_string_equal(o.cfg.env[1], env[1]);
	assert_null(o.cfg.env[2]);
	assert_true(o.cfg.sched == SCHED_POLICY_FIFO && o.cfg.epoch_s == 5 && o.cfg.cpus == 3 && o.cfg.call_cost_ns == 1000 &&
		    o.cfg.clock_read_cost_ns == 5 && o.cfg.timeout_s == 60 && o.cfg.debug_leak == 4);
	same_faults(&o.faults);
	assert_string_equal(o.cfg.at, "/w");
	assert_string_equal(o.cfg.until_output, "x.*y");
	assert_string_equal(rec.directory, *state);
	assert_string_equal(rec.version, SIMRUN_VERSION);
	assert_true(rec.has_result && rec.hash == 0xfedcba9876543210u && rec.calls == 77);
	assert_int_equal(rec.binaries.n, 2);
	assert_string_equal(rec.binaries.v[0], "/bin/a b 0011");
	rundir_record_clear(&rec);
	run_options_clear(&o);
}

static void test_begin(void **state)
{
	struct run_config cfg = config();
	json_t *header = rundir_header(&cfg);
	struct run_options o;
	struct rundir_record rec;
	struct err e = {0};

	assert_int_equal(rundir_begin(5, header, &e), 0);
	run_options_init(&o);
	assert_int_equal(rundir_load(".simrun/seed-5", &o, &rec, &e), 0);
	assert_false(rec.has_result);
	rundir_record_clear(&rec);
	run_options_clear(&o);
	json_decref(header);
}

static void test_replaces(void **state)
{
	write_folder(7, "1s old | x\n");
	write_folder(7, "1s new | x\n");
	assert_int_equal(access(".simrun/seed-7/output/old", F_OK), -1);
	assert_int_equal(access(".simrun/seed-7/output/new", F_OK), 0);
}

static void test_stale(void **state)
{
	char *mine = xasprintf(".simrun/.new-%d-99", getpid());

	assert_int_equal(mkdir(".simrun", 0777), 0);
	/* Pids end at 2^22. */
	assert_int_equal(mkdir(".simrun/.new-99999999-1", 0777), 0);
	assert_int_equal(mkdir(".simrun/.new-99999999-1/output", 0777), 0);
	assert_int_equal(mkdir(mine, 0777), 0);
	write_folder(1, "");
	assert_int_equal(access(".simrun/.new-99999999-1", F_OK), -1);
	assert_int_equal(access(mine, F_OK), 0);
	free(mine);
}

/* Replaces `from` in run.json and expects the message. */
static void damage(const char *from, const char *to, const char *message)
{
	struct run_options o;
	struct rundir_record rec;
	struct err e = {0};
	struct buf b = {0};
	char *text, *at;
	FILE *f;

	write_folder(3, "");
	text = slurp(".simrun/seed-3/run.json");
	at = strstr(text, from);
	assert_non_null(at);
	buf_add(&b, text, (size_t)(at - text));
	buf_adds(&b, to);
	buf_adds(&b, at + strlen(from));
	f = fopen(".simrun/seed-3/run.json", "we");
	fwrite(b.data, 1, b.len, f);
	fclose(f);
	buf_clear(&b);
	run_options_init(&o);
	assert_int_equal(rundir_load(".simrun/seed-3", &o, &rec, &e), -1);
	if (!strstr(e.msg, message))
		fail_msg("'%s' should say '%s'", e.msg, message);
	rundir_record_clear(&rec);
	run_options_clear(&o);
}

static void test_damaged(void **state)
{
	struct run_options o;
	struct rundir_record rec;
	struct err e = {0};

	damage("\"cpus\": 3", "\"cpus\": 0", "run.json: 'cpus' is out of range");
	damage("\"cpus\": 3", "\"cpus\": \"x\"", "run.json: 'cpus' is not an integer");
	damage("\"fifo\"", "\"lifo\"", "'sched' is no policy of this version");
	damage("\"preset\": \"heavy\"", "\"preset\": \"x\"", "faults: 'preset' is none of none, light");
	damage("\"argv\"", "\"argw\"", "run.json: 'argv' is missing");
	damage("\"A=1\"", "1", "'environment' is not a list of texts");
	damage("\"seed\": 3", "\"seed\": {}", "'seed' is not a number");
	damage("{", "[", "run.json");
	run_options_init(&o);
	assert_int_equal(rundir_load("nowhere", &o, &rec, &e), -1);
	assert_non_null(strstr(e.msg, "nowhere/run.json"));
	run_options_clear(&o);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_contents), T(test_round_trip), T(test_begin), T(test_replaces), T(test_stale), T(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
