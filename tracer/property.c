#include "tracer/property.h"

#include "base/mem.h"
#include "tracer/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	bool reached, was_true, fails;
} kinds[] = {
#define X(name, word, reached, was_true, fails) [PROP_##name] = {word, reached, was_true, fails},
	PROPERTY_KINDS(X)
#undef X
};

const char *property_kind_name(enum property_kind k)
{
	return kinds[k].word;
}

bool property_kind_find(const char *word, enum property_kind *out)
{
	for (int k = 0; k < PROP_KINDS; k++)
		if (!strcmp(kinds[k].word, word)) {
			*out = (enum property_kind)k;
			return true;
		}
	return false;
}

bool property_must_be_reached(enum property_kind k)
{
	return kinds[k].reached;
}

bool property_must_be_true(enum property_kind k)
{
	return kinds[k].was_true;
}

bool property_fails_when_false(enum property_kind k)
{
	return kinds[k].fails;
}

struct property *property_note(struct properties *ps, enum property_kind k, const char *message, const char *location)
{
	struct property *p = NULL;

	for (size_t i = 0; i < ps->n && !p; i++)
		if (ps->v[i].kind == k && !strcmp(ps->v[i].message, message))
			p = &ps->v[i];
	if (!p) {
		if (ps->n == ps->cap) {
			ps->cap = ps->cap ? ps->cap * 2 : 16;
			ps->v = xrealloc(ps->v, ps->cap * sizeof *ps->v);
		}
		p = &ps->v[ps->n++];
		*p = (struct property){.kind = k, .message = xstrdup(message)};
	}
	if (!p->location && location)
		p->location = xstrdup(location);
	return p;
}

void property_margin(struct property *p, long double margin, bool integer)
{
	if (isnan(margin))
		return;
	if (p->has_margin && (p->kind == PROP_SOMETIMES ? margin <= p->margin : margin >= p->margin))
		return;
	p->has_margin = true;
	p->integer = integer;
	p->margin = margin;
}

void property_print_margin(const struct property *p, struct buf *out)
{
	if (p->integer)
		buf_addf(out, "%.0Lf", p->margin);
	else
		buf_addf(out, "%.10Lg", p->margin);
}

void properties_json(const struct properties *ps, struct buf *out)
{
	buf_addc(out, '[');
	for (size_t i = 0; i < ps->n; i++) {
		const struct property *p = &ps->v[i];
		buf_addf(out, "%s{\"kind\":\"%s\",\"message\":", i ? "," : "", kinds[p->kind].word);
		json_add_string(out, p->message, strlen(p->message));
		if (p->location) {
			buf_adds(out, ",\"location\":");
			json_add_string(out, p->location, strlen(p->location));
		}
		buf_addf(out, ",\"reached\":%s,\"true\":%s", p->reached ? "true" : "false", p->was_true ? "true" : "false");
		if (p->has_margin && isfinite(p->margin)) {
			buf_addf(out, ",\"margin\":");
			property_print_margin(p, out);
		}
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

void properties_clear(struct properties *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		free(ps->v[i].message);
		free(ps->v[i].location);
	}
	free(ps->v);
	*ps = (struct properties){0};
}

const char *short_location(const char *location)
{
	const char *at = location + strlen(location);

	for (int parts = 0; at > location; at--)
		if (at[-1] == '/' && ++parts == 2)
			break;
	return at;
}
