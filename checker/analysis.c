#include "checker/analysis.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void found_wrong(struct analysis *a, const char *kind, uint32_t nop, const uint32_t *op, const char *fmt, ...)
{
	struct finding *f;
	struct buf b = {0};
	va_list ap;

	a->verdict = NOT_LINEARIZABLE;
	for (uint32_t i = 0; i < a->n; i++)
		if (!strcmp(a->finding[i].kind, kind)) {
			a->finding[i].count++;
			return;
		}
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	a->finding = xrealloc(a->finding, (a->n + 1) * sizeof *a->finding);
	f = &a->finding[a->n++];
	*f = (struct finding){.kind = kind, .text = b.data, .nop = nop, .count = 1};
	for (uint32_t i = 0; i < nop; i++)
		f->op[i] = op[i];
}

void analysis_clear(struct analysis *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		free(a->finding[i].text);
	free(a->finding);
	buf_clear(&a->note);
	*a = (struct analysis){0};
}

int analyst_bad(struct analyst *x, const struct op *o, val v, const char *what, const char *expected)
{
	struct buf b = {0};

	val_print(x->h->v, v, &b, 60);
	err_set(x->e, 0, "history (model %s): operation \"%s\": %s %s is not %s", x->m->name,
	        val_is_name(x->h->v, o->f) ? val_bytes(x->h->v, o->f) : "?", what, b.data, expected);
	*x->line = o->line;
	buf_clear(&b);
	return -1;
}

static int unknown_operation(struct analyst *x, const struct op *o)
{
	struct buf b = {0}, f = {0};

	for (size_t i = 0; x->m->fs[i]; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", x->m->fs[i]);
	if (val_is_name(x->h->v, o->f))
		buf_add_escaped(&f, val_bytes(x->h->v, o->f), val_len(x->h->v, o->f));
	err_set(x->e, 0, "history (model %s): operation \"%s\" is not one of %s", x->m->name, f.data ? f.data : "", b.data);
	*x->line = o->line;
	buf_clear(&b);
	buf_clear(&f);
	return -1;
}

int analyst_read(struct analyst *x)
{
	for (uint32_t i = 0; i < x->h->n; i++) {
		struct op *o = &x->h->ops[i];
		bool known = false;
		for (size_t k = 0; x->m->fs[k] && !known; k++)
			known = val_named(x->h->v, o->f, x->m->fs[k]);
		if (!known)
			return unknown_operation(x, o);
		if (hist_in(x->h, o, x->e) || (o->status == OP_OK && hist_out(x->h, o, x->e)))
			return -1;
	}
	return 0;
}

int analyse(const struct model *m, struct history *h, const struct analysis_options *opt, struct analysis *a, struct err *e,
            uint32_t *line)
{
	struct analyst x = {.h = h, .m = m, .opt = opt, .a = a, .e = e, .line = line};

	*a = (struct analysis){.verdict = LINEARIZABLE};
	*line = 0;
	if (analyst_read(&x))
		return -1;
	return m == &model_bank ? analyse_bank(&x) : m == &model_long_fork ? analyse_long_fork(&x) :
	       m == &model_log ? analyse_log(&x) : m == &model_watch ? analyse_watch(&x) : analyse_ids(&x);
}

/* ids: no two operations get the same one. */
int analyse_ids(struct analyst *x)
{
	struct history *h = x->h;
	uint32_t *by = xmalloc((h->v->len + 1) * sizeof *by), ops[2];

	memset(by, 0xff, (h->v->len + 1) * sizeof *by);
	for (uint32_t i = 0; i < h->n; i++) {
		struct op *o = &h->ops[i];
		struct buf b = {0};
		if (o->status != OP_OK)
			continue;
		if (o->out == VAL_NULL) {
			free(by);
			return analyst_bad(x, o, o->out, "output", "an id");
		}
		if (by[o->out] == OP_NONE) {
			by[o->out] = i;
			continue;
		}
		ops[0] = by[o->out];
		ops[1] = i;
		val_print(h->v, o->out, &b, 60);
		WRONG(x->a, "duplicate", ops, "id %s was given out twice, on lines %u and %u", b.data,
			h->ops[ops[0]].ret_line, o->ret_line);
		buf_clear(&b);
	}
	free(by);
	return 0;
}

/* bank: every read shows the same total, and no balance below zero. */
static int balance_sum(struct analyst *x, const struct op *o, __int128 *sum, val *negative)
{
	const struct values *v = x->h->v;

	*sum = 0;
	*negative = VAL_NONE;
	if (val_kind(v, o->out) != V_MAP)
		return analyst_bad(x, o, o->out, "output", "an object of balances");
	for (uint32_t i = 1; i < val_len(v, o->out); i += 2) {
		val b = val_items(v, o->out)[i];
		if (b == VAL_NULL)
			continue;
		if (!val_is_int(v, b))
			return analyst_bad(x, o, b, "balance", "an integer");
		*sum += v->nodes[b].i;
		if (v->nodes[b].i < 0)
			*negative = val_items(v, o->out)[i - 1];
	}
	return 0;
}

int analyse_bank(struct analyst *x)
{
	struct history *h = x->h;
	__int128 total = 0, sum;
	bool known = false;
	uint32_t first[1] = {0}, two[2];
	val negative;

	if (x->opt->initial != VAL_NONE) {
		if (!val_is_int(h->v, x->opt->initial))
			return err_set(x->e, 0, "model bank: the initial value is not an integer (the total of all balances)");
		total = h->v->nodes[x->opt->initial].i;
		known = true;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		struct op *o = &h->ops[i];
		struct buf b = {0};
		if (!val_named(h->v, o->f, "read") || o->status != OP_OK)
			continue;
		if (balance_sum(x, o, &sum, &negative))
			return -1;
		if (!known) {
			total = sum;
			known = true;
			first[0] = i;
			buf_addf(&x->a->note, "the total is taken from the first read: %lld (give it with -initial)", (long long)total);
		}
		two[0] = first[0];
		two[1] = i;
		if (sum != total)
			WRONG(x->a, "wrong-total", two, "the read on line %u shows a total of %lld, not %lld", o->ret_line, (long long)sum,
			      (long long)total);
		if (negative != VAL_NONE && !x->opt->negative_balances) {
			first[0] = i;
			val_print(h->v, negative, &b, 40);
			WRONG(x->a, "negative-value", first, "the read on line %u shows account %s below zero", o->ret_line, b.data);
			buf_clear(&b);
			first[0] = two[0];
		}
	}
	return 0;
}

/* long-fork: keys written once; two reads of one group that each see a write the other misses. */
struct snapshot {
	uint32_t op;
	val keys;   /* the group: sorted keys as an interned list */
	uint32_t seen, at; /* how many of them were there, and where their list is */
};

static int by_group(const void *a, const void *b)
{
	const struct snapshot *x = a, *y = b;

	if (x->keys != y->keys)
		return x->keys < y->keys ? -1 : 1;
	return x->seen != y->seen ? (x->seen < y->seen ? -1 : 1) : x->op < y->op ? -1 : x->op > y->op;
}

static int by_id(const void *a, const void *b)
{
	val x = *(const val *)a, y = *(const val *)b;

	return x < y ? -1 : x > y;
}

static bool subset(const val *a, uint32_t n, const val *b, uint32_t m)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++) {
		while (k < m && b[k] < a[i])
			k++;
		if (k == m || b[k] != a[i])
			return false;
	}
	return true;
}

/* The keys of one read, and those that it saw written. 1: not a group read; -1: bad. */
static int snapshot_of(struct analyst *x, uint32_t i, struct snapshot *s, val **seen, uint32_t *nseen, uint32_t *cap)
{
	struct history *h = x->h;
	const struct op *o = &h->ops[i];
	val keys[256], list = o->status == OP_OK && o->out != VAL_NULL ? o->out : o->in;
	uint32_t n = 0;

	if (o->status != OP_OK)
		return 1;
	if (val_kind(h->v, list) != V_ARRAY)
		return analyst_bad(x, o, list, "value", "a list of [\"r\" or \"w\", key, value]");
	*s = (struct snapshot){.op = i, .at = *nseen};
	for (uint32_t k = 0; k < val_len(h->v, list); k++) {
		val m = val_items(h->v, list)[k];
		if (val_kind(h->v, m) != V_ARRAY || val_len(h->v, m) != 3)
			return analyst_bad(x, o, m, "micro-operation", "[\"r\" or \"w\", key, value]");
		if (!val_named(h->v, val_items(h->v, m)[0], "r") && !val_named(h->v, val_items(h->v, m)[0], "read"))
			return 1;
		if (n == 256)
			return analyst_bad(x, o, list, "value", "at most 256 reads");
		keys[n++] = val_items(h->v, m)[1];
		if (val_items(h->v, m)[2] == VAL_NULL)
			continue;
		if (*nseen == *cap) {
			*cap = *cap * 2 + 256;
			*seen = xrealloc(*seen, *cap * sizeof **seen);
		}
		(*seen)[(*nseen)++] = val_items(h->v, m)[1];
	}
	s->seen = *nseen - s->at;
	if (s->seen > 1)
		qsort(*seen + s->at, s->seen, sizeof **seen, by_id);
	s->keys = val_list(h->v, V_SET, keys, n);
	return n < 2 || (x->opt->group && n != x->opt->group);
}

int analyse_long_fork(struct analyst *x)
{
	struct snapshot *s = xnewn(struct snapshot, x->h->n + 1);
	uint32_t n = 0, nseen = 0, cap = 0, ops[2];
	val *seen = NULL;
	int r = 0;

	for (uint32_t i = 0; i < x->h->n && r >= 0; i++) {
		r = snapshot_of(x, i, &s[n], &seen, &nseen, &cap);
		n += r == 0;
	}
	qsort(s, n, sizeof *s, by_group);
	for (uint32_t i = 1; i < n && r >= 0; i++) { /* sorted by size: each must contain the one before */
		struct buf b = {0};
		if (s[i].keys != s[i - 1].keys || subset(seen + s[i - 1].at, s[i - 1].seen, seen + s[i].at, s[i].seen))
			continue;
		ops[0] = s[i - 1].op;
		ops[1] = s[i].op;
		hist_describe(x->h, &x->h->ops[ops[0]], &b);
		buf_adds(&b, "  and  ");
		hist_describe(x->h, &x->h->ops[ops[1]], &b);
		WRONG(x->a, "long-fork", ops, "the reads on lines %u and %u each see a write that the other misses: %s",
		      x->h->ops[ops[0]].ret_line, x->h->ops[ops[1]].ret_line, b.data);
		buf_clear(&b);
	}
	free(s);
	free(seen);
	return r < 0 ? -1 : 0;
}

static const char *const bank_fs[] = {"read", "transfer", NULL};
const struct model model_bank = {
	.name = "bank", .about = "transfers between accounts: reads show one total (-initial), no balance below zero", .fs = bank_fs,
	.flags = M_ANALYSIS};
static const char *const long_fork_fs[] = {"read", "txn", "write", NULL};
const struct model model_long_fork = {
	.name = "long-fork", .about = "keys written once and read in groups: no two reads that each miss the other's write",
	.fs = long_fork_fs, .flags = M_ANALYSIS};
static const char *const ids_fs[] = {"generate", NULL};
const struct model model_ids = {.name = "ids", .about = "unique ids: generate", .fs = ids_fs, .flags = M_ANALYSIS};
