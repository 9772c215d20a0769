#include "tracer/seeds.h"

#include "base/mem.h"
#include "tracer/options.h"

#include <stdlib.h>
#include <string.h>

static void add(struct seeds *s, uint64_t first, uint64_t last)
{
	s->range = xrealloc(s->range, (s->n + 1) * sizeof *s->range);
	s->range[s->n++] = (struct seed_range){first, last};
}

static int parse_range(struct seeds *s, char *item, struct err *e)
{
	char *dash = strchr(item, '-');
	uint64_t first, last;

	if (dash)
		*dash = 0;
	if (parse_u64(item, &first, e) < 0)
		return -1;
	last = first;
	if (dash && parse_u64(dash + 1, &last, e) < 0)
		return -1;
	if (last < first)
		return err_set(e, 0, "the range %s-%s is empty; write the smaller seed first", item, dash + 1);
	add(s, first, last);
	return 0;
}

int seeds_parse(struct seeds *s, const char *text, struct err *e)
{
	char *copy = xstrdup(text), *rest = copy, *item;
	int rc = 0;

	seeds_clear(s);
	while (!rc && (item = strsep(&rest, ",")))
		rc = parse_range(s, item, e);
	free(copy);
	return rc < 0 ? err_wrap(e, "seeds are written 1-500,7") : 0;
}

void seeds_set(struct seeds *s, uint64_t first, uint64_t last)
{
	seeds_clear(s);
	add(s, first, last);
}

static bool in_earlier_range(const struct seeds *s, uint64_t seed)
{
	for (size_t i = 0; i < s->at; i++)
		if (seed >= s->range[i].first && seed <= s->range[i].last)
			return true;
	return false;
}

bool seeds_next(struct seeds *s, uint64_t *seed)
{
	while (s->at < s->n) {
		const struct seed_range *r = &s->range[s->at];
		/* taken is 0 again after 2^64 seeds only. */
		if (s->taken > r->last - r->first) {
			s->at++;
			s->taken = 0;
			continue;
		}
		*seed = r->first + s->taken++;
		if (!in_earlier_range(s, *seed))
			return true;
	}
	return false;
}

void seeds_put_first(struct seeds *s, uint64_t seed)
{
	add(s, seed, seed);
	memmove(s->range + 1, s->range, (s->n - 1) * sizeof *s->range);
	s->range[0] = (struct seed_range){seed, seed};
}

static int by_first(const void *a, const void *b)
{
	const struct seed_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

uint64_t seeds_count(const struct seeds *s)
{
	struct seed_range *r = xmemdup(s->range, s->n * sizeof *r);
	uint64_t n = 0;

	qsort(r, s->n, sizeof *r, by_first);
	for (size_t i = 0; i < s->n && n < UINT64_MAX; i++) {
		struct seed_range part = r[i];
		/* What an earlier range has too is not counted again. */
		if (i && part.first <= r[i - 1].last) {
			if (part.last <= r[i - 1].last) {
				r[i] = r[i - 1];
				continue;
			}
			part.first = r[i - 1].last + 1;
		}
		n = part.last - part.first >= UINT64_MAX - n ? UINT64_MAX : n + (part.last - part.first) + 1;
	}
	free(r);
	return n;
}

void seeds_clear(struct seeds *s)
{
	free(s->range);
	*s = (struct seeds){0};
}
