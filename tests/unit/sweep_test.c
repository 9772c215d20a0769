/* Sweeps, results and the search of a divergence, with a made-up simulator in place of the real one. */
#include "base/mem.h"
#include "base/runhash.h"
#include "tracer/divergence.h"
#include "tracer/result.h"
#include "tracer/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What the processes of the made-up simulator share, since they cannot see each other's memory. */
static struct shared {
	unsigned runs;
	bool held;
} *shared;

static int shared_setup(void **state)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -1 : 0;
}

static int shared_reset(void **state)
{
	*shared = (struct shared){0};
	return 0;
}

/* ---- made-up simulators ---- */

/* Every tenth seed fails, seed 13 meets an unknown call, seed 14 cannot be run. */
static int run_plain(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	__atomic_add_fetch(&shared->runs, 1, __ATOMIC_SEQ_CST);
	if (cfg->seed == 14)
		return err_set(e, ENOSYS, "cannot do it");
	res->hash = cfg->seed * 3;
	res->calls = cfg->seed;
	res->virtual_ns = 5;
	buf_addf(&res->warnings, "warning of seed %" PRIu64 "\n", cfg->seed);
	if (cfg->seed % 10 == 0)
		res->cls = CLASS_EXIT;
	if (cfg->seed == 13)
		res->cls = CLASS_UNKNOWN;
	res->matched_output = cfg->until_output && cfg->seed == 25;
	return 0;
}

/* More than a pipe holds. */
static int run_big(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	for (unsigned i = 0; i < 200000; i++)
		buf_addf(&res->output, "line %u\n", i);
	res->nwindows = 1000;
	res->windows = xnewn(uint64_t, res->nwindows);
	for (size_t i = 0; i < res->nwindows; i++)
		res->windows[i] = i * i;
	snprintf(res->message, sizeof res->message, "a message");
	buf_adds(&res->details, "d");
	buf_adds(&res->plan, "p");
	buf_adds(&res->digests, "/bin/x 12\n");
	return 0;
}

static int run_crashing(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	if (cfg->seed == 2)
		raise(SIGKILL);
	if (cfg->seed == 3)
		_exit(7);
	return 0;
}

static int run_waiting(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	if (cfg->seed > 1) {
		kill(getppid(), SIGTERM);
		pause();
	}
	return 0;
}

/* Every run is another one from call 5000 on; recorded, from call 4999 + which on. */
static int run_leaking(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	unsigned run = __atomic_add_fetch(&shared->runs, 1, __ATOMIC_SEQ_CST);

	res->calls = 3 * RUNHASH_WINDOW;
	res->nwindows = 3;
	res->windows = xnewn(uint64_t, 3);
	res->windows[0] = 1;
	res->windows[1] = res->windows[2] = res->hash = 10 + run;
	for (uint64_t n = cfg->record_from; n < cfg->record_to; n++)
		buf_addf(&res->recorded, "%" PRIu64 "\t1.5s n1 pid 2 tid 3 (x)\tread(3) = %u\thash\n", n,
			 n == 5000 && !shared->held ? run : 0);
	return 0;
}

/* ---- what the sweep reports ---- */

struct log {
	struct buf text; /* "seed:status " */
	unsigned begun, dropped;
	struct run_result last;
};

static void on_begin(void *ctx, struct run_config *cfg, void **user)
{
	struct log *l = ctx;

	l->begun++;
	*user = l;
}

static void on_done(void *ctx, struct seed_outcome *o, const struct sweep_stats *stats)
{
	struct log *l = ctx;

	assert_ptr_equal(o->user, l);
	assert_true(o->cfg.seed == o->seed);
	buf_addf(&l->text, "%" PRIu64 ":%d ", o->seed, verdict_status(o->res.cls));
	run_result_clear(&l->last);
	l->last = o->res;
	o->res = (struct run_result){0};
}

static void on_dropped(void *ctx, struct run_config *cfg, void *user)
{
	((struct log *)ctx)->dropped++;
}

static struct sweep_stats sweep(struct log *l, run_fn *run, const char *text, struct sweep s)
{
	struct seeds seeds = {0};
	struct sweep_stats stats;
	struct err e = {0};

	*l = (struct log){0};
	assert_int_equal(seeds_parse(&seeds, text, &e), 0);
	s.run = run;
	s.seeds = &seeds;
	s.jobs = s.jobs ? s.jobs : 1;
	s.cfg.timeout_s = 60;
	s.ctx = l;
	s.begin = on_begin;
	s.done = on_done;
	s.dropped = on_dropped;
	assert_int_equal(sweep_run(&s, &stats, &e), 0);
	seeds_clear(&seeds);
	/* Nothing is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return stats;
}

static void log_clear(struct log *l)
{
	buf_clear(&l->text);
	run_result_clear(&l->last);
}

static void test_one_after_another(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_plain, "8-13", (struct sweep){0});

	assert_string_equal(l.text.data, "8:0 9:0 10:1 11:0 12:0 13:2 ");
	assert_true(st.done == 6 && st.total == 6 && st.failed == 2 && st.status == STATUS_FAIL && !st.signal && !st.found);
	assert_true(l.last.hash == 39 && l.last.calls == 13 && l.last.virtual_ns == 5);
	assert_string_equal(l.last.warnings.data, "warning of seed 13\n");
	log_clear(&l);
}

static void test_harness_failure(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_plain, "10,14", (struct sweep){0});

	assert_string_equal(l.text.data, "10:1 14:125 ");
	assert_int_equal(st.status, STATUS_HARNESS);
	assert_string_equal(l.last.message, "cannot do it: Function not implemented");
	log_clear(&l);
}

static void test_at_once(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_plain, "101-140", (struct sweep){.jobs = 4});

	assert_true(st.done == 40 && st.failed == 4 && shared->runs == 40 && l.begun == 40 && l.dropped == 0);
	log_clear(&l);
}

/* Those behind the one that fails take their time: a supervisor that the machine holds up is not far behind in runs. */
static int run_slower_behind(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	if (cfg->seed > 10)
		usleep(5000);
	return run_plain(cfg, res, e);
}

static void test_until_fail(void **state)
{
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		struct log l;
		struct sweep_stats st = sweep(&l, run_slower_behind, "1-1000", (struct sweep){.jobs = jobs, .until_fail = true});
		/* The first one, whoever was faster; nobody far behind it was started. */
		assert_true(st.found && st.found_index == 9 && st.status == STATUS_FAIL && shared->runs <= 30 * jobs);
		assert_int_equal(l.begun, st.done + l.dropped);
		log_clear(&l);
	}
}

static void test_until_output(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_plain, "21-1000", (struct sweep){.cfg.until_output = "x"});

	assert_true(st.found && st.found_index == 4 && st.status == STATUS_PASS && st.done == 5);
	log_clear(&l);
}

static void test_big_result(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_big, "1", (struct sweep){0});

	assert_int_equal(st.status, STATUS_PASS);
	assert_int_equal(l.last.output.len, 2288890);
	assert_memory_equal(l.last.output.data + l.last.output.len - 12, "line 199999\n", 12);
	assert_true(l.last.nwindows == 1000 && l.last.windows[999] == 999 * 999);
	assert_string_equal(l.last.message, "a message");
	assert_string_equal(l.last.details.data, "d");
	assert_string_equal(l.last.plan.data, "p");
	assert_string_equal(l.last.digests.data, "/bin/x 12\n");
	assert_null(l.last.recorded.data);
	log_clear(&l);
}

static void test_broken_off(void **state)
{
	struct log l;

	sweep(&l, run_crashing, "1,2", (struct sweep){0});
	assert_string_equal(l.text.data, "1:0 2:125 ");
	assert_string_equal(l.last.message, "the supervisor was ended by signal 9 (Killed)");
	log_clear(&l);
	sweep(&l, run_crashing, "3", (struct sweep){0});
	assert_string_equal(l.last.message, "the supervisor ended without a result (status 7)");
	log_clear(&l);
}

static void test_interrupted(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_waiting, "1-100", (struct sweep){0});

	assert_true(st.signal == SIGTERM && st.done == 1 && l.dropped == 1 && st.status == STATUS_PASS);
	log_clear(&l);
}

static void test_check_agrees(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_plain, "8-10", (struct sweep){.check = true});

	assert_string_equal(l.text.data, "8:0 9:0 10:1 ");
	assert_true(shared->runs == 6 && st.done == 3);
	log_clear(&l);
}

static void test_check_locates(void **state)
{
	struct log l;
	struct sweep_stats st = sweep(&l, run_leaking, "1", (struct sweep){.check = true});

	assert_true(st.status == STATUS_UNREPEATABLE && shared->runs == 4);
	assert_string_equal(l.last.message, "host call 5000: 1.5s n1 pid 2 tid 3 (x) read(3) = 3 vs 1.5s n1 pid 2 tid 3 (x) "
					    "read(3) = 4, after 1.5s n1 pid 2 tid 3 (x) read(3) = 0");
	log_clear(&l);
}

static void test_check_names_the_window(void **state)
{
	struct log l;

	shared->held = true;
	sweep(&l, run_leaking, "1", (struct sweep){.check = true});
	assert_string_equal(l.last.message, "the runs differ in host calls 4095 to 8191, but not when these were run again "
					    "and recorded");
	assert_int_equal(shared->runs, 8);
	log_clear(&l);
}

/* ---- the parts ---- */

static void describe(const char *a, const char *b, const char *expected)
{
	struct run_result ra = {0}, rb = {0};
	struct buf out = {0};

	buf_adds(&ra.recorded, a);
	buf_adds(&rb.recorded, b);
	divergence_describe(&out, &ra, &rb, 0, 4096);
	assert_string_equal(out.data, expected);
	buf_clear(&out);
	run_result_clear(&ra);
	run_result_clear(&rb);
}

static void test_describe(void **state)
{
	describe("0\tn\ta()\t1\n1\tn\tb()\t2\n", "0\tn\ta()\t1\n1\tn\tc()\t3\n", "host call 1: n b() vs n c(), after n a()");
	describe("0\tn\ta()\t1\n", "0\tn\tb()\t1\n", "host call 0: n a() vs n b(), after no call");
	describe("0\tn\ta()\t1\n", "0\tn\ta()\t2\n", "host call 0: n a() vs n a() with other bytes, after no call");
	describe("0\tn\ta()\t1\n1\tn\tb()\t2\n", "0\tn\ta()\t1\n", "host call 1: n b() vs no further call, after n a()");
	describe("0\tn\ta()\t1\n", "0\tn\ta()\t1\n1\tn\tb()\t2\n", "host call 1: no further call vs n b(), after n a()");
	describe("", "", "the runs differ in host calls 0 to 4095, but not when these were run again and recorded");
}

static void test_window(void **state)
{
	uint64_t wa[] = {1, 2, 3}, wb[] = {1, 2, 4}, from, to;
	struct run_result a = {.windows = wa, .nwindows = 3}, b = {.windows = wb, .nwindows = 3};

	divergence_window(&a, &b, &from, &to);
	assert_true(from == 2 * 4096 - 1 && to == 3 * 4096);
	b.nwindows = 2;
	divergence_window(&a, &b, &from, &to);
	assert_true(from == 2 * 4096 - 1 && to == 3 * 4096);
	wb[0] = 9;
	divergence_window(&a, &b, &from, &to);
	assert_true(from == 0 && to == 4096);
}

static void test_unpack_refuses(void **state)
{
	struct run_result r = {0}, out;
	struct buf b = {0}, part;

	buf_adds(&r.output, "some output");
	result_pack(&b, &r);
	assert_true(result_complete(&b));
	for (size_t n = 0; n < b.len; n++) {
		part = (struct buf){.data = b.data, .len = n};
		assert_false(result_complete(&part));
		assert_int_equal(result_unpack(&part, &out), -1);
		run_result_clear(&out);
	}
	buf_clear(&b);
	run_result_clear(&r);
}

static void test_json(void **state)
{
	struct run_config cfg = {.sched = SCHED_POLICY_FIFO};
	struct run_result r = {.cls = CLASS_DEADLOCK, .message = "stuck \xff", .virtual_ns = 7, .real_ms = 8, .calls = 9, .hash = 0xab};
	json_t *j;
	char *text;

	buf_adds(&r.warnings, "one\ntwo\n");
	j = result_json(&cfg, UINT64_MAX, &r);
	text = json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER);
	assert_string_equal(text, "{\"seed\":\"18446744073709551615\",\"verdict\":\"fail\",\"class\":\"deadlock\","
				  "\"message\":\"stuck \xef\xbf\xbd\",\"virtual_ns\":7,\"real_ms\":8,\"host_calls\":9,"
				  "\"determinism_hash\":\"00000000000000ab\",\"sched\":\"fifo\",\"time_horizon\":false,"
				  "\"inconclusive\":false,\"faults\":{},\"faults_without_effect\":[],\"budget\":0,\"warnings\":[\"one\",\"two\"]}");
	free(text);
	json_decref(j);
	run_result_clear(&r);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, shared_reset)
	const struct CMUnitTest tests[] = {
		T(test_one_after_another),
		T(test_harness_failure),
		T(test_at_once),
		T(test_until_fail),
		T(test_until_output),
		T(test_big_result),
		T(test_broken_off),
		T(test_interrupted),
		T(test_check_agrees),
		T(test_check_locates),
		T(test_check_names_the_window),
		T(test_describe),
		T(test_window),
		T(test_unpack_refuses),
		T(test_json),
	};

	return cmocka_run_group_tests(tests, shared_setup, NULL);
}
