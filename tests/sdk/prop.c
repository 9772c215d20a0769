/* One property a run, by name: what tests/properties.sh asks for, in a simulation and outside of one. */
#include "simrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int calls;

static bool third_time(void *arg)
{
	(void)arg;
	return ++calls == 3;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

#define MODE(name) if (!strcmp(mode, name))

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	bool bad = argc > 2 && !strcmp(argv[2], "bad");
	int left = argc > 3 ? atoi(argv[3]) : 1, right = argc > 4 ? atoi(argv[4]) : 0;

	MODE("fail") if (bad) SIMRUN_FAIL("replica %d diverged", 3);
	MODE("assert") SIMRUN_ASSERT(!bad, "acknowledged write lost: %s=%s", "k", "v");
	MODE("always") SIMRUN_ALWAYS(!bad, "the log never shrinks", "%d %d", 41, 40);
	MODE("always-or-unreachable") SIMRUN_ALWAYS_OR_UNREACHABLE(!bad, "aou");
	MODE("unreachable") if (bad) SIMRUN_UNREACHABLE("two leaders in the same term", "%d", 7);
	MODE("sometimes") SIMRUN_SOMETIMES(!bad, "recovery found a torn tail");
	MODE("reachable") if (!bad) SIMRUN_REACHABLE("a node restored from a snapshot");
	MODE("eventually")
		if (SIMRUN_EVENTUALLY(bad ? never : third_time, NULL, "a leader is elected", 5 * SIMRUN_SECOND))
			printf("true after %d calls\n", calls);
	MODE("gt") SIMRUN_ALWAYS_GREATER_THAN(left, right, "left > right");
	MODE("ge") SIMRUN_ALWAYS_GREATER_THAN_OR_EQUAL_TO(left, right, "left >= right", "%s", "more");
	MODE("lt") SIMRUN_ALWAYS_LESS_THAN(left, right, "left < right");
	MODE("le") SIMRUN_ALWAYS_LESS_THAN_OR_EQUAL_TO(left, right, "left <= right");
	MODE("some-gt") SIMRUN_SOMETIMES_GREATER_THAN(left, right, "some left > right");
	MODE("some-ge") SIMRUN_SOMETIMES_GREATER_THAN_OR_EQUAL_TO(left, right, "some left >= right");
	MODE("some-lt") SIMRUN_SOMETIMES_LESS_THAN(left, right, "some left < right");
	MODE("some-le") SIMRUN_SOMETIMES_LESS_THAN_OR_EQUAL_TO(left, right, "some left <= right");
	MODE("always-some") SIMRUN_ALWAYS_SOME(SIMRUN_NAMED({"primary", !bad}, {"backup", false}), "some replica answers", "x");
	MODE("sometimes-all") SIMRUN_SOMETIMES_ALL(SIMRUN_NAMED({"crashed", true}, {"recovered", !bad}), "all of them");
	MODE("event") simrun_eventf("client resumed", "{\"next add\":%d}", 39);
	MODE("bad-event") simrun_event("client resumed", "{nonsense");
	MODE("budget") printf("%d operations\n", (int)simrun_budget(200));
	MODE("random") printf("%016llx\n", (unsigned long long)simrun_random());
	MODE("quiet") simrun_quiet_for(10 * SIMRUN_SECOND);
	MODE("setup") {
		simrun_setup_complete();
		simrun_setup_complete();
	}
	MODE("buggify") {
		int fired = 0;
		for (int i = 0; i < 1000; i++)
			fired += simrun_buggify("site");
		printf("fired %d\n", fired);
	}
	MODE("wait") sleep((unsigned)left);
	printf("end of %s\n", mode);
	return 0;
}
