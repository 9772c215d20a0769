#include "tracer/coverage.h"

#include "base/mem.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct covered *find(struct coverage *c, enum property_kind k, const char *message, const char *location)
{
	struct covered *v;

	for (size_t i = 0; i < c->n; i++) {
		v = &c->v[i];
		if (v->p.kind != k || strcmp(v->p.message, message))
			continue;
		if (!v->p.location && location)
			v->p.location = xstrdup(location);
		return v;
	}
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 16;
		c->v = xrealloc(c->v, c->cap * sizeof *c->v);
	}
	v = &c->v[c->n++];
	*v = (struct covered){.p = {.kind = k, .message = xstrdup(message), .location = location ? xstrdup(location) : NULL}};
	return v;
}

void coverage_know(struct coverage *c, const struct properties *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		find(c, ps->v[i].kind, ps->v[i].message, ps->v[i].location);
}

static void add_margin(struct property *p, const json_t *margin)
{
	if (json_is_integer(margin))
		property_margin(p, (long double)json_integer_value(margin), true);
	else if (json_is_real(margin))
		property_margin(p, (long double)json_real_value(margin), false);
}

void coverage_add(struct coverage *c, const struct buf *properties)
{
	json_t *list = json_loadb(properties->data ? properties->data : "[]", properties->data ? properties->len : 2, 0, NULL), *j;
	size_t i;

	c->seeds++;
	json_array_foreach(list, i, j) {
		enum property_kind k;
		const char *kind = json_string_value(json_object_get(j, "kind"));
		const char *message = json_string_value(json_object_get(j, "message"));
		struct covered *v;
		if (!kind || !message || !property_kind_find(kind, &k))
			continue;
		v = find(c, k, message, json_string_value(json_object_get(j, "location")));
		v->seeds_reached += json_is_true(json_object_get(j, "reached"));
		v->seeds_true += json_is_true(json_object_get(j, "true"));
		v->p.reached |= json_is_true(json_object_get(j, "reached"));
		v->p.was_true |= json_is_true(json_object_get(j, "true"));
		add_margin(&v->p, json_object_get(j, "margin"));
	}
	json_decref(list);
}

const char *coverage_missing_how(const struct covered *v)
{
	if (!v->p.reached)
		return property_must_be_reached(v->p.kind) ? "never reached" : NULL;
	return property_must_be_true(v->p.kind) && !v->p.was_true ? "never true" : NULL;
}

size_t coverage_missing(const struct coverage *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += coverage_missing_how(&c->v[i]) != NULL;
	return n;
}

/* On one line, whatever it holds. */
static void print_message(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", out);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\x%02x", (unsigned char)*s);
		else
			fputc(*s, out);
	}
}

static void print_one(const struct covered *v, int width, FILE *out)
{
	const char *what = coverage_missing_how(v);
	struct buf margin = {0};

	fprintf(out, "  %-*s %13" PRIu64 " %11" PRIu64 "  ", width, property_kind_name(v->p.kind), v->seeds_reached, v->seeds_true);
	print_message(out, v->p.message);
	if (v->p.has_margin) {
		property_print_margin(&v->p, &margin);
		fprintf(out, "  (%s margin %s)", v->p.kind == PROP_SOMETIMES ? "largest" : "smallest", margin.data);
	}
	if (what)
		fprintf(out, "  <- %s", what);
	if (what && v->p.location)
		fprintf(out, " (%s)", short_location(v->p.location));
	fputc('\n', out);
	buf_clear(&margin);
}

void coverage_print(const struct coverage *c, FILE *out)
{
	int width = 11;

	if (!c->n)
		return;
	for (size_t i = 0; i < c->n; i++)
		width = MAX(width, (int)strlen(property_kind_name(c->v[i].p.kind)));
	fprintf(out, "%-*s seeds reached  seeds true\n", width + 2, "property");
	for (size_t i = 0; i < c->n; i++)
		print_one(&c->v[i], width, out);
}

void coverage_clear(struct coverage *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].p.message);
		free(c->v[i].p.location);
	}
	free(c->v);
	*c = (struct coverage){0};
}
