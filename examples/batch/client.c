/*
 * Sends batches, each until it is done or rejected, and looks at the shards between the attempts: the invariants of the
 * design are properties here (the fifth, of the audit, is in applier.c).
 */
#include "net.h"
#include "simrun.h"

enum { SHARDS = 2, OPS_MAX = 4, RECORDS_MAX = 1024 };

struct record {
	char id[24], src[24];
};

struct table {
	struct record r[RECORDS_MAX];
	int n;
};

struct op {
	char kind; /* c, d, x */
	int shard;
	char id[24];
};

struct batch {
	char key[24];
	struct op ops[OPS_MAX];
	int n;
};

static struct peer applier = {.fd = -1, .timeout_ms = 400}, shards[SHARDS];
static struct table before[SHARDS], now[SHARDS];

static void dump(struct table *t)
{
	char reply[LINE_MAX_LEN];

	for (int s = 0; s < SHARDS; s++) {
		while (!ask(&shards[s], "dump", reply))
			nap_ms(20);
		t[s].n = 0;
		for (char *w = strtok(reply, " "); w && t[s].n < RECORDS_MAX; w = strtok(NULL, " "))
			if (sscanf(w, "%23[^/]/%23s", t[s].r[t[s].n].id, t[s].r[t[s].n].src) == 2)
				t[s].n++;
	}
}

static int with_id(const struct table *t, const char *id)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += !strcmp(t->r[i].id, id);
	return n;
}

static int with_src(const struct table *t, const char *key, int op)
{
	char src[32];
	int n = 0;

	snprintf(src, sizeof src, "%s.%d", key, op);
	for (int i = 0; i < t->n; i++)
		n += !strcmp(t->r[i].src, src);
	return n;
}

static bool same(const struct table *a, const struct table *b)
{
	bool all = a->n == b->n;

	for (int i = 0; i < a->n; i++)
		all &= with_id(b, a->r[i].id) == 1;
	return all;
}

/* Everything that the batch wants of this shard is there. */
static bool all_applied(const struct batch *b, int s)
{
	bool all = true;

	for (int i = 0; i < b->n; i++)
		if (b->ops[i].shard == s)
			all &= b->ops[i].kind == 'c' ? with_src(&now[s], b->key, i) > 0 : !with_id(&now[s], b->ops[i].id);
	return all;
}

/* What holds at any time, whatever has crashed. */
static void check_always(const struct batch *b)
{
	dump(now);
	for (int s = 0; s < SHARDS; s++) {
		SIMRUN_ALWAYS(same(&now[s], &before[s]) || all_applied(b, s), "a shard has none or all of a batch", "%s, shard %d",
			      b->key, s);
		for (int i = 0; i < b->n; i++)
			SIMRUN_ALWAYS_LESS_THAN_OR_EQUAL_TO(with_src(&now[s], b->key, i), 1, "a create makes at most one record",
							    "%s.%d", b->key, i);
	}
}

/* A batch that completes leaves what was there, minus its deletes, plus one record for each create, with the id told. */
static void check_done(const struct batch *b, const struct table *start, char *ids)
{
	int expected[SHARDS], i = 0;
	bool each = true;

	for (int s = 0; s < SHARDS; s++)
		expected[s] = start[s].n;
	for (char *id = strtok(ids, ","); id && i < b->n; id = strtok(NULL, ","), i++) {
		const struct op *o = &b->ops[i];
		if (o->kind == 'd')
			expected[o->shard] -= with_id(&start[o->shard], o->id);
		else
			expected[o->shard]++;
		each &= with_id(&now[o->shard], id) == (o->kind == 'c');
	}
	for (int s = 0; s < SHARDS; s++)
		SIMRUN_ALWAYS(each && now[s].n == expected[s], "a batch that completes leaves each shard as it should be",
			      "%s, shard %d: %d records, expected %d", b->key, s, now[s].n, expected[s]);
}

static void run(const struct batch *b, const char *request)
{
	static struct table start[SHARDS];
	char reply[LINE_MAX_LEN];
	int attempts = 0;

	dump(before);
	memcpy(start, before, sizeof start);
	while (!ask(&applier, request, reply)) {
		/* The attempt may be dead, or still go on: wait until there is somebody to ask. */
		nap_ms(50);
		check_always(b);
		memcpy(before, now, sizeof before);
		attempts++;
	}
	check_always(b);
	SIMRUN_SOMETIMES(attempts > 0, "a batch was sent again");
	if (!strcmp(reply, "rejected"))
		for (int s = 0; s < SHARDS; s++)
			SIMRUN_ALWAYS(same(&now[s], &start[s]), "a rejected batch writes nothing", "%s", b->key);
	else
		check_done(b, start, reply + strlen("done "));
}

/* Creates, and deletes of records that are there; one batch in eight is rejected. */
static void make(struct batch *b, int number, char *request)
{
	size_t len = (size_t)sprintf(request, "batch b%d", number);
	bool bad = simrun_random() % 8 == 0;

	snprintf(b->key, sizeof b->key, "b%d", number);
	b->n = 2 + (int)(simrun_random() % (OPS_MAX - 1));
	dump(now);
	for (int i = 0; i < b->n; i++) {
		struct op *o = &b->ops[i];
		*o = (struct op){.kind = bad && i == b->n - 1 ? 'x' : 'c', .shard = (int)(simrun_random() % SHARDS)};
		/* A different record for each delete. */
		if (o->kind == 'c' && now[o->shard].n > 0 && simrun_random() % 3 == 0) {
			o->kind = 'd';
			strcpy(o->id, now[o->shard].r[--now[o->shard].n].id);
		}
		len += (size_t)sprintf(request + len, o->kind == 'd' ? " %c:%d:%s" : " %c:%d", o->kind, o->shard, o->id);
	}
}

int main(int argc, char **argv)
{
	char request[LINE_MAX_LEN];
	struct batch b;
	int batches;

	if (argc != 3 + SHARDS)
		return fprintf(stderr, "usage: client APPLIER-PORT BATCHES SHARD-PORT SHARD-PORT\n"), 2;
	applier.port = atoi(argv[1]);
	batches = (int)simrun_budget(atoi(argv[2]));
	for (int s = 0; s < SHARDS; s++)
		shards[s] = (struct peer){.port = atoi(argv[3 + s]), .fd = -1, .timeout_ms = 300};
	for (int i = 0; i < batches; i++) {
		make(&b, i, request);
		run(&b, request);
		nap_ms((int64_t)(simrun_random() % 50));
	}
	return 0;
}
