#include "tracer/groups.h"

#include "base/mem.h"
#include "tracer/result.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a result does not say itself: its message, in which numbers stand for what changes from seed to seed. */
static char *common_part(const struct run_result *r)
{
	struct buf b = {0};

	if (*r->group)
		return xstrdup(r->group);
	for (const char *s = r->message; *s && *s != '\n';) {
		bool hex = s[0] == '0' && s[1] == 'x';
		if (!isdigit((unsigned char)*s)) {
			buf_addc(&b, *s++);
			continue;
		}
		buf_addc(&b, 'N');
		s += hex ? 2 : 0;
		while (hex ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s))
			s++;
	}
	buf_addc(&b, 0);
	return b.data;
}

uint64_t groups_add(struct groups *g, uint64_t seed, const struct run_result *r)
{
	char *what = common_part(r);
	struct failure_group *v = NULL;

	for (size_t i = 0; i < g->n && !v; i++)
		if (g->v[i].cls == r->cls && !strcmp(g->v[i].node, r->node) && !strcmp(g->v[i].what, what))
			v = &g->v[i];
	if (!v) {
		g->v = xrealloc(g->v, (g->n + 1) * sizeof *g->v);
		v = &g->v[g->n++];
		*v = (struct failure_group){.cls = r->cls, .node = xstrdup(r->node), .what = xstrdup(what)};
	}
	free(what);
	if (v->count < ARRAY_LEN(v->seed))
		v->seed[v->count] = seed;
	return ++v->count;
}

static int most_first(const void *a, const void *b)
{
	const struct failure_group *x = *(const struct failure_group *const *)a, *y = *(const struct failure_group *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x < y ? -1 : x > y; /* as they came up */
}

void groups_print(const struct groups *g, FILE *out)
{
	const struct failure_group **order = xnewn(const struct failure_group *, g->n + 1);

	for (size_t i = 0; i < g->n; i++)
		order[i] = &g->v[i];
	qsort(order, g->n, sizeof *order, most_first);
	if (g->n)
		fputs("failures:\n", out);
	for (size_t i = 0; i < g->n; i++) {
		const struct failure_group *v = order[i];
		fprintf(out, "  %5" PRIu64 "  %s", v->count, verdict_class_name(v->cls));
		if (*v->node)
			fprintf(out, " \xc2\xb7 %s", v->node);
		fprintf(out, ": %s (seed%s", v->what, v->count == 1 ? "" : "s");
		for (uint64_t k = 0; k < MIN(v->count, (uint64_t)ARRAY_LEN(v->seed)); k++)
			fprintf(out, "%s %" PRIu64, k ? "," : "", v->seed[k]);
		fprintf(out, "%s)\n", v->count > ARRAY_LEN(v->seed) ? " …" : "");
	}
	free(order);
}

void groups_clear(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->v[i].node);
		free(g->v[i].what);
	}
	free(g->v);
	*g = (struct groups){0};
}
