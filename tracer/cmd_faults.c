/* simrun faults [-markdown] [KIND ...]: what can be injected, read off the table. */
#include "base/mem.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/fault_kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int set_markdown(void *to, const char *v, struct err *e)
{
	*(bool *)to = true;
	return 0;
}

static const struct option table[] = {
	{"markdown", NULL, 0, "as the tables of docs/faults.md", set_markdown},
	OPTIONS_END,
};

static void help(void)
{
	printf("usage: simrun faults [OPTIONS] [KIND ...]\n"
	       "\n"
	       "Lists the faults that can be injected: with -faults a seed draws them, with -fault you say when and where.\n"
	       "\n"
	       "options:\n");
	options_help(table, stdout);
}

static const char *type_name(enum fault_type t)
{
	static const char *const names[] = {
		[FV_TIME] = "TIME", [FV_COUNT] = "N", [FV_BYTES] = "BYTES", [FV_CHANCE] = "CHANCE", [FV_PPM] = "RATE",
		[FV_ERRNO] = "ERRNO", [FV_WORD] = "WORD", [FV_NODE] = "NODE", [FV_NODES] = "NODES", [FV_GROUPS] = "GROUPS"};

	return names[t];
}

static void add_value(const struct fault_param *p, int64_t n, struct buf *out)
{
	fault_value_print(p, &(struct fault_value){.set = true, .n = n}, out);
}

/* Empty when there is none. */
static void add_default(const struct fault_param *p, struct buf *out)
{
	if (p->required)
		buf_adds(out, "required");
	else if (!fault_value_is_text(p->type))
		add_value(p, p->def, out);
	else
		buf_adds(out, "");
}

static void add_drawn(const struct fault_kind *k, const struct fault_param *p, struct buf *out)
{
	buf_adds(out, "");
	if (k->level == LEVEL_NONE || fault_value_is_text(p->type) || (!p->from && !p->to))
		return;
	if (p->type == FV_WORD) {
		buf_adds(out, "any");
		return;
	}
	buf_adds(out, p->min < 0 ? "±" : "");
	add_value(p, p->from, out);
	buf_adds(out, "..");
	add_value(p, p->to, out);
}

static const char *level_text(const struct fault_kind *k)
{
	switch (k->level) {
	case LEVEL_NONE:
		return "only with -fault";
	case LEVEL_NAMED:
		return "in no preset";
	default:
		return fault_level_name(k->level);
	}
}

static void print_effects(const struct fault_kind *k)
{
	for (int i = 0; k->effects[i] != EFFECTS; i++)
		printf("%s%s", i ? ", " : "", fault_effect_name(k->effects[i]));
}

static void print_kind(const struct fault_kind *k)
{
	printf("%-14s %s\n", k->name, k->help);
	for (const struct fault_param *p = k->params; p->name; p++) {
		struct buf def = {0}, drawn = {0};
		add_default(p, &def);
		add_drawn(k, p, &drawn);
		printf("    %-10s %-7s %s", p->name, type_name(p->type), p->help);
		if (p->words)
			printf(" (%s)", p->words);
		if (def.len)
			printf("; %s%s", p->required ? "" : "default ", def.data);
		if (drawn.len)
			printf("; drawn %s", drawn.data);
		printf("\n");
		buf_clear(&def);
		buf_clear(&drawn);
	}
	if (k->calls)
		printf("    watches %s\n", k->calls);
	printf("    preset: %s; counts ", level_text(k));
	print_effects(k);
	printf("\n");
}

static void print_sets(void)
{
	const char *name, *text;

	printf("\nsets of calls, for call=\n");
	for (unsigned i = 0; (name = callset_name(i, &text)); i++)
		printf("    %-10s %s\n", name, text);
}

/* A cell of a table must not end it. */
static void print_cell(const char *s)
{
	for (; *s; s++)
		printf(*s == '|' ? "\\|" : "%c", *s);
}

static void markdown_kind(const struct fault_kind *k)
{
	printf("| `%s` | %s | %s | ", k->name, k->help, level_text(k));
	for (const struct fault_param *p = k->params; p->name; p++) {
		struct buf def = {0}, drawn = {0};
		add_default(p, &def);
		add_drawn(k, p, &drawn);
		printf("%s`%s`: ", p == k->params ? "" : "<br>", p->name);
		print_cell(p->help);
		if (p->words) {
			printf(" (");
			print_cell(p->words);
			printf(")");
		}
		if (def.len)
			printf("; %s%s", p->required ? "" : "default ", def.data);
		if (drawn.len)
			printf("; drawn %s", drawn.data);
		buf_clear(&def);
		buf_clear(&drawn);
	}
	printf(" | ");
	print_effects(k);
	printf(" |\n");
}

static void print_group(enum fault_group g, bool markdown)
{
	if (markdown)
		printf("### On %s\n\n| kind | what it does | preset | settings | counts |\n|---|---|---|---|---|\n", fault_group_name(g));
	else
		printf("%s---- on %s ----\n", g ? "\n" : "", fault_group_name(g));
	for (unsigned i = 0; i < fault_nkinds(); i++) {
		if (fault_kinds[i].group != g)
			continue;
		if (markdown)
			markdown_kind(&fault_kinds[i]);
		else
			print_kind(&fault_kinds[i]);
	}
	if (markdown)
		printf("\n");
}

int cmd_faults(int argc, char **argv)
{
	bool markdown = false;
	struct err e = {0};
	int n = options_parse(table, &markdown, argc - 1, argv + 1, NULL, &e);

	if (n == OPTIONS_HELP) {
		help();
		return STATUS_PASS;
	}
	if (n < 0)
		return usage_error(&e);
	for (int i = 1 + n; i < argc; i++)
		if (!fault_kind_find(argv[i], strlen(argv[i])))
			return err_set(&e, 0, "there is no fault '%s'; simrun faults lists all", argv[i]), usage_error(&e);
	for (int i = 1 + n; i < argc; i++)
		print_kind(fault_kind_find(argv[i], strlen(argv[i])));
	if (argc > 1 + n)
		return STATUS_PASS;
	for (int g = FAULT_NODES; g <= FAULT_CLOCKS; g++)
		print_group((enum fault_group)g, markdown);
	if (!markdown)
		print_sets();
	return STATUS_PASS;
}
