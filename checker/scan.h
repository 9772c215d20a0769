/*
 * Reading JSON and EDN from memory. A reader for event lines, made for speed: the text of a value is checked and
 * stepped over, and becomes an interned value only when somebody asks. Errors name file, line, column and what was
 * expected there.
 */
#ifndef CHECKER_SCAN_H
#define CHECKER_SCAN_H

#include "checker/value.h"

enum { SCAN_DEPTH = 200 }; /* nesting of one value; deeper ones are refused */

struct scan {
	const char *p, *end; /* what is left */
	const char *text;    /* the whole text, for line numbers */
	const char *name;    /* of the file */
	uint32_t line0;      /* lines before `text` (when a file is read in pieces) */
	struct err *e;
};

/* Fill s->e with "name:line:column: expected WHAT, found …" for the place `at`, and return -1. */
int scan_fail(struct scan *s, const char *at, const char *expected);
uint32_t scan_line(const struct scan *s, const char *at);

int json_skip(struct scan *s, int depth); /* one value, checked */
int json_read(struct scan *s, struct values *v, val *out);
/* A string: its bytes, unescaped into `tmp` only when it has escapes. */
int json_text(struct scan *s, const char **text, size_t *n, struct buf *tmp);
int edn_read(struct scan *s, struct values *v, val *out);
void edn_space(struct scan *s); /* also commas, comments and #_ forms are left to edn_read */

static inline void json_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
		s->p++;
}

#endif
