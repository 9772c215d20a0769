/*
 * Counting detours: an instruction of at least five bytes is replaced by a jump to a stub near by, which counts down a word of
 * the clock page, executes the instruction and goes back: about 2 ns. When the count is used up the stub traps, before the
 * instruction. No instruction but that one is touched, so no branch can come to lie in overwritten bytes.
 */
#ifndef TRACER_DETOUR_H
#define TRACER_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sim;
struct task;

struct detour {
	uint64_t at;   /* the instruction that was replaced */
	uint64_t stub; /* where it is now executed from: [stub, end) */
	uint64_t trap; /* the address behind the stub's int3 */
	uint64_t end;
};

enum { DETOURS_MAX = 32, STUB_SIZE = 128 };

/* What a process has of them. */
struct detours {
	struct detour v[DETOURS_MAX];
	unsigned n;
	uint64_t page[DETOURS_MAX]; /* of stubs */
	unsigned used[DETOURS_MAX]; /* bytes of each */
	unsigned npages;
};

/* Whether the instruction of these n bytes (15 are enough) can be executed elsewhere; its length, or 0. */
unsigned detour_fits(const unsigned char *code, size_t n);
/* In a stop outside of any call. False: it does not fit here, nothing has changed. */
bool detour_put(struct sim *s, struct task *t, uint64_t at);
/* The detour whose stub holds the address; NULL: none. */
const struct detour *detour_of(const struct task *t, uint64_t rip);

#endif
