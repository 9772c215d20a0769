#include "base/arena.h"

#include "base/err.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Classes are powers of two from 16 bytes; 48 of them reach beyond any reservation. */
enum { CLASSES = 48, MIN_SHIFT = 4 };

struct free_block {
	struct free_block *next;
};

struct arena {
	char *base;
	size_t reserved, top, used;
	struct free_block *free[CLASSES];
};

static int class_of(size_t n)
{
	int c = MIN_SHIFT;

	while (((size_t)1 << c) < n)
		c++;
	return c;
}

struct arena *arena_new(size_t reserve_bytes)
{
	struct arena *a = calloc(1, sizeof *a);

	if (!a)
		die(125, "out of memory");
	a->base = mmap(NULL, reserve_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->base == MAP_FAILED)
		die(125, "cannot reserve %zu bytes for the run's state", reserve_bytes);
	a->reserved = reserve_bytes;
	return a;
}

void arena_free_all(struct arena *a)
{
	if (!a)
		return;
	munmap(a->base, a->reserved);
	free(a);
}

void *arena_alloc(struct arena *a, size_t n)
{
	int c = class_of(n);
	size_t size = (size_t)1 << c;
	struct free_block *b = a->free[c];

	a->used += size;
	if (b) {
		a->free[c] = b->next;
		memset(b, 0, n);
		return b;
	}
	if (a->top + size > a->reserved)
		die(125, "the run's state outgrew its reservation of %zu bytes", a->reserved);
	b = (void *)(a->base + a->top);
	a->top += size;
	return b;
}

void arena_release(struct arena *a, void *p, size_t n)
{
	int c = class_of(n);
	struct free_block *b = p;

	if (!p)
		return;
	b->next = a->free[c];
	a->free[c] = b;
	a->used -= (size_t)1 << c;
}

size_t arena_used(const struct arena *a)
{
	return a->used;
}
