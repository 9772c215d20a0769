/* Hash map from a 64-bit key to a pointer. Values are never NULL. Iteration order is the order of slots: sort before
 * anything visible depends on it. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map {
	uint64_t *keys;
	void **vals; /* NULL: empty slot */
	size_t cap, len;
};

void *map_get(const struct map *m, uint64_t key);
void map_put(struct map *m, uint64_t key, void *val); /* replaces */
void *map_del(struct map *m, uint64_t key);           /* returns what was there, or NULL */
void map_clear(struct map *m);

#define map_each(m, i)                                                                                             \
	for (size_t i = 0; i < (m)->cap; i++)                                                                      \
		if ((m)->vals[i])

#endif
