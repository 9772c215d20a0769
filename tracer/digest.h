/* Which programs a run has executed, and the digest of each: what a replay compares. */
#ifndef TRACER_DIGEST_H
#define TRACER_DIGEST_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct executed {
	char **path; /* sorted, each once */
	size_t n;
};

/* Whether it is the first time. */
bool digest_note(struct executed *x, const char *path);
/* "path xxh3" per line; in the run's view, at its end. */
void digest_print(const struct executed *x, struct buf *out);
void digest_clear(struct executed *x);

#endif
