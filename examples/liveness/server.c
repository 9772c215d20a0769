/*
 * A counter, as a primary that tells a backup of every add before it answers.
 *
 *     add ID -> ok       count -> N
 *
 * BUG=1  the primary never connects to its backup again         BUG=2  does not look for requests done before
 */
#include "net.h"
#include "simrun.h"

#include <fcntl.h>

enum { ADDS_MAX = 4096 };

static char ids[ADDS_MAX][32];
static size_t nids;
static struct peer backup = {.fd = -1, .timeout_ms = 200};
static bool connected_once, gave_up;
static int bug, logfd;

static bool seen(const char *id)
{
	for (size_t i = 0; i < nids; i++)
		if (!strcmp(ids[i], id))
			return true;
	return false;
}

static void note(const char *id)
{
	snprintf(ids[nids++], sizeof ids[0], "%s", id);
	if (dprintf(logfd, "%s\n", id) < 0)
		die("log");
}

/* Whether the backup has it. */
static bool tell_backup(const char *id)
{
	char request[64], reply[LINE_MAX_LEN];

	if (!backup.port)
		return true;
	if (gave_up)
		return false;
	snprintf(request, sizeof request, "add %s", id);
	if (ask(&backup, request, reply)) {
		connected_once = true;
		return true;
	}
	gave_up = bug == 1 && connected_once;
	SIMRUN_REACHABLE("the primary could not reach its backup");
	return false;
}

static void handle(int fd, char *line)
{
	char id[32], reply[32];

	if (sscanf(line, "add %31s", id) == 1) {
		bool again = seen(id);
		SIMRUN_SOMETIMES(again, "an add came again");
		/* The backup first: what it does not have is not acknowledged. It knows the id, so telling it again is harmless. */
		if (!tell_backup(id)) {
			answer(fd, "try again");
			return;
		}
		if ((!again || bug == 2) && nids < ADDS_MAX)
			note(id);
		answer(fd, "ok");
	} else {
		snprintf(reply, sizeof reply, "%zu", nids);
		answer(fd, reply);
	}
}

static void recover(const char *name)
{
	char id[32];
	FILE *f = fopen(name, "r");

	while (f && nids < ADDS_MAX && fscanf(f, "%31s", id) == 1)
		strcpy(ids[nids++], id);
	if (f)
		fclose(f);
	logfd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (logfd < 0)
		die(name);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return fprintf(stderr, "usage: server PORT LOG [PORT OF THE BACKUP]\n"), 2;
	bug = planted();
	backup.port = argc > 3 ? atoi(argv[3]) : 0;
	recover(argv[2]);
	serve(atoi(argv[1]), handle, NULL, 0);
}
