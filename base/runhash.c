#include "base/runhash.h"

#include "base/mem.h"

#include <stdlib.h>
#include <xxhash.h>

void runhash_init(struct runhash *r, uint64_t seed)
{
	*r = (struct runhash){.h = seed ^ 0x73696d72756e3031u}; /* "simrun01": the version of what is fed */
}

void runhash_clear(struct runhash *r)
{
	free(r->window);
	*r = (struct runhash){0};
}

void runhash_bytes(struct runhash *r, const void *p, size_t n)
{
	r->h = XXH3_64bits_withSeed(p, n, r->h);
}

void runhash_call_done(struct runhash *r)
{
	if (++r->calls % RUNHASH_WINDOW)
		return;
	if (r->windows == r->window_cap) {
		r->window_cap = r->window_cap ? r->window_cap * 2 : 64;
		r->window = xrealloc(r->window, r->window_cap * sizeof *r->window);
	}
	r->window[r->windows++] = r->h;
}
