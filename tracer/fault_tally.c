#include "tracer/fault_tally.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const struct fault_kind *kind;
	unsigned applied, effective;
};

/* The next "KIND applied effective"; *at moves on. */
static bool next_line(const struct buf *b, size_t *at, struct line *l)
{
	const char *s = b->data + *at, *end = *at < b->len ? memchr(s, '\n', b->len - *at) : NULL;
	size_t n;

	if (!end)
		return false;
	n = strcspn(s, " ");
	l->kind = fault_kind_find(s, n);
	*at += (size_t)(end - s) + 1;
	return l->kind && sscanf(s + n, "%u %u", &l->applied, &l->effective) == 2;
}

void fault_tally_add(struct fault_tally *t, const struct buf *faults)
{
	struct line l;

	for (size_t at = 0; next_line(faults, &at, &l);) {
		unsigned i = (unsigned)(l.kind - fault_kinds);
		t->kind[i].seeds++;
		t->kind[i].applied += l.applied;
		t->kind[i].effective += l.effective;
	}
}

bool fault_tally_print(const struct fault_tally *t, FILE *out)
{
	bool any = false;

	for (unsigned i = 0; i < fault_nkinds(); i++) {
		if (!t->kind[i].applied)
			continue;
		if (!any)
			fprintf(out, "%-14s %6s %8s %12s\n", "fault", "seeds", "applied", "with effect");
		any = true;
		fprintf(out, "  %-12s %6" PRIu64 " %8" PRIu64 " %12" PRIu64 "%s\n", fault_kinds[i].name, t->kind[i].seeds,
			t->kind[i].applied, t->kind[i].effective, t->kind[i].effective ? "" : "  <- never had an effect");
	}
	return any;
}

bool fault_tally_line(const struct buf *faults, const struct buf *idle, FILE *out)
{
	const char *sep = "faults: ";
	bool any;
	struct line l;

	for (size_t at = 0; next_line(faults, &at, &l); sep = ", ") {
		fprintf(out, "%s%s %u", sep, l.kind->name, l.applied);
		if (l.effective < l.applied)
			fprintf(out, " (%u with effect)", l.effective);
	}
	any = !strcmp(sep, ", ");
	if (any)
		fputc('\n', out);
	sep = "faults without effect: ";
	for (size_t at = 0; at < idle->len; sep = ", ") {
		const char *s = idle->data + at;
		size_t n = strcspn(s, "\n");
		fprintf(out, "%s%.*s", sep, (int)n, s);
		at += n + 1;
	}
	if (!strcmp(sep, ", "))
		fputc('\n', out);
	return any || idle->len;
}

json_t *fault_tally_json(const struct buf *faults)
{
	json_t *j = json_object();
	struct line l;

	for (size_t at = 0; next_line(faults, &at, &l);)
		json_object_set_new(j, l.kind->name, json_pack("{s:i, s:i}", "applied", (int)l.applied, "effective", (int)l.effective));
	return j;
}
