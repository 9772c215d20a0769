/* Acquires the lease, writes, releases it, and again. What it knows of the lease is recorded for the model "lease". */
#include "net.h"
#include "simrun.h"

enum { TTL_MS = 300 };

static struct peer lock = {.fd = -1, .timeout_ms = 200}, store = {.fd = -1, .timeout_ms = 200};

/* The token, or 0: not granted. */
static long long acquire(int client)
{
	char reply[LINE_MAX_LEN];
	long long token;
	simrun_id op = simrun_invoke(client, "acquire", NULL, "300000000");

	if (!ask(&lock, "acquire", reply)) {
		simrun_unknown(op);
		return 0;
	}
	if (sscanf(reply, "granted %lld", &token) == 1) {
		simrun_ok_bool(op, true);
		return token;
	}
	/* The service may be more careful than the lease demands: nothing is claimed about a refusal. */
	simrun_failed(op);
	return 0;
}

static void release(int client, long long token)
{
	char request[64], reply[LINE_MAX_LEN];
	simrun_id op = simrun_invoke(client, "release", NULL, NULL);

	snprintf(request, sizeof request, "release %lld", token);
	if (!ask(&lock, request, reply))
		simrun_unknown(op);
	else if (!strcmp(reply, "ok"))
		simrun_ok_bool(op, true);
	else
		simrun_failed(op);
}

int main(int argc, char **argv)
{
	char request[64], reply[LINE_MAX_LEN];
	int client, rounds, written = 0;

	if (argc != 5)
		return fprintf(stderr, "usage: client LOCK-PORT STORE-PORT NUMBER ROUNDS\n"), 2;
	lock.port = atoi(argv[1]);
	store.port = atoi(argv[2]);
	client = atoi(argv[3]);
	rounds = (int)simrun_budget(atoi(argv[4]));
	for (int i = 0; i < rounds; i++) {
		long long token = acquire(client);
		if (token) {
			nap_ms((int64_t)(simrun_random() % (TTL_MS / 2)));
			snprintf(request, sizeof request, "write %lld", token);
			written += ask(&store, request, reply) && !strcmp(reply, "ok");
			release(client, token);
		}
		nap_ms((int64_t)(simrun_random() % 100));
	}
	SIMRUN_SOMETIMES_GREATER_THAN(written, 3, "a client wrote more than three times");
	return 0;
}
