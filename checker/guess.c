#include "checker/check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The different operation names of a history, few in sane ones. */
struct names {
	val f[24];
	uint32_t n;
	bool many;
};

static void collect(const struct history *h, struct names *ns)
{
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t k = 0;
		while (k < ns->n && ns->f[k] != h->ops[i].f)
			k++;
		if (k < ns->n)
			continue;
		if (ns->n == ARRAY_LEN(ns->f)) {
			ns->many = true;
			return;
		}
		ns->f[ns->n++] = h->ops[i].f;
	}
}

static bool has(const struct history *h, const struct names *ns, const char *f)
{
	for (uint32_t i = 0; i < ns->n; i++)
		if (val_named(h->v, ns->f[i], f))
			return true;
	return false;
}

/* Are all of the names among these? */
static bool only(const struct history *h, const struct names *ns, const char *const *fs)
{
	for (uint32_t i = 0; i < ns->n; i++) {
		size_t k = 0;
		while (fs[k] && !val_named(h->v, ns->f[i], fs[k]))
			k++;
		if (!fs[k])
			return false;
	}
	return true;
}

/* add and read: sums or members? */
static const struct model *set_or_counter(struct history *h)
{
	struct err e = {0};
	bool lists = false, sums = false, strings = false;

	for (uint32_t i = 0; i < h->n; i++) {
		struct op *o = &h->ops[i];
		if (val_named(h->v, o->f, "read") && o->status == OP_OK) {
			if (hist_out(h, o, &e))
				return NULL;
			lists |= val_kind(h->v, o->out) == V_ARRAY || val_kind(h->v, o->out) == V_SET;
			sums |= val_kind(h->v, o->out) == V_INT;
		} else if (val_named(h->v, o->f, "add")) {
			if (hist_in(h, o, &e))
				return NULL;
			strings |= val_kind(h->v, o->in) != V_INT;
		}
	}
	if (lists == sums)
		return strings ? &model_set : NULL;
	return lists ? &model_set : &model_counter;
}

/* Transactions: by the micro-operations of the first one that has some. */
static const struct model *by_mops(struct history *h)
{
	struct err e = {0};
	bool writes = false;

	for (uint32_t i = 0; i < h->n && i < 10000; i++) {
		struct op *o = &h->ops[i];
		if (hist_in(h, o, &e))
			return NULL;
		if (val_kind(h->v, o->in) != V_ARRAY)
			continue;
		for (uint32_t k = 0; k < val_len(h->v, o->in); k++) {
			val m = val_items(h->v, o->in)[k];
			val f = val_kind(h->v, m) == V_ARRAY && val_len(h->v, m) ? val_items(h->v, m)[0] : VAL_NONE;
			if (f != VAL_NONE && val_named(h->v, f, "append"))
				return &model_list_append;
			if (f != VAL_NONE && (val_named(h->v, f, "read") || val_named(h->v, f, "write")))
				return &model_multi_register;
			writes |= f != VAL_NONE && val_named(h->v, f, "w");
		}
		if (writes)
			return &model_rw_register;
	}
	return NULL;
}

const struct model *model_guess(struct history *h)
{
	struct names ns = {0};
	static const char *const txn[] = {"txn", NULL};

	collect(h, &ns);
	if (!ns.n || ns.many)
		return NULL;
	if (only(h, &ns, txn) || (ns.n == 1 && ns.f[0] == VAL_NULL))
		return by_mops(h);
	if (only(h, &ns, model_counter.fs))
		return has(h, &ns, "add") ? set_or_counter(h) : NULL;
	if (only(h, &ns, model_mutex.fs))
		return NULL; /* mutex, owner-mutex, semaphore, … */
	for (size_t i = 0; models[i]; i++) {
		const struct model *m = models[i];
		static const char *const needs[] = {"put", "cas", "append", "enqueue", "push", "push-front", "push-back",
		                                    "insert", "write", "renew", "transfer", "generate", "send", "watch", NULL};
		bool all = only(h, &ns, m->fs), telling = false;
		for (size_t k = 0; needs[k]; k++)
			telling |= has(h, &ns, needs[k]);
		if (all && telling)
			return m;
	}
	return NULL;
}
