/* What continuous integration reads: JUnit's XML (-junit), and the step summary of GitHub ($GITHUB_STEP_SUMMARY). */
#ifndef TRACER_REPORT_CI_H
#define TRACER_REPORT_CI_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/coverage.h"
#include "tracer/sweep.h"

#include <stdio.h>

struct junit {
	FILE *file; /* NULL: not wanted */
	char *name; /* of the suite: the program */
	struct buf cases;
	uint64_t tests, failures, errors, skipped;
};

/* path NULL: nothing is written. */
int junit_open(struct junit *j, const char *path, const char *program, struct err *e);
/* command: what reproduces it. */
void junit_seed(struct junit *j, const struct seed_outcome *o, const char *command);
/* Properties that fail a sweep, each a test of its own. */
void junit_missing(struct junit *j, const struct coverage *c);
/* Writes it all; false when it could not. */
bool junit_close(struct junit *j, int64_t elapsed_ms);

/* Appends a section to the summary of the step that runs us: a heading and the report as it stands on the terminal. */
void step_summary(const char *heading, const struct buf *report);

#endif
