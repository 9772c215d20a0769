/*
 * Random histories as text in simrun's format. An object of the model serves the operations one by one at random
 * moments inside their intervals, so that the history is linearizable; then, now and then, a result is changed, which
 * may or may not break it: the oracle says.
 */
#ifndef TESTS_FUZZ_GENERATE_H
#define TESTS_FUZZ_GENERATE_H

#include "base/buf.h"
#include "base/mem.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GEN_MAX
#define GEN_MAX 64   /* operations of one history */
#define GEN_OUT 512  /* bytes of one output */
#endif

struct gen_op {
	char f[16], in[64], out[GEN_OUT];
	int client, key;
	int64_t call, at, ret;
	bool unknown, applied, failed;
	int after[2], nafter;
};

struct gen {
	struct rng *r;
	const char *model;
	int n, clients, keys, values; /* values: how many different ones; 0: all unique */
	double unknown, spoil, edges;
	struct gen_op op[GEN_MAX];
	/* The object, by key. */
	int64_t list[3][GEN_MAX];
	int len[3];
	int64_t next_value;
};

static double gen_real(struct gen *g)
{
	return (double)(rng_u64(g->r) >> 11) / 9007199254740992.0;
}

static int gen_below(struct gen *g, int n)
{
	return (int)rng_below(g->r, (uint64_t)n);
}

static int64_t gen_value(struct gen *g)
{
	return g->values ? 1 + gen_below(g, g->values) : ++g->next_value;
}

static void gen_list(char *out, size_t size, const int64_t *list, int n)
{
	struct buf b = {0};

	buf_adds(&b, "[");
	for (int i = 0; i < n; i++)
		buf_addf(&b, "%s\"v%" PRId64 "\"", i ? "," : "", list[i]);
	buf_adds(&b, "]");
	snprintf(out, size, "%s", b.data);
	buf_clear(&b);
}

static void gen_item(char *out, size_t size, int64_t v)
{
	if (v)
		snprintf(out, size, "\"v%" PRId64 "\"", v);
	else
		snprintf(out, size, "\"\"");
}

/* The value of a register is list[0]. */
static void serve_register(struct gen *g, struct gen_op *o, bool apply)
{
	int64_t *x = g->list[o->key], a, b;

	if (!strcmp(o->f, "get") || !strcmp(o->f, "read")) {
		gen_item(o->out, sizeof o->out, x[0]);
		if (!strcmp(o->f, "read") && !x[0])
			strcpy(o->out, "null");
	} else if (!strcmp(o->f, "put") || !strcmp(o->f, "write")) {
		if (apply)
			sscanf(o->in, "\"v%" SCNd64, &x[0]);
		strcpy(o->out, "null");
	} else {
		a = b = 0;
		if (sscanf(o->in, "[\"v%" SCNd64 "\",\"v%" SCNd64, &a, &b) != 2) {
			a = 0;
			sscanf(strchr(o->in, ','), ",\"v%" SCNd64, &b);
		}
		strcpy(o->out, a == x[0] ? "true" : "false");
		if (apply && a == x[0])
			x[0] = b;
	}
}

static void serve_list(struct gen *g, struct gen_op *o, bool apply)
{
	int64_t *x = g->list[o->key], v = 0;
	int *n = &g->len[o->key];
	bool back = !strcmp(o->f, "pop") || !strcmp(o->f, "pop-back");

	sscanf(o->in, "\"v%" SCNd64, &v);
	if (!strcmp(o->f, "read")) {
		gen_list(o->out, sizeof o->out, x, *n);
		return;
	}
	if (v) {
		bool front = !strcmp(o->f, "push-front");
		strcpy(o->out, "null");
		if (!apply)
			return;
		if (!strcmp(o->f, "add"))
			for (int i = 0; i < *n; i++)
				if (x[i] == v)
					return;
		if (front)
			memmove(x + 1, x, (size_t)*n * sizeof *x);
		x[front ? 0 : *n] = v;
		(*n)++;
		return;
	}
	gen_item(o->out, sizeof o->out, *n ? x[back ? *n - 1 : 0] : 0);
	if (!strcmp(o->f, "delete-min")) {
		int k = 0;
		for (int i = 1; i < *n; i++) {
			char p[32], q[32];
			snprintf(p, sizeof p, "v%" PRId64, x[i]);
			snprintf(q, sizeof q, "v%" PRId64, x[k]);
			k = strcmp(p, q) < 0 ? i : k;
		}
		gen_item(o->out, sizeof o->out, *n ? x[k] : 0);
		if (apply && *n) {
			memmove(x + k, x + k + 1, (size_t)(*n - k - 1) * sizeof *x);
			(*n)--;
		}
		return;
	}
	if (apply && *n) {
		if (!back)
			memmove(x, x + 1, (size_t)(*n - 1) * sizeof *x);
		(*n)--;
	}
}

static void serve_string(struct gen *g, struct gen_op *o, bool apply)
{
	int64_t *x = g->list[o->key], v = 0;
	int *n = &g->len[o->key];
	struct buf b = {0};

	sscanf(o->in, "\"v%" SCNd64, &v);
	if (!strcmp(o->f, "get")) {
		buf_adds(&b, "\"");
		for (int i = 0; i < *n; i++)
			buf_addf(&b, "v%" PRId64 ".", x[i]);
		buf_adds(&b, "\"");
		snprintf(o->out, sizeof o->out, "%s", b.data);
		buf_clear(&b);
		return;
	}
	strcpy(o->out, "null");
	if (!apply)
		return;
	if (!strcmp(o->f, "put"))
		*n = 0;
	x[(*n)++] = v;
}

static void serve_number(struct gen *g, struct gen_op *o, bool apply)
{
	int64_t *x = g->list[o->key];

	if (!strcmp(o->f, "read")) {
		snprintf(o->out, sizeof o->out, "%" PRId64, x[0]);
		return;
	}
	strcpy(o->out, "null");
	if (!strcmp(o->f, "add")) {
		if (apply)
			x[0] += atoll(o->in);
	} else if (!strcmp(g->model, "semaphore")) {
		if (!strcmp(o->f, "release")) {
			if (apply)
				x[0] += 1;
		} else if (x[0] + 1 < 1) { /* starts with one permit */
			strcpy(o->out, "false");
		} else {
			strcpy(o->out, "true");
			if (apply)
				x[0] -= 1;
		}
	} else { /* mutexes: x[0] owner + 1, x[1] times, x[2] fence */
		bool again = !strncmp(g->model, "reentrant", 9) && x[0] == o->client + 1;
		bool fenced = strstr(g->model, "fenced") != NULL, plain = !strcmp(g->model, "mutex");
		if (!strcmp(o->f, "acquire") && (!x[0] || again)) {
			if (apply) {
				if (!again)
					x[2]++;
				x[0] = o->client + 1;
				x[1]++;
			}
			if (fenced)
				snprintf(o->out, sizeof o->out, "%" PRId64, x[2] + !apply);
			else
				strcpy(o->out, "true");
		} else if (!strcmp(o->f, "release") && x[0] && (plain || x[0] == o->client + 1)) {
			strcpy(o->out, "true");
			if (apply && !--x[1])
				x[0] = 0;
		} else {
			strcpy(o->out, "false");
		}
	}
}

static void gen_choose(struct gen *g, struct gen_op *o)
{
	static const char *const table[][6] = {
		{"kv", "get", "get", "put", NULL}, {"cas", "get", "put", "cas", "cas", NULL}, {"register", "read", "write", NULL},
		{"cas-register", "read", "write", "cas", "cas", NULL}, {"kv-append", "get", "get", "put", "append", NULL},
		{"append", "read", "append", NULL}, {"queue", "enqueue", "dequeue", NULL}, {"stack", "push", "pop", NULL},
		{"deque", "push-front", "push-back", "pop-front", "pop-back", NULL}, {"priority-queue", "insert", "delete-min", NULL},
		{"set", "add", "read", NULL}, {"counter", "add", "read", NULL}};
	const char *const *f = NULL;
	int n = 0;

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (!strcmp(table[i][0], g->model))
			f = table[i] + 1;
	if (f) {
		while (n < 5 && f[n])
			n++;
		strcpy(o->f, f[gen_below(g, n)]);
	} else {
		strcpy(o->f, gen_below(g, 2) ? "acquire" : "release");
	}
	strcpy(o->in, "null");
	if (!strcmp(g->model, "counter")) {
		if (!strcmp(o->f, "add"))
			snprintf(o->in, sizeof o->in, "%d", g->values ? gen_below(g, 5) - 2 : 1);
	} else if (!strcmp(o->f, "cas")) {
		int64_t x = g->values ? gen_below(g, g->values + 1) : (int64_t)gen_below(g, (int)g->next_value + 1);
		char a[32], b[32];
		if (!g->values && gen_below(g, 3))
			x = g->list[o->key][0];
		gen_item(a, sizeof a, x);
		if (!x && !strcmp(g->model, "cas-register"))
			strcpy(a, "null");
		gen_item(b, sizeof b, gen_value(g));
		snprintf(o->in, sizeof o->in, "[%s,%s]", a, b);
	} else if (strcmp(o->f, "get") && strcmp(o->f, "read") && strcmp(o->f, "dequeue") && strncmp(o->f, "pop", 3) &&
	           strcmp(o->f, "delete-min") && strcmp(o->f, "acquire") && strcmp(o->f, "release")) {
		snprintf(o->in, sizeof o->in, "\"v%" PRId64 "%s\"", gen_value(g), strcmp(g->model, "kv-append") ? "" : ".");
	}
}

static void gen_serve(struct gen *g, struct gen_op *o, bool apply)
{
	if (!strcmp(g->model, "kv-append"))
		serve_string(g, o, apply);
	else if (strstr(g->model, "register") || !strcmp(g->model, "kv") || !strcmp(g->model, "cas"))
		serve_register(g, o, apply);
	else if (!strcmp(g->model, "counter") || strstr(g->model, "mutex") || !strcmp(g->model, "semaphore"))
		serve_number(g, o, apply);
	else
		serve_list(g, o, apply);
}

/* Operations of clients one after the other, then served in order of their moments. */
static void gen_run(struct gen *g)
{
	int64_t busy[64] = {0}, t = 0;
	static int order[GEN_MAX];

	for (int i = 0; i < g->n; i++) {
		struct gen_op *o = &g->op[i];
		*o = (struct gen_op){.client = gen_below(g, g->clients), .key = gen_below(g, g->keys)};
		t += 10;
		o->call = MAX(busy[o->client] + 1, t - gen_below(g, 25));
		o->at = o->call + gen_below(g, 25);
		o->ret = o->at + 1 + gen_below(g, 12);
		busy[o->client] = o->ret;
		o->unknown = gen_real(g) < g->unknown;
		o->applied = !o->unknown || gen_below(g, 2);
		if (o->unknown && gen_below(g, 2))
			o->at += gen_below(g, 200);
		order[i] = i;
	}
	for (int i = 1; i < g->n; i++)
		for (int k = i; k && g->op[order[k - 1]].at > g->op[order[k]].at; k--) {
			int x = order[k];
			order[k] = order[k - 1];
			order[k - 1] = x;
		}
	for (int i = 0; i < g->n; i++) {
		struct gen_op *o = &g->op[order[i]];
		gen_choose(g, o);
		gen_serve(g, o, o->applied);
	}
	/* An edge from an operation to one with a later moment is true. */
	for (int i = 1; i < g->n && g->edges > 0; i++)
		if (gen_real(g) < g->edges) {
			struct gen_op *o = &g->op[order[i]];
			o->after[o->nafter++] = order[gen_below(g, i)];
		}
}

static void gen_spoil(struct gen *g)
{
	for (int times = 1 + gen_below(g, 8); times; times--) {
		struct gen_op *o = &g->op[gen_below(g, g->n)], *x = &g->op[gen_below(g, g->n)];
		if (o == x || o->unknown || x->unknown || strcmp(o->f, x->f))
			continue;
		if (!strcmp(o->out, "true") || !strcmp(o->out, "false")) {
			strcpy(o->out, !strcmp(o->out, "true") ? "false" : strstr(g->model, "fenced") ? "1" : "true");
		} else if (gen_below(g, 2)) {
			strcpy(o->out, x->out);
		} else {
			char tmp[GEN_OUT];
			strcpy(tmp, o->out);
			strcpy(o->out, x->out);
			strcpy(x->out, tmp);
		}
	}
}

static int gen_by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* The history as events in order of time. */
static void gen_text(struct gen *g, struct buf *b)
{
	static int64_t ev[2 * GEN_MAX][2];
	int n = 0;

	buf_reset(b);
	for (int i = 0; i < g->n; i++) {
		ev[n][0] = g->op[i].call * 4;
		ev[n++][1] = i;
		if (!g->op[i].unknown || i % 2) {
			ev[n][0] = g->op[i].ret * 4 + 2;
			ev[n++][1] = i + GEN_MAX;
		}
	}
	qsort(ev, (size_t)n, sizeof ev[0], gen_by_time);
	for (int k = 0; k < n; k++) {
		bool end = ev[k][1] >= GEN_MAX;
		int i = (int)ev[k][1] % GEN_MAX;
		const struct gen_op *o = &g->op[i];
		buf_addf(b, "{\"type\":\"%s\",\"process\":%d,\"f\":\"%s\",\"key\":\"k%d\",\"value\":%s,\"id\":%d,\"time\":%" PRId64,
		         !end ? "invoke" : o->unknown ? "info" : "ok", o->client, o->f, o->key, end && !o->unknown ? o->out : o->in,
		         i, ev[k][0] / 4);
		if (!end && o->nafter)
			buf_addf(b, ",\"after\":[%d]", o->after[0]);
		buf_adds(b, "}\n");
	}
}

static inline void gen_history(struct gen *g, struct buf *b)
{
	memset(g->list, 0, sizeof g->list);
	memset(g->len, 0, sizeof g->len);
	g->next_value = 0;
	gen_run(g);
	if (gen_real(g) < g->spoil)
		gen_spoil(g);
	gen_text(g, b);
}

#endif
