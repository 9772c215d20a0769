/* xoshiro256** streams, split from the run's seed by name: drawing from one never shifts another. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_init(struct rng *r, uint64_t seed, const char *stream);
uint64_t rng_u64(struct rng *r);
/* Uniform in [0, n), n > 0, without modulo bias. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Uniform in [lo, hi], both included. */
int64_t rng_range(struct rng *r, int64_t lo, int64_t hi);
/* Exponentially distributed with the given mean, rounded to an integer (integer arithmetic only: repeats on every
 * machine). */
int64_t rng_exp(struct rng *r, int64_t mean);
void rng_bytes(struct rng *r, void *p, size_t n);

#endif
