/* Transactions: every anomaly by its name, and the levels that it leaves. One transaction a line, see checker_help.h. */
#include "tests/unit/checker_help.h"

static bool has(const struct checked *x, const char *name)
{
	for (uint32_t i = 0; i < x->c.txn.n; i++)
		if (!strcmp(x->c.txn.anomaly[i].name, name))
			return true;
	return false;
}

static bool holds(const struct checked *x, const char *level)
{
	return !(x->c.txn.ruled_out >> level_find(level) & 1);
}

struct vector {
	const char *what, *txns;
	const char *anomalies; /* blank-separated; others may be there when it ends in " +" */
	const char *not_level, *level;
	bool sequential;
};

static const struct vector vectors[] = {
	{"G0", "a x 1 a y 1\na x 2 a y 2\nr x [1,2] r y [2,1]", "G0 +", "read-uncommitted", NULL, false},
	{"G1a", "F a x 1\nr x [1]", "G1a", "read-committed", "read-uncommitted", false},
	{"G1b", "a x 1 a x 2\nr x [1]", "G1b +", "read-committed", "read-uncommitted", false},
	{"own intermediate read", "a x 1 r x [1] a x 2", "", NULL, "strict-serializable", false},
	{"G1c", "a x 1 r y [1]\na x 2 a y 1\nr x [1,2]", "G1c", "read-committed", "read-uncommitted", false},
	{"G-single", "a x 1 a y 1\na x 2 r y []\nr x [1,2]", "G-single", "repeatable-read", "read-committed", false},
	{"long fork", "a x 1\nr x [1] r y []\na y 1\nr y [1] r x []", "G-nonadjacent", "snapshot-isolation", "read-committed", false},
	{"rw edges in a row only", "r x [] r z [3]\na x 1 r y []\na y 2 a z 3", "G2-item", "serializable", "snapshot-isolation", false},
	{"write skew", "r x [] a y 1\nr y [] a x 1", "G2-item", "serializable", "snapshot-isolation", false},
	{"lost update", "a x 0\nr x [0] a x 1\nr x [0] a x 2", "lost-update +", "repeatable-read", "read-committed", false},
	{"not lost", "r x [] a x 1 a x 2\nr x [1,2]", "", NULL, "strict-serializable", false},
	{"incompatible", "a x 1\na x 2\na x 3\nr x [1,3]\nr x [1,2,3]", "incompatible-order", "read-committed", "read-uncommitted", false},
	{"duplicate", "a x 1\na x 2\nr x [1,2,1]", "duplicate-elements +", "read-uncommitted", NULL, false},
	{"duplicate append", "a x 1\na x 1\nr x [1]", "duplicate-append", "read-uncommitted", NULL, false},
	{"garbage", "a x 1\nr x [1,9]", "garbage-read", "read-uncommitted", NULL, false},
	{"internal 1", "a x 1\na x 2\nr x [1,2] a x 3 r x [1,2]\nr x [1,2,3]", "internal +", "read-atomic", "read-uncommitted", false},
	{"internal 2", "a x 1\na x 2\na x 4\na x 3 r x [1,2,3,4]", "internal +", "read-atomic", "read-uncommitted", false},
	{"internal 3", "a x 2\nr x [] r x [2]", "internal +", "read-atomic", "read-uncommitted", false},
	{"future read", "a x 0\nr x [0,1,2] a x 1\na x 2", "future-read +", "read-committed", "read-uncommitted", false},
	{"dirty update", "F a x 1\na x 2\nr x [1,2]", "G1a dirty-update", "read-committed", "read-uncommitted", false},
	{"dirty update over info", "F a x 1\nI a x 2\na x 3\nr x [1,2,3]", "G1a dirty-update", "read-committed", "read-uncommitted", false},
	{"unobserved", "a x 1 a y 1\na x 2 a y 2\na x 3 a y 3\nr x [1,2]\nr y [2]", "G0 G-single +", "read-uncommitted", NULL, false},
	{"info reads are unknown", "I a x 2 r y []\na x 1 a y 1\nr x [1,2] r y [1]", "", NULL, "strict-serializable", false},
	{"session", "P0 a x 1\nP1 a x 2\nP1 r x [1]\nP2 r x [1,2]", "G-single-process", "strong-session-snapshot-isolation", "serializable",
	 true},
	{"strict", "P0 a x 1\nP1 a x 2\nP2 r x [1]\nP3 r x [1,2]", "G-single-realtime", "strict-serializable",
	 "strong-session-serializable", true},
	{"wr and process", "P1 r x [1] a y 1\nP2 r y [1]\nP2 a x 1", "G1c-process", "strong-session-read-committed", "serializable", true},
	{"one unread append", "r x []\na x 1", "", NULL, "strict-serializable", false},
	{"read committed but not more", "a x 1 a y 1\nr x [1] r y []", "G-single", "consistent-view", "read-committed", false},
};

static void every_anomaly_by_name(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct checked x = {.opt = CHECK_DEFAULTS};
		char *text = txns(v->txns, v->sequential), names[128], *save = NULL;
		uint32_t n = 0;
		bool more = false;
		x.opt.model = "list-append";
		run_check(&x, text);
		assert_false(x.failed);
		snprintf(names, sizeof names, "%s", v->anomalies);
		for (char *w = strtok_r(names, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
			more |= !strcmp(w, "+");
			n += strcmp(w, "+") != 0;
			if (strcmp(w, "+") && !has(&x, w))
				fail_msg("%s: no %s in\n%s", v->what, w, x.text.data);
		}
		if (!more && n != x.c.txn.n)
			fail_msg("%s: expected only %s, got\n%s", v->what, v->anomalies, x.text.data);
		if (v->not_level && holds(&x, v->not_level))
			fail_msg("%s: %s holds\n%s", v->what, v->not_level, x.text.data);
		if (v->level && !holds(&x, v->level))
			fail_msg("%s: %s does not hold\n%s", v->what, v->level, x.text.data);
		free(text);
		end_check(&x);
	}
}

/* The reference's notation. */
static void examples_are_explained(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};
	char *text = txns("P4 r z [] a y 1\nP0 a z 1\nP6 r z [1] a y 0\nr y [0,1]", false);

	x.opt.model = "list-append";
	run_check(&x, text);
	assert_int_equal(x.c.verdict, NOT_LINEARIZABLE);
	expect_text(&x, "G-single: T0 -rw z-> T1 -wr z-> T2 -ww y-> T0; T0 (client 4, ok) [r z [], append y 1]; T1 (client 0, ok) [append z 1]; "
	                "T2 (client 6, ok) [r z [1], append y 0]\n");
	expect_text(&x, "strongest level compatible with the history: strong-read-committed, cursor-stability, read-atomic\n");
	expect_text(&x, "history of 4 transactions is not serializable: G-single\n");
	free(text);
	end_check(&x);
}

static void levels_are_asked_for(void **state)
{
	static const struct { const char *level; enum verdict v; } want[] = {
		{"read-committed", LINEARIZABLE}, {"repeatable-read", NOT_LINEARIZABLE}, {"snapshot-isolation", LINEARIZABLE},
		{"serializable", NOT_LINEARIZABLE}, {"strong-session-serializable", NOT_LINEARIZABLE}, {"strict-serializable", NOT_LINEARIZABLE}};
	char *text = txns("r x [] a y 1\nr y [] a x 1", false);

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct checked x = {.opt = CHECK_DEFAULTS};
		x.opt.model = "list-append";
		x.opt.consistency = (enum level)level_find(want[i].level);
		run_check(&x, text);
		assert_int_equal(x.c.verdict, want[i].v);
		end_check(&x);
	}
	free(text);
}

static const struct vector register_vectors[] = {
	{"ok", "w x 1\nr x 1 w x 2\nr x 2", "", NULL, "strict-serializable", true},
	{"garbage", "w x 1\nr x 3", "garbage-read", "read-uncommitted", NULL, false},
	{"G1a", "F w x 1\nr x 1", "G1a", "read-committed", "read-uncommitted", false},
	{"G1b", "w x 1 w x 2\nr x 1", "G1b +", "read-committed", "read-uncommitted", false},
	{"G1c", "w x 1 r y 1\nw y 1 r x 1", "G1c", "read-committed", "read-uncommitted", false},
	{"internal", "w x 1 r x 2\nw x 2", "internal", "read-atomic", "read-committed", false},
	{"lost update", "w x 0\nr x 0 w x 1\nr x 0 w x 2", "lost-update +", "repeatable-read", "read-committed", false},
	{"write skew", "r x - w y 1\nr y - w x 1", "G2-item", "serializable", "snapshot-isolation", false},
	{"long fork", "w x 1\nr x 1 r y -\nw y 1\nr y 1 r x -", "G-nonadjacent", "snapshot-isolation", "read-committed", false},
	{"cyclic versions", "r x 1 w x 2\nr x 2 w x 1", "cyclic-versions +", "read-uncommitted", NULL, false},
	{"future read", "r x 1 w x 1", "future-read +", "read-committed", "read-uncommitted", false},
	{"read skew", "w x 1 w y 1\nr x 1 r y -", "G-single", "repeatable-read", "read-committed", false},
	{"duplicate write", "w x 1\nw x 1", "duplicate-write", "read-uncommitted", NULL, false},
};

static void registers_too(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(register_vectors); i++) {
		const struct vector *v = &register_vectors[i];
		struct checked x = {.opt = CHECK_DEFAULTS};
		char *text = txns(v->txns, v->sequential), names[128], *save = NULL;
		uint32_t n = 0;
		bool more = false;
		x.opt.model = "rw-register";
		run_check(&x, text);
		assert_false(x.failed);
		snprintf(names, sizeof names, "%s", v->anomalies);
		for (char *w = strtok_r(names, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
			more |= !strcmp(w, "+");
			n += strcmp(w, "+") != 0;
			if (strcmp(w, "+") && !has(&x, w))
				fail_msg("%s: no %s in\n%s", v->what, w, x.text.data);
		}
		if (!more && n != x.c.txn.n)
			fail_msg("%s: expected only %s, got\n%s", v->what, v->anomalies, x.text.data);
		if (v->not_level && holds(&x, v->not_level))
			fail_msg("%s: %s holds\n%s", v->what, v->not_level, x.text.data);
		if (v->level && !holds(&x, v->level))
			fail_msg("%s: %s does not hold\n%s", v->what, v->level, x.text.data);
		free(text);
		end_check(&x);
	}
}

static void mistakes_are_errors(void **state)
{
	expect_error("list-append", "{\"type\":\"invoke\",\"f\":\"put\",\"value\":[],\"id\":0}", "history (model list-append): operation \"put\" is not one of txn", 1);
	expect_error("list-append",
	             "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"append\",\"x\",1]],\"id\":0}\n"
	             "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"add\",\"x\",1]],\"id\":0}",
	             "operation \"txn\": micro-operation [\"add\" \"x\" 1] is not [\"append\" or \"r\", key, value]", 2);
	expect_error("list-append", "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",null]],\"id\":0}\n"
	             "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",5]],\"id\":0}", "micro-operation", 2);
}

/* Lists given with blanks, or not as the longest one is spelled, are the same lists. */
static void spelling_does_not_matter(void **state)
{
	struct checked x = {.opt = CHECK_DEFAULTS};

	x.opt.model = "list-append";
	run_check(&x, "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"append\",\"x\",2],[\"append\",\"x\",3]],\"id\":0}\n"
	              "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"append\",\"x\",2],[\"append\",\"x\",3]],\"id\":0}\n"
	              "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",null]],\"id\":1}\n"
	              "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",[1,2,3]]],\"id\":1}\n"
	              "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",null]],\"id\":2}\n"
	              "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[ [ \"r\" , \"x\" , [ 1.0 , 2e0, 3 ] ] ],\"id\":2}\n"
	              "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",null]],\"id\":3}\n"
	              "{\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"r\",\"x\",[1,2,3]],[\"r\",\"x\",[1, 2,3]]],\"id\":3}\n");
	assert_false(x.failed);
	assert_int_equal(x.c.txn.n, 0);
	end_check(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_anomaly_by_name), cmocka_unit_test(examples_are_explained), cmocka_unit_test(levels_are_asked_for),
		cmocka_unit_test(registers_too), cmocka_unit_test(mistakes_are_errors), cmocka_unit_test(spelling_does_not_matter)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
