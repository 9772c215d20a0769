#include "base/rng.h"

#include <string.h>
#include <xxhash.h>

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed, const char *stream)
{
	uint64_t x = XXH3_64bits_withSeed(stream, strlen(stream), seed);

	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix(&x);
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return out;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

	do
		x = rng_u64(r);
	while (x >= limit);
	return x % n;
}

int64_t rng_range(struct rng *r, int64_t lo, int64_t hi)
{
	return lo + (int64_t)rng_below(r, (uint64_t)(hi - lo) + 1);
}

int64_t rng_exp(struct rng *r, int64_t mean)
{
	/* -ln(u) = ln 2 * (leading zeros + fraction), the fraction's logarithm by its chord: within 6 % of the true
	 * distribution, and the same integer everywhere. 45426 = ln 2 * 2^16. */
	uint64_t u = rng_u64(r) | 1;
	int lz = __builtin_clzll(u);
	uint64_t frac = ~((u << lz) << 1) >> 48; /* 16 bits of 1 - mantissa */
	uint64_t bits = ((uint64_t)lz << 16) + frac;

	return (int64_t)((unsigned __int128)(uint64_t)mean * bits * 45426u >> 32);
}

void rng_bytes(struct rng *r, void *p, size_t n)
{
	unsigned char *out = p;

	while (n) {
		uint64_t x = rng_u64(r);
		size_t k = n < 8 ? n : 8;
		memcpy(out, &x, k);
		out += k;
		n -= k;
	}
}
