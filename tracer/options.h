/*
 * Command-line options as a table: parsing, -h and the check of the manual (tests/lint.sh, through -h) are made from it.
 *
 * One or two dashes are the same; a value is the next word or follows "=". Options end at the first word that is none, or
 * after "--".
 */
#ifndef TRACER_OPTIONS_H
#define TRACER_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_flags {
	OPTION_HIDDEN = 1 << 0, /* a switch of our own tests: not in the help */
	OPTION_REPRO = 1 << 1,  /* changes the run, so it belongs into the command that reproduces one */
	OPTION_REPLAY = 1 << 2, /* an option of `simrun replay` as well */
};

struct option {
	const char *name; /* without dashes */
	const char *arg;  /* what its value is called in the help; NULL: it takes none */
	unsigned flags;
	const char *help; /* one or more lines, separated by \n */
	/* Stores the value (NULL without arg) into what `to` points to; 0, or -1 with *e saying what is wrong with it. */
	int (*set)(void *to, const char *value, struct err *e);
};

/* Ends a table. */
#define OPTIONS_END {0}

enum { OPTIONS_HELP = -2 }; /* -h was given */

/*
 * Parses argv[0..argc). The index of the first word after the options, -1 with *e filled in, or OPTIONS_HELP.
 * Options marked OPTION_REPRO are appended to *repro (may be NULL), quoted for a shell, each followed by a space.
 */
int options_parse(const struct option *table, void *to, int argc, char **argv, struct buf *repro, struct err *e);
void options_help(const struct option *table, FILE *out);

/* Appends `word` so that a shell reads it back as one word. */
void shell_quote(struct buf *out, const char *word);

/* Values. Each takes the whole text or fails with a message that says what would be right. */
int parse_u64(const char *s, uint64_t *out, struct err *e);           /* decimal or 0x… */
int parse_duration(const char *s, int64_t *seconds, struct err *e);   /* 90, 90s, 10m, 1h30m: whole seconds > 0 */
int parse_epoch(const char *s, int64_t *seconds, struct err *e);      /* 2027-01-01[T00:00:00Z] or @SECONDS */

#endif
