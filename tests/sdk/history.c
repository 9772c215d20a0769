/* Records a history, good or bad, for each model: MODEL [bad|unknown|typo|type]. */
#include "simrun.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void nap(void)
{
	usleep(1000);
}

int main(int argc, char **argv)
{
	const char *model = argc > 1 ? argv[1] : "kv", *how = argc > 2 ? argv[2] : "";
	bool bad = !strcmp(how, "bad");
	simrun_id op;

	if (!strcmp(how, "typo"))
		simrun_ok(simrun_invoke(1, "pu", "k", "\"v\""), NULL);
	if (!strcmp(how, "type"))
		simrun_ok(simrun_invoke(1, "put", "k", "5"), NULL);
	if (!strcmp(model, "kv")) {
		op = simrun_put(1, "k1", "v7");
		nap();
		if (!strcmp(how, "unknown"))
			simrun_unknown(op);
		else if (!strcmp(how, "failed"))
			simrun_failed(op);
		else if (strcmp(how, "pending"))
			simrun_ok(op, "");
		op = simrun_get(2, "k1");
		simrun_ok(op, bad ? "" : "v7");
	} else if (!strcmp(model, "cas")) {
		op = simrun_invoke(1, "cas", "leader-lock", "[\"\",\"me\"]");
		simrun_ok_bool(op, true);
		op = simrun_invoke(2, "cas", "leader-lock", "[\"\",\"you\"]");
		simrun_ok_bool(op, bad);
	} else if (!strcmp(model, "append")) {
		simrun_ok(simrun_invoke(1, "append", "l", "\"a\""), NULL);
		simrun_ok_json(simrun_invoke(2, "read", "l", NULL), bad ? "[]" : "[\"a\"]");
	} else if (!strcmp(model, "queue")) {
		simrun_ok(simrun_invoke(1, "enqueue", "q", "\"1-0\""), NULL);
		simrun_ok(simrun_invoke(2, "dequeue", "q", NULL), "1-0");
		simrun_ok(simrun_invoke(2, "dequeue", "q", NULL), bad ? "1-0" : "");
	} else if (!strcmp(model, "set")) {
		simrun_ok(simrun_invoke(1, "add", "s", "\"a\""), NULL);
		simrun_ok_json(simrun_invoke(2, "read", "s", NULL), bad ? "[]" : "[\"a\"]");
	} else if (!strcmp(model, "counter")) {
		simrun_ok(simrun_invoke(1, "add", "n", "5"), NULL);
		simrun_ok_int(simrun_invoke(2, "read", "n", NULL), bad ? 4 : 5);
	} else if (!strcmp(model, "list-append")) {
		/* Write skew: each reads what the other appends to, and neither sees the other's. */
		static const char *const seen[] = {"1"};
		struct simrun_mop a[] = {{.key = "x"}, {.key = "y", .append = "1"}};
		struct simrun_mop b[] = {{.key = "y"}, {.key = "x", .append = "1"}};
		simrun_id ta = simrun_txn(1, a, 2), tb = simrun_txn(2, b, 2);
		if (!bad)
			b[0].list = seen, b[0].n = 1;
		simrun_ok_txn(ta, a, 2);
		simrun_ok_txn(tb, b, 2);
		struct simrun_mop c[] = {{.key = "x", .list = seen, .n = 1}, {.key = "y", .list = seen, .n = 1}};
		simrun_ok_txn(simrun_txn(3, c, 2), c, 2);
	}
	puts("recorded");
	return 0;
}
