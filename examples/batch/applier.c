/*
 * Applies batches over shards, where no transaction spans shards and ids are minted here: plan, claim the ids under the
 * request's key, commit shard by shard, audit. A crash may come between any two steps; the client then sends the batch again
 * under the same key.
 *
 *     batch KEY OP OP ... -> done ID,ID,... | rejected       (c:SHARD, d:SHARD:ID; x:SHARD is refused by validation)
 *
 * BUG=1  claims are not kept: every attempt mints new ids
 */
#include "net.h"
#include "simrun.h"

#include <fcntl.h>

enum { SHARDS = 2, OPS_MAX = 8 };

struct op {
	char kind;
	int shard;
	char id[24]; /* of a create: minted; of a delete: named */
};

static struct peer shards[SHARDS];
static const char *dir;
static int bug;

/* The step that is under way, in a file, so that a restart can tell where a crash came. */
static void enter(const char *phase)
{
	char name[256];
	int fd;

	snprintf(name, sizeof name, "%s/phase", dir);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, phase, strlen(phase)) < 0)
		die(name);
	close(fd);
	nap_ms((int64_t)(simrun_random() % 10)); /* the work */
}

static void look_back(void)
{
	char name[256], phase[16] = "";
	FILE *f;

	snprintf(name, sizeof name, "%s/phase", dir);
	f = fopen(name, "r");
	if (!f || fscanf(f, "%15s", phase) != 1)
		strcpy(phase, "none");
	if (f)
		fclose(f);
	SIMRUN_SOMETIMES(!strcmp(phase, "plan"), "a crash came while planning");
	SIMRUN_SOMETIMES(!strcmp(phase, "claim"), "a crash came while claiming");
	SIMRUN_SOMETIMES(!strcmp(phase, "commit"), "a crash came between commits");
	SIMRUN_SOMETIMES(!strcmp(phase, "finish"), "a crash came while auditing");
}

/* ---- plan ---- */

static int parse(char *text, struct op *ops)
{
	int n = 0;

	for (char *w = strtok(text, " "); w && n < OPS_MAX; w = strtok(NULL, " ")) {
		struct op *o = &ops[n++];
		*o = (struct op){.kind = w[0], .shard = w[2] - '0'};
		if (o->kind == 'd')
			snprintf(o->id, sizeof o->id, "%s", w + 4);
	}
	return n;
}

static bool plan(const struct op *ops, int n)
{
	enter("plan");
	for (int i = 0; i < n; i++)
		if (ops[i].kind == 'x')
			return false;
	return true;
}

/* ---- claim ---- */

static void claim_name(char *out, size_t n, const char *key)
{
	snprintf(out, n, "%s/claim-%s", dir, key);
}

static bool read_claim(const char *key, struct op *ops, int n)
{
	char name[256];
	FILE *f;

	claim_name(name, sizeof name, key);
	f = fopen(name, "r");
	for (int i = 0; f && i < n; i++)
		if (ops[i].kind == 'c' && fscanf(f, "%23s", ops[i].id) != 1)
			die("a claim is incomplete");
	if (f)
		fclose(f);
	return f != NULL;
}

/* One row, in one step: a file that takes its name when it is complete. */
static void claim(const char *key, struct op *ops, int n)
{
	char name[256], other[300];
	FILE *f;

	enter("claim");
	if (bug != 1 && read_claim(key, ops, n)) {
		SIMRUN_REACHABLE("an attempt found the claim of an earlier one");
		return;
	}
	claim_name(name, sizeof name, key);
	snprintf(other, sizeof other, "%s.new", name);
	f = fopen(other, "w");
	for (int i = 0; i < n; i++)
		if (ops[i].kind == 'c') {
			snprintf(ops[i].id, sizeof ops[i].id, "%016llx", (unsigned long long)simrun_random());
			if (!f || fprintf(f, "%s\n", ops[i].id) < 0)
				die(other);
		}
	if (!f || fclose(f) || rename(other, name) < 0)
		die(name);
}

/* ---- commit ---- */

static void commit(const char *key, const struct op *ops, int n, bool *committed)
{
	for (int s = 0; s < SHARDS; s++) {
		char request[LINE_MAX_LEN] = "apply", reply[LINE_MAX_LEN];
		size_t len = strlen(request);
		enter("commit");
		for (int i = 0; i < n; i++) {
			if (ops[i].shard != s)
				continue;
			if (ops[i].kind == 'c')
				len += (size_t)snprintf(request + len, sizeof request - len, " c:%s:%s.%d", ops[i].id, key, i);
			else
				len += (size_t)snprintf(request + len, sizeof request - len, " d:%s", ops[i].id);
		}
		/* Asking again is harmless: the ids are the same. */
		while (strchr(request, ' ') && (!ask(&shards[s], request, reply) || strcmp(reply, "ok")))
			nap_ms(20);
		committed[s] = true;
	}
}

/* ---- finish ---- */

static void audit(const char *key, const struct op *ops, int n, const bool *committed)
{
	char name[256];
	int fd;

	enter("finish");
	snprintf(name, sizeof name, "%s/audit", dir);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	for (int i = 0; i < n; i++) {
		SIMRUN_ALWAYS(committed[ops[i].shard], "an operation is audited only when its shard has committed", "%s.%d", key, i);
		if (fd < 0 || dprintf(fd, "%s.%d\n", key, i) < 0)
			die(name);
		nap_ms((int64_t)(simrun_random() % 4));
	}
	close(fd);
}

static void handle(int fd, char *line)
{
	bool committed[SHARDS] = {false};
	char key[24], reply[LINE_MAX_LEN] = "done ";
	struct op ops[OPS_MAX];
	int n, at = 0;
	size_t len = strlen(reply);

	if (sscanf(line, "batch %23s %n", key, &at) != 1 || !at) {
		answer(fd, "what?");
		return;
	}
	n = parse(line + at, ops);
	if (!plan(ops, n)) {
		enter("idle");
		answer(fd, "rejected");
		return;
	}
	claim(key, ops, n);
	commit(key, ops, n, committed);
	audit(key, ops, n, committed);
	enter("idle");
	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(reply + len, sizeof reply - len, "%s%s", i ? "," : "", ops[i].id);
	answer(fd, reply);
}

int main(int argc, char **argv)
{
	if (argc != 3 + SHARDS)
		return fprintf(stderr, "usage: applier PORT DIR SHARD-PORT SHARD-PORT\n"), 2;
	bug = planted();
	dir = argv[2];
	for (int s = 0; s < SHARDS; s++)
		shards[s] = (struct peer){.port = atoi(argv[3 + s]), .fd = -1, .timeout_ms = 300};
	look_back();
	serve(atoi(argv[1]), handle, NULL, 0);
}
