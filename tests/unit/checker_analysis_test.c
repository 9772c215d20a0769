/* bank, long-fork, log, watch, ids; the page. */
#include "tests/unit/checker_help.h"

static void expect_kinds(const char *model, const char *lines, const char *kinds)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	char *text = ops(lines), names[128], *save = NULL;
	uint32_t n = 0;

	x.opt.model = model;
	run_check(&x, text);
	if (x.failed)
		fail_msg("%s: %s", model, x.e.msg);
	snprintf(names, sizeof names, "%s", kinds);
	for (char *w = strtok_r(names, " ", &save); w; w = strtok_r(NULL, " ", &save), n++) {
		bool found = false;
		for (uint32_t i = 0; i < x.c.an.n; i++)
			found |= !strcmp(x.c.an.finding[i].kind, w);
		if (!found)
			fail_msg("%s: no %s in\n%s", model, w, x.text.data);
	}
	if (n != x.c.an.n)
		fail_msg("%s: expected %s, got\n%s", model, kinds, x.text.data);
	assert_int_equal(x.c.verdict, n ? NOT_LINEARIZABLE : LINEARIZABLE);
	free(text);
	end_check(&x);
}

static void ids(void **state)
{
	expect_kinds("ids", "0 generate - null = 1\n1 generate - null = 2\n2 generate - null = ?\n", "");
	expect_kinds("ids", "0 generate - null = 1\n1 generate - null = 1.0\n", "duplicate");
}

static void bank(void **state)
{
	expect_kinds("bank", "0 read - null = {\"a\":5,\"b\":5} [1 2]\n0 read - null = {\"a\":4,\"b\":6} [3 4]\n", "");
	expect_kinds("bank", "0 read - null = {\"a\":5,\"b\":5} [1 2]\n0 read - null = {\"a\":4,\"b\":5} [3 4]\n", "wrong-total");
	expect_kinds("bank", "0 read - null = {\"a\":5,\"b\":5} [1 2]\n0 read - null = {\"a\":-1,\"b\":11} [3 4]\n", "negative-value");
}

static void logs(void **state)
{
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n0 send t \"b\" = 1 [3 4]\n1 poll t null = [[0,\"a\"],[1,\"b\"]] [5 6]\n", "");
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n0 send t \"b\" = 1 [3 4]\n0 send t \"c\" = 2 [5 6]\n1 poll t null = [[0,\"a\"],[2,\"c\"]] [7 8]\n", "lost");
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n1 poll t null = [[0,\"a\"],[1,\"a\"]] [5 6]\n", "duplicate");
	expect_kinds("log", "0 send t \"a\" = 1 [1 2]\n0 send t \"b\" = 0 [3 4]\n", "out-of-order");
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n0 send t \"b\" = 1 [3 4]\n1 poll t null = [[1,\"b\"],[0,\"a\"]] [5 6]\n", "out-of-order");
	expect_kinds("log", "0 send t \"a\" = ! [1 2]\n1 poll t null = [[0,\"a\"]] [5 6]\n", "aborted");
	expect_kinds("log", "1 poll t null = [[0,\"a\"]] [5 6]\n", "phantom");
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n0 send t \"b\" = 0 [3 4]\n", "inconsistent-offset");
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n1 poll t null = [[0,\"a\"]] [5 6]\n1 poll t null = [[0,\"a\"]] [7 8]\n", "redelivered");
	expect_kinds("log", "0 send t \"a\" = 0 [1 2]\n1 poll t null = [[0,\"a\"]] [5 6]\n2 poll t null = [[0,\"a\"]] [7 8]\n", "");
}

static void watches(void **state)
{
	const char *writes = "0 put x \"1\" = 1 [1 2]\n0 put y \"2\" = 2 [3 4]\n0 delete x null = 3 [5 6]\n";
	static const struct { const char *watch, *kinds; } t[] = {
		{"1 watch - 1 = [[1,\"x\",\"1\"],[2,\"y\",\"2\"],[3,\"x\",null]] [7 8]\n", ""},
		{"1 watch x 1 = [[1,\"x\",\"1\"],[3,\"x\",null]] [7 8]\n", ""},
		{"1 watch - 1 = [[1,\"x\",\"1\"],[3,\"x\",null]] [7 8]\n", "gap"},
		{"1 watch - 1 = [[2,\"y\",\"2\"],[3,\"x\",null]] [7 8]\n", "gap"},
		{"1 watch - 2 = [[2,\"y\",\"2\"],[3,\"x\",null]] [7 8]\n", ""},
		{"1 watch - 1 = [[1,\"x\",\"1\"],[1,\"x\",\"1\"]] [7 8]\n", "duplicate"},
		{"1 watch - 1 = [[2,\"y\",\"2\"],[1,\"x\",\"1\"]] [7 8]\n", "out-of-order"},
		{"1 watch - 2 = [[1,\"x\",\"1\"],[2,\"y\",\"2\"]] [7 8]\n", "too-early"},
		{"1 watch y 1 = [[1,\"x\",\"1\"]] [7 8]\n", "wrong-key"},
		{"1 watch - 1 = [[1,\"x\",\"9\"]] [7 8]\n", "phantom inconsistent-revision"}};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char *lines = xasprintf("%s%s", writes, t[i].watch);
		expect_kinds("watch", lines, t[i].kinds);
		free(lines);
	}
	expect_kinds("watch", "0 put x \"1\" = 2 [1 2]\n0 put y \"2\" = 1 [3 4]\n", "stale-revision");
	expect_kinds("watch", "0 put x \"1\" = ! [1 2]\n1 watch - 1 = [[1,\"x\",\"1\"]] [7 8]\n", "aborted");
}

static void long_forks(void **state)
{
	expect_kinds("long-fork", "0 read - null = [[\"r\",1,1],[\"r\",2,null]]\n1 read - null = [[\"r\",2,1],[\"r\",1,null]]\n", "long-fork");
	expect_kinds("long-fork", "0 read - null = [[\"r\",1,1],[\"r\",2,null]]\n1 read - null = [[\"r\",2,1],[\"r\",1,1]]\n", "");
}

static void mistakes_are_errors(void **state)
{
	char *text = ops("0 poll t null = 5 [1 2]\n");

	expect_error("log", text, "history (model log): operation \"poll\": output 5 is not a list of [offset, value]", 1);
	free(text);
	text = ops("0 get t null = 5 [1 2]\n");
	expect_error("ids", text, "history (model ids): operation \"get\" is not one of generate", 1);
	free(text);
}

/* The page: one file, nothing from elsewhere, whatever the history's strings are. */
static void timeline_is_one_page(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	struct buf html = {0};
	char *text = ops("0 put x \"</script><b>\" = null [1 2]\n1 get x null = \"\" [3 4]\n");

	run_check(&x, text);
	report_html(&x.c, &html);
	assert_non_null(strstr(html.data, "<!doctype html>"));
	assert_non_null(strstr(html.data, "\\u003c/script>"));
	assert_null(strstr(html.data, "http"));
	assert_null(strstr(html.data, "src="));
	assert_null(strstr(strstr(html.data, "</script>") + 1, "</script>")); /* only the page's own */
	buf_clear(&html);
	free(text);
	end_check(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids), cmocka_unit_test(bank), cmocka_unit_test(logs), cmocka_unit_test(watches), cmocka_unit_test(long_forks),
		cmocka_unit_test(mistakes_are_errors), cmocka_unit_test(timeline_is_one_page)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
