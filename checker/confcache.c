#include "checker/confcache.h"

#include "checker/value.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void confcache_init(struct confcache *c, size_t bytes)
{
	*c = (struct confcache){.mask = 255, .nwords = 1, .limit = MAX(bytes / 4, 4096)};
	c->limit = MIN(c->limit, UINT32_MAX - 1);
	c->slots = xnewn(uint32_t, 256);
	c->cap = 1024;
	c->words = xmalloc(c->cap * sizeof *c->words);
}

void confcache_clear(struct confcache *c)
{
	free(c->words);
	free(c->slots);
	*c = (struct confcache){0};
}

static void grow(struct confcache *c)
{
	uint32_t size = (c->mask + 1) * 2;

	free(c->slots);
	c->slots = xnewn(uint32_t, size);
	c->mask = size - 1;
	for (size_t at = 1; at < c->nwords; at += 2 + c->words[at + 1]) {
		uint32_t k = c->words[at] & c->mask;
		while (c->slots[k])
			k = (k + 1) & c->mask;
		c->slots[k] = (uint32_t)at;
	}
}

bool confcache_add(struct confcache *c, const uint32_t *key, uint32_t n)
{
	uint32_t h = (uint32_t)hash_bytes(key, n * sizeof *key, 7), k;

	for (k = h & c->mask; c->slots[k]; k = (k + 1) & c->mask) {
		const uint32_t *e = c->words + c->slots[k];
		if (e[0] == h && e[1] == n && !memcmp(e + 2, key, n * sizeof *key))
			return false;
	}
	if (c->nwords + n + 2 + c->mask > c->limit && c->n) { /* words and slots together */
		memset(c->slots, 0, (c->mask + 1) * sizeof *c->slots);
		c->nwords = 1;
		c->n = 0;
		k = h & c->mask;
	}
	if (c->nwords + n + 2 > c->cap) {
		c->cap = MAX(c->cap * 2, c->nwords + n + 2);
		c->words = xrealloc(c->words, c->cap * sizeof *c->words);
	}
	c->slots[k] = (uint32_t)c->nwords;
	c->words[c->nwords] = h;
	c->words[c->nwords + 1] = n;
	memcpy(c->words + c->nwords + 2, key, n * sizeof *key);
	c->nwords += n + 2;
	c->n++;
	if (c->n * 2 > c->mask && c->nwords + (c->mask + 1) * 2 < c->limit)
		grow(c);
	else if (c->n * 10ull > c->mask * 9ull) /* no room for more slots: start again at the next one */
		c->limit = MIN(c->limit, c->nwords + c->mask);
	return true;
}
