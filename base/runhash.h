/*
 * The run hash: XXH3-64, chained. Each feed's digest seeds the next one, so the value after N feeds depends on all of
 * them in order. What enters: see docs/determinism.md. Never an address, a real pid, or padding.
 */
#ifndef BASE_RUNHASH_H
#define BASE_RUNHASH_H

#include <stddef.h>
#include <stdint.h>

enum { RUNHASH_WINDOW = 4096 }; /* calls between two saved states */

struct runhash {
	uint64_t h;
	uint64_t calls;     /* completed calls fed so far */
	uint64_t *window;   /* state after every RUNHASH_WINDOW calls */
	size_t windows, window_cap;
};

void runhash_init(struct runhash *r, uint64_t seed);
void runhash_clear(struct runhash *r);
void runhash_bytes(struct runhash *r, const void *p, size_t n);
/* Ends one call: counts it, saves the state at a window's end. */
void runhash_call_done(struct runhash *r);

#endif
