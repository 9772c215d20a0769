/* simrun syscalls [-json FILE] [NAME ...]: the table of system calls, for people and for programs. */
#include "base/mem.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct listing {
	const char *json_path; /* NULL: none */
	int nnames;
	char **names;          /* none: all */
};

static int set_json(void *to, const char *v, struct err *e)
{
	((struct listing *)to)->json_path = v;
	return 0;
}

static const struct option table[] = {
	{"json", "FILE", 0, "write one JSON object a call; - is standard output", set_json},
	OPTIONS_END,
};

static void help(void)
{
	printf("usage: simrun syscalls [OPTIONS] [NAME ...]\n"
	       "\n"
	       "Lists the system calls of x86-64 Linux and how the simulation serves each:\n"
	       "  EMULATE  the simulator answers, the kernel never runs the call\n"
	       "  PROXY    the simulator makes it on the real file, in the caller's place\n"
	       "  OBSERVE  the kernel runs it in the caller, and the simulator sees what happens\n"
	       "  NATIVE   the kernel runs it, unseen\n"
	       "  REFUSE   it fails with this error; the run's warnings name it, unless marked 'quiet'\n"
	       "\n"
	       "options:\n");
	options_help(table, stdout);
}

static bool wanted(const struct listing *l, const struct sysrow *r)
{
	for (int i = 0; i < l->nnames; i++)
		if (!strcmp(l->names[i], r->name))
			return true;
	return !l->nnames;
}

static bool is_unused(const struct sysrow *r)
{
	return !strncmp(r->name, "unused_", 7);
}

/* The reason without its mark; *warns: whether a refusal is named in the run's warnings. */
static const char *plain_reason(const struct sysrow *r, bool *warns)
{
	static const char mark[] = "quiet: ";
	bool quiet = !strncmp(r->reason, mark, sizeof mark - 1);

	*warns = r->cls == CLS_REFUSE && !quiet;
	return quiet ? r->reason + sizeof mark - 1 : r->reason;
}

static void print_row(const struct sysrow *r)
{
	char cls[32];
	bool warns;
	const char *reason = plain_reason(r, &warns);

	if (r->cls == CLS_REFUSE)
		snprintf(cls, sizeof cls, "REFUSE %s", strerrorname_np(r->refuse_errno));
	else
		snprintf(cls, sizeof cls, "%s", sys_class_name(r->cls));
	printf("%4ld  %-23s %-17s %-28s %s%s\n", r->nr, r->name, cls, r->args[0] ? r->args : "none",
	       r->cls == CLS_REFUSE && !warns ? "quiet: " : "", reason);
}

static void print_table(const struct listing *l)
{
	unsigned count[CLS_REFUSE + 1] = {0}, unused = 0;

	printf("  NR  %-23s %-17s %-28s %s\n", "NAME", "CLASS", "ARGUMENTS", "WHY");
	for (long nr = 0; nr < SYSROW_MAX; nr++) {
		const struct sysrow *r = sysrow_get(nr);
		if (!r || !wanted(l, r))
			continue;
		if (is_unused(r)) {
			unused++;
			continue;
		}
		print_row(r);
		count[r->cls]++;
	}
	if (wanted(l, sysrow_get(SIMRUN_NR)))
		print_row(sysrow_get(SIMRUN_NR));
	if (l->nnames)
		return;
	printf("\n");
	for (int cls = 0; cls <= CLS_REFUSE; cls++)
		printf("%s%s %u", cls ? ", " : "", sys_class_name((enum sys_class)cls), count[cls]);
	printf("; %u numbers belong to no call (ENOSYS)\n", unused);
}

static json_t *row_json(const struct sysrow *r)
{
	json_t *j = json_object(), *args = json_array();
	const char *reason, *word = r->args, *spec = r->args;
	bool warns;

	reason = plain_reason(r, &warns);
	while (sysarg_next(&spec) != ARG_END) {
		json_array_append_new(args, json_stringn(word, strcspn(word, ",")));
		word = spec;
	}
	json_object_set_new(j, "nr", json_integer(r->nr));
	json_object_set_new(j, "name", json_string(r->name));
	json_object_set_new(j, "class", json_string(sys_class_name(r->cls)));
	json_object_set_new(j, "args", args);
	json_object_set_new(j, "result_hashed", json_boolean(r->cls != CLS_NATIVE && (r->flags & SYSF_HASH_RESULT)));
	if (r->cls == CLS_REFUSE) {
		json_object_set_new(j, "errno", json_string(strerrorname_np(r->refuse_errno)));
		json_object_set_new(j, "warns", json_boolean(warns));
	}
	json_object_set_new(j, "reason", json_string(reason));
	return j;
}

static int write_json(const struct listing *l, struct err *e)
{
	bool to_stdout = !strcmp(l->json_path, "-");
	FILE *f = to_stdout ? stdout : fopen(l->json_path, "we");
	bool bad;

	if (!f)
		return err_set(e, errno, "cannot write '%s'", l->json_path);
	for (long nr = 0; nr <= SYSROW_MAX; nr++) {
		const struct sysrow *r = sysrow_get(nr < SYSROW_MAX ? nr : SIMRUN_NR);
		json_t *j;
		if (!r || !wanted(l, r))
			continue;
		j = row_json(r);
		json_dumpf(j, f, JSON_COMPACT | JSON_PRESERVE_ORDER);
		json_decref(j);
		fputc('\n', f);
	}
	bad = ferror(f) | (to_stdout ? fflush(f) : fclose(f));
	return bad ? err_set(e, errno, "cannot write '%s'", l->json_path) : 0;
}

static int check_names(const struct listing *l, struct err *e)
{
	for (int i = 0; i < l->nnames; i++)
		if (!sysrow_find(l->names[i]))
			return err_set(e, 0, "there is no system call '%s'; simrun syscalls lists all", l->names[i]);
	return 0;
}

int cmd_syscalls(int argc, char **argv)
{
	struct listing l = {0};
	struct err e = {0};
	int n = options_parse(table, &l, argc - 1, argv + 1, NULL, &e);

	if (n == OPTIONS_HELP) {
		help();
		return STATUS_PASS;
	}
	if (n < 0)
		return usage_error(&e);
	l.names = argv + 1 + n;
	l.nnames = argc - 1 - n;
	if (check_names(&l, &e) < 0)
		return usage_error(&e);
	if (!l.json_path || strcmp(l.json_path, "-"))
		print_table(&l);
	if (l.json_path && write_json(&l, &e) < 0) {
		fprintf(stderr, "simrun: %s\n", e.msg);
		return STATUS_HARNESS;
	}
	return STATUS_PASS;
}
