/*
 * Histories for bench/checker.sh, as simrun JSON lines on standard output.
 *
 *     checker_gen register OPS CLIENTS UNKNOWN STALE SEED     one key, half reads, every value written once
 *     checker_gen queue|stack|set|counter|append OPS CLIENTS SEED
 *     checker_gen list-append TXNS KEYS SEED                  1 to 5 micro-operations, a new key after 64 appends
 *     checker_gen contended TXNS KEYS SEED                    the same on few keys that all transactions want
 */
#include "base/buf.h"
#include "base/mem.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rng rng;

/* Clients take turns at random; each operation takes effect at a moment of its own between call and return. */
struct pending {
	int64_t at, end;
	int op;
	bool applied;
	char out[40];
};

static void event(const char *type, int client, const char *f, const char *value, int id, int64_t t)
{
	printf("{\"type\":\"%s\",\"process\":%d,\"f\":\"%s\",\"key\":\"x\",\"value\":%s,\"id\":%d,\"time\":%" PRId64 "}\n", type, client, f, value, id, t);
}

struct object {
	const char *model;
	int64_t *list;
	int head, len, cap, next;
	int64_t value, sum;
};

static void push(struct object *o, int64_t v)
{
	if (o->head + o->len == o->cap) {
		memmove(o->list, o->list + o->head, (size_t)o->len * sizeof *o->list);
		o->head = 0;
		if (o->len * 2 >= o->cap)
			o->list = xrealloc(o->list, (size_t)(o->cap = o->cap * 2 + 1024) * sizeof *o->list);
	}
	o->list[o->head + o->len++] = v;
}

static const char *choose(struct object *o, char *in)
{
	bool read = rng_below(&rng, 2);

	strcpy(in, "null");
	if (!strcmp(o->model, "counter")) {
		if (!read)
			strcpy(in, "1");
		return read ? "read" : "add";
	}
	if (!read)
		sprintf(in, "\"%d\"", ++o->next);
	if (!strcmp(o->model, "queue"))
		return read ? "dequeue" : "enqueue";
	if (!strcmp(o->model, "stack"))
		return read ? "pop" : "push";
	return read ? "get" : "put";
}

static void serve(struct object *o, const char *f, const char *in, char *out)
{
	int64_t v = in[0] == '"' ? atoll(in + 1) : 0;

	strcpy(out, "null");
	if (!strcmp(f, "get")) {
		if (o->value)
			sprintf(out, "\"%" PRId64 "\"", o->value);
		else
			strcpy(out, "\"\"");
	} else if (!strcmp(f, "put")) {
		o->value = v;
	} else if (!strcmp(f, "add")) {
		o->sum++;
	} else if (!strcmp(f, "read")) {
		sprintf(out, "%" PRId64, o->sum);
	} else if (!strcmp(f, "enqueue") || !strcmp(f, "push")) {
		push(o, v);
	} else if (!o->len) {
		strcpy(out, "\"\"");
	} else {
		v = o->list[!strcmp(f, "pop") ? o->head + o->len - 1 : o->head];
		o->head += !strcmp(f, "dequeue");
		o->len--;
		sprintf(out, "\"%" PRId64 "\"", v);
	}
}

static void objects(const char *model, int n, int clients, int unknown, bool stale)
{
	struct object o = {.model = model};
	struct pending *p = xnewn(struct pending, (size_t)clients);
	char (*in)[40] = xcalloc((size_t)n + 1, 40);
	const char **f = xnewn(const char *, (size_t)n + 1);
	char early[40] = "";
	int started = 0, done = 0, last_get = -1;
	int64_t t = 0;

	for (int i = 0; i < clients; i++)
		p[i].op = -1;
	/* Unknown writes hang from the beginning on and never return. */
	for (int i = 0; i < unknown; i++) {
		char v[40];
		sprintf(v, "\"u%d\"", i);
		event("invoke", clients + i, "put", v, n + i, ++t);
	}
	while (done < n) {
		int c = (int)rng_below(&rng, (uint64_t)clients);
		t++;
		if (p[c].op < 0) {
			if (started == n)
				continue;
			p[c].op = started++;
			f[p[c].op] = choose(&o, in[p[c].op]);
			p[c].applied = false;
			event("invoke", c, f[p[c].op], in[p[c].op], p[c].op, t);
		} else if (!p[c].applied) {
			serve(&o, f[p[c].op], in[p[c].op], p[c].out);
			p[c].applied = true;
			if (!strcmp(f[p[c].op], "get") && done > n / 4 && !early[0])
				strcpy(early, p[c].out);
		} else {
			bool get = !strcmp(f[p[c].op], "get");
			if (get)
				last_get = p[c].op;
			if (stale && get && done >= n - clients) /* a read at the end shows a value of the first quarter */
				strcpy(p[c].out, early);
			event("ok", c, f[p[c].op], p[c].out, p[c].op, t);
			p[c].op = -1;
			done++;
		}
	}
	(void)last_get;
	free(p);
	free(in);
	free(f);
	free(o.list);
}

/* Serial execution of overlapping transactions. Keys retire after 64 appends. */
static void transactions(int n, int nkeys, bool contended)
{
	enum { PER_KEY = 64, CLIENTS = 20 };
	int *name = xnewn(int, (size_t)nkeys), *len = xnewn(int, (size_t)nkeys), next_key = nkeys, started = 0, done = 0;
	struct buf asked[CLIENTS] = {0}, given[CLIENTS] = {0}, *lists = xnewn(struct buf, (size_t)nkeys);
	int id[CLIENTS];
	int64_t t = 0;

	for (int k = 0; k < nkeys; k++)
		name[k] = k;
	for (int c = 0; c < CLIENTS; c++)
		id[c] = -1;
	while (done < n) {
		int c = (int)rng_below(&rng, CLIENTS);
		t += 1000 + (int64_t)rng_below(&rng, 1000);
		if (id[c] >= 0) {
			printf("{\"type\":\"ok\",\"process\":%d,\"f\":\"txn\",\"value\":[%s],\"time\":%" PRId64 ",\"id\":%d}\n", c, given[c].data, t, id[c]);
			id[c] = -1;
			done++;
			continue;
		}
		if (started == n)
			continue;
		id[c] = started++;
		buf_reset(&asked[c]);
		buf_reset(&given[c]);
		for (int m = 1 + (int)rng_below(&rng, contended ? 2 : 3); m > 0; m--) {
			int k = (int)rng_below(&rng, (uint64_t)nkeys);
			const char *comma = asked[c].len ? "," : "";
			if (rng_below(&rng, 2)) {
				buf_addf(&asked[c], "%s[\"r\",\"%d\",null]", comma, name[k]);
				buf_addf(&given[c], "%s[\"r\",\"%d\",[%s]]", comma, name[k], lists[k].len ? lists[k].data : "");
				continue;
			}
			if (len[k] == PER_KEY) {
				name[k] = next_key++;
				len[k] = 0;
				buf_reset(&lists[k]);
			}
			buf_addf(&asked[c], "%s[\"append\",\"%d\",%d]", comma, name[k], ++len[k]);
			buf_addf(&given[c], "%s[\"append\",\"%d\",%d]", comma, name[k], len[k]);
			buf_addf(&lists[k], "%s%d", len[k] > 1 ? "," : "", len[k]);
		}
		printf("{\"type\":\"invoke\",\"process\":%d,\"f\":\"txn\",\"value\":[%s],\"time\":%" PRId64 ",\"id\":%d}\n", c, asked[c].data, t, id[c]);
	}
}

int main(int argc, char **argv)
{
	static char out[1 << 20];

	setvbuf(stdout, out, _IOFBF, sizeof out);
	if (argc < 5)
		return 129;
	rng_init(&rng, strtoull(argv[argc - 1], NULL, 10), "checker_gen");
	if (!strcmp(argv[1], "register") && argc == 7)
		objects("kv", atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]) > 0);
	else if (!strcmp(argv[1], "list-append") || !strcmp(argv[1], "contended"))
		transactions(atoi(argv[2]), atoi(argv[3]), !strcmp(argv[1], "contended"));
	else
		objects(argv[1], atoi(argv[2]), atoi(argv[3]), 0, false);
	return 0;
}
