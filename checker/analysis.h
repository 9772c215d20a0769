/* Models that an analysis of their own decides, in one pass: bank, long-fork, log, watch, ids. */
#ifndef CHECKER_ANALYSIS_H
#define CHECKER_ANALYSIS_H

#include "checker/search.h"

struct finding {
	const char *kind;  /* "lost", "duplicate", … */
	char *text;        /* one line */
	uint32_t op[4], nop; /* operations of the history */
	uint64_t count;    /* how many of this kind; the first is shown */
};

struct analysis {
	enum verdict verdict;
	struct finding *finding;
	uint32_t n;
	struct buf note; /* what was assumed, one line or empty */
};

struct analysis_options {
	val initial;
	int64_t group;
	bool negative_balances;
};

/* Fails (e->msg, *line) when an operation is not one of the model's. */
int analyse(const struct model *m, struct history *h, const struct analysis_options *opt, struct analysis *a, struct err *e,
            uint32_t *line);
void analysis_clear(struct analysis *a);

/* For the analyses: note a finding; the first of a kind keeps its text. */
void found_wrong(struct analysis *a, const char *kind, uint32_t nop, const uint32_t *op, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#define WRONG(a, kind, ops, ...) found_wrong((a), (kind), sizeof(ops) / sizeof((ops)[0]), (ops), __VA_ARGS__)

struct analyst {
	struct history *h;
	const struct model *m;
	const struct analysis_options *opt;
	struct analysis *a;
	struct err *e;
	uint32_t *line;
};

int analyse_bank(struct analyst *x);
int analyse_long_fork(struct analyst *x);
int analyse_log(struct analyst *x);
int analyse_watch(struct analyst *x);
int analyse_ids(struct analyst *x);

/* A bad operation: fills the error in the wording of the models and returns -1. */
int analyst_bad(struct analyst *x, const struct op *o, val v, const char *what, const char *expected);
/* Checks names, reads inputs and outputs; -1 on failure. */
int analyst_read(struct analyst *x);

#endif
