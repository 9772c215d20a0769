#include "checker/txn_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void txns_clear(struct txns *t)
{
	for (uint32_t k = 0; k < t->nkeys; k++) {
		free(t->keys[k].order);
		free(t->keys[k].ends);
		free(t->keys[k].extents);
	}
	free(t->keys);
	free(t->mops);
	free(t->at);
	free(t->writes);
	free(t->write_slots);
	free(t->key_of);
	free(t->odd);
	free(t->next_unseen);
	free(t->edges);
}

/* Anomalies that the level forbids come first. */
static void sort_anomalies(struct txn_result *r, enum level level)
{
	for (uint32_t i = 1, first = 0; i <= r->n; i++) {
		struct anomaly a = r->anomaly[i - 1];
		if (!(a.levels >> level & 1))
			continue;
		memmove(r->anomaly + first + 1, r->anomaly + first, (i - 1 - first) * sizeof a);
		r->anomaly[first++] = a;
	}
}

int txn_check(const struct model *m, struct history *h, enum level level, val initial, struct txn_result *r, struct err *e,
              uint32_t *line)
{
	struct txns t = {.h = h, .m = m, .r = r, .e = e, .line = line, .list = m == &model_list_append,
	                 .initial = initial == VAL_NONE ? VAL_NULL : initial};

	*r = (struct txn_result){.ntxns = h->n};
	if (txns_read(&t)) {
		txns_clear(&t);
		return -1;
	}
	if (t.list)
		list_analyse(&t);
	else
		register_analyse(&t);
	order_edges(&t);
	find_cycles(&t);
	sort_anomalies(r, level);
	if (!h->ordered)
		buf_adds(&r->note, "the history has no times: real-time order was not checked");
	r->verdict = r->ruled_out >> level & 1 ? NOT_LINEARIZABLE : LINEARIZABLE;
	txns_clear(&t);
	return 0;
}

void txn_clear(struct txn_result *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		free(r->anomaly[i].text);
		free(r->anomaly[i].op);
		free(r->anomaly[i].edge);
		free(r->anomaly[i].key);
	}
	free(r->anomaly);
	buf_clear(&r->note);
	*r = (struct txn_result){0};
}

static const char *const fs[] = {"txn", NULL};
const struct model model_list_append = {
	.name = "list-append", .about = "transactions [[\"append\", k, v], [\"r\", k, list], …]: Elle's anomalies", .fs = fs,
	.flags = M_TXN};
const struct model model_rw_register = {
	.name = "rw-register", .about = "transactions [[\"w\", k, v], [\"r\", k, v], …] with values written once", .fs = fs,
	.flags = M_TXN};
