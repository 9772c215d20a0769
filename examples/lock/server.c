/*
 * A service that hands out one lease, with a token that grows: whoever holds the lease shows it to the store.
 *
 *     acquire -> granted TOKEN | busy          release TOKEN -> ok | no
 *
 * BUG=1  measures leases with the wall clock, which jumps       BUG=2  grants at once after a restart
 * BUG=3  takes a release from anybody
 */
#include "net.h"
#include "simrun.h"

enum { TTL_MS = 300 };

static int64_t token, held_until;
static bool held;
static int bug;
static const char *state_name;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(bug == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Before a token is given out: it must not be given out again after a crash. */
static void save(void)
{
	char other[256];
	FILE *f;

	snprintf(other, sizeof other, "%s.new", state_name);
	f = fopen(other, "w");
	if (!f || fprintf(f, "%lld\n", (long long)token) < 0 || fclose(f) || rename(other, state_name) < 0)
		die(state_name);
}

static void recover(void)
{
	FILE *f = fopen(state_name, "r");
	long long t;

	if (f && fscanf(f, "%lld", &t) == 1) {
		token = t;
		/* Somebody may hold the lease that was granted last. */
		held = bug != 2;
		held_until = now_ms() + TTL_MS;
		SIMRUN_REACHABLE("the lock service was restarted");
	}
	if (f)
		fclose(f);
}

static void handle(int fd, char *line)
{
	char reply[64] = "what?";
	long long t;

	if (held && now_ms() >= held_until) {
		held = false;
		SIMRUN_REACHABLE("a lease ran out");
	}
	if (!strcmp(line, "acquire")) {
		if (held) {
			strcpy(reply, "busy");
		} else {
			token++;
			save();
			held = true;
			held_until = now_ms() + TTL_MS;
			snprintf(reply, sizeof reply, "granted %lld", (long long)token);
		}
	} else if (sscanf(line, "release %lld", &t) == 1) {
		bool mine = held && (t == token || bug == 3);
		SIMRUN_SOMETIMES(!mine, "a release came too late");
		held = held && !mine;
		strcpy(reply, mine ? "ok" : "no");
	}
	answer(fd, reply);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return fprintf(stderr, "usage: server PORT STATE\n"), 2;
	bug = planted();
	state_name = argv[2];
	recover();
	serve(atoi(argv[1]), handle, NULL, 0);
}
