#include "checker/spec.h"

#include "checker/user.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void states_init(struct states *s)
{
	*s = (struct states){.mask = 63, .slots = xmalloc(64 * sizeof *s->slots)};
	memset(s->slots, 0xff, 64 * sizeof *s->slots);
	s->words_cap = 64;
	s->words = xmalloc(s->words_cap * sizeof *s->words);
}

void states_clear(struct states *s)
{
	free(s->words);
	free(s->slots);
	free(s->at);
	*s = (struct states){0};
}

size_t states_bytes(const struct states *s)
{
	return s->words_cap * sizeof *s->words + s->cap * sizeof *s->at + (s->mask + 1) * sizeof *s->slots;
}

static void grow(struct states *s)
{
	uint32_t size = (s->mask + 1) * 2;

	s->slots = xrealloc(s->slots, size * sizeof *s->slots);
	memset(s->slots, 0xff, size * sizeof *s->slots);
	s->mask = size - 1;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t k = s->at[i].hash & s->mask;
		while (s->slots[k] != UINT32_MAX)
			k = (k + 1) & s->mask;
		s->slots[k] = i;
	}
}

state_t states_intern(struct states *s, const uint32_t *words, uint32_t n)
{
	uint32_t h = (uint32_t)hash_bytes(words, n * sizeof *words, 1), k;
	bool inside;

	for (k = h & s->mask; s->slots[k] != UINT32_MAX; k = (k + 1) & s->mask) {
		const struct state_at *at = &s->at[s->slots[k]];
		if (at->hash == h && at->len == n && (!n || !memcmp(s->words + at->at, words, n * sizeof *words)))
			return s->slots[k];
	}
	inside = words >= s->words && words < s->words + s->nwords; /* a part of another state */
	if (s->nwords + n > s->words_cap) {
		size_t off = (size_t)(words - s->words);
		s->words_cap = MAX(s->words_cap * 2, s->nwords + n + 256);
		s->words = xrealloc(s->words, s->words_cap * sizeof *s->words);
		if (inside)
			words = s->words + off;
	}
	if (s->n == s->cap) {
		s->cap = s->cap * 2 + 32;
		s->at = xrealloc(s->at, s->cap * sizeof *s->at);
	}
	if (n)
		memcpy(s->words + s->nwords, words, n * sizeof *words);
	s->at[s->n] = (struct state_at){.at = s->nwords, .len = n, .hash = h};
	s->nwords += n;
	s->slots[k] = s->n++;
	if (s->n * 2 > s->mask)
		grow(s);
	return s->n - 1;
}

void machine_init(struct machine *m, const struct part *p)
{
	*m = (struct machine){.part = p};
	states_init(&m->st);
}

void part_clear(struct part *p)
{
	user_ops_clear(p);
	free(p->ops);
	free(p->words);
	free(p->edges);
	free(p->names);
	p->names = NULL;
	p->ops = NULL;
	p->words = NULL;
	p->edges = NULL;
}

uint32_t part_words(struct part *p, const val *items, uint32_t n)
{
	if (p->nwords + n > p->words_cap || !p->words) {
		p->words_cap = MAX(p->words_cap * 2, p->nwords + n + 64);
		p->words = xrealloc(p->words, p->words_cap * sizeof *p->words);
	}
	if (n)
		memcpy(p->words + p->nwords, items, n * sizeof *items);
	p->nwords += n;
	return (uint32_t)(p->nwords - n);
}
