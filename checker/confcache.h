/* A set of configurations (short word strings) within a bound of memory: full, it is emptied and starts again. */
#ifndef CHECKER_CONFCACHE_H
#define CHECKER_CONFCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct confcache {
	uint32_t *words; /* entries: hash, length, words */
	size_t nwords, cap;
	uint32_t *slots; /* position in words; 0: empty */
	uint32_t mask, n;
	size_t limit; /* words */
};

void confcache_init(struct confcache *c, size_t bytes);
void confcache_clear(struct confcache *c);
bool confcache_add(struct confcache *c, const uint32_t *key, uint32_t n); /* false: it was there */

#endif
