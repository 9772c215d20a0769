#include "netsim/bytes.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Sizes of a whole chunk: the arena hands out powers of two. */
enum { CHUNK_MIN = 512, CHUNK_MAX = 65536 };

struct byte_chunk {
	struct byte_chunk *next;
	uint32_t from, to; /* bytes in use */
	uint32_t cap;
	char data[];
};

static struct byte_chunk *chunk_new(struct arena *a, size_t want)
{
	size_t size = CHUNK_MIN;
	struct byte_chunk *c;

	while (size < CHUNK_MAX && size - sizeof *c < want)
		size *= 2;
	c = arena_alloc(a, size);
	c->cap = (uint32_t)(size - sizeof *c);
	return c;
}

static void chunk_free(struct arena *a, struct byte_chunk *c)
{
	arena_release(a, c, c->cap + sizeof *c);
}

void bytes_put(struct arena *a, struct bytes *b, const void *src, size_t n)
{
	const char *p = src;

	while (n) {
		struct byte_chunk *c = b->tail;
		size_t part;
		if (!c || c->to == c->cap) {
			c = chunk_new(a, n);
			if (b->tail)
				b->tail->next = c;
			else
				b->head = c;
			b->tail = c;
		}
		part = MIN(n, (size_t)(c->cap - c->to));
		memcpy(c->data + c->to, p, part);
		c->to += (uint32_t)part;
		b->len += part;
		p += part;
		n -= part;
	}
}

void bytes_peek(const struct bytes *b, void *dst, size_t n)
{
	char *out = dst;

	ENSURE(n <= b->len);
	for (const struct byte_chunk *c = b->head; n; c = c->next) {
		size_t part = MIN(n, (size_t)(c->to - c->from));
		memcpy(out, c->data + c->from, part);
		out += part;
		n -= part;
	}
}

void bytes_drop(struct arena *a, struct bytes *b, size_t n)
{
	ENSURE(n <= b->len);
	b->len -= n;
	while (n) {
		struct byte_chunk *c = b->head;
		size_t part = MIN(n, (size_t)(c->to - c->from));
		c->from += (uint32_t)part;
		n -= part;
		if (c->from < c->to)
			break;
		/* The last chunk is kept for the next bytes: request and reply need no allocation. */
		if (!c->next && c->cap <= 4096) {
			c->from = c->to = 0;
			break;
		}
		b->head = c->next;
		if (!b->head)
			b->tail = NULL;
		chunk_free(a, c);
	}
}

void bytes_truncate(struct arena *a, struct bytes *b, size_t len)
{
	struct byte_chunk *c = b->head;
	size_t left = len;

	if (len >= b->len)
		return;
	if (!len) {
		bytes_clear(a, b);
		return;
	}
	while (left > c->to - c->from) {
		left -= c->to - c->from;
		c = c->next;
	}
	c->to = c->from + (uint32_t)left;
	b->len = len;
	b->tail = c;
	for (struct byte_chunk *next, *d = c->next; d; d = next) {
		next = d->next;
		chunk_free(a, d);
	}
	c->next = NULL;
}

void bytes_clear(struct arena *a, struct bytes *b)
{
	for (struct byte_chunk *next, *c = b->head; c; c = next) {
		next = c->next;
		chunk_free(a, c);
	}
	*b = (struct bytes){0};
}
