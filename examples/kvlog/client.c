/* One client of kvlog: appends and reads at random, asks again with the same id when it got no answer, records it all. */
#include "net.h"
#include "simrun.h"

static struct peer server = {.fd = -1, .timeout_ms = 500};

/* Until there is an answer: the server may be down for a while. */
static void ask_again(const char *request, char *reply)
{
	int tries = 0;

	while (!ask(&server, request, reply)) {
		tries++;
		nap_ms(20);
	}
	SIMRUN_SOMETIMES(tries > 0, "a client asked again");
}

static void append(int client, int n, const char *key)
{
	char request[128], reply[LINE_MAX_LEN], value[32];
	simrun_id op;

	snprintf(value, sizeof value, "c%d-%d", client, n);
	snprintf(request, sizeof request, "append %d.%d %s %s", client, n, key, value);
	op = simrun_invoke(client, "append", key, simrun_json(value));
	ask_again(request, reply);
	SIMRUN_ASSERT(!strcmp(reply, "ok"), "the server answered '%s'", reply);
	simrun_ok(op, NULL);
}

static void read_list(int client, const char *key)
{
	char request[64], reply[LINE_MAX_LEN], json[2 * LINE_MAX_LEN] = "[";
	simrun_id op = simrun_invoke(client, "read", key, NULL);

	snprintf(request, sizeof request, "read %s", key);
	ask_again(request, reply);
	for (char *w = strtok(reply, " "); w; w = strtok(NULL, " ")) {
		strcat(json, json[1] ? "," : "");
		strcat(json, simrun_json(w));
	}
	strcat(json, "]");
	simrun_ok_json(op, json);
}

int main(int argc, char **argv)
{
	int client, ops;

	if (argc != 4)
		return fprintf(stderr, "usage: client PORT NUMBER OPERATIONS\n"), 2;
	server.port = atoi(argv[1]);
	client = atoi(argv[2]);
	ops = (int)simrun_budget(atoi(argv[3]));
	for (int n = 0; n < ops; n++) {
		const char *key = simrun_random() % 2 ? "x" : "y";
		if (simrun_random() % 2)
			append(client, n, key);
		else
			read_list(client, key);
		nap_ms((int64_t)(simrun_random() % 20));
	}
	return 0;
}
