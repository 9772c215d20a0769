/*
 * Adds, one after the other, each until it is acknowledged. How far it is lies in a file, so that it goes on after a crash,
 * with the same id for what it does not know the fate of.
 */
#include "net.h"
#include "simrun.h"

#include <fcntl.h>

static struct peer primary = {.fd = -1, .timeout_ms = 500};

static int done_so_far(const char *name)
{
	int n = 0;
	FILE *f = fopen(name, "r");

	if (f && fscanf(f, "%d", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/* In a file of its own first: a crash leaves the old number or the new one. */
static void save(const char *name, int n)
{
	char other[256];
	FILE *f;

	snprintf(other, sizeof other, "%s.new", name);
	f = fopen(other, "w");
	if (!f || fprintf(f, "%d\n", n) < 0 || fclose(f) || rename(other, name) < 0)
		die(name);
}

int main(int argc, char **argv)
{
	char request[64], reply[LINE_MAX_LEN];
	int n, adds;

	if (argc != 4)
		return fprintf(stderr, "usage: client PORT STATE ADDS\n"), 2;
	primary.port = atoi(argv[1]);
	n = done_so_far(argv[2]);
	adds = (int)simrun_budget(atoi(argv[3]));
	if (n)
		simrun_eventf("client resumed", "{\"next add\":%d}", n);
	for (; n < adds; n++) {
		snprintf(request, sizeof request, "add a%d", n);
		while (!ask(&primary, request, reply) || strcmp(reply, "ok"))
			nap_ms(50);
		if (simrun_buggify("between the answer and the note of it"))
			nap_ms(20);
		save(argv[2], n + 1);
		nap_ms(100);
	}
	return 0;
}
