/* A queue of bytes in chunks of the arena: what stands between the two ends of a stream. */
#ifndef NETSIM_BYTES_H
#define NETSIM_BYTES_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct byte_chunk;

struct bytes {
	struct byte_chunk *head, *tail;
	size_t len;
};

void bytes_put(struct arena *a, struct bytes *b, const void *src, size_t n);
/* Copies the first n bytes. There must be as many. */
void bytes_peek(const struct bytes *b, void *dst, size_t n);
void bytes_drop(struct arena *a, struct bytes *b, size_t n);          /* the first n */
void bytes_truncate(struct arena *a, struct bytes *b, size_t len);    /* keeps the first len */
void bytes_clear(struct arena *a, struct bytes *b);

#endif
