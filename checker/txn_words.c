#include "checker/txn_int.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_SHOWN = 30 };

void print_key_name(const struct txns *t, uint32_t key, struct buf *b)
{
	val name = t->keys[key].name;

	if (val_is_name(t->h->v, name))
		buf_adds(b, val_bytes(t->h->v, name));
	else
		val_print(t->h->v, name, b, 40);
}

void txn_name(const struct txns *t, uint32_t i, struct buf *b)
{
	buf_addf(b, "T%" PRId64, t->h->ops[i].id);
}

static void print_list(const struct txns *t, const val *x, uint32_t n, struct buf *b)
{
	buf_addc(b, '[');
	if (n > ELEMENTS_SHOWN)
		buf_addf(b, "%u more … ", n - ELEMENTS_SHOWN);
	for (uint32_t i = n > ELEMENTS_SHOWN ? n - ELEMENTS_SHOWN : 0; i < n; i++) {
		val_print(t->h->v, x[i], b, 40);
		buf_adds(b, i + 1 < n ? " " : "");
	}
	buf_addc(b, ']');
}

static void print_read(const struct txns *t, uint32_t m, struct buf *b)
{
	const struct mop *mop = &t->mops[m];

	buf_adds(b, "r ");
	print_key_name(t, mop->key, b);
	buf_addc(b, ' ');
	if (mop->unknown) {
		buf_addc(b, '?');
	} else if (!t->list) {
		val_print(t->h->v, mop->x, b, 60);
	} else if (mop->x != NIL) {
		print_list(t, t->keys[mop->key].order, mop->x, b);
	} else {
		uint32_t l = 0, r = t->nodd; /* in order of mop */
		while (l + 1 < r) {
			uint32_t mid = (l + r) / 2;
			if (t->odd[mid].mop <= m)
				l = mid;
			else
				r = mid;
		}
		print_list(t, val_items(t->h->v, t->odd[l].list), val_len(t->h->v, t->odd[l].list), b);
	}
}

/* T4 (client 4, ok) [r z ["4-0"], append y "4-1"] */
void txn_describe(const struct txns *t, uint32_t i, struct buf *b)
{
	const struct op *o = &t->h->ops[i];

	txn_name(t, i, b);
	buf_adds(b, " (");
	if (o->process != VAL_NULL) {
		buf_adds(b, "client ");
		val_print(t->h->v, o->process, b, 20);
		buf_adds(b, ", ");
	}
	buf_adds(b, o->status == OP_OK ? "ok) [" : o->status == OP_FAILED ? "fail) [" : o->status == OP_UNKNOWN ?
		"info) [" : "no return) [");
	for (uint32_t m = t->at[i]; m < t->at[i + 1]; m++) {
		if (m > t->at[i] + 15) {
			buf_addf(b, ", … %u more", t->at[i + 1] - m);
			break;
		}
		buf_adds(b, m > t->at[i] ? ", " : "");
		if (t->mops[m].kind == MOP_READ) {
			print_read(t, m, b);
			continue;
		}
		buf_adds(b, t->list ? "append " : "w ");
		print_key_name(t, t->mops[m].key, b);
		buf_addc(b, ' ');
		val_print(t->h->v, t->writes[t->mops[m].x].x, b, 60);
	}
	buf_addc(b, ']');
}

/* The first of a kind is told, the others are counted. */
void note_anomaly(struct txns *t, const char *name, uint32_t levels, const uint32_t *ops, uint32_t nops, const char *fmt, ...)
{
	struct txn_result *r = t->r;
	struct anomaly *a;
	struct buf b = {0};
	va_list ap;

	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->anomaly[i].name, name)) {
			r->anomaly[i].count++;
			return;
		}
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < nops; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= ops[k] == ops[i];
		if (again)
			continue;
		buf_adds(&b, "; ");
		txn_describe(t, ops[i], &b);
	}
	r->anomaly = xrealloc(r->anomaly, (r->n + 1) * sizeof *r->anomaly);
	a = &r->anomaly[r->n++];
	*a = (struct anomaly){.name = name, .count = 1, .levels = levels, .text = b.data, .nop = nops};
	a->op = xmemdup(ops, nops * sizeof *ops);
	r->ruled_out |= levels;
}
