/* The grammar of faults, plans, configurations, and the table of kinds. What faults do is tested by tests/faults.sh. */
#include "base/mem.h"
#include "tracer/fault_config.h"
#include "vclock/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- one fault ---- */

static void test_specs(void **state)
{
	/* What is written, and how it is printed. */
	static const char *const good[][2] = {
		{"crash:node=n2,call=fdatasync,path=*.wal,when=3,after", NULL},
		{"errno:call=openat,errno=EMFILE,when=10+5", "errno:errno=EMFILE,call=openat,when=10+5"},
		{"crash:at=1500ms", "crash:at=1.5s"},
		{"crash:downtime=forever,at=0s", NULL},
		{"crash:id=a-1.b,node=n,at=1ns", "crash:id=a-1.b,node=n,at=1ns"},
		{"partition:at=2m,groups=n1+n2|n3", "partition:groups=n1+n2|n3,at=120s"},
		{"partition:spec=ring,at=1s", NULL},
		{"clock-jump:by=-3.25s,node=a,at=1h", "clock-jump:node=a,by=-3.25s,at=3600s"},
		{"clock-drift:rate=-5%,at=1s", "clock-drift:rate=-50000ppm,at=1s"},
		{"eintr:p=0.25", "eintr:p=25%"},
		{"eintr:", "eintr"},
		{"short:bytes=64k,call=%read,on=driver", "short:bytes=65536,call=%read,on=driver"},
		{"delay:call=fsync+fdatasync,by=3s,when=2..9+3", "delay:by=3s,call=fsync+fdatasync,when=2..9+3"},
		{"errno:errno=EIO,call=read,path=a\\,b\\\\c,when=1", NULL},
		{"pause-thread:call=%net,peer=n2,when=4+,before", "pause-thread:call=%net,peer=n2,when=4+"},
		{"clog:from=a+b,to=c,at=10us", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct fault_spec f, g;
		struct err e = {0};
		struct buf b = {0}, c = {0};
		json_t *j;
		if (fault_spec_parse(&f, good[i][0], &e) < 0)
			fail_msg("%s: %s", good[i][0], e.msg);
		fault_spec_print(&f, &b);
		assert_string_equal(b.data, good[i][1] ? good[i][1] : good[i][0]);
		if (!f.id[0])
			strcpy(f.id, "x");
		j = fault_spec_json(&f);
		if (fault_spec_from_json(&g, j, &e) < 0)
			fail_msg("%s as JSON: %s", good[i][0], e.msg);
		buf_reset(&b);
		fault_spec_print(&f, &b);
		fault_spec_print(&g, &c);
		assert_string_equal(b.data, c.data);
		json_decref(j);
		buf_clear(&b);
		buf_clear(&c);
		fault_spec_clear(&f);
		fault_spec_clear(&g);
	}
}

static void test_spec_errors(void **state)
{
	static const char *const bad[][2] = {
		{"", "no fault ''"},
		{"krash:at=1s", "no fault 'krash'; simrun faults lists them"},
		{"crash", "crash: when? write at=TIME, or call=CALLS"},
		{"crash:node=n1", "crash: when?"},
		{"crash:at=1s,color=red", "crash has no setting 'color'; it has node, downtime, id, at"},
		{"crash:at=soon", "crash: at: 'soon' is no time"},
		{"crash:at=-1s", "no time since the run's start"},
		{"crash:at=1s,call=read", "either at a time (at=) or at a call"},
		{"crash:at=1s,when=3", "'when', 'on', 'before' and 'after' count calls"},
		{"crash:at=1s,after", "count calls; name them with call="},
		{"crash:path=*.wal", "crash: which calls?"},
		{"crash:call=reed", "call: no system call 'reed'"},
		{"crash:call=%reed", "call: no set of calls '%reed'"},
		{"crash:call=io_uring_setup", "is always refused"},
		{"crash:call=read,when=0", "'0' says no occurrence"},
		{"crash:call=read,when=5..2", "says no occurrence"},
		{"crash:call=read,when=3+0", "says no occurrence"},
		{"crash:call=read,sometimes", "'sometimes' is no setting"},
		{"crash:call=getpid,path=x", "no call of 'getpid' has a path"},
		{"crash:call=getpid,peer=x", "no call of 'getpid' has a peer"},
		{"crash:node=a b,at=1s", "'a b' names no node"},
		{"crash:downtime=-1s,at=1s", "is out of range; it can be 0s to forever"},
		{"errno:call=open", "errno: 'errno' is missing"},
		{"errno:call=open,errno=EWHAT", "'EWHAT' is no error"},
		{"errno:call=open,errno=EIO,after", "it is what happens to the call"},
		{"errno:errno=EIO", "errno: which calls?"},
		{"eintr:p=1.5", "is out of range; it can be 0.0001% to 100%"},
		{"eintr:p=much", "'much' is no chance"},
		{"partition:at=1s,spec=thirds", "'thirds' is none of halves|isolate|ring|bridge"},
		{"clock-jump:at=1s", "clock-jump: 'by' is missing"},
		{"clock-jump:at=1s,by=11111d", "is out of range"},
		{"crash:at=1s,id=a b", "'a b' is no id"},
		{"crash:at=1s\n", "a control character (0x0a)"},
		{"crash:call=read,path=", "'path' is empty"},
		{"crash:at=9999999999d", "is no time"},
		{"crash:at=1.0000000001s", "is no time"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct fault_spec f;
		struct err e = {0};
		if (!fault_spec_parse(&f, bad[i][0], &e))
			fail_msg("'%s' was taken", bad[i][0]);
		if (!strstr(e.msg, bad[i][1]))
			fail_msg("'%s': '%s' should say '%s'", bad[i][0], e.msg, bad[i][1]);
	}
}

static void test_when(void **state)
{
	static const struct {
		const char *text;
		const char *hits; /* of the first twelve */
	} cases[] = {
		{"3", "..x........."}, {"3+", "..xxxxxxxxxx"}, {"2..4", ".xxx........"}, {"2+3", ".x..x..x..x."}, {"1..9+4", "x...x...x..."},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_when w;
		struct err e = {0};
		struct buf b = {0};
		assert_int_equal(fault_when_parse(cases[i].text, &w, &e), 0);
		for (uint64_t n = 1; n <= 12; n++)
			assert_int_equal(fault_when_is(&w, n), cases[i].hits[n - 1] == 'x');
		fault_when_print(&w, &b);
		assert_string_equal(b.data, cases[i].text);
		buf_clear(&b);
	}
}

static void test_times(void **state)
{
	static const struct {
		const char *text, *print;
		int64_t ns;
	} cases[] = {
		{"0s", "0s", 0}, {"1ns", "1ns", 1}, {"1.5us", "1.5us", 1500}, {"340.5ms", "340.5ms", 340500000},
		{"1.000000001s", "1.000000001s", 1000000001}, {"90m", "5400s", 5400 * NS_PER_S}, {"2d", "172800s", 172800 * NS_PER_S},
		{"-0.5s", "-500ms", -500000000}, {"forever", "forever", VCLOCK_NEVER}, {"999.999999ms", "999.999999ms", 999999999},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};
		struct buf b = {0};
		int64_t ns;
		assert_int_equal(time_parse(cases[i].text, &ns, &e), 0);
		assert_true(ns == cases[i].ns);
		time_print(ns, &b);
		assert_string_equal(b.data, cases[i].print);
		buf_clear(&b);
	}
}

static void test_rates(void **state)
{
	for (int n = 1; n <= 1000; n++) {
		static const char *const unit[] = {"/s", "/m", "/h", ""};
		char *text = xasprintf("%d.%d%s", n, n % 10, unit[n % 4]);
		struct buf b = {0};
		struct err e = {0};
		int64_t a, c;
		assert_int_equal(rate_parse(text, &a, &e), 0);
		rate_print(a, &b);
		assert_int_equal(rate_parse(b.data, &c, &e), 0);
		if (a != c)
			fail_msg("%s: %lld, printed as %s: %lld", text, (long long)a, b.data, (long long)c);
		buf_clear(&b);
		free(text);
	}
}

/* ---- configurations ---- */

static void add(struct fault_config *c, const char *text)
{
	struct err e = {0};

	if (fault_config_add(c, text, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
}

static void test_config(void **state)
{
	struct fault_config c = {0};
	unsigned crash = (unsigned)(fault_kind_find("crash", 5) - fault_kinds), stop = (unsigned)(fault_kind_find("stop", 4) - fault_kinds);

	assert_true(fault_config_empty(&c));
	add(&c, "none");
	assert_true(fault_config_empty(&c));
	add(&c, "default,-stop,driver");
	assert_false(fault_config_empty(&c));
	assert_int_equal(c.preset, LEVEL_DEFAULT);
	assert_true(c.kind[stop].off && c.driver);
	add(&c, "crash:rate=6/m,downtime=1s..5s");
	assert_true(c.kind[crash].on && c.kind[crash].interval_ns == 10 * NS_PER_S);
	assert_true(c.kind[crash].param[1].set && c.kind[crash].param[1].lo.n == NS_PER_S && c.kind[crash].param[1].hi.n == 5 * NS_PER_S);
	add(&c, "exempt=n1+n2,max_down=2");
	assert_string_equal(c.exempt[1], "n2");
	assert_int_equal(c.max_down, 2);
	fault_config_clear(&c);
}

static void test_config_errors(void **state)
{
	static const char *const bad[][2] = {
		{"fire", "unknown faults 'fire'; write none, light, default, heavy, or kinds"},
		{"crash,fire", "unknown faults 'fire'"},
		{"", "unknown faults ''"},
		{"errno", "errno cannot be drawn; write it with -fault"},
		{"crash:rate=often", "crash: rate: 'often' is no rate"},
		{"crash:rate=0", "is no rate"},
		{"crash:color=red", "crash has no setting 'color' that could be drawn"},
		{"crash:downtime=5s..1s", "the range '5s..1s' is empty"},
		{"crash:downtime", "'downtime' is not NAME=VALUE"},
		{"max_down=0", "max_down: '0' is out of range"},
		{"exempt=a b", "'a b' names no node"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct fault_config c = {0};
		struct err e = {0};
		assert_int_equal(fault_config_add(&c, bad[i][0], &e), -1);
		if (!strstr(e.msg, bad[i][1]))
			fail_msg("'%s': '%s' should say '%s'", bad[i][0], e.msg, bad[i][1]);
		fault_config_clear(&c);
	}
}

static int from_text(struct fault_config *c, const char *text, struct err *e)
{
	json_t *j = json_loads(text, JSON_DECODE_ANY, NULL);
	int rc;

	assert_non_null(j);
	rc = fault_config_from_json(c, j, e);
	json_decref(j);
	return rc;
}

static void test_json(void **state)
{
	static const char *const good[] = {
		"{}",
		"{\"preset\":\"heavy\",\"swarm\":false,\"driver\":true,\"max_down\":1,\"exempt\":[\"a\",\"b\"]}",
		"{\"crash\":{\"rate\":\"0.1/s\",\"downtime\":\"1s..5s\"},\"stop\":false,\"at\":[\"crash:id=z,at=1s\"]}",
		"{\"plan\":{\"notify\":[\"mmap\",\"brk\"],\"faults\":[{\"id\":\"crash-1\",\"kind\":\"crash\",\"node\":\"a\",\"at\":\"1s\"}]}}",
	};
	static const char *const bad[][2] = {
		{"7", "neither an object nor a text"},
		{"{\"preset\":\"some\"}", "'preset' is none of"},
		{"{\"swarm\":1}", "'swarm' is neither true nor false"},
		{"{\"crash\":7}", "'crash' is neither an object nor true or false"},
		{"{\"crash\":{\"rate\":[]}}", "crash: 'rate' is neither text nor a number"},
		{"{\"fire\":true}", "unknown faults 'fire'"},
		{"{\"max_down\":\"x\"}", "max_down: 'x' is no number"},
		{"{\"exempt\":\"a\"}", "'exempt' is no list"},
		{"{\"at\":[\"crash\"]}", "crash: when?"},
		{"{\"plan\":{}}", "no list 'faults'"},
		{"{\"plan\":{\"faults\":[{}]}}", "fault 1: a fault without a 'kind'"},
		{"{\"plan\":{\"faults\":[7]}}", "fault 1: a fault that is no object"},
		{"{\"plan\":{\"faults\":[{\"kind\":\"crash\",\"at\":[]}]}}", "'at' is neither text nor a number"},
		{"{\"plan\":{\"faults\":[{\"id\":\"a\",\"kind\":\"crash\",\"at\":\"1s\"},{\"id\":\"a\",\"kind\":\"crash\",\"at\":\"2s\"}]}}",
		 "two faults have the id 'a'"},
		{"{\"preset\":\"light\",\"plan\":{\"faults\":[]}}", "a plan holds all that is injected"},
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct fault_config c = {0};
		struct err e = {0};
		json_t *want = json_loads(good[i], 0, NULL), *got;
		if (from_text(&c, good[i], &e) < 0)
			fail_msg("%s: %s", good[i], e.msg);
		got = fault_config_json(&c);
		if (!json_equal(want, got))
			fail_msg("%s came back as %s", good[i], json_dumps(got, 0));
		json_decref(want);
		json_decref(got);
		fault_config_clear(&c);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct fault_config c = {0};
		struct err e = {0};
		assert_int_equal(from_text(&c, bad[i][0], &e), -1);
		if (!strstr(e.msg, bad[i][1]))
			fail_msg("%s: '%s' should say '%s'", bad[i][0], e.msg, bad[i][1]);
		fault_config_clear(&c);
	}
}

static void test_plan_file(void **state)
{
	char name[] = "/tmp/simrun-plan-XXXXXX";
	static const char plan[] = "{\"version\":1,\"seed\":7,\"driver\":true,\"exempt\":[\"x\"],\"notify\":[\"mmap\"],\"faults\":[\n"
				   "{\"id\":\"a\",\"kind\":\"crash\",\"at\":\"1s\",\"applied\":1,\"first_ns\":1000000001,\"effect\":{\"processes_killed\":2}},\n"
				   "{\"kind\":\"eintr\",\"call\":\"%wait\",\"when\":\"3\",\"seen\":9,\"without_effect\":true}]}";
	struct fault_config c = {0};
	struct err e = {0};
	int fd = mkstemp(name);

	assert_int_equal(write(fd, plan, sizeof plan - 1), sizeof plan - 1);
	if (fault_config_load_plan(&c, name, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(c.is_plan && c.nspecs == 2 && c.driver && callset_has(&c.notify, 9));
	assert_string_equal(c.exempt[0], "x");
	assert_int_equal(fault_config_add(&c, "crash", &e), -1);
	assert_int_equal(fault_config_add_spec(&c, "crash:at=1s", &e), -1);
	fault_config_clear(&c);
	assert_int_equal(ftruncate(fd, 60), 0);
	assert_int_equal(fault_config_load_plan(&c, name, &e), -1);
	assert_non_null(strstr(e.msg, "line 1, column"));
	close(fd);
	unlink(name);
	assert_int_equal(fault_config_load_plan(&c, name, &e), -1);
	fault_config_clear(&c);
}

/* ---- the table ---- */

static void check_param(const struct fault_kind *k, const struct fault_param *p)
{
	struct rng r;

	if (!p->help || !*p->help)
		fail_msg("%s: %s has no help", k->name, p->name);
	if (fault_value_is_text(p->type) || p->type == FV_ERRNO)
		return;
	if (p->type == FV_WORD) {
		assert_true(p->words && p->to >= 0);
		return;
	}
	if (p->min > p->max || (!p->required && p->def && (p->def < p->min || p->def > p->max)))
		fail_msg("%s: %s: the default is not allowed", k->name, p->name);
	if (!p->from && !p->to)
		return;
	if (p->from <= 0 || p->from > p->to || p->to > p->max || p->from < p->min)
		fail_msg("%s: %s: what is drawn is not allowed", k->name, p->name);
	rng_init(&r, 7, p->name);
	for (int i = 0; i < 2000; i++)
		assert_in_range(draw_magnitude(&r, p->from, p->to), p->from, p->to);
}

static void test_table(void **state)
{
	assert_true(fault_nkinds() <= FAULT_KINDS_MAX);
	for (unsigned i = 0; i < fault_nkinds(); i++) {
		const struct fault_kind *k = &fault_kinds[i];
		struct callset calls;
		struct err e = {0};
		bool has_for = false;
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(k->name, fault_kinds[j].name);
		assert_true(k->help && *k->help && k->start && k->effects[0] != EFFECTS);
		for (int e2 = 0; k->effects[e2] != EFFECTS; e2++)
			assert_non_null(fault_effect_name(k->effects[e2]));
		for (int p = 0; k->params[p].name; p++) {
			check_param(k, &k->params[p]);
			has_for |= !strcmp(k->params[p].name, "for");
			assert_true(p < FAULT_PARAMS_MAX);
		}
		assert_int_equal(has_for, (k->flags & KIND_WINDOW) != 0);
		assert_int_equal(k->act != NULL, (k->flags & KIND_CALL) != 0);
		assert_true(!(k->flags & KIND_WINDOW) || k->stop);
		if (k->calls && callset_parse(k->calls, &calls, &e) < 0)
			fail_msg("%s: %s", k->name, e.msg);
		assert_true(fault_level_parse(k->name, strlen(k->name)) < 0);
	}
}

static void test_sets(void **state)
{
	const char *name, *help;
	struct callset s, t;
	struct err e = {0};

	for (unsigned i = 0; (name = callset_name(i, &help)); i++) {
		if (callset_parse(name, &s, &e) < 0)
			fail_msg("%s: %s", name, e.msg);
		assert_false(callset_empty(&s));
	}
	assert_int_equal(callset_parse("%file", &s, &e), 0);
	assert_true(callset_has(&s, 257) && callset_has(&s, 82) && !callset_has(&s, 0)); /* openat, rename, not read */
	assert_int_equal(callset_parse("%net+read", &t, &e), 0);
	assert_true(callset_has(&t, 42) && callset_has(&t, 0) && !callset_has(&t, 1));
	assert_false(callset_has(&t, -1) || callset_has(&t, 512));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_specs),	      cmocka_unit_test(test_spec_errors), cmocka_unit_test(test_when),
		cmocka_unit_test(test_times),	      cmocka_unit_test(test_rates),	  cmocka_unit_test(test_config),
		cmocka_unit_test(test_config_errors), cmocka_unit_test(test_json),	  cmocka_unit_test(test_plan_file),
		cmocka_unit_test(test_table),	      cmocka_unit_test(test_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
