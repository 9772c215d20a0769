/* Every exit status of simrun, once: the commands, the help text and the check of the manual read this list. */
#ifndef TRACER_EXIT_CODES_H
#define TRACER_EXIT_CODES_H

#define EXIT_CODES(X)                                                                                              \
	X(STATUS_PASS, 0, "every run finished and every check held")                                              \
	X(STATUS_FAIL, 1, "a check failed")                                                                       \
	X(STATUS_UNKNOWN, 2, "the verdict is unknown: a call number that simrun does not know, or a spent budget") \
	X(STATUS_UNREPEATABLE, 3, "not repeatable: the same seed gave two different runs")                        \
	X(STATUS_TIMEOUT, 124, "the limit of real time was reached")                                              \
	X(STATUS_HARNESS, 125, "simrun could not do its job")                                                     \
	X(STATUS_NOT_EXECUTABLE, 126, "the program cannot be executed")                                           \
	X(STATUS_NOT_FOUND, 127, "the program was not found")                                                     \
	X(STATUS_USAGE, 129, "bad command line")

enum exit_status {
#define X(name, code, meaning) name = code,
	EXIT_CODES(X)
#undef X
};

/* The status of several runs together is the one that comes first in this order: the worst news first. */
#define STATUS_ORDER {STATUS_HARNESS, STATUS_UNREPEATABLE, STATUS_FAIL, STATUS_TIMEOUT, STATUS_UNKNOWN, STATUS_PASS}

/* The combined status of two runs. */
static inline enum exit_status status_combine(enum exit_status a, enum exit_status b)
{
	static const enum exit_status order[] = STATUS_ORDER;

	for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
		if (order[i] == a || order[i] == b)
			return order[i];
	return a;
}

#endif
