/* The C side of the SDK: its messages are those of sdk/golden.txt, which the Go side makes as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The library itself, with its way out bent. */
static long test_call(const char *msg, size_t n, void *reply, size_t room);
static int test_active = 1;
static int test_detect(void)
{
	return test_active;
}
#define SIMRUN_CALL_ test_call
#define SIMRUN_DETECT_ test_detect
#include "sdk/c/simrun.c"

static char sent[1 << 16];
static size_t nsent;
static long answers;

/* Appends the message as a line, with places and functions made equal. */
static long test_call(const char *msg, size_t n, void *reply, size_t room_)
{
	static const char *const varying[] = {"\"location\":\"", "\"function\":\""};

	for (size_t i = 0; i < n;) {
		const char *hit = NULL;
		for (int k = 0; k < 2; k++)
			if (n - i > 12 && !memcmp(msg + i, varying[k], 12))
				hit = varying[k];
		if (!hit) {
			sent[nsent++] = msg[i++];
			continue;
		}
		memcpy(sent + nsent, hit, 12);
		sent[nsent + 12] = '*';
		nsent += 13;
		i += 12;
		while (msg[i] != '"')
			i++;
	}
	sent[nsent++] = '\n';
	sent[nsent] = 0;
	if (room_ == 8)
		memcpy(reply, "\xef\xcd\xab\x89\x67\x45\x23\x01", 8);
	return ++answers;
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

/* The same calls as in sdk/go/wire_test.go, in the same order. */
static void conversation(void)
{
	static const char *const read[] = {"a", "b"};
	struct simrun_mop mops[] = {{.key = "x"}, {.key = "y", .append = "c1-17"}};
	int64_t budget;
	simrun_id op;

	SIMRUN_ALWAYS(true, "plain");
	SIMRUN_ALWAYS_OR_UNREACHABLE(true, "or \"never\"", "é\n\t\x01");
	SIMRUN_SOMETIMES(false, "sometimes", "n=%d", 41);
	SIMRUN_REACHABLE("reached");
	SIMRUN_UNREACHABLE("two leaders in the same term", "%d", 7);
	SIMRUN_ALWAYS_GREATER_THAN_OR_EQUAL_TO(41, 40, "log never shrinks below the commit index");
	SIMRUN_ALWAYS_GREATER_THAN(UINT64_MAX, 0, "unsigned");
	SIMRUN_ALWAYS_LESS_THAN((short)-5, 7u, "less", "more");
	SIMRUN_ALWAYS_LESS_THAN_OR_EQUAL_TO(2.5, 2.5f, "less or equal");
	SIMRUN_SOMETIMES_GREATER_THAN(63, 100, "the queue backs up past 100");
	SIMRUN_SOMETIMES_GREATER_THAN_OR_EQUAL_TO(0.25, 1.0, "ge");
	SIMRUN_SOMETIMES_LESS_THAN(INFINITY, 1.0, "lt");
	SIMRUN_SOMETIMES_LESS_THAN_OR_EQUAL_TO(INT64_MIN, 0, "le");
	SIMRUN_ALWAYS_SOME(SIMRUN_NAMED({"backup", false}, {"primary", true}), "some replica answers");
	SIMRUN_SOMETIMES_ALL(SIMRUN_NAMED({"crashed", true}, {"recovered", false}), "a crashed node caught up", "x");
	assert_true(SIMRUN_EVENTUALLY(yes, NULL, "a leader is elected", 5 * SIMRUN_SECOND));
	simrun_eventf("client resumed", "{\"next add\":%d}", 39);
	simrun_event("bare", NULL);
	simrun_buggify("site");
	simrun_quiet_for(10 * SIMRUN_SECOND);
	simrun_setup_complete();
	budget = simrun_budget(200);
	assert_int_equal(budget, answers);
	assert_true(simrun_random() == 0x0123456789abcdef);
	op = simrun_put(1, "k1", "v7");
	simrun_ok(op, NULL);
	op = simrun_get(2, "k1");
	simrun_ok(op, "v7");
	op = simrun_invoke(3, "cas", "leader-lock", "[\"\",\"me\"]");
	simrun_ok_bool(op, true);
	op = simrun_invoke(3, "add", "n", "5");
	simrun_unknown(op);
	op = simrun_invoke(3, "read", "n", NULL);
	simrun_ok_int(op, 5);
	op = simrun_put(1, "k1", "v8");
	simrun_failed(op);
	op = simrun_txn(4, mops, 2);
	mops[0].list = read;
	mops[0].n = 2;
	simrun_ok_txn(op, mops, 2);
}

static void reset(void)
{
	nsent = 0;
	sent[0] = 0;
	answers = 0;
	simrun_state_ = -1;
}

static void messages_are_golden(void **state)
{
	char want[sizeof sent], *g = sent, *w = want;
	FILE *f = fopen("sdk/golden.txt", "re");
	int line = 1;

	assert_non_null(f);
	want[fread(want, 1, sizeof want - 1, f)] = 0;
	fclose(f);
	reset();
	conversation();
	for (; *g || *w; line++) {
		size_t gn = strcspn(g, "\n"), wn = strcspn(w, "\n");
		if (gn != wn || memcmp(g, w, gn))
			fail_msg("line %d:\n got %.*s\nwant %.*s", line, (int)gn, g, (int)wn, w);
		g += gn + 1;
		w += wn + 1;
	}
}

static void only_news_are_sent(void **state)
{
	reset();
	for (int i = 0; i < 10; i++) {
		SIMRUN_SOMETIMES(i > 5, "later", "%d", i);
		SIMRUN_REACHABLE("again");
		SIMRUN_ALWAYS_GREATER_THAN(100 - i, 0, "closer each time");
		SIMRUN_ALWAYS_GREATER_THAN(100 + i, 0, "never closer");
		SIMRUN_SOMETIMES_LESS_THAN(i, 0, "further each time");
	}
	assert_int_equal(answers, 2 + 1 + 10 + 1 + 1);
}

static int evaluated;

static int count(int v)
{
	evaluated++;
	return v;
}

static void arguments_are_evaluated_once(void **state)
{
	reset();
	evaluated = 0;
	SIMRUN_ALWAYS(count(1), "once");
	SIMRUN_ALWAYS_GREATER_THAN(count(2), count(1), "twice");
	SIMRUN_ALWAYS_SOME(SIMRUN_NAMED({"a", count(1) != 0}), "once more");
	assert_int_equal(evaluated, 4);
	for (int i = 0; i < 3; i++)
		SIMRUN_ALWAYS(true, "details only when shown", "%d", count(i));
	assert_int_equal(evaluated, 5);
}

static void compared(struct simrun_num_ l, const char *op, struct simrun_num_ r, bool want)
{
	assert_int_equal(simrun_compare_(l, op, r), want);
}

static void numbers_are_compared_exactly(void **state)
{
	struct simrun_num_ minus = {.kind = 0, .i = -1}, big = {.kind = 1, .u = UINT64_MAX}, one = {.kind = 0, .i = 1};
	struct simrun_num_ p53 = {.kind = 0, .i = (1ll << 53) + 1}, d53 = {.kind = 2, .d = 9007199254740992.0};
	struct simrun_num_ nan = {.kind = 2, .d = NAN};

	compared(minus, "<", big, true);
	compared(minus, ">", big, false);
	compared(big, ">=", minus, true);
	compared(one, "<=", one, true);
	compared(one, "<", one, false);
	compared(p53, ">", d53, true);
	compared(p53, "<=", d53, false);
	compared(nan, "<", one, false);
	compared(nan, ">=", one, false);
}

/* What a child prints on standard error, and how it ends. */
static int child(void (*fn)(void), char *text, size_t room_)
{
	int p[2], status;
	size_t n = 0;
	ssize_t k;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		dup2(p[1], 2);
		close(p[0]);
		test_active = 0;
		reset();
		signal(SIGABRT, SIG_DFL);
		fn();
		_exit(nsent ? 99 : 0);
	}
	close(p[1]);
	while (n < room_ - 1 && (k = read(p[0], text + n, room_ - 1 - n)) > 0)
		n += (size_t)k;
	text[n] = 0;
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool never(void *arg)
{
	++*(int *)arg;
	return false;
}

static void outside_always(void) { SIMRUN_ALWAYS(false, "broken", "%d", 7); }
static void outside_or(void) { SIMRUN_ALWAYS_OR_UNREACHABLE(false, "broken"); }
static void outside_unreachable(void) { SIMRUN_UNREACHABLE("here"); }
static void outside_number(void) { SIMRUN_ALWAYS_GREATER_THAN(1, 2, "x"); }
static void outside_some(void) { SIMRUN_ALWAYS_SOME(SIMRUN_NAMED({"a", false}), "none"); }
static void outside_fail(void) { SIMRUN_FAIL("replica %d diverged", 3); }
static void outside_assert(void) { SIMRUN_ASSERT(1 > 2, "a"); }
static void outside_eventually(void)
{
	int n = 0;

	SIMRUN_EVENTUALLY(never, &n, "never", 20 * SIMRUN_MS);
}

static void outside_nothing(void)
{
	simrun_id op = simrun_put(1, "k", "v");
	struct simrun_mop mop = {.key = "x"};

	SIMRUN_ALWAYS(true, "holds");
	SIMRUN_ALWAYS_GREATER_THAN(2, 1, "holds");
	SIMRUN_SOMETIMES(false, "s");
	SIMRUN_SOMETIMES_GREATER_THAN(1, 2, "s");
	SIMRUN_SOMETIMES_ALL(SIMRUN_NAMED({"a", false}), "s");
	SIMRUN_REACHABLE("r");
	SIMRUN_ASSERT(true, "a");
	if (!SIMRUN_EVENTUALLY(yes, NULL, "soon", SIMRUN_SECOND))
		_exit(1);
	simrun_event("e", NULL);
	simrun_eventf("e", "%d", 1);
	simrun_quiet_for(1);
	simrun_setup_complete();
	if (simrun_buggify("b") || simrun_budget(7) != 7 || simrun_random() == simrun_random() || op != -1)
		_exit(2);
	simrun_ok(op, NULL);
	simrun_unknown(op);
	simrun_failed(op);
	simrun_ok_txn(simrun_txn(1, &mop, 1), &mop, 1);
	if (simrun_send("{}") != -1)
		_exit(3);
}

static void outside_of_a_simulation(void **state)
{
	static const struct {
		void (*fn)(void);
		const char *says;
	} aborts[] = {
		{outside_always, "simrun: always: broken: 7 (tests/unit/sdk_test.c:"},
		{outside_or, "simrun: always_or_unreachable: broken ("},
		{outside_unreachable, "simrun: unreachable: here ("},
		{outside_number, "simrun: always: x: {\"left\":1,\"right\":2} ("},
		{outside_some, "simrun: always: none: {\"a\":false} ("},
		{outside_fail, "simrun: failed: replica 3 diverged ("},
		{outside_assert, "simrun: failed: a ("},
		{outside_eventually, "simrun: eventually: never: not true within 20ms ("},
	};
	char text[512];

	for (size_t i = 0; i < sizeof aborts / sizeof *aborts; i++) {
		int status = child(aborts[i].fn, text, sizeof text);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strncmp(text, aborts[i].says, strlen(aborts[i].says)))
			fail_msg("status 0x%x, said '%s', expected '%s'", (unsigned)status, text, aborts[i].says);
	}
	assert_int_equal(child(outside_nothing, text, sizeof text), 0);
	assert_string_equal(text, "");
}

static void texts_become_json(void **state)
{
	const char *a = simrun_json("a\"b"), *b = simrun_json("\n"), *c = simrun_json(""), *d = simrun_json("d");

	assert_string_equal(a, "\"a\\\"b\"");
	assert_string_equal(b, "\"\\n\"");
	assert_string_equal(c, "\"\"");
	assert_string_equal(d, "\"d\"");
}

/* Longer than the buffer on the stack. */
static void messages_may_be_long(void **state)
{
	static char value[20000];
	simrun_id op;

	memset(value, 'x', sizeof value - 1);
	reset();
	op = simrun_put(1, "k", value);
	simrun_ok(op, value);
	assert_int_equal(answers, 2);
	assert_true(nsent > 2 * sizeof value);
	assert_non_null(strstr(sent, "xxx\"}\n{\"type\":\"ok\",\"id\":1,\"value\":\"xxx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_golden),
		cmocka_unit_test(only_news_are_sent),
		cmocka_unit_test(arguments_are_evaluated_once),
		cmocka_unit_test(numbers_are_compared_exactly),
		cmocka_unit_test(outside_of_a_simulation),
		cmocka_unit_test(texts_become_json),
		cmocka_unit_test(messages_may_be_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
