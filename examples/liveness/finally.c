/* When all adds are acknowledged and everything is up: primary and backup have each of them, once. */
#include "net.h"
#include "simrun.h"

struct counts {
	struct peer server[2];
	int n[2];
};

static int count(struct peer *p)
{
	char reply[LINE_MAX_LEN];

	return ask(p, "count", reply) ? atoi(reply) : -1;
}

static bool agree(void *arg)
{
	struct counts *c = arg;

	for (int i = 0; i < 2; i++)
		c->n[i] = count(&c->server[i]);
	SIMRUN_SOMETIMES_ALL(SIMRUN_NAMED({"primary", c->n[0] >= 0}, {"backup", c->n[1] >= 0}), "both answer");
	return c->n[0] >= 0 && c->n[0] == c->n[1];
}

int main(int argc, char **argv)
{
	struct counts c = {.server = {{.fd = -1, .timeout_ms = 500}, {.fd = -1, .timeout_ms = 500}}};
	int adds;

	if (argc != 4)
		return fprintf(stderr, "usage: finally PRIMARY BACKUP ADDS\n"), 2;
	c.server[0].port = atoi(argv[1]);
	c.server[1].port = atoi(argv[2]);
	adds = (int)simrun_budget(atoi(argv[3]));
	SIMRUN_EVENTUALLY(agree, &c, "primary and backup report the same count", 5 * SIMRUN_SECOND);
	SIMRUN_ALWAYS_LESS_THAN_OR_EQUAL_TO(c.n[0], adds, "no add is applied twice");
	SIMRUN_ALWAYS_GREATER_THAN_OR_EQUAL_TO(c.n[0], adds, "no acknowledged add is lost");
	return 0;
}
