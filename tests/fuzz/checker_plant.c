/*
 * Planted violations: random correct histories pass, and each of them with a violation of every kind added is caught. For
 * the sequential models the plant is a few operations on a fresh key-less object state that is known (everything has
 * returned before); for transactions a pattern of transactions on fresh keys, scattered over the history.
 *
 *     checker_plant [rounds [seed]]
 */
#define GEN_MAX 260
#define GEN_OUT 8192
#include "tests/fuzz/generate.h"

#include "checker/check.h"

#include <stdarg.h>

static uint64_t passed, caught;

static enum verdict check_text(const char *model, const char *text, size_t n, struct txn_result *anomalies)
{
	struct check_options opt = CHECK_DEFAULTS;
	struct history h;
	struct check c = {0};
	struct err e = {0};
	uint32_t line;
	enum verdict v;

	opt.model = model;
	opt.consistency = LEVEL_STRICT_SERIALIZABLE;
	opt.limits.explain = false;
	if (hist_parse(&h, "plant", xstrndup(text, n), n, FMT_AUTO, &e) || check_prepare(&c, &h, &opt, &e, &line) || check_run(&c, &e, &line)) {
		printf("not ok - %s: %s\n%s", model, e.msg, text);
		exit(1);
	}
	v = c.verdict;
	if (anomalies) {
		*anomalies = c.txn;
		c.txn = (struct txn_result){0};
	}
	check_clear(&c);
	hist_clear(&h);
	return v;
}

static void wrong(const char *model, const char *what, const struct buf *text)
{
	printf("not ok - %s: %s\n%s", model, what, text->data);
	exit(1);
}

/* Sequential operations behind the history: "f input output" each. */
struct plant {
	const char *model, *kind;
	const char *ops[8];
};

static const struct plant plants[] = {
	{"kv", "value never written", {"get null \"zz\""}},
	{"kv", "stale read", {"put \"z1\" null", "put \"z2\" null", "get null \"z1\""}},
	{"kv", "lost write", {"put \"z1\" null", "get null \"\""}},
	{"cas", "cas from a value that is not there", {"put \"z1\" null", "cas [\"z0\",\"z2\"] true"}},
	{"cas", "cas that must succeed", {"put \"z1\" null", "cas [\"z1\",\"z2\"] false"}},
	{"cas", "lost update", {"put \"z1\" null", "cas [\"z1\",\"z2\"] true", "cas [\"z1\",\"z3\"] true"}},
	{"register", "stale read", {"write \"z1\" null", "write \"z2\" null", "read null \"z1\""}},
	{"cas-register", "stale read", {"write \"z1\" null", "cas [\"z1\",\"z2\"] true", "read null \"z1\""}},
	{"kv-append", "lost append", {"put \"z1.\" null", "append \"z2.\" null", "get null \"z1.\""}},
	{"kv-append", "order of appends", {"put \"z1.\" null", "append \"z2.\" null", "append \"z3.\" null", "get null \"z1.z3.z2.\""}},
	{"append", "lost element", {"append \"z1\" null", "read null []"}},
	{"append", "element never appended", {"read null [\"zz\"]"}},
	{"queue", "out of order", {"enqueue \"z1\" null", "enqueue \"z2\" null", "dequeue null \"z2\""}},
	{"queue", "delivered twice", {"enqueue \"z1\" null", "dequeue null \"z1\"", "dequeue null \"z1\""}},
	{"queue", "never put", {"dequeue null \"zz\""}},
	{"queue", "empty although not", {"enqueue \"z1\" null", "dequeue null \"\""}},
	{"stack", "not the last one", {"push \"z1\" null", "push \"z2\" null", "pop null \"z1\""}},
	{"stack", "popped twice", {"push \"z1\" null", "pop null \"z1\"", "pop null \"z1\""}},
	{"stack", "empty although not", {"push \"z1\" null", "pop null \"\""}},
	{"set", "lost element", {"add \"z1\" null", "read null []"}},
	{"set", "never added", {"read null [\"zz\"]"}},
	{"counter", "wrong sum", {"read null 1000000"}},
	{"deque", "wrong end", {"push-front \"z1\" null", "push-back \"z2\" null", "pop-front null \"z2\""}},
	{"priority-queue", "never inserted", {"delete-min null \"zz\""}},
	{"mutex", "two holders", {"acquire null true", "acquire null true"}},
	{"owner-mutex", "two holders", {"acquire null true", "acquire null true"}},
	{"fenced-mutex", "a fence of the past", {"acquire null -5"}},
	{"reentrant-mutex", "released too often", {"acquire null true", "acquire null true", "release null true", "release null true", "release null true"}},
	{"reentrant-fenced-mutex", "a fence of the past", {"acquire null -5"}},
	{"semaphore", "a permit too much", {"release null true", "acquire 1000 true"}},
};

static void add_ops(struct buf *text, const struct plant *p)
{
	char f[32], in[64], out[64];

	for (int i = 0; i < 8 && p->ops[i]; i++) {
		sscanf(p->ops[i], "%31s %63s %63s", f, in, out);
		buf_addf(text, "{\"type\":\"invoke\",\"process\":99,\"f\":\"%s\",\"key\":\"k0\",\"value\":%s,\"id\":%d,\"time\":%d}\n", f, in, 5000 + i,
		         1000000 + 2 * i);
		buf_addf(text, "{\"type\":\"ok\",\"process\":99,\"f\":\"%s\",\"key\":\"k0\",\"value\":%s,\"id\":%d,\"time\":%d}\n", f, out, 5000 + i,
		         1000001 + 2 * i);
	}
}

static void plant_sequential(struct rng *r, const struct plant *p, struct buf *text)
{
	static struct gen g;
	size_t clean;
	bool hard = strstr(p->model, "mutex") || !strcmp(p->model, "semaphore") || !strcmp(p->model, "deque") ||
	            !strcmp(p->model, "priority-queue");

	g = (struct gen){.r = r, .model = p->model, .n = 20 + (int)rng_below(r, hard ? 20 : 200), .clients = 1 + (int)rng_below(r, hard ? 3 : 12), .keys = 1};
	/* Unknown operations might explain some plants; those are for the differential test. */
	gen_history(&g, text);
	clean = text->len;
	if (check_text(p->model, text->data, clean, NULL) != LINEARIZABLE)
		wrong(p->model, "a correct history does not pass", text);
	passed++;
	add_ops(text, p);
	if (check_text(p->model, text->data, text->len, NULL) != NOT_LINEARIZABLE)
		wrong(p->model, p->kind, text);
	caught++;
}

/*
 * Patterns of transactions: one a line; F failed; keys p, q are fresh; - is the initial value. All of a pattern overlap, or
 * (sequential) follow each other, except that L lasts from the first to the last.
 */
static const struct { const char *model, *anomaly, *txns; bool sequential; } patterns[] = {
	{"list-append", "G0", "a p 1 a q 1\na p 2 a q 2\nr p [1,2] r q [2,1]", false},
	{"list-append", "G1a", "F a p 1\nr p [1]", false},
	{"list-append", "G1b", "a p 1 a p 2\nr p [1]", false},
	{"list-append", "G1c", "a p 1 r q [1]\na p 2 a q 1\nr p [1,2]", false},
	{"list-append", "G-single", "a p 1 a q 1\na p 2 r q []\nr p [1,2]", false},
	{"list-append", "G-nonadjacent", "a p 1\nr p [1] r q []\na q 1\nr q [1] r p []", false},
	{"list-append", "G2-item", "r p [] a q 1\nr q [] a p 1", false},
	{"list-append", "lost-update", "a p 0\nr p [0] a p 1\nr p [0] a p 2", false},
	{"list-append", "incompatible-order", "a p 1\na p 2\nr p [1]\nr p [2]", false},
	{"list-append", "duplicate-elements", "a p 1\nr p [1,1]", false},
	{"list-append", "duplicate-append", "a p 1\na p 1", false},
	{"list-append", "garbage-read", "a p 1\nr p [1,9]", false},
	{"list-append", "internal", "a p 1 r p []", false},
	{"list-append", "future-read", "r p [1] a p 1", false},
	{"list-append", "dirty-update", "F a p 1\na p 2\nr p [1,2]", false},
	{"list-append", "G0-process", "P1 a p 1\nP1 a p 2\nP2 r p [2,1]", true},
	{"list-append", "G1c-process", "P1 r p [1] a q 1\nP2 r q [1]\nP2 a p 1", true},
	{"list-append", "G-single-process", "P0 a p 1\nP1 a p 2\nP1 r p [1]\nP2 r p [1,2]", true},
	{"list-append", "G-nonadjacent-process", "P1 a q 1\nP1 r p []\nP2 a p 1\nP2 r q []", true},
	{"list-append", "G2-item-process", "P1 a q 1\nP1 r p []\nP2 r q [] a p 1", true},
	{"list-append", "G0-realtime", "P0 a p 1\nP1 a p 2\nP2 r p [2,1]", true},
	{"list-append", "G1c-realtime", "P1 r p [1] a q 1\nP2 r q [1]\nP3 a p 1", true},
	{"list-append", "G-single-realtime", "P0 a p 1\nP1 a p 2\nP2 r p [1]\nP3 r p [1,2]", true},
	{"list-append", "G-nonadjacent-realtime", "L a p 1\nL r p [1] r q []\nP1 a q 1\nP2 r p []", true},
	{"list-append", "G2-item-realtime", "L r q [] a p 1\nP1 a q 1\nP2 r p []", true},
	{"rw-register", "G1a", "F w p 1\nr p 1", false},
	{"rw-register", "G1b", "w p 1 w p 2\nr p 1", false},
	{"rw-register", "G0", "r p 1 w p 2 w q 2\nr q 2 w q 1 w p 1", false},
	{"rw-register", "G1c", "w p 1 r q 1\nw q 1 r p 1", false},
	{"rw-register", "G-single", "w p 1 w q 1\nr p 1 r q -", false},
	{"rw-register", "G-nonadjacent", "w p 1\nr p 1 r q -\nw q 1\nr q 1 r p -", false},
	{"rw-register", "G2-item", "r p - w q 1\nr q - w p 1", false},
	{"rw-register", "lost-update", "w p 0\nr p 0 w p 1\nr p 0 w p 2", false},
	{"rw-register", "cyclic-versions", "r p 1 w p 2\nr p 2 w p 1", false},
	{"rw-register", "duplicate-write", "w p 1\nw p 1", false},
	{"rw-register", "garbage-read", "w p 1\nr p 9", false},
	{"rw-register", "internal", "w p 1 r p 2\nw p 2", false},
	{"rw-register", "future-read", "r p 1 w p 1", false},
	{"rw-register", "G1c-process", "P1 r p 1 w q 1\nP2 r q 1\nP2 w p 1", true},
	{"rw-register", "G-single-process", "P1 w p 1\nP1 r p -", true},
	{"rw-register", "G2-item-process", "P1 w q 1\nP1 r p -\nP2 r q - w p 1", true},
	{"rw-register", "G1c-realtime", "P1 r p 1 w q 1\nP2 r q 1\nP3 w p 1", true},
	{"rw-register", "G-single-realtime", "P1 w p 1\nP2 r p -", true},
	{"rw-register", "G2-item-realtime", "L r q - w p 1\nP1 w q 1\nP2 r p -", true},
};

/* One transaction's micro-operations, keys with a number behind, as JSON; asked: reads without values. */
static void mops(const char *line, int fresh, bool asked, struct buf *b)
{
	char copy[256], *save = NULL, *w;

	snprintf(copy, sizeof copy, "%s", line);
	for (w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *key, *value;
		if (*w == 'F' || *w == 'P' || *w == 'L')
			continue;
		key = strtok_r(NULL, " ", &save);
		value = strtok_r(NULL, " ", &save);
		buf_addf(b, "%s[\"%s\",\"%s%d\",%s]", b->len && b->data[b->len - 1] == ']' ? "," : "", *w == 'a' ? "append" : *w == 'w' ? "w" : "r", key,
		         fresh, (*w == 'r' && asked) || *value == '-' ? "null" : value);
	}
}

struct sim {
	struct rng *r;
	struct buf *text;
	int64_t t;
	int id;
	bool lists_kept; /* list-append; registers: only the last value */
	struct buf lists[8];
	int len[8];
};

static void txn_event(struct sim *s, const char *type, int process, const char *value, int id)
{
	buf_addf(s->text, "{\"type\":\"%s\",\"process\":%d,\"f\":\"txn\",\"value\":[%s],\"time\":%lld,\"id\":%d}\n", type, process, value, (long long)++s->t, id);
}

/* Overlapping transactions that take effect one after the other when they return. */
static void background(struct sim *s, int n)
{
	struct buf given[4] = {0};
	int open[4] = {-1, -1, -1, -1};

	for (int steps = 0; steps < 2 * n || open[0] >= 0 || open[1] >= 0 || open[2] >= 0 || open[3] >= 0; steps++) {
		int c = (int)rng_below(s->r, 4);
		if (open[c] >= 0) {
			txn_event(s, rng_below(s->r, 12) ? "ok" : "info", 10 + c, given[c].data, open[c]);
			open[c] = -1;
			continue;
		}
		if (steps >= 2 * n)
			continue;
		struct buf asked = {0};
		buf_reset(&given[c]);
		open[c] = s->id++;
		for (uint64_t m = 1 + rng_below(s->r, 3); m; m--) {
			int k = (int)rng_below(s->r, 8);
			const char *comma = given[c].len ? "," : "";
			if (rng_below(s->r, 2)) {
				if (s->lists_kept)
					buf_addf(&given[c], "%s[\"r\",\"b%d\",[%s]]", comma, k, s->lists[k].len ? s->lists[k].data : "");
				else
					buf_addf(&given[c], "%s[\"r\",\"b%d\",%s]", comma, k, s->lists[k].len ? s->lists[k].data : "null");
				buf_addf(&asked, "%s[\"r\",\"b%d\",null]", comma, k);
			} else {
				const char *write = s->lists_kept ? "append" : "w";
				s->len[k]++;
				if (!s->lists_kept)
					buf_reset(&s->lists[k]);
				buf_addf(&s->lists[k], "%s%d", s->lists[k].len ? "," : "", s->len[k]);
				buf_addf(&given[c], "%s[\"%s\",\"b%d\",%d]", comma, write, k, s->len[k]);
				buf_addf(&asked, "%s[\"%s\",\"b%d\",%d]", comma, write, k, s->len[k]);
			}
		}
		txn_event(s, "invoke", 10 + c, asked.data, open[c]);
		buf_clear(&asked);
	}
	for (int c = 0; c < 4; c++)
		buf_clear(&given[c]);
}

static void plant_pattern(struct sim *s, size_t k)
{
	const char *p = patterns[k].txns;
	int ids[8], procs[8], n = 0, fresh = s->id;
	struct buf done[8] = {0};
	bool failed[8], open[8];

	for (; *p; n++) {
		size_t len = strcspn(p, "\n");
		char line[256];
		struct buf asked = {0};
		snprintf(line, sizeof line, "%.*s", (int)len, p);
		p += len + (p[len] == '\n');
		failed[n] = line[0] == 'F';
		procs[n] = line[0] == 'P' ? 100 + 10 * fresh + line[1] - '0' : 100 + 10 * fresh + 5 + n;
		mops(line, fresh, true, &asked);
		mops(line, fresh, failed[n], &done[n]);
		ids[n] = s->id++;
		txn_event(s, "invoke", procs[n], asked.data, ids[n]);
		open[n] = !patterns[k].sequential || line[0] == 'L';
		if (!open[n])
			txn_event(s, "ok", procs[n], done[n].data, ids[n]);
		else if (!patterns[k].sequential && rng_below(s->r, 2))
			background(s, 1 + (int)rng_below(s->r, 4));
		buf_clear(&asked);
	}
	for (int i = 0; i < n; i++) {
		if (open[i])
			txn_event(s, failed[i] ? "fail" : "ok", procs[i], done[i].data, ids[i]);
		buf_clear(&done[i]);
	}
}

static void plant_txn(struct rng *r, struct buf *text, size_t k)
{
	const char *model = patterns[k].model;
	struct sim s = {.r = r, .text = text, .lists_kept = !strcmp(model, "list-append")};
	struct txn_result a;
	bool found = false;

	buf_reset(text);
	background(&s, 5 + (int)rng_below(r, 60));
	if (check_text(model, text->data, text->len, &a) != LINEARIZABLE || a.n)
		wrong(model, "a correct history does not pass", text);
	txn_clear(&a);
	passed++;
	plant_pattern(&s, k);
	background(&s, 1 + (int)rng_below(r, 30));
	check_text(model, text->data, text->len, &a);
	for (uint32_t i = 0; i < a.n; i++)
		found |= !strcmp(a.anomaly[i].name, patterns[k].anomaly);
	if (!found) {
		for (uint32_t i = 0; i < a.n; i++)
			printf("# found %s: %s\n", a.anomaly[i].name, a.anomaly[i].text);
		wrong(model, patterns[k].anomaly, text);
	}
	txn_clear(&a);
	caught++;
	for (int i = 0; i < 8; i++)
		buf_clear(&s.lists[i]);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 50;
	struct buf text = {0};
	struct rng r;

	rng_init(&r, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, "checker_plant");
	for (uint64_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < ARRAY_LEN(plants); k++)
			plant_sequential(&r, &plants[k], &text);
		for (size_t k = 0; k < ARRAY_LEN(patterns); k++)
			plant_txn(&r, &text, k);
	}
	printf("ok - %llu correct histories passed, %llu planted violations of %zu kinds were caught\n", (unsigned long long)passed,
	       (unsigned long long)caught, ARRAY_LEN(plants) + ARRAY_LEN(patterns));
	buf_clear(&text);
	return 0;
}
