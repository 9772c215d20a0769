/*
 * What the lock protects. Fencing: a write with a token that is older than the newest seen is refused, because its writer
 * has lost the lease without knowing.
 *
 *     write TOKEN -> ok | fenced
 *
 * BUG=4  takes every write
 */
#include "net.h"
#include "simrun.h"

static long long newest;
static int bug;

static void handle(int fd, char *line)
{
	long long t;

	if (sscanf(line, "write %lld", &t) != 1) {
		answer(fd, "what?");
		return;
	}
	SIMRUN_SOMETIMES(t < newest, "somebody wrote who had lost the lease");
	if (t < newest && bug != 4) {
		answer(fd, "fenced");
		return;
	}
	SIMRUN_ALWAYS_GREATER_THAN_OR_EQUAL_TO(t, newest, "writes come in the order of their tokens");
	newest = t;
	answer(fd, "ok");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fprintf(stderr, "usage: store PORT\n"), 2;
	bug = planted();
	serve(atoi(argv[1]), handle, NULL, 0);
}
