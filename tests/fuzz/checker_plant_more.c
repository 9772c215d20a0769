/*
 * Planted violations for the models that tests/fuzz/generate.h does not know: leases, whole multi-registers and what
 * checker/analysis.c decides. A serial object answers overlapping clients, each at one random moment of its operation: the
 * history must pass. Then a few operations on a fresh key follow that break one rule each: that must be found.
 *
 *     checker_plant_more [rounds [seed]]
 */
#include "checker/check.h"

#include "base/mem.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 4, KEYS = 3, LONG = 200 };

struct world {
	struct rng *r;
	struct buf *text;
	int64_t t;
	int id;
	/* lease */
	struct { int owner; int64_t until; } lease[KEYS];
	/* ids, watch (revision), registers, log (length by key), long-fork (number of the group) */
	int64_t next, reg[KEYS], len[KEYS], polled[CLIENTS][KEYS];
	struct { int64_t rev; int key; bool deleted; } change[LONG];
	int nchange, account[KEYS], group, wrote; /* wrote: bit set of the group's keys */
};

struct open_op {
	const char *f;
	int id, key;
	int64_t n;
	bool on, served;
	struct buf in, out;
};

static int below(struct world *w, int n)
{
	return (int)rng_below(w->r, (uint64_t)n);
}

static void event(struct world *w, const char *type, int process, const char *f, const char *key, const char *value, int id)
{
	w->t += 1 + below(w, 5);
	buf_addf(w->text, "{\"type\":\"%s\",\"process\":%d,\"f\":\"%s\",\"key\":%s,\"value\":%s,\"time\":%" PRId64 ",\"id\":%d}\n", type, process, f, key,
	         value, w->t, id);
}

/* What the client asks: f, key and input. */
static void choose_lease(struct world *w, struct open_op *o, int client)
{
	static const char *const fs[] = {"acquire", "acquire", "renew", "release"};

	(void)client;
	o->f = fs[below(w, 4)];
	o->n = 20 + below(w, 60);
	buf_addf(&o->in, strcmp(o->f, "release") ? "%" PRId64 : "null", o->n);
}

static void serve_lease(struct world *w, struct open_op *o, int client)
{
	bool held = w->lease[o->key].owner && w->t < w->lease[o->key].until, mine = held && w->lease[o->key].owner == client + 1;
	bool ok = !strcmp(o->f, "acquire") ? !held || mine : mine;

	buf_adds(&o->out, ok ? "true" : "false");
	if (ok && !strcmp(o->f, "release")) {
		w->lease[o->key].owner = 0;
	} else if (ok) {
		w->lease[o->key].owner = client + 1;
		w->lease[o->key].until = w->t + o->n;
	}
}

static void choose_ids(struct world *w, struct open_op *o, int client)
{
	(void)w;
	(void)client;
	o->f = "generate";
	buf_adds(&o->in, "null");
}

static void serve_ids(struct world *w, struct open_op *o, int client)
{
	buf_addf(&o->out, client % 2 ? "%" PRId64 : "\"n%" PRId64 "\"", w->next++);
}

static void choose_multi(struct world *w, struct open_op *o, int client)
{
	(void)client;
	o->f = "txn";
	o->n = below(w, 2) ? ++w->next : 0; /* reads of all keys, or writes of two */
	if (o->n)
		buf_addf(&o->in, "[[\"write\",\"a\",%" PRId64 "],[\"write\",\"b\",%" PRId64 "]]", o->n, o->n);
	else
		buf_adds(&o->in, "[[\"read\",\"a\",null],[\"read\",\"b\",null]]");
}

static void serve_multi(struct world *w, struct open_op *o, int client)
{
	(void)client;
	if (o->n) {
		w->reg[0] = o->n;
		buf_adds(&o->out, o->in.data);
	} else if (w->reg[0]) {
		buf_addf(&o->out, "[[\"read\",\"a\",%" PRId64 "],[\"read\",\"b\",%" PRId64 "]]", w->reg[0], w->reg[0]);
	} else {
		buf_adds(&o->out, o->in.data);
	}
}

static void choose_log(struct world *w, struct open_op *o, int client)
{
	(void)client;
	o->f = below(w, 2) ? "send" : "poll";
	o->n = ++w->next;
	buf_addf(&o->in, strcmp(o->f, "send") ? "null" : "\"v%d-%" PRId64 "\"", o->key, w->len[o->key]);
}

static void serve_log(struct world *w, struct open_op *o, int client)
{
	int64_t *at = &w->polled[client][o->key];

	if (!strcmp(o->f, "send")) {
		buf_addf(&o->out, "%" PRId64, w->len[o->key]++);
		return;
	}
	buf_adds(&o->out, "[");
	for (int n = 0; *at < w->len[o->key] && n < 3; n++, ++*at)
		buf_addf(&o->out, "%s[%" PRId64 ",\"v%d-%" PRId64 "\"]", n ? "," : "", *at, o->key, *at);
	buf_adds(&o->out, "]");
}

static void choose_watch(struct world *w, struct open_op *o, int client)
{
	(void)client;
	o->f = below(w, 3) == 0 ? "watch" : below(w, 4) ? "put" : "delete";
	if (*o->f == 'w')
		buf_addf(&o->in, "%" PRId64, o->n = 1 + below(w, (int)w->next + 1));
	else
		buf_addf(&o->in, *o->f == 'p' ? "\"x\"" : "null");
}

static void serve_watch(struct world *w, struct open_op *o, int client)
{
	int n = 0;

	(void)client;
	if (*o->f != 'w') {
		w->change[w->nchange].rev = ++w->next;
		w->change[w->nchange].key = o->key;
		w->change[w->nchange++].deleted = *o->f == 'd';
		buf_addf(&o->out, "%" PRId64, w->next);
		return;
	}
	buf_adds(&o->out, "[");
	for (int i = 0; i < w->nchange && n < 5; i++)
		if (w->change[i].rev >= o->n && w->change[i].key == o->key)
			buf_addf(&o->out, "%s[%" PRId64 ",\"k%d\",%s]", n++ ? "," : "", w->change[i].rev, o->key, w->change[i].deleted ? "null" : "\"x\"");
	buf_adds(&o->out, "]");
}

static void choose_bank(struct world *w, struct open_op *o, int client)
{
	(void)client;
	o->f = below(w, 2) ? "read" : "transfer";
	o->n = below(w, 5);
	if (*o->f == 't')
		buf_addf(&o->in, "{\"from\":%d,\"to\":%d,\"amount\":%" PRId64 "}", o->key, (o->key + 1) % KEYS, o->n);
	else
		buf_adds(&o->in, "null");
}

static void serve_bank(struct world *w, struct open_op *o, int client)
{
	(void)client;
	if (*o->f == 'r') {
		buf_addf(&o->out, "{\"0\":%d,\"1\":%d,\"2\":%d}", w->account[0] + 20, w->account[1] + 20, w->account[2] + 20);
		return;
	}
	buf_adds(&o->out, "null");
	if (w->account[o->key] + 20 >= o->n) {
		w->account[o->key] -= (int)o->n;
		w->account[(o->key + 1) % KEYS] += (int)o->n;
	}
}

/* One group of two keys at a time; the next one once both were written. */
static void choose_fork(struct world *w, struct open_op *o, int client)
{
	int a = below(w, 2);

	(void)client;
	o->key = 2 * w->group;
	o->n = below(w, 3) == 0 && w->wrote < 2 ? o->key + w->wrote++ : -1;
	o->f = o->n >= 0 ? "write" : "read";
	if (o->n >= 0)
		buf_addf(&o->in, "[[\"w\",%" PRId64 ",1]]", o->n);
	else
		buf_addf(&o->in, "[[\"r\",%d,null],[\"r\",%d,null]]", o->key + a, o->key + !a);
	if (w->wrote == 2 && below(w, 4) == 0) {
		w->group++;
		w->wrote = 0;
	}
}

static void serve_fork(struct world *w, struct open_op *o, int client)
{
	static bool there[2 * LONG]; /* of this history: cleared by the first operation */
	int a = 0, b = 0;

	(void)client;
	if (!w->next++)
		memset(there, 0, sizeof there);
	if (o->n >= 0) {
		there[o->n] = true;
		buf_adds(&o->out, o->in.data);
		return;
	}
	sscanf(o->in.data, "[[\"r\",%d,null],[\"r\",%d,", &a, &b);
	buf_addf(&o->out, "[[\"r\",%d,%s],[\"r\",%d,%s]]", a, there[a] ? "1" : "null", b, there[b] ? "1" : "null");
}

struct kind {
	const char *model;
	void (*choose)(struct world *w, struct open_op *o, int client), (*serve)(struct world *w, struct open_op *o, int client);
	bool keyed, unknowns; /* may a client not hear of the end? */
};

static const struct kind kinds[] = {
	{"lease", choose_lease, serve_lease, true, false}, {"ids", choose_ids, serve_ids, false, true},
	{"multi-register", choose_multi, serve_multi, false, true}, {"log", choose_log, serve_log, true, false},
	{"watch", choose_watch, serve_watch, true, false}, {"bank", choose_bank, serve_bank, false, true},
	{"long-fork", choose_fork, serve_fork, false, true}};

static void serve(struct world *w, const struct kind *k, struct open_op *o, int client)
{
	if (!o->served)
		k->serve(w, o, client);
	o->served = true;
}

/* Operations that overlap; each is served at one moment between its ends. */
static void correct(struct world *w, const struct kind *k, int n)
{
	struct open_op op[CLIENTS] = {0};
	int left = n, busy = 0;

	while (left || busy) {
		int c = below(w, CLIENTS);
		struct open_op *o = &op[c];
		char key[8];
		if (o->on && !o->served && below(w, 2)) {
			w->t++;
			serve(w, k, o, c);
			continue;
		}
		snprintf(key, sizeof key, "\"k%d\"", o->key);
		if (o->on) {
			bool known = !k->unknowns || below(w, 12);
			w->t++;
			serve(w, k, o, c);
			event(w, known ? "ok" : "info", c, o->f, k->keyed ? key : "null", known ? o->out.data : o->in.len ? o->in.data : "null", o->id);
			o->on = false;
			busy--;
		} else if (left) {
			buf_reset(&o->in);
			buf_reset(&o->out);
			o->on = true;
			o->served = !strcmp(k->model, "log"); /* sends are named by their offset: at once */
			o->key = below(w, KEYS);
			o->id = w->id++;
			k->choose(w, o, c);
			snprintf(key, sizeof key, "\"k%d\"", o->key);
			event(w, "invoke", c, o->f, k->keyed ? key : "null", o->in.data, o->id);
			if (o->served)
				k->serve(w, o, c);
			busy++;
			left--;
		}
	}
	for (int c = 0; c < CLIENTS; c++) {
		buf_clear(&op[c].in);
		buf_clear(&op[c].out);
	}
}

/* "process f key input output", one after the other; ! failed; %1, %2 … are revisions of the future; ~ a long time passes. */
static const struct { const char *model, *kind, *ops[6]; } plants[] = {
	{"lease", "two holders", {"90 acquire z 1000 true", "91 acquire z 1000 true"}},
	{"lease", "refused although free", {"90 acquire z 1000 false"}},
	{"lease", "renewed after its end", {"90 acquire z 10 true", "~", "90 renew z 10 true"}},
	{"lease", "renewed by another", {"90 acquire z 1000 true", "91 renew z 1000 true"}},
	{"lease", "released by another", {"90 acquire z 1000 true", "91 release z null true"}},
	{"lease", "refused after its end", {"90 acquire z 10 true", "~", "91 acquire z 10 false"}},
	{"ids", "duplicate", {"90 generate z null \"z\"", "91 generate z null \"z\""}},
	{"ids", "duplicate", {"90 generate z null 1e9", "91 generate z null 1000000000.0"}},
	{"multi-register", "half of a write", {"90 txn z [[\"write\",\"a\",-1],[\"write\",\"b\",-1]] =", "91 txn z [[\"write\",\"a\",-2],[\"write\",\"b\",-2]] =",
	                                       "92 txn z [[\"read\",\"a\",null],[\"read\",\"b\",null]] [[\"read\",\"a\",-2],[\"read\",\"b\",-1]]"}},
	{"multi-register", "stale read", {"90 txn z [[\"write\",\"a\",-1]] =", "91 txn z [[\"write\",\"a\",-2]] =", "92 txn z [[\"read\",\"a\",null]] [[\"read\",\"a\",-1]]"}},
	{"multi-register", "never written", {"92 txn z [[\"read\",\"a\",null]] [[\"read\",\"a\",-9]]"}},
	{"log", "lost", {"90 send z \"a\" 0", "90 send z \"b\" 1", "90 send z \"c\" 2", "91 poll z null [[0,\"a\"],[2,\"c\"]]"}},
	{"log", "duplicate", {"90 send z \"a\" 0", "91 poll z null [[0,\"a\"],[1,\"a\"]]"}},
	{"log", "out-of-order", {"90 send z \"a\" 1", "91 send z \"b\" 0"}},
	{"log", "aborted", {"!90 send z \"a\" 0", "91 poll z null [[0,\"a\"]]"}},
	{"log", "phantom", {"91 poll z null [[0,\"a\"]]"}},
	{"log", "inconsistent-offset", {"90 send z \"a\" 0", "91 send z \"b\" 0"}},
	{"log", "redelivered", {"90 send z \"a\" 0", "91 poll z null [[0,\"a\"]]", "91 poll z null [[0,\"a\"]]"}},
	{"watch", "gap", {"90 put z \"a\" %1", "90 put z \"b\" %2", "90 put z \"c\" %3", "91 watch z %1 [[%1,\"z\",\"a\"],[%3,\"z\",\"c\"]]"}},
	{"watch", "duplicate", {"90 put z \"a\" %1", "91 watch z %1 [[%1,\"z\",\"a\"],[%1,\"z\",\"a\"]]"}},
	{"watch", "out-of-order", {"90 put z \"a\" %1", "90 put z \"b\" %2", "91 watch z %1 [[%2,\"z\",\"b\"],[%1,\"z\",\"a\"]]"}},
	{"watch", "too-early", {"90 put z \"a\" %1", "90 put z \"b\" %2", "91 watch z %2 [[%1,\"z\",\"a\"],[%2,\"z\",\"b\"]]"}},
	{"watch", "wrong-key", {"90 put z \"a\" %1", "91 watch y %1 [[%1,\"z\",\"a\"]]"}},
	{"watch", "inconsistent-revision", {"90 put z \"a\" %1", "91 watch z %1 [[%1,\"z\",\"other\"]]"}},
	{"watch", "stale-revision", {"90 put z \"a\" %2", "90 put z \"b\" %1"}},
	{"watch", "aborted", {"!90 put z \"a\" %1", "91 watch z %1 [[%1,\"z\",\"a\"]]"}},
	{"bank", "wrong-total", {"90 read z null {\"0\":20,\"1\":20,\"2\":20}", "90 read z null {\"0\":20,\"1\":20,\"2\":19}"}},
	{"bank", "negative-value", {"90 read z null {\"0\":-1,\"1\":41,\"2\":20}"}},
	{"long-fork", "long-fork", {"90 write z [[\"w\",\"p\",1]] =", "91 write z [[\"w\",\"q\",1]] =", "92 read z [[\"r\",\"p\",null],[\"r\",\"q\",null]] [[\"r\",\"p\",1],[\"r\",\"q\",null]]",
	                            "93 read z [[\"r\",\"q\",null],[\"r\",\"p\",null]] [[\"r\",\"q\",1],[\"r\",\"p\",null]]"}},
};

static void revisions(const struct world *w, const char *from, struct buf *b)
{
	buf_reset(b);
	for (; *from; from++)
		if (*from == '%')
			buf_addf(b, "%" PRId64, w->next + *++from - '0');
		else
			buf_addc(b, *from);
}

static void add_plant(struct world *w, size_t p, bool keyed)
{
	struct buf in = {0}, out = {0};

	for (int i = 0; i < 6 && plants[p].ops[i]; i++) {
		const char *line = plants[p].ops[i];
		char f[32], key[16], a[160], b[160], name[24];
		int process;
		bool failed = *line == '!';
		if (*line == '~') {
			w->t += 1000;
			continue;
		}
		ENSURE(sscanf(line + failed, "%d %31s %15s %159s %159s", &process, f, key, a, b) == 5);
		revisions(w, a, &in);
		revisions(w, b, &out);
		snprintf(name, sizeof name, keyed ? "\"%s\"" : "null", key);
		event(w, "invoke", process, f, name, in.data, w->id);
		event(w, failed ? "fail" : "ok", process, f, name, failed || *b == '=' ? in.data : out.data, w->id++);
	}
	buf_clear(&in);
	buf_clear(&out);
}

/* kind: what an analysis must find among other things; NULL: nothing. */
static bool judged(const char *model, const struct buf *text, enum verdict want, const char *kind)
{
	struct check_options opt = CHECK_DEFAULTS;
	struct history h;
	struct check c = {0};
	struct err e = {0};
	uint32_t line;
	bool found = !kind;

	opt.model = model;
	opt.limits.explain = false;
	if (hist_parse(&h, "plant", xstrndup(text->data, text->len), text->len, FMT_AUTO, &e) || check_prepare(&c, &h, &opt, &e, &line) ||
	    check_run(&c, &e, &line)) {
		printf("# line %u: %s\n", line, e.msg);
		return false;
	}
	for (uint32_t i = 0; i < c.an.n; i++) {
		found |= kind && !strcmp(c.an.finding[i].kind, kind);
		if (want == LINEARIZABLE)
			printf("# found %s: %s\n", c.an.finding[i].kind, c.an.finding[i].text);
	}
	found |= !c.an.n; /* a model that is searched */
	found &= c.verdict == want;
	check_clear(&c);
	hist_clear(&h);
	return found;
}

static void plant(struct rng *r, struct buf *text, size_t p)
{
	struct world w = {.r = r, .text = text};
	const struct kind *k = kinds;

	while (strcmp(k->model, plants[p].model))
		k++;
	buf_reset(text);
	correct(&w, k, 1 + (int)rng_below(r, 120));
	if (!judged(k->model, text, LINEARIZABLE, NULL)) {
		printf("not ok - %s: a correct history does not pass\n%s", k->model, text->data);
		exit(1);
	}
	add_plant(&w, p, k->keyed);
	if (!judged(k->model, text, NOT_LINEARIZABLE, plants[p].kind)) {
		printf("not ok - %s: %s is not found\n%s", k->model, plants[p].kind, text->data);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 50;
	struct buf text = {0};
	struct rng r;

	rng_init(&r, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, "checker_plant_more");
	for (uint64_t i = 0; i < rounds; i++)
		for (size_t p = 0; p < ARRAY_LEN(plants); p++)
			plant(&r, &text, p);
	printf("ok - %llu correct histories passed, %llu planted violations of %zu kinds were caught\n",
	       (unsigned long long)rounds * ARRAY_LEN(plants), (unsigned long long)rounds * ARRAY_LEN(plants), ARRAY_LEN(plants));
	buf_clear(&text);
	return 0;
}
