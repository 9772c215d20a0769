#include "base/map.h"

#include "base/mem.h"

#include <stdlib.h>

static size_t slot_of(const struct map *m, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;

	return (size_t)(h ^ (h >> 32)) & (m->cap - 1);
}

static size_t find(const struct map *m, uint64_t key)
{
	size_t i = slot_of(m, key);

	while (m->vals[i] && m->keys[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

void *map_get(const struct map *m, uint64_t key)
{
	return m->cap ? m->vals[find(m, key)] : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->keys = xnewn(uint64_t, m->cap);
	m->vals = xnewn(void *, m->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.vals[i]) {
			size_t j = find(m, old.keys[i]);
			m->keys[j] = old.keys[i];
			m->vals[j] = old.vals[i];
		}
	free(old.keys);
	free(old.vals);
}

void map_put(struct map *m, uint64_t key, void *val)
{
	size_t i;

	if ((m->len + 1) * 4 > m->cap * 3)
		grow(m);
	i = find(m, key);
	if (!m->vals[i])
		m->len++;
	m->keys[i] = key;
	m->vals[i] = val;
}

void *map_del(struct map *m, uint64_t key)
{
	size_t i, j;
	void *val;

	if (!m->cap)
		return NULL;
	i = find(m, key);
	val = m->vals[i];
	if (!val)
		return NULL;
	m->vals[i] = NULL;
	m->len--;
	/* Linear probing: whatever follows in the same run may have to move up. */
	for (j = (i + 1) & (m->cap - 1); m->vals[j]; j = (j + 1) & (m->cap - 1)) {
		void *v = m->vals[j];
		uint64_t k = m->keys[j];
		m->vals[j] = NULL;
		size_t to = find(m, k);
		m->keys[to] = k;
		m->vals[to] = v;
	}
	return val;
}

void map_clear(struct map *m)
{
	free(m->keys);
	free(m->vals);
	*m = (struct map){0};
}
