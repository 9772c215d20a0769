/* Linearizability: the textbook's figures, the partial orders, every model's rules, reasons, errors. */
#include "tests/unit/checker_help.h"

/* Figure 10-4 of the textbook: B's last read returns 2 (or, as a control, 4). */
#define FIGURE_10_4(last)                                                                                          \
	"C cas x [0,1] = true [1 4]\nA read x null = 1 [5 7]\nB cas x [1,2] = true [6 9]\nA read x null = 2 [10 12]\n" \
	"D cas x [2,4] = true [11 14]\nD cas x [2,3] = false [13 16]\nA read x null = 4 [15 17]\nB read x null = " last \
	" [18 20]\n"

static void figure_10_4(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	char *text = ops(FIGURE_10_4("2"));

	x.opt.initial = "0";
	run_check(&x, text);
	assert_int_equal(x.c.verdict, NOT_LINEARIZABLE);
	expect_text(&x, "stale read: B's read (line 8) returned 2, but it started after A's read (line 7) had ended, which returned 4: a newer "
	                "value was already observed");
	free(text);
	end_check(&x);
}

static void figure_10_4_control_has_a_witness_of_eight_steps(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	static const char *const steps[] = {
		"1. C: cas(\"x\", 0, 1) = true", "0 -> 1", "2. A: read(\"x\") = 1", "3. B: cas(\"x\", 1, 2) = true", "1 -> 2",
		"4. A: read(\"x\") = 2", "5. D: cas(\"x\", 2, 4) = true", "2 -> 4", "6. D: cas(\"x\", 2, 3) = false", "7. A: read(\"x\") = 4",
		"8. B: read(\"x\") = 4"};
	char *text = ops(FIGURE_10_4("4"));

	x.opt.initial = "0";
	run_check(&x, text);
	assert_int_equal(x.c.verdict, LINEARIZABLE);
	assert_string_equal(x.c.model->name, "cas-register");
	assert_int_equal(x.c.lin.part[0].norder, 8);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		expect_text(&x, steps[i]);
	free(text);
	end_check(&x);
}

static void figure_10_6(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	char *text = ops("W write x 1 = null [1 12]\nB read x null = 1 [4 6]\nC read x null = 0 [8 10]\n");

	x.opt.initial = "0";
	run_check(&x, text);
	assert_int_equal(x.c.verdict, NOT_LINEARIZABLE);
	expect_text(&x, "stale read: C's read (line 3) returned 0, but it started after B's read (line 2) had ended, which returned 1");
	free(text);
	end_check(&x);
}

static void check_order(const char *text, unsigned order, enum verdict want)
{
	struct checked x = {.opt = CHECK_DEFAULTS};

	x.opt.order = order;
	run_check(&x, text);
	if (x.failed)
		fail_msg("%s", x.e.msg);
	if (x.c.verdict != want)
		print_error("%s", x.text.data);
	assert_int_equal(x.c.verdict, want);
	end_check(&x);
}

/* A starts, B starts, A completes, C starts, B completes, C completes: A before C, B beside both. */
static void partial_order_both_ways(void **state)
{
	/* B and C put; A read nothing: possible only when A comes first of all. C read what was before B … */
	const char *with = "{\"id\":0,\"process\":\"A\",\"f\":\"put\",\"key\":\"x\",\"value\":\"a\"}\n"
	                   "{\"id\":1,\"process\":\"B\",\"f\":\"put\",\"key\":\"x\",\"value\":\"b\"}\n"
	                   "{\"id\":2,\"process\":\"C\",\"f\":\"get\",\"key\":\"x\",\"output\":\"\",\"after\":[0]}\n";
	const char *without = "{\"id\":0,\"process\":\"A\",\"f\":\"put\",\"key\":\"x\",\"value\":\"a\"}\n"
	                      "{\"id\":1,\"process\":\"B\",\"f\":\"put\",\"key\":\"x\",\"value\":\"b\"}\n"
	                      "{\"id\":2,\"process\":\"C\",\"f\":\"get\",\"key\":\"x\",\"output\":\"\"}\n";
	const char *timed = "{\"type\":\"invoke\",\"process\":\"A\",\"f\":\"put\",\"key\":\"x\",\"value\":\"a\",\"time\":1}\n"
	                    "{\"type\":\"invoke\",\"process\":\"B\",\"f\":\"put\",\"key\":\"x\",\"value\":\"b\",\"time\":2}\n"
	                    "{\"type\":\"ok\",\"process\":\"A\",\"f\":\"put\",\"key\":\"x\",\"value\":\"\",\"time\":3}\n"
	                    "{\"type\":\"invoke\",\"process\":\"C\",\"f\":\"get\",\"key\":\"x\",\"value\":null,\"time\":4}\n"
	                    "{\"type\":\"ok\",\"process\":\"B\",\"f\":\"put\",\"key\":\"x\",\"value\":\"\",\"time\":5}\n"
	                    "{\"type\":\"ok\",\"process\":\"C\",\"f\":\"get\",\"key\":\"x\",\"value\":\"\",\"time\":6}\n";

	check_order(with, 0, NOT_LINEARIZABLE);
	check_order(without, 0, LINEARIZABLE);
	check_order(with, 8, LINEARIZABLE); /* -order none */
	check_order(timed, 0, NOT_LINEARIZABLE);
	check_order(timed, ORDER_PROCESS, LINEARIZABLE); /* sequential consistency */
	check_order(timed, ORDER_EXPLICIT, LINEARIZABLE);
}

/* Events without times but with edges are ordered by the edges alone; without edges by their lines. */
static void lines_are_time_unless_there_are_edges(void **state)
{
	const char *lines = "{\"type\":\"invoke\",\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"a\",\"id\":0}\n"
	                    "{\"type\":\"ok\",\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"\",\"id\":0}\n"
	                    "{\"type\":\"invoke\",\"process\":1,\"f\":\"get\",\"key\":\"x\",\"value\":null,\"id\":1}\n"
	                    "{\"type\":\"ok\",\"process\":1,\"f\":\"get\",\"key\":\"x\",\"value\":\"\",\"id\":1}\n";
	struct buf b = {0};

	check_order(lines, 0, NOT_LINEARIZABLE);
	buf_adds(&b, lines);
	buf_adds(&b, "{\"type\":\"invoke\",\"process\":2,\"f\":\"get\",\"key\":\"x\",\"value\":null,\"id\":2,\"after\":[1]}\n"
	             "{\"type\":\"ok\",\"process\":2,\"f\":\"get\",\"key\":\"x\",\"value\":\"a\",\"id\":2}\n");
	check_order(b.data, 0, LINEARIZABLE);
	check_order(b.data, ORDER_REALTIME | ORDER_EXPLICIT, NOT_LINEARIZABLE);
	buf_clear(&b);
}

static void edges_between_keys(void **state)
{
	/* Each key alone is fine; x's write is after y's read of nothing, which is after y's write … */
	const char *bad = "{\"id\":0,\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"1\"}\n"
	                  "{\"id\":1,\"process\":0,\"f\":\"get\",\"key\":\"y\",\"output\":\"\",\"after\":[0]}\n"
	                  "{\"id\":2,\"process\":1,\"f\":\"put\",\"key\":\"y\",\"value\":\"1\"}\n"
	                  "{\"id\":3,\"process\":1,\"f\":\"get\",\"key\":\"x\",\"output\":\"\",\"after\":[2]}\n";
	const char *good = "{\"id\":0,\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"1\"}\n"
	                   "{\"id\":1,\"process\":0,\"f\":\"get\",\"key\":\"y\",\"output\":\"\",\"after\":[0]}\n"
	                   "{\"id\":2,\"process\":1,\"f\":\"put\",\"key\":\"y\",\"value\":\"1\"}\n"
	                   "{\"id\":3,\"process\":1,\"f\":\"get\",\"key\":\"x\",\"output\":\"1\",\"after\":[2]}\n";

	check_order(bad, 0, NOT_LINEARIZABLE);
	check_order(good, 0, LINEARIZABLE);
	check_order(bad, ORDER_PROCESS, NOT_LINEARIZABLE); /* the store buffer: not sequentially consistent either */
	check_order(good, ORDER_PROCESS, LINEARIZABLE);
}

static void cycles_are_errors(void **state)
{
	expect_error("kv", "{\"id\":0,\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"1\",\"after\":[1]}\n"
	                   "{\"id\":1,\"process\":1,\"f\":\"put\",\"key\":\"x\",\"value\":\"2\",\"after\":[0]}\n",
	             "the given order has a cycle: operation 0 (0: put(\"x\", \"1\") = nil, line 1) -before-> operation 1", 0);
	expect_error("kv", "{\"id\":0,\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"1\",\"start\":1,\"end\":2,\"after\":[1]}\n"
	                   "{\"id\":1,\"process\":1,\"f\":\"put\",\"key\":\"x\",\"value\":\"2\",\"start\":3,\"end\":4}\n",
	             "-ended before->", 0);
	expect_error("kv", "{\"id\":0,\"process\":0,\"f\":\"put\",\"key\":\"x\",\"value\":\"1\",\"after\":[0]}\n", "operation 0 is after itself", 0);
}

static const enum verdict ok = LINEARIZABLE, bad = NOT_LINEARIZABLE;

static void registers(void **state)
{
	expect_ops("kv", NULL, "0 get x null = \"\" [1 2]\n0 put x \"a\" = null [3 4]\n1 get x null = \"a\" [5 6]\n", ok);
	expect_ops("kv", NULL, "0 put x \"a\" = null [1 2]\n1 get x null = \"\" [3 4]\n", bad);
	expect_ops("kv", NULL, "0 put x \"a\" = ? [1 2]\n1 get x null = \"\" [3 4]\n1 get x null = \"a\" [5 6]\n", ok);
	expect_ops("kv", NULL, "0 put x \"a\" = ! [1 2]\n1 get x null = \"a\" [3 4]\n", bad);
	expect_ops("kv", "\"z\"", "0 get x null = \"z\" [1 2]\n", ok);
	expect_ops("kv", NULL, "0 put x \"a\" = null [1 2]\n0 get y null = \"\" [3 4]\n", ok);
	expect_ops("cas", NULL, "0 cas x [\"\",\"me\"] = true [1 2]\n1 cas x [\"\",\"you\"] = false [3 4]\n", ok);
	expect_ops("cas", NULL, "0 cas x [\"\",\"me\"] = true [1 2]\n1 cas x [\"\",\"you\"] = true [3 4]\n", bad);
	expect_ops("cas", NULL, "0 cas x [\"\",\"me\"] = ? [1 2]\n1 cas x [\"\",\"you\"] = true [3 4]\n1 cas x [\"me\",\"it\"] = true [5 6]\n", bad);
	expect_ops("cas", NULL, "0 cas x [\"\",\"me\"] = ? [1 2]\n1 cas x [\"me\",\"you\"] = true [3 4]\n", ok);
	expect_ops("register", NULL, "0 read x null = null [1 2]\n0 write x 1.0 = null [3 4]\n0 read x null = 1 [5 6]\n", ok);
	expect_ops("register", NULL, "0 write x 9007199254740993 = null [1 2]\n0 read x null = 9007199254740992 [3 4]\n", bad);
	expect_ops("register", NULL, "0 write x {\"a\":1,\"b\":2} = null [1 2]\n0 read x null = {\"b\":2,\"a\":1e0} [3 4]\n", ok);
	expect_ops("cas-register", "0", "0 cas x [0,1] = null [1 2]\n0 read x null = 1 [3 4]\n0 read x null = null [5 6]\n", ok);
	expect_ops("kv-append", NULL, "0 append x \"ab\" = null [1 2]\n0 append x \"c\" = null [3 4]\n0 get x null = \"abc\" [5 6]\n", ok);
	expect_ops("kv-append", NULL, "0 append x \"ab\" = null [1 2]\n0 append x \"c\" = null [3 4]\n0 get x null = \"cab\" [5 6]\n", bad);
	expect_ops("multi-register", "{\"x\":0,\"y\":0}",
	           "0 txn - [[\"write\",\"x\",1],[\"write\",\"y\",1]] = null [1 9]\n1 txn - [[\"read\",\"x\",null],[\"read\",\"y\",null]] = [[\"read\",\"x\",1],[\"read\",\"y\",0]] [2 3]\n", bad);
	expect_ops("multi-register", "{\"x\":0,\"y\":0}",
	           "0 txn - [[\"write\",\"x\",1],[\"write\",\"y\",1]] = null [1 9]\n1 txn - [[\"read\",\"x\",null],[\"read\",\"y\",null]] = [[\"read\",\"x\",1],[\"read\",\"y\",1]] [2 3]\n", ok);
}

static void sequences(void **state)
{
	expect_ops("append", NULL, "0 append l \"a\" = null [1 2]\n1 append l \"b\" = null [1 4]\n0 read l null = [\"b\",\"a\"] [5 6]\n", ok);
	expect_ops("append", NULL, "0 append l \"a\" = null [1 2]\n1 append l \"b\" = null [3 4]\n0 read l null = [\"b\",\"a\"] [5 6]\n", bad);
	expect_ops("append", "[\"z\"]", "0 read l null = [\"z\"] [5 6]\n", ok);
	expect_ops("queue", NULL, "0 enqueue q \"1\" = null [1 2]\n0 enqueue q \"2\" = null [3 4]\n1 dequeue q null = \"1\" [5 6]\n"
	                          "1 dequeue q null = \"2\" [7 8]\n1 dequeue q null = \"\" [9 10]\n", ok);
	expect_ops("queue", NULL, "0 enqueue q \"1\" = null [1 2]\n0 enqueue q \"2\" = null [3 4]\n1 dequeue q null = \"2\" [5 6]\n", bad);
	expect_ops("queue", NULL, "0 enqueue q \"1\" = null [1 2]\n1 dequeue q null = \"1\" [5 6]\n1 dequeue q null = \"1\" [7 8]\n", bad);
	expect_ops("queue", NULL, "0 enqueue q \"1\" = null [1 2]\n1 dequeue q null = \"\" [5 6]\n", bad);
	expect_ops("queue", NULL, "0 enqueue q \"1\" = null [1 2]\n2 dequeue q null = ? [1 2]\n1 dequeue q null = \"\" [5 6]\n", ok);
	expect_ops("queue", NULL, "0 enqueue q \"1\" = null [1 2]\n0 enqueue q \"2\" = null [3 4]\n2 dequeue q null = ? [3 4]\n1 dequeue q null = \"2\" [5 6]\n", ok);
	expect_ops("stack", NULL, "0 push s \"1\" = null [1 2]\n0 push s \"2\" = null [3 4]\n1 pop s null = \"2\" [5 6]\n1 pop s null = \"1\" [7 8]\n"
	                          "1 pop s null = \"\" [9 10]\n", ok);
	expect_ops("stack", NULL, "0 push s \"1\" = null [1 2]\n0 push s \"2\" = null [3 4]\n1 pop s null = \"1\" [5 6]\n", bad);
	expect_ops("stack", NULL, "0 push s \"1\" = null [1 2]\n1 pop s null = \"\" [5 6]\n", bad);
	expect_ops("deque", NULL, "0 push-front d \"1\" = null [1 2]\n0 push-back d \"2\" = null [3 4]\n1 pop-back d null = \"2\" [5 6]\n"
	                          "1 pop-back d null = \"1\" [7 8]\n1 pop-front d null = \"\" [9 10]\n", ok);
	expect_ops("deque", NULL, "0 push-front d \"1\" = null [1 2]\n0 push-back d \"2\" = null [3 4]\n1 pop-front d null = \"2\" [5 6]\n", bad);
	expect_ops("priority-queue", NULL, "0 insert p 10 = null [1 2]\n0 insert p 9 = null [3 4]\n1 delete-min p null = 9 [5 6]\n1 delete-min p null = 10 [7 8]\n", ok);
	expect_ops("priority-queue", NULL, "0 insert p 10 = null [1 2]\n0 insert p 9 = null [3 4]\n1 delete-min p null = 10 [5 6]\n", bad);
	expect_ops("set", NULL, "0 add s \"a\" = null [1 2]\n0 add s \"b\" = null [3 4]\n1 read s null = [\"b\",\"a\"] [5 6]\n", ok);
	expect_ops("set", NULL, "0 add s \"a\" = null [1 2]\n0 add s \"b\" = null [3 4]\n1 read s null = [\"b\"] [5 6]\n", bad);
	expect_ops("set", NULL, "0 add s \"a\" = null [1 9]\n0 add s \"b\" = null [2 9]\n1 read s null = [\"b\"] [3 6]\n2 read s null = [\"a\"] [4 7]\n", bad);
}

static void numbers_and_owners(void **state)
{
	expect_ops("counter", NULL, "0 add c 2 = null [1 2]\n0 add c -5 = null [3 4]\n1 read c null = -3 [5 6]\n", ok);
	expect_ops("counter", NULL, "0 add c 1 = null [1 2]\n0 add c 1 = ? [3 4]\n1 read c null = 2 [5 6]\n1 read c null = 1 [7 8]\n", bad);
	expect_ops("counter", "10", "1 read c null = 10 [5 6]\n", ok);
	expect_ops("mutex", NULL, "0 acquire m null = null [1 2]\n1 release m null = null [3 4]\n1 acquire m null = null [5 6]\n", ok);
	expect_ops("mutex", NULL, "0 acquire m null = null [1 2]\n1 acquire m null = null [3 4]\n", bad);
	expect_ops("lock", NULL, "0 acquire m null = null [1 2]\n1 release m null = null [3 4]\n", bad);
	expect_ops("owner-mutex", NULL, "0 acquire m null = null [1 2]\n1 acquire m null = false [3 4]\n0 release m null = null [5 6]\n", ok);
	expect_ops("owner-mutex", NULL, "0 acquire m null = null [1 2]\n0 acquire m null = null [3 4]\n", bad);
	expect_ops("reentrant-mutex", NULL, "0 acquire m null = null [1 2]\n0 acquire m null = null [3 4]\n0 release m null = null [5 6]\n"
	                                    "1 acquire m null = null [7 8]\n", bad);
	expect_ops("reentrant-mutex", NULL, "0 acquire m null = null [1 2]\n0 acquire m null = null [3 4]\n0 release m null = null [5 6]\n"
	                                    "0 release m null = null [7 8]\n1 acquire m null = null [9 10]\n", ok);
	expect_ops("fenced-mutex", NULL, "0 acquire m null = 7 [1 2]\n0 release m null = null [3 4]\n1 acquire m null = 8 [5 6]\n", ok);
	expect_ops("fenced-mutex", NULL, "0 acquire m null = 7 [1 2]\n0 release m null = null [3 4]\n1 acquire m null = 7 [5 6]\n", bad);
	expect_ops("reentrant-fenced-mutex", NULL, "0 acquire m null = 7 [1 2]\n0 acquire m null = 7 [3 4]\n", ok);
	expect_ops("reentrant-fenced-mutex", NULL, "0 acquire m null = 7 [1 2]\n0 acquire m null = 8 [3 4]\n", bad);
	expect_ops("semaphore", "2", "0 acquire s null = true [1 2]\n1 acquire s 1 = true [3 4]\n2 acquire s null = false [5 6]\n0 release s null = null [7 8]\n", ok);
	expect_ops("semaphore", "2", "0 acquire s 2 = true [1 2]\n1 acquire s 1 = true [3 4]\n", bad);
}

/* ttl 10: held for times in [t, t + 10) when acquired at t. */
static void leases(void **state)
{
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n1 acquire l 10 = true [5 9]\n", bad);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n1 acquire l 10 = true [5 10]\n", ok);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 5]\n1 acquire l 10 = false [12 13]\n1 acquire l 10 = true [14 14]\n", ok);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 5]\n1 acquire l 10 = false [16 17]\n", bad);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 5]\n1 acquire l 10 = false [14 14]\n1 acquire l 10 = true [14 14]\n", bad);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n0 renew l 10 = true [8 9]\n1 acquire l 10 = true [12 17]\n", bad);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n0 renew l 10 = true [8 9]\n1 acquire l 10 = true [12 18]\n", ok);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n0 renew l 10 = true [11 12]\n", bad);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n0 renew l 10 = false [11 12]\n", ok);
	expect_ops("lease", NULL, "0 acquire l 10 = true [0 1]\n0 release l null = true [2 3]\n1 acquire l 10 = true [4 5]\n", ok);
	expect_ops("lease", NULL, "0 acquire l 10 = ? [0 1]\n1 acquire l 10 = false [4 5]\n", ok);
	expect_ops("lease", NULL, "1 acquire l 10 = false [4 5]\n", bad);
}

static void mistakes_are_errors(void **state)
{
	char *text = ops("0 put q \"a\" = null [1 2]\n");

	expect_error("queue", text, "history (model queue): operation \"put\" is not one of dequeue, enqueue", 1);
	free(text);
	text = ops("0 get x null = \"\" [1 2]\n0 put x 5 = null [3 4]\n");
	expect_error("kv", text, "history (model kv): operation \"put\": value 5 is not a string", 2);
	free(text);
	text = ops("0 read c null = \"1\" [1 2]\n");
	expect_error("counter", text, "history (model counter): operation \"read\": output \"1\" is not an integer", 1);
	free(text);
	text = ops("0 cas c [\"a\"] = true [1 2]\n");
	expect_error("cas", text, "operation \"cas\": value [\"a\"] is not a pair [old, new]", 1);
	free(text);
	text = ops("0 cas c [\"a\",\"b\"] = 1 [1 2]\n");
	expect_error("cas", text, "operation \"cas\": output 1 is not true or false", 1);
	free(text);
	text = ops("0 put c 5 = ! [1 2]\n");
	expect_error("kv", text, "value 5 is not a string", 1);
	free(text);
	text = ops("0 enqueue q \"\" = null [1 2]\n");
	expect_error("queue", text, "is not an item", 1);
	free(text);
	text = ops("0 add c 9223372036854775807 = null [1 2]\n");
	expect_error("counter", text, "the sum leaves 63 bits", 1);
	free(text);
}

struct told {
	const char *model, *lines, *reason;
	uint32_t core; /* operations of the smallest failing history */
};

static void reasons_in_words(void **state)
{
	static const struct told t[] = {
		{"kv", "0 put x \"a\" = null [1 2]\n1 get x null = \"b\" [3 4]\n1 get x null = \"a\" [5 6]\n",
		 "value never written: 1's get (line 2) returned \"b\", which no operation wrote", 1},
		{"kv", "0 get x null = \"a\" [1 2]\n1 put x \"a\" = null [3 4]\n", "value not written yet: 0's get (line 1) returned \"a\" and ended before 1's put (line 2), which wrote it, started", 1},
		{"queue", "0 enqueue q \"1\" = null [1 2]\n0 enqueue q \"2\" = null [3 4]\n1 dequeue q null = \"2\" [5 6]\n1 dequeue q null = \"1\" [7 8]\n",
		 "out of order: 0's enqueue (line 1) put \"1\" in before 0's enqueue (line 2) put \"2\" in, but 1's dequeue (line 3) took the later one "
		 "out before 1's dequeue (line 4) took the first", 3},
		{"queue", "0 enqueue q \"1\" = null [1 2]\n0 enqueue q \"2\" = null [3 4]\n1 dequeue q null = \"2\" [5 6]\n", "it is lost", 3},
		{"queue", "0 enqueue q \"1\" = null [1 2]\n1 dequeue q null = \"1\" [3 4]\n2 dequeue q null = \"1\" [5 6]\n",
		 "delivered twice: 1's dequeue (line 2) and 2's dequeue (line 3) both returned \"1\"", 3},
		{"queue", "0 enqueue q \"1\" = null [1 2]\n1 dequeue q null = \"\" [3 4]\n2 dequeue q null = \"1\" [5 6]\n",
		 "lost element: 1's dequeue (line 2) found nothing, but \"1\" was inside all that time", 2},
		{"set", "0 add s \"a\" = null [1 2]\n0 add s \"b\" = null [3 4]\n1 read s null = [\"b\"] [5 6]\n",
		 "lost element: 1's read (line 3) returned [\"b\"], without \"a\", which 0's add (line 1) had added before it started", 3},
		{"append", "0 append l \"a\" = null [1 9]\n0 append l \"b\" = null [1 9]\n1 read l null = [\"a\",\"b\"] [2 3]\n2 read l null = [\"b\"] [4 5]\n",
		 "incompatible order: neither is the beginning of the other", 4},
		{"counter", "0 add c 1 = null [1 2]\n0 add c 1 = null [3 4]\n1 read c null = 1 [5 6]\n",
		 "wrong sum: 1's read (line 3) returned 1, but the additions that can have taken effect make at least 2 and at most 2", 3},
		{"cas", "0 cas x [\"\",\"a\"] = true [1 9]\n1 cas x [\"\",\"b\"] = true [2 8]\n",
		 "lost update: 0's cas (line 1) and 1's cas (line 2) both replaced \"\", which was there only once", 2},
		{"stack", "0 push s \"1\" = null [1 2]\n0 push s \"2\" = null [3 4]\n1 pop s null = \"1\" [5 6]\n1 pop s null = \"2\" [7 8]\n",
		 "not last in, first out: 1's pop (line 3) returned \"1\" while \"2\" lay on top of it, which 0's push (line 2) had pushed later", 3}};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct checked x = {.opt = CHECK_DEFAULTS};
		char *text = ops(t[i].lines);
		x.opt.model = t[i].model;
		run_check(&x, text);
		assert_false(x.failed);
		assert_int_equal(x.c.verdict, NOT_LINEARIZABLE);
		expect_text(&x, t[i].reason);
		if (x.c.lin.part[0].ncore != t[i].core)
			fail_msg("%s: %u operations in the smallest failing history, expected %u:\n%s", t[i].reason, x.c.lin.part[0].ncore,
			         t[i].core, x.text.data);
		free(text);
		end_check(&x);
	}
}

/* A long history with one stale read far behind: the prefix ends there, the core is small. */
static void prefix_and_core_of_a_long_history(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	struct buf b = {0};

	for (int i = 0; i < 3000; i++)
		buf_addf(&b, "{\"process\":0,\"f\":\"%s\",\"key\":\"x\",\"value\":%s%d%s,\"output\":\"v%d\",\"start\":%d,\"end\":%d}\n", i % 2 ? "get" : "put",
		         i % 2 ? "[" : "\"v", i, i % 2 ? "]" : "\"", i == 2001 ? 1000 : i - i % 2, 10 * i, 10 * i + 5);
	run_check(&x, b.data);
	assert_false(x.failed);
	assert_int_equal(x.c.verdict, NOT_LINEARIZABLE);
	assert_int_equal(x.c.lin.part[0].prefix_line, 2002);
	assert_true(x.c.lin.part[0].ncore <= 3);
	expect_text(&x, "longest linearizable prefix: before line 2002, 2002 of 3000 operations invoked");
	buf_clear(&b);
	end_check(&x);
}

/* The budget is counted in configurations: the verdict is unknown, and the same on every machine. */
static void budget_ends_in_unknown(void **state)
{
	struct buf b = {0};
	uint64_t visited = 0;

	for (int i = 0; i < 14; i++)
		buf_addf(&b, "{\"process\":%d,\"f\":\"insert\",\"key\":\"p\",\"value\":\"%d\",\"output\":null,\"start\":0,\"end\":100}\n", i, i);
	for (int i = 0; i < 14; i++)
		buf_addf(&b, "{\"process\":%d,\"f\":\"delete-min\",\"key\":\"p\",\"value\":null,\"output\":\"%d\",\"start\":0,\"end\":100}\n", 20 + i, i / 2);
	for (int times = 0; times < 2; times++) {
		struct checked x = {.opt = CHECK_DEFAULTS};
		x.opt.model = "priority-queue";
		x.opt.limits.configs = 5000;
		run_check(&x, b.data);
		assert_int_equal(x.c.verdict, UNDECIDED);
		expect_text(&x, "undecided after 5000 configurations");
		assert_true(!times || visited == x.c.lin.visited);
		visited = x.c.lin.visited;
		end_check(&x);
	}
	buf_clear(&b);
}

static void jobs_change_nothing(void **state)
{
	struct buf b = {0}, one = {0};

	for (int i = 0; i < 400; i++)
		buf_addf(&b, "{\"process\":%d,\"f\":\"%s\",\"key\":\"k%d\",\"value\":\"%d\",\"output\":\"%d\",\"start\":%d,\"end\":%d}\n", i % 7,
		         i % 3 ? "put" : "get", i % 20, i, i % 11 ? i - 20 : 5, i, i + 9);
	for (unsigned jobs = 1; jobs < 9; jobs *= 2) {
		struct checked x = {.opt = CHECK_DEFAULTS};
		struct buf json = {0};
		x.opt.limits.jobs = jobs;
		run_check(&x, b.data);
		assert_false(x.failed);
		report_json(&x.c, &json);
		if (!one.len)
			buf_add(&one, json.data, json.len);
		assert_string_equal(one.data, json.data);
		buf_clear(&json);
		end_check(&x);
	}
	buf_clear(&b);
	buf_clear(&one);
}

static void models_are_guessed(void **state)
{
	static const struct { const char *lines, *model; } t[] = {
		{"0 put x \"a\" = null\n", "kv"}, {"0 cas x [\"a\",\"b\"] = true\n0 get x null = \"\"\n", "cas"},
		{"0 enqueue x \"a\" = null\n", "queue"}, {"0 push x \"a\" = null\n", "stack"}, {"0 add x \"a\" = null\n", "set"},
		{"0 add x 1 = null\n0 read x null = 1\n", "counter"}, {"0 add x 1 = ?\n0 read x null = []\n", "set"},
		{"0 write x 1 = null\n", "register"}, {"0 append x \"a\" = null\n0 read x null = [\"a\"]\n", "append"},
		{"0 append x \"a\" = null\n0 get x null = \"a\"\n", "kv-append"}, {"0 generate - null = 1\n", "ids"},
		{"0 txn - [[\"append\",\"x\",1]] = null\n", "list-append"}, {"0 txn - [[\"w\",\"x\",1]] = null\n", "rw-register"}};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char *text = ops(t[i].lines);
		struct history h;
		struct err e = {0};
		assert_int_equal(hist_parse(&h, "h", text, strlen(text), FMT_AUTO, &e), 0);
		if (!model_guess(&h))
			fail_msg("%s: no guess", t[i].model);
		assert_string_equal(model_guess(&h)->name, t[i].model);
		hist_clear(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_10_4), cmocka_unit_test(figure_10_4_control_has_a_witness_of_eight_steps), cmocka_unit_test(figure_10_6),
		cmocka_unit_test(partial_order_both_ways), cmocka_unit_test(lines_are_time_unless_there_are_edges),
		cmocka_unit_test(edges_between_keys), cmocka_unit_test(cycles_are_errors), cmocka_unit_test(registers), cmocka_unit_test(sequences),
		cmocka_unit_test(numbers_and_owners), cmocka_unit_test(leases), cmocka_unit_test(mistakes_are_errors),
		cmocka_unit_test(reasons_in_words), cmocka_unit_test(prefix_and_core_of_a_long_history), cmocka_unit_test(budget_ends_in_unknown),
		cmocka_unit_test(jobs_change_nothing), cmocka_unit_test(models_are_guessed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
