/* The command line: option tables, values, sets of seeds, the guests' environment, exit statuses. */
#include "base/mem.h"
#include "tracer/exit_codes.h"
#include "tracer/guestenv.h"
#include "tracer/run_options.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct got {
	char *value;
	int flags;
};

static int set_value(void *to, const char *v, struct err *e)
{
	if (!strcmp(v, "bad"))
		return err_set(e, 0, "it is bad; try good");
	((struct got *)to)->value = (char *)(uintptr_t)v;
	return 0;
}

static int set_flag(void *to, const char *v, struct err *e)
{
	assert_null(v);
	((struct got *)to)->flags++;
	return 0;
}

static const struct option table[] = {
	{"value", "V", OPTION_REPRO, "a value", set_value},
	{"flag", NULL, OPTION_REPRO, "a flag", set_flag},
	{"plain", "V", 0, "not part of the command that reproduces", set_value},
	{"secret", NULL, OPTION_HIDDEN, "", set_flag},
	OPTIONS_END,
};

/* Splits the words and parses them. */
static int parse(const char *words, struct got *g, struct buf *repro, struct err *e)
{
	char *copy = xstrdup(words), *rest = copy, *argv[16];
	int argc = 0;

	for (char *w; (w = strsep(&rest, " "));)
		if (*w)
			argv[argc++] = w;
	*e = (struct err){0};
	*g = (struct got){0};
	argc = options_parse(table, g, argc, argv, repro, e);
	if (g->value)
		g->value = xstrdup(g->value);
	free(copy);
	return argc;
}

static void assert_value(const char *words, int index, const char *value, int flags)
{
	struct got g;
	struct err e;

	assert_int_equal(parse(words, &g, NULL, &e), index);
	if (value)
		assert_string_equal(g.value, value);
	else
		assert_null(g.value);
	assert_int_equal(g.flags, flags);
	free(g.value);
}

static void test_forms(void **state)
{
	assert_value("-value x rest", 2, "x", 0);
	assert_value("--value x rest", 2, "x", 0);
	assert_value("-value=x rest", 1, "x", 0);
	assert_value("--value=x=y", 1, "x=y", 0);
	assert_value("-value= rest", 1, "", 0);
	assert_value("-value -flag rest", 2, "-flag", 0);
	assert_value("-flag --flag prog -flag", 2, NULL, 2);
	assert_value("-flag -- -flag", 2, NULL, 1);
	assert_value("- -flag", 0, NULL, 0);
	assert_value("-value a -value b", 4, "b", 0);
	assert_value("", 0, NULL, 0);
	assert_value("-secret", 1, NULL, 1);
}

static void assert_error(const char *words, const char *message)
{
	struct got g;
	struct err e;

	assert_int_equal(parse(words, &g, NULL, &e), -1);
	assert_string_equal(e.msg, message);
	free(g.value);
}

static void test_errors(void **state)
{
	assert_error("-vlaue x", "unknown option '-vlaue'; did you mean '-value'?");
	assert_error("--falg", "unknown option '--falg'; did you mean '-flag'?");
	assert_error("-x", "unknown option '-x'; -h lists the options, and '--' before a program ends them");
	assert_error("-secre", "unknown option '-secre'; -h lists the options, and '--' before a program ends them");
	assert_error("-value", "option '-value' needs a value: -value V");
	assert_error("-flag=1", "option '-flag' takes no value; remove '=1'");
	assert_error("-value bad", "option '-value bad': it is bad; try good");
}

static void test_help(void **state)
{
	static const char *const forms[] = {"-h", "--h", "-help", "--help", "-flag -h"};
	struct got g;
	struct err e;
	char *text = NULL;
	size_t n;
	FILE *out;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		assert_int_equal(parse(forms[i], &g, NULL, &e), OPTIONS_HELP);
	out = open_memstream(&text, &n);
	options_help(table, out);
	fclose(out);
	assert_non_null(strstr(text, "  -value V                a value\n"));
	assert_non_null(strstr(text, "  -flag                   a flag\n"));
	assert_null(strstr(text, "secret"));
	free(text);
}

static void test_repro(void **state)
{
	struct buf b = {0};
	struct got g;
	struct err e;

	assert_true(parse("-plain a -flag -value it's --value=b prog", &g, &b, &e) > 0);
	assert_string_equal(b.data, "-flag -value 'it'\\''s' -value b ");
	free(g.value);
	buf_clear(&b);
}

static void test_shell_quote(void **state)
{
	static const char *const words[][2] = {
		{"plain-1.0_x/y:z=%@,+^", "plain-1.0_x/y:z=%@,+^"}, {"", "''"},		 {"a b", "'a b'"},
		{"$x", "'$x'"},					   {"a'b", "'a'\\''b'"}, {"~x", "'~x'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct buf b = {0};
		shell_quote(&b, words[i][0]);
		assert_string_equal(b.data, words[i][1]);
		buf_clear(&b);
	}
}

static void test_u64(void **state)
{
	static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x", "0xg", "x1", "1e3", "18446744073709551616"};
	struct err e = {0};
	uint64_t n;

	assert_int_equal(parse_u64("18446744073709551615", &n, &e), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(parse_u64("0xDeadBeef", &n, &e), 0);
	assert_true(n == 0xdeadbeef);
	assert_int_equal(parse_u64("010", &n, &e), 0);
	assert_true(n == 10);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse_u64(bad[i], &n, &e), -1);
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		int64_t s;
	} good[] = {{"1", 1}, {"90s", 90}, {"10m", 600}, {"1h30m", 5400}, {"2h", 7200}, {"1h1m1s", 3661}, {"1m30", 90}};
	static const char *const bad[] = {"", "0", "0s", "-1", "s", "10x", "1.5s", "10 m", "99999999999"};
	struct err e = {0};
	int64_t s;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_int_equal(parse_duration(good[i].text, &s, &e), 0);
		assert_true(s == good[i].s);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse_duration(bad[i], &s, &e), -1);
}

static void test_epoch(void **state)
{
	static const char *const bad[] = {"", "@", "@-1", "tomorrow", "2027-13-01", "2027-01-01T", "1969-12-31", "9999-01-01"};
	struct err e = {0};
	int64_t s;

	assert_int_equal(parse_epoch("2027-01-01", &s, &e), 0);
	assert_true(s == 1798761600);
	assert_int_equal(parse_epoch("2027-01-01T00:00:01Z", &s, &e), 0);
	assert_true(s == 1798761601);
	assert_int_equal(parse_epoch("@0", &s, &e), 0);
	assert_true(s == 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse_epoch(bad[i], &s, &e), -1);
}

static void assert_seeds(const char *text, const char *expected)
{
	struct seeds s = {0};
	struct buf b = {0};
	struct err e = {0};
	uint64_t seed;

	assert_int_equal(seeds_parse(&s, text, &e), 0);
	while (seeds_next(&s, &seed) && b.len < 200)
		buf_addf(&b, "%" PRIu64 " ", seed);
	assert_string_equal(b.data, expected);
	buf_clear(&b);
	seeds_clear(&s);
}

static void test_seeds(void **state)
{
	static const char *const bad[] = {"", ",", "1,", "1-", "-5", "5-1", "1--2", "a", "1-2-3", "1;2"};
	struct seeds s = {0};
	struct err e = {0};
	uint64_t seed;

	assert_seeds("7", "7 ");
	assert_seeds("1-3,7", "1 2 3 7 ");
	assert_seeds("7,1-3", "7 1 2 3 ");
	assert_seeds("1-5,3,4-6", "1 2 3 4 5 6 ");
	assert_seeds("0x10-0x11", "16 17 ");
	assert_seeds("18446744073709551614-18446744073709551615", "18446744073709551614 18446744073709551615 ");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(seeds_parse(&s, bad[i], &e), -1);
	seeds_set(&s, 0, UINT64_MAX);
	assert_true(seeds_count(&s) == UINT64_MAX);
	assert_true(seeds_next(&s, &seed) && seed == 0);
	assert_true(seeds_next(&s, &seed) && seed == 1);
	seeds_set(&s, 1, 500);
	assert_true(seeds_count(&s) == 500);
	seeds_clear(&s);
}

static void test_environment(void **state)
{
	char *outside[] = {"PATH=/bin", "HOME=/h", "USER=u", "SHELL=/bin/zsh", "LANG=de_DE.UTF-8", "TERM=xterm", "LONG=x",
			   "SIMRUN_NODE=n", "SIMRUN_=", "EXTRA=1", NULL};
	struct strvec added = {0}, env;
	struct err e = {0};

	setenv("EXTRA", "of ours", 1);
	unsetenv("UNSET");
	assert_int_equal(guestenv_add(&added, "EXTRA", &e), 0);
	assert_int_equal(guestenv_add(&added, "TZ=CET", &e), 0);
	assert_int_equal(guestenv_add(&added, "A=1", &e), 0);
	assert_int_equal(guestenv_add(&added, "A=2=3", &e), 0);
	assert_int_equal(guestenv_add(&added, "UNSET", &e), -1);
	assert_string_equal(e.msg, "UNSET is not set here; write -env UNSET=VALUE");
	assert_int_equal(guestenv_add(&added, "=x", &e), -1);
	assert_int_equal(guestenv_add(&added, "", &e), -1);
	env = guestenv_make(&added, outside);
	assert_int_equal(env.n, 14);
	assert_string_equal(env.v[0], "A=2=3");
	/* Where programs made for other simulators look, and the SDK. */
	assert_non_null(env_get(env.v, "SIMRUN_OUTPUT"));
	assert_non_null(env_get(env.v, "ANTITHESIS_OUTPUT_DIR"));
	assert_non_null(env_get(env.v, "ANTITHESIS_STOP_FAULTS"));
	assert_string_equal(env_get(env.v, "EXTRA"), "of ours");
	assert_string_equal(env_get(env.v, "HOME"), "/h");
	assert_string_equal(env_get(env.v, "LANG"), "C.UTF-8");
	assert_string_equal(env_get(env.v, "TERM"), "dumb");
	assert_string_equal(env_get(env.v, "TZ"), "CET");
	assert_string_equal(env_get(env.v, "SIMRUN_NODE"), "n");
	assert_null(env_get(env.v, "LONG"));
	strvec_clear(&env);
	outside[0] = NULL;
	env = guestenv_make(&added, outside);
	assert_non_null(env_get(env.v, "PATH"));
	assert_string_equal(env_get(env.v, "SHELL"), "/bin/sh");
	strvec_clear(&env);
	strvec_clear(&added);
}

static void test_find_program(void **state)
{
	char dir[] = "/tmp/simrun-test-XXXXXX", *path;
	char *env[2] = {0};
	int fd;

	assert_non_null(mkdtemp(dir));
	env[0] = xasprintf("PATH=/nonexistent:%s:/bin", dir);
	path = xasprintf("%s/tool", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	assert_true(fd >= 0);
	close(fd);
	assert_null(find_program("tool", env));
	assert_int_equal(errno, EACCES);
	assert_null(find_program(path, env));
	assert_int_equal(errno, EACCES);
	assert_null(find_program(dir, env));
	assert_int_equal(errno, EACCES);
	assert_null(find_program("no-such-tool", env));
	assert_int_equal(errno, ENOENT);
	assert_null(find_program("./no-such-tool", env));
	assert_int_equal(errno, ENOENT);
	assert_null(find_program("", env));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(chmod(path, 0755), 0);
	free(env[0]);
	env[0] = xasprintf("PATH=/nonexistent:%s", dir);
	char *found = find_program("tool", env);
	assert_string_equal(found, path);
	free(found);
	unlink(path);
	rmdir(dir);
	free(path);
	free(env[0]);
}

static int parse_run(struct run_options *o, const char *const *words, struct err *e)
{
	int argc = 0;

	while (words[argc])
		argc++;
	run_options_init(o);
	return run_options_parse(o, argc, (char **)(uintptr_t)words, e);
}

static void test_run_options(void **state)
{
	static const char *const words[] = {"-seeds", "1-500,507","-j",	   "2",	     "-check",	"-faults",    "crash",
					    "-sched", "fifo",	 "-at",	   "/work",  "-cpus",	"4",	      "-timeout",
					    "1m",     "-trace",	 "calls:t", "-epoch", "@5",	"-json",      "-",
					    "-keep",  "-v",	 "--",	   "-prog",  "-seed",	NULL};
	struct run_options o;
	struct err e = {0};

	assert_int_equal(parse_run(&o, words, &e), 0);
	assert_true(seeds_count(&o.seeds) == 501);
	assert_true(o.jobs == 2 && o.check && o.keep && o.cfg.verbose && !o.until_fail && !o.quiet);
	assert_true(o.cfg.faults && o.cfg.faults->kind[0].on && o.cfg.sched == SCHED_POLICY_FIFO && o.cfg.cpus == 4);
	assert_true(o.cfg.timeout_s == 60 && o.cfg.epoch_s == 5 && o.cfg.trace == TRACE_CALLS);
	assert_string_equal(o.cfg.at, "/work");
	assert_string_equal(o.trace_path, "t");
	assert_string_equal(o.json_path, "-");
	assert_string_equal(o.cfg.argv[0], "-prog");
	assert_string_equal(o.repro.data, "-faults crash -sched fifo -at /work -cpus 4 -timeout 1m -epoch @5 ");
	run_options_clear(&o);
}

static void test_run_options_without_end(void **state)
{
	static const char *const words[] = {"-until-fail", "prog", NULL};
	struct run_options o;
	struct err e = {0};
	uint64_t seed;

	assert_int_equal(parse_run(&o, words, &e), 0);
	assert_true(seeds_count(&o.seeds) == UINT64_MAX);
	assert_true(seeds_next(&o.seeds, &seed) && seed == 1);
	run_options_clear(&o);
}

static void test_run_option_errors(void **state)
{
	static const struct {
		const char *words[6];
		const char *part; /* of the message */
	} bad[] = {
		{{"-seed", "7"}, "no program to run"},
		{{"-seed", "x", "prog"}, "option '-seed x': 'x' is not a number"},
		{{"-seeds", "9-1", "prog"}, "the range 9-1 is empty"},
		{{"-j", "0", "prog"}, "option '-j 0'"},
		{{"-faults", "fire", "prog"}, "unknown faults 'fire'; write none, light"},
		{{"-sched", "lifo", "prog"}, "write auto, random, sticky, pct or fifo"},
		{{"-cpus", "0", "prog"}, "1 to 64"},
		{{"-at", "work", "prog"}, "write /work"},
		{{"-trace", "all", "prog"}, "off, events, calls or bytes"},
		{{"-trace", "calls:", "prog"}, "no file after ':'"},
		{{"-timeout", "0", "prog"}, "longer than nothing"},
		{{"-until-output", "(", "prog"}, "regular expression"},
		{{"-v", "-q", "prog"}, "contradict"},
		{{"-until-fail", "-until-output", "x", "prog"}, "contradict"},
		{{"-check", "-until-output", "x", "prog"}, "contradict"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct run_options o;
		struct err e = {0};
		assert_int_equal(parse_run(&o, bad[i].words, &e), -1);
		if (!strstr(e.msg, bad[i].part))
			fail_msg("'%s' should say '%s'", e.msg, bad[i].part);
		run_options_clear(&o);
	}
}

static void test_status_order(void **state)
{
	static const enum exit_status order[] = STATUS_ORDER;

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		for (size_t j = 0; j < ARRAY_LEN(order); j++)
			assert_int_equal(status_combine(order[i], order[j]), order[MIN(i, j)]);
	assert_int_equal(order[0], 125);
	assert_int_equal(order[1], 3);
	assert_int_equal(order[2], 1);
	assert_int_equal(order[3], 124);
	assert_int_equal(order[4], 2);
	assert_int_equal(order[5], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_repro),
		cmocka_unit_test(test_shell_quote),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_epoch),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_find_program),
		cmocka_unit_test(test_run_options),
		cmocka_unit_test(test_run_options_without_end),
		cmocka_unit_test(test_run_option_errors),
		cmocka_unit_test(test_status_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
