/*
 * The memory of one run's simulated kernel: one reserved mapping, handed out by size class, so that a run's
 * state has one place, addresses repeat from run to run, and it can later lie in a mapping shared with guests.
 * Memory is zeroed. Freed blocks are reused in LIFO order per class. Never returns NULL.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(size_t reserve_bytes);
void arena_free_all(struct arena *a); /* NULL is allowed */
void *arena_alloc(struct arena *a, size_t n);
void arena_release(struct arena *a, void *p, size_t n); /* n as given to arena_alloc; p may be NULL */
size_t arena_used(const struct arena *a);               /* bytes handed out and not released */

#define arena_new_of(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_release_of(a, p) arena_release((a), (p), sizeof *(p))

#endif
