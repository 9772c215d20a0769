/* One property of each kind, in a place that is only reached with an argument: what a catalogue is for. */
#include "simrun.h"

#define DASHES "--" /* a macro in a message is its text */

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

int main(int argc, char **argv)
{
	(void)argv;
	SIMRUN_ALWAYS(argc > 0, "invariant holds");
	if (argc > 1) {
		SIMRUN_REACHABLE("compaction ran");
		SIMRUN_ALWAYS(true, "a \"quoted\" message\\" DASHES " é");
		SIMRUN_ALWAYS_OR_UNREACHABLE(true, "may never run");
		SIMRUN_SOMETIMES(argc > 2, "two arguments");
		SIMRUN_EVENTUALLY(yes, 0, "in the end", SIMRUN_SECOND);
		if (argc > 9)
			SIMRUN_UNREACHABLE("nine arguments");
	}
	return 0;
}
