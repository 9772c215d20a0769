/*
 * One check of one history: what to check, and what came out. Used by the command (cmd.c) and at the end of a run.
 */
#ifndef CHECKER_CHECK_H
#define CHECKER_CHECK_H

#include "checker/analysis.h"
#include "checker/linear.h"
#include "checker/txn.h"

struct check_options {
	const char *model;       /* NULL: guessed from the operations */
	const struct model *own; /* a user's model, instead */
	const char *initial;     /* in the history's format; NULL: the model's own */
	unsigned order;          /* enum order; 0: real time and edges, or edges only for a history without times */
	enum level consistency;
	struct linear_options limits;
	bool all_events;         /* print whole witnesses */
	void (*checked)(void *arg); /* called between the verdict and its explanation; NULL: not */
	void *checked_arg;
	int64_t group;           /* long-fork: keys in a group; 0: by the reads */
	bool negative_balances;  /* bank: allowed */
};

#define CHECK_DEFAULTS                                                                                             \
	((struct check_options){.consistency = LEVEL_SERIALIZABLE,                                                 \
	                        .limits = {.configs = DEFAULT_CONFIGS, .memory = DEFAULT_MEMORY, .jobs = 1, .explain = true}})

struct check {
	const struct check_options *opt;
	struct history *h;
	const struct model *model;
	bool guessed;
	unsigned order;
	val initial;
	enum verdict verdict;  /* NOT_LINEARIZABLE also: not serializable, not valid */
	struct parts parts;    /* linearizability */
	struct linear_result lin;
	struct txn_result txn; /* transactions */
	struct analysis an;    /* models with an analysis of their own */
	struct buf warnings;   /* lines to show before checking */
	char summary[1500];    /* "history of 8 operations is not linearizable (model cas): …" */
};

/* 0, or -1: the history is not one of the model's (e->msg; *line, 0: none). */
int check_prepare(struct check *c, struct history *h, const struct check_options *opt, struct err *e, uint32_t *line);
/* Errors of list-append and the analyses are found here, like check_prepare's. */
int check_run(struct check *c, struct err *e, uint32_t *line);
void check_clear(struct check *c);

/* guess.c: the model that the operations name, or NULL when there are several. */
const struct model *model_guess(struct history *h);

/* report_*.c */
void report_head(const struct check *c, struct buf *b);
void report_text(const struct check *c, struct buf *b);
void report_json(const struct check *c, struct buf *b);
void report_html(const struct check *c, struct buf *b);
const char *verdict_word(const struct check *c);

#endif
