/*
 * Logs. `log`: like Kafka's: send(key, value) = offset, poll(key) = [[offset, value], …]. `watch`: put and delete change
 * a key-value store whose revisions count up; watch(from) = [[revision, key, value], …] shows all changes from there on.
 *
 * Both come down to one table per log: which value is at which place, who wrote it, who saw it.
 */
#include "checker/analysis.h"

#include "base/map.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NIL = UINT32_MAX };

/* One place of a log, as some operation told it. */
struct entry {
	int64_t offset;
	val key, value; /* of a watch: what was changed; the key of a log */
	uint32_t op;    /* who told it */
	uint32_t batch; /* the poll's number, NIL: its writer told it */
};

struct table {
	struct entry *e;
	size_t n, cap;
};

static void tell(struct table *t, int64_t offset, val key, val value, uint32_t op, uint32_t batch)
{
	if (t->n == t->cap) {
		t->cap = t->cap * 2 + 256;
		t->e = xrealloc(t->e, t->cap * sizeof *t->e);
	}
	t->e[t->n++] = (struct entry){offset, key, value, op, batch};
}

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->op != y->op ? (x->op < y->op ? -1 : 1) : x->batch < y->batch ? -1 : x->batch > y->batch;
}

static int by_offset(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->op != y->op ? (x->op < y->op ? -1 : 1) : x->batch < y->batch ? -1 : x->batch > y->batch;
}

static int by_value(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int poll_entries(struct analyst *x, uint32_t i, struct table *t, uint32_t batch)
{
	const struct values *v = x->h->v;
	const struct op *o = &x->h->ops[i];
	int64_t last = 0;
	uint32_t one[1] = {i};

	if (val_kind(v, o->out) != V_ARRAY)
		return o->out == VAL_NULL ? 0 : analyst_bad(x, o, o->out, "output", "a list of [offset, value]");
	for (uint32_t k = 0; k < val_len(v, o->out); k++) {
		val m = val_items(v, o->out)[k];
		if (val_kind(v, m) != V_ARRAY || val_len(v, m) != 2 || !val_is_int(v, val_items(v, m)[0]))
			return analyst_bad(x, o, m, "output's element", "[offset, value]");
		int64_t offset = v->nodes[val_items(v, m)[0]].i;
		if (k && offset <= last)
			WRONG(x->a, "out-of-order", one,
				"the poll on line %u returned offset %" PRId64 " after offset %" PRId64, o->ret_line,
			      offset, last);
		last = offset;
		tell(t, offset, o->key, val_items(v, m)[1], i, batch);
	}
	return 0;
}

/* Sends with their offsets; a map from (key, value) to the send. */
static int collect_log(struct analyst *x, struct table *t, uint32_t *writer)
{
	struct history *h = x->h;
	uint32_t batch = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		const struct op *o = &h->ops[i];
		if (val_named(h->v, o->f, "poll")) {
			if (o->status == OP_OK && poll_entries(x, i, t, batch++))
				return -1;
			continue;
		}
		if (writer[o->in] == NIL || h->ops[writer[o->in]].status == OP_FAILED)
			writer[o->in] = i;
		if (o->status != OP_OK)
			continue;
		if (!val_is_int(h->v, o->out))
			return analyst_bad(x, o, o->out, "output", "an integer (the offset)");
		tell(t, h->v->nodes[o->out].i, o->key, o->in, i, NIL);
	}
	return 0;
}

/* One place, one value; one value, one place. */
static void conflicts(struct analyst *x, struct table *t)
{
	struct history *h = x->h;
	struct buf a = {0}, b = {0};
	uint32_t ops[2];

	qsort(t->e, t->n, sizeof *t->e, by_value);
	for (size_t i = 1; i < t->n; i++) {
		const struct entry *p = &t->e[i - 1], *q = &t->e[i];
		if (p->key != q->key || p->value != q->value || p->offset == q->offset)
			continue;
		ops[0] = p->op;
		ops[1] = q->op;
		buf_reset(&a);
		val_print(h->v, p->value, &a, 60);
		WRONG(x->a, "duplicate", ops, "%s is at offset %" PRId64 " (line %u) and again at offset %" PRId64 " (line %u)", a.data,
		      p->offset, h->ops[p->op].ret_line, q->offset, h->ops[q->op].ret_line);
	}
	qsort(t->e, t->n, sizeof *t->e, by_place);
	for (size_t i = 1; i < t->n; i++) {
		const struct entry *p = &t->e[i - 1], *q = &t->e[i];
		if (p->key != q->key || p->offset != q->offset || p->value == q->value)
			continue;
		ops[0] = p->op;
		ops[1] = q->op;
		buf_reset(&a);
		buf_reset(&b);
		val_print(h->v, p->value, &a, 60);
		val_print(h->v, q->value, &b, 60);
		WRONG(x->a, "inconsistent-offset", ops, "offset %" PRId64 " holds %s (line %u) and %s (line %u)", p->offset, a.data,
		      h->ops[p->op].ret_line, b.data, h->ops[q->op].ret_line);
	}
	buf_clear(&a);
	buf_clear(&b);
}

/* What was polled must have been sent, by a send that did not fail. */
static void origins(struct analyst *x, const struct table *t, const uint32_t *writer)
{
	struct history *h = x->h;
	struct buf a = {0};
	uint32_t ops[2];

	for (size_t i = 0; i < t->n; i++) {
		const struct entry *p = &t->e[i];
		uint32_t w = writer[p->value];
		if (p->batch == NIL)
			continue;
		ops[0] = p->op;
		ops[1] = w == NIL ? p->op : w;
		buf_reset(&a);
		val_print(h->v, p->value, &a, 60);
		if (w == NIL)
			WRONG(x->a, "phantom", ops, "the poll on line %u returned %s, which nobody sent", h->ops[p->op].ret_line, a.data);
		else if (h->ops[w].status == OP_FAILED)
			WRONG(x->a, "aborted", ops, "the poll on line %u returned %s, whose send (line %u) failed", h->ops[p->op].ret_line,
			      a.data, h->ops[w].line);
	}
	buf_clear(&a);
}

/*
 * A poll that shows places on both sides of an acknowledged one must show that one as well: it is lost otherwise. And
 * of two sends one of which ended before the other started, the first has the smaller offset.
 */
static void gaps(struct analyst *x, struct table *t)
{
	struct history *h = x->h;
	struct buf a = {0};
	size_t *first_of = xnewn(size_t, t->n + 1), n = 0;
	uint32_t ops[2];

	/* Distinct places in order (t is sorted by place); each poll's entries as a run of place numbers. */
	for (size_t i = 0; i < t->n; i++)
		if (!i || t->e[i].key != t->e[i - 1].key || t->e[i].offset != t->e[i - 1].offset)
			first_of[n++] = i;
	uint32_t *last = xmalloc((h->n + 1) * sizeof *last);
	memset(last, 0xff, (h->n + 1) * sizeof *last);
	for (size_t k = 0; k < n; k++)
		for (size_t i = first_of[k]; i < (k + 1 < n ? first_of[k + 1] : t->n); i++) {
			uint32_t op = t->e[i].op, before = last[op];
			if (t->e[i].batch == NIL)
				continue;
			last[op] = (uint32_t)k;
			if (before == NIL || before + 1 >= k || t->e[first_of[before]].key != t->e[i].key)
				continue;
			const struct entry *miss = &t->e[first_of[before + 1]];
			ops[0] = op;
			ops[1] = miss->op;
			buf_reset(&a);
			val_print(h->v, miss->value, &a, 60);
			WRONG(x->a, "lost", ops,
				"the poll on line %u skips offset %" PRId64 ", which holds %s (line %u)", h->ops[op].ret_line,
			      miss->offset, a.data, h->ops[miss->op].ret_line);
		}
	/* Per key in order of offset: the latest start so far must not be after a later one's end. */
	const struct entry *latest = NULL;
	for (size_t i = 0; i < t->n; i++) {
		const struct entry *p = &t->e[i];
		if (p->batch != NIL)
			continue;
		if (latest && latest->key == p->key && h->ordered && h->ops[p->op].ret < h->ops[latest->op].call) {
			ops[0] = p->op;
			ops[1] = latest->op;
			WRONG(x->a, "out-of-order", ops,
				"the send on line %u ended before the one on line %u started, but got offset %" PRId64
			      " against %" PRId64, h->ops[p->op].line, h->ops[latest->op].line, p->offset, latest->offset);
		}
		if (!latest || latest->key != p->key || h->ops[p->op].call > h->ops[latest->op].call)
			latest = p;
	}
	free(first_of);
	free(last);
	buf_clear(&a);
}

/* A client's polls of a key go on: it never gets an offset that is not behind the last one it got. */
static void consumers(struct analyst *x, const struct table *t)
{
	struct history *h = x->h;
	struct map last = {0}; /* process and key: the last entry it got */
	uint32_t ops[2];
	size_t i = 0;
	struct entry *by_op = xnewn(struct entry, t->n + 1);
	size_t *start = xnewn(size_t, h->n + 2);

	for (size_t k = 0; k < t->n; k++)
		start[t->e[k].op + 1]++;
	for (uint32_t k = 0; k < h->n; k++)
		start[k + 1] += start[k];
	for (size_t k = 0; k < t->n; k++) /* t is sorted by place, so every operation's entries stay so */
		by_op[start[t->e[k].op]++] = t->e[k];
	while (i < t->n) {
		size_t j = i;
		const struct op *o = &h->ops[by_op[i].op];
		uint64_t who = hash_mix(o->process, o->key);
		struct entry *before;
		while (j < t->n && by_op[j].op == by_op[i].op)
			j++;
		before = map_get(&last, who);
		if (by_op[i].batch != NIL && before && h->ops[before->op].process == o->process && before->key == by_op[i].key &&
		    by_op[i].offset <= before->offset) {
			ops[0] = before->op;
			ops[1] = by_op[i].op;
			WRONG(x->a, "redelivered", ops,
				"the poll on line %u returned offset %" PRId64 " again: the client's poll on line %u had "
			      "come to %" PRId64, o->ret_line, by_op[i].offset, h->ops[before->op].ret_line, before->offset);
		}
		if (by_op[i].batch != NIL)
			map_put(&last, who, &by_op[j - 1]);
		i = j;
	}
	map_clear(&last);
	free(by_op);
	free(start);
}

int analyse_log(struct analyst *x)
{
	struct table t = {0};
	uint32_t *writer = xmalloc((x->h->v->len + 1) * sizeof *writer);
	int r;

	memset(writer, 0xff, (x->h->v->len + 1) * sizeof *writer);
	r = collect_log(x, &t, writer);
	if (!r && t.n) {
		conflicts(x, &t);
		origins(x, &t, writer);
		gaps(x, &t);
		consumers(x, &t);
	}
	free(t.e);
	free(writer);
	return r;
}

/* watch */
static int watch_entries(struct analyst *x, uint32_t i, struct table *t, uint32_t batch)
{
	const struct values *v = x->h->v;
	const struct op *o = &x->h->ops[i];
	int64_t last = INT64_MIN, from = val_is_int(v, o->in) ? v->nodes[o->in].i : INT64_MIN;
	uint32_t one[1] = {i};

	if (o->in != VAL_NULL && !val_is_int(v, o->in))
		return analyst_bad(x, o, o->in, "value", "a revision to start from");
	if (o->out == VAL_NULL)
		return 0;
	if (val_kind(v, o->out) != V_ARRAY)
		return analyst_bad(x, o, o->out, "output", "a list of [revision, key, value]");
	for (uint32_t k = 0; k < val_len(v, o->out); k++) {
		val m = val_items(v, o->out)[k];
		const val *e = val_items(v, m);
		if (val_kind(v, m) != V_ARRAY || val_len(v, m) != 3 || !val_is_int(v, e[0]))
			return analyst_bad(x, o, m, "output's element", "[revision, key, value]");
		int64_t rev = v->nodes[e[0]].i;
		if (rev < from)
			WRONG(x->a, "too-early", one,
				"the watch on line %u starts at revision %" PRId64 " and shows %" PRId64, o->line, from, rev);
		if (k && rev < last)
			WRONG(x->a, "out-of-order", one,
				"the watch on line %u shows revision %" PRId64 " after %" PRId64, o->ret_line, rev, last);
		if (k && rev == last)
			WRONG(x->a, "duplicate", one, "the watch on line %u shows revision %" PRId64 " twice", o->ret_line, rev);
		last = rev;
		if (o->has_key && o->key != VAL_NULL && e[1] != o->key)
			WRONG(x->a, "wrong-key", one, "the watch on line %u shows a change of another key", o->ret_line);
		tell(t, rev, e[1], e[2], i, batch);
	}
	return 0;
}

static int collect_watch(struct analyst *x, struct table *t, struct map *writers)
{
	struct history *h = x->h;
	uint32_t batch = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		const struct op *o = &h->ops[i];
		bool put = val_named(h->v, o->f, "put"), del = val_named(h->v, o->f, "delete");
		if (val_named(h->v, o->f, "watch")) {
			if (o->status == OP_OK && watch_entries(x, i, t, batch++))
				return -1;
			continue;
		}
		if (!put && !del)
			continue;
		uint64_t what = hash_mix(o->key, put ? o->in : VAL_NULL);
		uint32_t old = (uint32_t)((uintptr_t)map_get(writers, what) - 1);
		if (old == NIL || h->ops[old].status == OP_FAILED)
			map_put(writers, what, (void *)(uintptr_t)(i + 1ull));
		if (o->status == OP_OK && val_is_int(h->v, o->out))
			tell(t, h->v->nodes[o->out].i, o->key, put ? o->in : VAL_NULL, i, NIL);
	}
	return 0;
}

static void watch_origins(struct analyst *x, const struct table *t, const struct map *writers)
{
	struct history *h = x->h;
	struct buf a = {0};
	uint32_t ops[2];

	for (size_t i = 0; i < t->n; i++) {
		const struct entry *p = &t->e[i];
		uint32_t w;
		if (p->batch == NIL)
			continue;
		w = (uint32_t)((uintptr_t)map_get(writers, hash_mix(p->key, p->value)) - 1);
		ops[0] = p->op;
		ops[1] = w == NIL ? p->op : w;
		buf_reset(&a);
		val_print(h->v, p->value, &a, 60);
		if (w == NIL)
			WRONG(x->a, "phantom", ops, "the watch on line %u shows %s at revision %" PRId64 ", which nobody wrote",
			      h->ops[p->op].ret_line, a.data, p->offset);
		else if (h->ops[w].status == OP_FAILED)
			WRONG(x->a, "aborted", ops, "the watch on line %u shows %s, whose write (line %u) failed",
				h->ops[p->op].ret_line, a.data,
			      h->ops[w].line);
	}
	buf_clear(&a);
}

/* One revision, one change; every change between a watch's start and its last event is shown. */
static void watch_gaps(struct analyst *x, struct table *t)
{
	struct history *h = x->h;
	struct buf a = {0};
	size_t *start = xnewn(size_t, h->n + 2);
	struct entry *log, *by_op;
	size_t n = 0;
	uint32_t ops[2];

	qsort(t->e, t->n, sizeof *t->e, by_offset);
	log = xnewn(struct entry, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		const struct entry *p = &t->e[i];
		if (!n || log[n - 1].offset != p->offset) {
			log[n++] = *p;
		} else if (log[n - 1].key != p->key || log[n - 1].value != p->value) {
			ops[0] = log[n - 1].op;
			ops[1] = p->op;
			WRONG(x->a, "inconsistent-revision", ops,
				"revision %" PRId64 " is one change on line %u and another on line %u", p->offset,
			      h->ops[ops[0]].ret_line, h->ops[ops[1]].ret_line);
		}
	}
	by_op = xnewn(struct entry, t->n + 1);
	for (size_t k = 0; k < t->n; k++)
		start[t->e[k].op + 1]++;
	for (uint32_t k = 0; k < h->n; k++)
		start[k + 1] += start[k];
	for (size_t k = 0; k < t->n; k++)
		by_op[start[t->e[k].op]++] = t->e[k];
	for (size_t i = 0, j; i < t->n; i = j) {
		const struct op *o = &h->ops[by_op[i].op];
		int64_t from = val_is_int(h->v, o->in) && by_op[i].batch != NIL ? h->v->nodes[o->in].i : by_op[i].offset;
		size_t l = 0, r = n, k = i;
		for (j = i; j < t->n && by_op[j].op == by_op[i].op;)
			j++;
		if (by_op[i].batch == NIL)
			continue;
		while (l < r) {
			size_t mid = (l + r) / 2;
			if (log[mid].offset < from)
				l = mid + 1;
			else
				r = mid;
		}
		for (; l < n && log[l].offset <= by_op[j - 1].offset; l++) {
			while (k < j && by_op[k].offset < log[l].offset)
				k++;
			if ((k < j && by_op[k].offset == log[l].offset) || (o->has_key && o->key != VAL_NULL && log[l].key != o->key))
				continue;
			ops[0] = by_op[i].op;
			ops[1] = log[l].op;
			buf_reset(&a);
			val_print(h->v, log[l].key, &a, 40);
			WRONG(x->a, "gap", ops, "the watch on line %u misses revision %" PRId64 ", a change of %s (line %u)", o->ret_line,
			      log[l].offset, a.data, h->ops[log[l].op].ret_line);
		}
	}
	/* Real time: of two acknowledged changes the one that ended before the other started has the smaller revision. */
	const struct entry *latest = NULL;
	for (size_t i = 0; i < t->n && h->ordered; i++) {
		const struct entry *p = &t->e[i];
		if (p->batch != NIL)
			continue;
		if (latest && h->ops[p->op].ret < h->ops[latest->op].call) {
			ops[0] = p->op;
			ops[1] = latest->op;
			WRONG(x->a, "stale-revision", ops,
				"the change on line %u ended before the one on line %u started, but has revision %" PRId64
			      " against %" PRId64, h->ops[p->op].line, h->ops[latest->op].line, p->offset, latest->offset);
		}
		if (!latest || h->ops[p->op].call > h->ops[latest->op].call)
			latest = p;
	}
	free(log);
	free(by_op);
	free(start);
	buf_clear(&a);
}

int analyse_watch(struct analyst *x)
{
	struct table t = {0};
	struct map writers = {0};
	int r = collect_watch(x, &t, &writers);

	if (!r && t.n) {
		watch_origins(x, &t, &writers);
		watch_gaps(x, &t);
	}
	map_clear(&writers);
	free(t.e);
	return r;
}

static const char *const log_fs[] = {"poll", "send", NULL};
const struct model model_log = {
	.name = "log", .about = "a log with offsets, like Kafka's: send = offset, poll = [[offset, value], …]", .fs = log_fs,
	.flags = M_ANALYSIS};
static const char *const watch_fs[] = {"delete", "get", "put", "watch", NULL};
const struct model model_watch = {
	.name = "watch", .about = "changes with revisions: put, delete, get; watch(from) = [[revision, key, value], …]", .fs = watch_fs,
	.flags = M_ANALYSIS};
