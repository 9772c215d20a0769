/* Properties over seeds, groups of failures, the record of operations, and the judging of histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracer/catalog.h"
#include "tracer/coverage.h"
#include "tracer/groups.h"
#include "tracer/judge.h"
#include "tracer/message.h"
#include "tracer/oplog.h"
#include "tracer/scenario.h"

static void add_seed(struct coverage *c, const char *json)
{
	struct buf b = {0};

	buf_adds(&b, json);
	coverage_add(c, &b);
	buf_clear(&b);
}

static char *printed(void (*print)(const void *, FILE *), const void *what)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	print(what, f);
	fclose(f);
	return text;
}

static void print_coverage(const void *c, FILE *f)
{
	coverage_print(c, f);
}

static void print_groups(const void *g, FILE *f)
{
	groups_print(g, f);
}

static void seeds_are_counted(void **state)
{
	struct coverage c = {0};
	char *text;

	add_seed(&c, "[{\"kind\":\"sometimes\",\"message\":\"a crash\",\"location\":\"x/y/z.c:3\",\"reached\":true,\"true\":true},"
		     "{\"kind\":\"always\",\"message\":\"m\",\"reached\":true,\"true\":true,\"margin\":5},"
		     "{\"kind\":\"sometimes\",\"message\":\"s\",\"location\":\"a/b/c.c:9\",\"reached\":true,\"true\":false,\"margin\":-40}]");
	add_seed(&c, "[{\"kind\":\"always\",\"message\":\"m\",\"reached\":true,\"true\":true,\"margin\":2},"
		     "{\"kind\":\"sometimes\",\"message\":\"s\",\"reached\":true,\"true\":false,\"margin\":-37},"
		     "{\"kind\":\"reachable\",\"message\":\"line\\nbreak\",\"location\":\"n.c:1\",\"reached\":false,\"true\":false},"
		     "{\"kind\":\"always\",\"message\":\"half\",\"reached\":true,\"true\":true,\"margin\":0.5}]");
	add_seed(&c, "");
	text = printed(print_coverage, &c);
	assert_string_equal(text, "property      seeds reached  seeds true\n"
				  "  sometimes               1           1  a crash\n"
				  "  always                  2           2  m  (smallest margin 2)\n"
				  "  sometimes               2           0  s  (largest margin -37)  <- never true (b/c.c:9)\n"
				  "  reachable               0           0  line\\nbreak  <- never reached (n.c:1)\n"
				  "  always                  1           1  half  (smallest margin 0.5)\n");
	assert_int_equal(coverage_missing(&c), 2);
	assert_int_equal(c.seeds, 3);
	free(text);
	coverage_clear(&c);
}

static void nothing_is_printed_of_nothing(void **state)
{
	struct coverage c = {0};
	struct groups g = {0};
	char *text = printed(print_coverage, &c), *more = printed(print_groups, &g);

	assert_string_equal(text, "");
	assert_string_equal(more, "");
	assert_int_equal(coverage_missing(&c), 0);
	free(text);
	free(more);
}

static void kinds_know_what_they_need(void **state)
{
	static const struct {
		const char *word;
		bool reached, was_true, fails;
	} table[] = {
		{"always", true, false, true}, {"always_or_unreachable", false, false, true}, {"unreachable", false, false, true},
		{"sometimes", true, true, false}, {"reachable", true, false, false}, {"eventually", true, false, false},
	};
	enum property_kind k;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		assert_true(property_kind_find(table[i].word, &k));
		assert_int_equal(property_must_be_reached(k), table[i].reached);
		assert_int_equal(property_must_be_true(k), table[i].was_true);
		assert_int_equal(property_fails_when_false(k), table[i].fails);
	}
	assert_false(property_kind_find("Always", &k));
}

static void failures_are_grouped(void **state)
{
	struct run_result client = {.cls = CLASS_LIVENESS, .node = "client", .group = "did not finish"},
			  exit1 = {.cls = CLASS_EXIT, .message = "the driver exited with status 1"},
			  exit2 = {.cls = CLASS_EXIT, .message = "the driver exited with status 22 at 0xbeef"};
	struct groups g = {0};
	char *text;

	groups_add(&g, 1, &exit1);
	for (uint64_t seed = 2; seed < 9; seed++)
		groups_add(&g, seed, &client);
	groups_add(&g, 10, &exit2);
	groups_add(&g, 11, &exit1);
	text = printed(print_groups, &g);
	assert_string_equal(text, "failures:\n"
				  "      7  liveness · client: did not finish (seeds 2, 3, 4, 5, 6 …)\n"
				  "      2  exit: the driver exited with status N (seeds 1, 11)\n"
				  "      1  exit: the driver exited with status N at N (seed 10)\n");
	free(text);
	groups_clear(&g);
}

/* ---- operations ---- */

static int64_t take(struct oplog *l, uint64_t stream, const char *json, struct err *e)
{
	struct buf note = {0};
	struct message m;
	int64_t id;

	if (message_parse(&m, json, strlen(json), "message", e) < 0)
		fail_msg("%s", e->msg);
	id = oplog_take(l, stream, &m, 7, &note, e);
	message_clear(&m);
	buf_clear(&note);
	return id;
}

static void operations_become_lines(void **state)
{
	struct oplog l = {0};
	struct err e = {0};

	assert_int_equal(take(&l, 0, "{\"type\":\"invoke\",\"process\":1,\"f\":\"put\",\"key\":\"k\", \"value\" : \"a b\"}", &e), 0);
	assert_int_equal(take(&l, 0, "{\"type\":\"invoke\",\"process\":\"w\",\"f\":\"txn\",\"key\":null,\"value\":[1, 2],\"after\":[0]}", &e), 1);
	assert_int_equal(take(&l, 0, "{\"type\":\"ok\",\"id\":1,\"value\":18446744073709551617}", &e), 1);
	assert_int_equal(take(&l, 0, "{\"type\":\"info\",\"id\":0,\"value\":5}", &e), 0);
	buf_addc(&l.text, 0);
	assert_string_equal(l.text.data,
			    "{\"index\":0,\"type\":\"invoke\",\"process\":1,\"f\":\"put\",\"key\":\"k\",\"value\":\"a b\",\"time\":7,\"id\":0}\n"
			    "{\"index\":1,\"type\":\"invoke\",\"process\":\"w\",\"f\":\"txn\",\"value\":[1,2],\"after\":[0],\"time\":7,\"id\":1}\n"
			    "{\"index\":2,\"type\":\"ok\",\"process\":\"w\",\"f\":\"txn\",\"value\":18446744073709551617,\"time\":7,\"id\":1}\n"
			    "{\"index\":3,\"type\":\"info\",\"process\":1,\"f\":\"put\",\"key\":\"k\",\"value\":\"a b\",\"time\":7,\"id\":0}\n");
	oplog_clear(&l);
}

static void mistakes_in_operations_are_named(void **state)
{
	static const struct {
		uint64_t stream;
		const char *json, *says;
	} wrong[] = {
		{0, "{\"type\":\"start\"}", "\"type\" is one of"},
		{0, "{\"type\":\"invoke\",\"process\":1}", "an invocation needs \"f\""},
		{0, "{\"type\":\"invoke\",\"f\":\"put\"}", "an invocation needs \"process\""},
		{0, "{\"type\":\"invoke\",\"f\":\"put\",\"process\":[1]}", "an invocation needs \"process\""},
		{0, "{\"type\":\"invoke\",\"f\":\"put\",\"process\":1,\"after\":3}", "\"after\" is an array"},
		{0, "{\"type\":\"invoke\",\"f\":\"put\",\"process\":1,\"after\":[99]}", "names operation 99, which there is not"},
		{0, "{\"type\":\"ok\",\"process\":1}", "a completion needs \"id\""},
		{0, "{\"type\":\"ok\",\"id\":77}", "there is no operation 77"},
		{0, "{\"type\":\"ok\",\"id\":0}", "operation 0 is completed twice"},
		{5, "{\"type\":\"ok\",\"process\":1}", "process 1 has no operation open"},
		{5, "{\"type\":\"ok\",\"id\":\"a\"}", "id \"a\" has no operation open"},
		{4, "{\"type\":\"invoke\",\"process\":2,\"f\":\"put\"}", "process 2 has an operation open already"},
		{4, "{\"type\":\"invoke\",\"process\":3,\"id\":\"x\",\"f\":\"put\"}", "id \"x\" was used before"},
		{4, "{\"type\":\"invoke\",\"process\":3,\"id\":\"y\",\"f\":\"put\",\"after\":[\"z\"]}", "names operation \"z\", which"},
	};
	struct oplog l = {0};
	struct err e = {0};

	take(&l, 0, "{\"type\":\"invoke\",\"process\":1,\"f\":\"put\"}", &e);
	take(&l, 0, "{\"type\":\"fail\",\"id\":0}", &e);
	take(&l, 4, "{\"type\":\"invoke\",\"process\":2,\"f\":\"put\"}", &e);
	take(&l, 4, "{\"type\":\"invoke\",\"process\":3,\"id\":\"x\",\"f\":\"put\"}", &e);
	take(&l, 4, "{\"type\":\"ok\",\"id\":\"x\"}", &e);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		size_t before = l.text.len;
		if (take(&l, wrong[i].stream, wrong[i].json, &e) >= 0 || !strstr(e.msg, wrong[i].says))
			fail_msg("%s: said '%s', expected '%s'", wrong[i].json, e.msg, wrong[i].says);
		assert_int_equal(l.text.len, before);
	}
	/* The writer's own ids become ours. */
	assert_int_equal(take(&l, 4, "{\"type\":\"invoke\",\"process\":3,\"id\":\"y\",\"f\":\"put\",\"after\":[\"x\"]}", &e), 3);
	assert_non_null(strstr(l.text.data, "\"after\":[2]"));
	oplog_clear(&l);
}

/* ---- judging ---- */

/* n unknown writes and one read that no order explains: a search has to try them all. */
static struct run_result hard_history(unsigned n)
{
	struct run_result r = {0};

	for (unsigned i = 0; i < n; i++)
		buf_addf(&r.history, "{\"index\":%u,\"type\":\"invoke\",\"process\":%u,\"f\":\"append\",\"key\":\"k\",\"value\":\"%u\",\"time\":0,\"id\":%u}\n",
			 i, i, i, i);
	buf_addf(&r.history, "{\"index\":%u,\"type\":\"invoke\",\"process\":999,\"f\":\"read\",\"key\":\"k\",\"value\":null,\"time\":1,\"id\":%u}\n", n, n);
	buf_addf(&r.history, "{\"index\":%u,\"type\":\"ok\",\"process\":999,\"f\":\"read\",\"key\":\"k\",\"value\":[\"3\",\"1\"],\"time\":2,\"id\":%u}\n", n + 1, n);
	return r;
}

static void a_spent_budget_is_no_verdict(void **state)
{
	struct scenario sc = {.judging = {.budget = 1}};
	struct run_result r = {0};
	struct buf note = {0};

	/* Overlapping writes and reads of equal values: nothing but a search tells. */
	for (unsigned i = 0; i < 12; i++)
		buf_addf(&r.history, "{\"index\":%u,\"type\":\"invoke\",\"process\":%u,\"f\":\"%s\",\"key\":\"k\",\"value\":%s,\"time\":0,\"id\":%u}\n", i, i,
			 i % 2 ? "get" : "put", i % 2 ? "null" : i % 4 ? "\"a\"" : "\"b\"", i);
	for (unsigned i = 0; i < 12; i++)
		buf_addf(&r.history, "{\"index\":%u,\"type\":\"ok\",\"process\":%u,\"f\":\"%s\",\"key\":\"k\",\"value\":%s,\"time\":1,\"id\":%u}\n", 12 + i, i,
			 i % 2 ? "get" : "put", i % 2 ? i % 4 == 1 ? "\"a\"" : "\"b\"" : "null", i);
	judge_history(&sc, &r, &note);
	assert_true(r.inconclusive);
	assert_int_equal(r.cls, CLASS_PASS);
	assert_string_equal(note.data, "gave up checking 12 operations for linearizability");
	buf_clear(&note);
	r.inconclusive = false;
	sc.judging.budget = 0;
	judge_history(&sc, &r, &note);
	assert_false(r.inconclusive);
	assert_int_equal(r.cls, CLASS_PASS);
	assert_int_equal(note.len, 0);
	buf_clear(&r.history);
}

static void a_bad_history_is_a_verdict(void **state)
{
	struct scenario sc = {.judging = {.model = "append"}};
	struct run_result r = hard_history(2);
	struct buf note = {0};

	judge_history(&sc, &r, &note);
	assert_int_equal(r.cls, CLASS_LINEARIZABILITY);
	assert_true(r.judged);
	assert_string_equal(r.group, "model append");
	assert_non_null(strstr(r.message, "history of 3 operations is not linearizable (model append)"));
	assert_true(r.timeline.len > 1000);
	buf_clear(&r.history);
	buf_clear(&r.timeline);
	buf_clear(&r.details);
	buf_clear(&note);
}

static void no_history_no_verdict(void **state)
{
	struct run_result r = {0};
	struct buf note = {0};

	judge_history(NULL, &r, &note);
	assert_int_equal(r.cls, CLASS_PASS);
	assert_int_equal(note.len, 0);
}

static void judging_is_checked_beforehand(void **state)
{
	struct err e = {0};

	assert_int_equal(judging_check(&(struct judging){.model = "queue", .order = "process,explicit", .consistency = "serializable"}, &e), 0);
	assert_int_equal(judging_check(&(struct judging){.model = "kw"}, &e), -1);
	assert_non_null(strstr(e.msg, "there is no model 'kw'"));
	assert_int_equal(judging_check(&(struct judging){.order = "time"}, &e), -1);
	assert_non_null(strstr(e.msg, "'time' is no order"));
	assert_int_equal(judging_check(&(struct judging){.consistency = "strong"}, &e), -1);
	assert_non_null(strstr(e.msg, "there is no consistency 'strong'"));
}

/* ---- scenarios ---- */

static void a_scenario_comes_back(void **state)
{
	static const char text[] =
		"{\"nodes\":[{\"name\":\"n1\",\"command\":[\"a\",\"b\"],\"env\":{\"K\":\"v=w\"},\"directory\":\"d\",\"ip\":\"10.0.0.1\"},"
		"{\"name\":\"n2\",\"faults\":false}],\"workload\":{\"name\":\"w\",\"command\":\"x y\",\"faults\":true},"
		"\"finally\":[{\"name\":\"c\",\"command\":[\"c\"]}],\"duration\":\"1m30s\",\"liveness\":{\"within\":\"1.5s\"},"
		"\"faults_after_setup\":true,\"checker\":{\"model\":\"queue\",\"initial\":[1],\"order\":\"process\",\"consistency\":\"serializable\","
		"\"budget\":7},\"forbid_output\":[\"a\",\"b\"],\"ops\":9}";
	struct scenario a, b;
	struct err e = {0};
	json_t *ja, *jb;
	char *dump;

	assert_int_equal(scenario_parse(&a, "a", text, sizeof text - 1, &e), 0);
	assert_int_equal(a.duration_ns, 90000000000);
	assert_int_equal(a.within_ns, 1500000000);
	assert_int_equal(a.program[2].argv.n, 3);
	assert_true(a.program[0].faults && !a.program[1].faults && a.program[2].faults && !a.program[3].faults);
	ja = scenario_json(&a);
	dump = json_dumps(ja, JSON_COMPACT);
	if (scenario_parse(&b, "b", dump, strlen(dump), &e) < 0)
		fail_msg("%s", e.msg);
	jb = scenario_json(&b);
	assert_true(json_equal(ja, jb));
	free(dump);
	json_decref(ja);
	json_decref(jb);
	scenario_clear(&a);
	scenario_clear(&b);
	assert_int_equal(scenario_parse(&a, "a", "{}", 2, &e), 0);
	assert_null(scenario_json(&a));
	scenario_clear(&a);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* 0: none */
		const char *back;
	} table[] = {
		{"20s", 20000000000, "20s"}, {"500ms", 500000000, "500ms"}, {"1m30s", 90000000000, "1m30s"}, {"2h", 7200000000000, "120m"},
		{"1.5s", 1500000000, "1.5s"}, {"7us", 7000, "7us"}, {"3ns", 3, "3ns"}, {"", 0, ""}, {"5", 0, ""}, {"s", 0, ""},
		{"-1s", 0, ""}, {"0s", 0, ""}, {"1x", 0, ""}, {"1s ", 0, ""}, {"9999999h", 0, ""}, {"nan", 0, ""}, {"infs", 0, ""},
	};
	struct err e = {0};
	char back[40];
	int64_t ns;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		int rc = duration_parse(table[i].text, &ns, &e);
		if ((rc == 0) != (table[i].ns != 0) || (!rc && ns != table[i].ns))
			fail_msg("'%s' gave %d, %lld", table[i].text, rc, (long long)ns);
		if (rc)
			continue;
		duration_print(ns, back, sizeof back);
		assert_string_equal(back, table[i].back);
	}
}

/* ---- bytes that nobody meant ---- */

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	return *s ^= *s << 17;
}

/* A few changes of `seed`: bytes replaced, cut out, doubled; tokens of JSON put in. */
static size_t mutate(char *out, size_t room, const char *seed, size_t n, uint64_t *r)
{
	static const char tokens[] = "{}[]\",:\\0-1e+.tfn/*`'()\n";

	memcpy(out, seed, n);
	for (uint64_t k = next_random(r) % 8; k < 8 && n; k++) {
		size_t at = next_random(r) % n;
		switch (next_random(r) % 4) {
		case 0:
			out[at] = (char)next_random(r);
			break;
		case 1:
			out[at] = tokens[next_random(r) % (sizeof tokens - 1)];
			break;
		case 2: {
			size_t len = next_random(r) % (n - at) + 1;
			memmove(out + at, out + at + len, n - at - len);
			n -= len;
			break;
		}
		default: {
			size_t len = next_random(r) % (n - at) + 1;
			if (n + len > room)
				break;
			memmove(out + at + len, out + at, n - at);
			n += len;
		}
		}
	}
	return n;
}

static void parsers_survive_anything(void **state)
{
	static const char config[] =
		"{\"nodes\":[{\"name\":\"n1\",\"command\":[\"a\"],\"env\":{\"K\":\"v\"},\"ip\":\"10.0.0.1\",\"faults\":true}],\"workload\":"
		"{\"name\":\"w\",\"command\":\"x\"},\"duration\":\"20s\",\"liveness\":{\"within\":\"10s\"},\"checker\":{\"model\":\"kv\",\"budget\":3},"
		"\"forbid_output\":[\"a.*\"],\"ops\":5,\"sched\":\"fifo\",\"env\":{\"A\":\"b\"},\"faults\":{\"crash\":{}}}";
	static const char message[] =
		"{\"simrun\":\"always\",\"message\":\"m\\u00e9\",\"condition\":true,\"left\":1.5e3,\"op\":\">=\",\"right\":-2,\"details\":[1,{\"a\":\"b\"}]}";
	static const char source[] =
		"package main\nimport (\n\tsim \"simrun\"\n)\nfunc f() {\n\tsim.Always(g(\"x\", ')'), `raw` + \"m\\n\", 1) // c\n\t/* c */ sim.Reachable(\"r\")\n}\n";
	uint64_t r = 88172645463325252u;
	static char text[4096];
	struct err e = {0};

	for (int i = 0; i < 20000; i++) {
		struct properties ps = {0};
		struct scenario sc;
		struct message m;
		size_t n = mutate(text, sizeof text, config, sizeof config - 1, &r);
		if (scenario_parse(&sc, "f", text, n, &e) == 0)
			scenario_clear(&sc);
		else
			assert_int_equal(strncmp(e.msg, "f:", 2), 0);
		n = mutate(text, sizeof text, message, sizeof message - 1, &r);
		if (message_parse(&m, text, n, "f", &e) == 0) {
			long double d;
			int64_t v;
			bool b;
			message_number(&m, "left", &d, &b);
			message_int(&m, "right", &v);
			free(message_text(&m, "message"));
			message_clear(&m);
		}
		n = mutate(text, sizeof text, source, sizeof source - 1, &r);
		assert_int_equal(catalog_go_text(&ps, "f.go", text, n, &e), 0);
		properties_clear(&ps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_are_counted),
		cmocka_unit_test(nothing_is_printed_of_nothing),
		cmocka_unit_test(kinds_know_what_they_need),
		cmocka_unit_test(failures_are_grouped),
		cmocka_unit_test(operations_become_lines),
		cmocka_unit_test(mistakes_in_operations_are_named),
		cmocka_unit_test(a_spent_budget_is_no_verdict),
		cmocka_unit_test(a_bad_history_is_a_verdict),
		cmocka_unit_test(no_history_no_verdict),
		cmocka_unit_test(judging_is_checked_beforehand),
		cmocka_unit_test(a_scenario_comes_back),
		cmocka_unit_test(durations),
		cmocka_unit_test(parsers_survive_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
