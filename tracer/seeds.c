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

uint64_t seeds_count(const struct seeds *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t more = s->range[i].last - s->range[i].first;
		if (more >= UINT64_MAX - n)
			return UINT64_MAX;
		n += more + 1;
	}
	return n;
}

void seeds_clear(struct seeds *s)
{
	free(s->range);
	*s = (struct seeds){0};
}
