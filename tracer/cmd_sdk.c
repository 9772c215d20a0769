/*
 * The SDK for shell scripts: simrun op, prop, event, fail, setup-complete, quiet, buggify, budget, random. They speak to
 * the simulation that they run in. Anywhere else they do nothing and succeed, so that the same script runs natively.
 */
#include "sdk/c/simrun.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/message.h"
#include "tracer/property.h"
#include "tracer/scenario.h"

#include "base/mem.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
	bool json;           /* values are JSON, not text */
	const char *details; /* NULL: none */
	const char *after;   /* ids, with commas */
};

static int set_json(void *to, const char *v, struct err *e)
{
	((struct words *)to)->json = true;
	return 0;
}

static int set_details(void *to, const char *v, struct err *e)
{
	((struct words *)to)->details = v;
	return 0;
}

static int set_after(void *to, const char *v, struct err *e)
{
	((struct words *)to)->after = v;
	return v[strspn(v, "0123456789,")] ? err_set(e, 0, "ids of operations, with commas between them") : 0;
}

static const struct option no_options[] = {OPTIONS_END};
static const struct option op_options[] = {
	{"json", NULL, 0, "the value, or what came out, is JSON; else it is a text", set_json},
	{"after", "IDS", 0, "operations that surely happened before this one", set_after},
	OPTIONS_END,
};
static const struct option prop_options[] = {
	{"details", "TEXT", 0, "what changes from run to run, shown on failure", set_details},
	OPTIONS_END,
};

static void member(struct buf *b, const char *key, const char *text)
{
	buf_addf(b, "%s\"%s\":", b->len ? "," : "{", key);
	json_add_string(b, text, strlen(text));
}

static void raw_member(struct buf *b, const char *key, const char *json)
{
	buf_addf(b, "%s\"%s\":%s", b->len ? "," : "{", key, json);
}

static void value_member(struct buf *b, const struct words *w, const char *key, const char *value)
{
	if (!value)
		raw_member(b, key, "null");
	else if (w->json)
		raw_member(b, key, value);
	else
		member(b, key, value);
}

/* Sends and empties it; the answer. */
static int64_t send(struct buf *b)
{
	int64_t r;

	buf_adds(b, "}");
	r = simrun_send(b->data);
	buf_clear(b);
	return r;
}

/* ---- op ---- */

static int op_invoke(const struct words *w, int argc, char **argv, struct err *e)
{
	struct buf b = {0};
	int64_t id;

	if (argc < 2 || argc > 4)
		return err_set(e, 0, "write simrun op invoke PROCESS F [KEY [VALUE]]");
	member(&b, "type", "invoke");
	if (argv[0][strspn(argv[0], "0123456789")] || !*argv[0])
		member(&b, "process", argv[0]);
	else
		raw_member(&b, "process", argv[0]);
	member(&b, "f", argv[1]);
	if (argc > 2)
		member(&b, "key", argv[2]);
	value_member(&b, w, "value", argc > 3 ? argv[3] : NULL);
	if (w->after) {
		char *ids = xasprintf("[%s]", w->after);
		raw_member(&b, "after", ids);
		free(ids);
	}
	id = send(&b);
	if (id >= 0)
		printf("%" PRId64 "\n", id);
	return 0;
}

static int op_complete(const struct words *w, const char *type, int argc, char **argv, struct err *e)
{
	bool ok = !strcmp(type, "ok");
	struct buf b = {0};

	if (argc < 1 || argc > (ok ? 2 : 1))
		return err_set(e, 0, "write simrun op %s ID%s", !strcmp(type, "info") ? "unknown" : type, ok ? " [OUTPUT]" : "");
	if (!simrun_active())
		return 0;
	if (argv[0][strspn(argv[0], "0123456789")] || !*argv[0])
		return err_set(e, 0, "'%s' is no operation; write the number that simrun op invoke printed", argv[0]);
	member(&b, "type", type);
	raw_member(&b, "id", argv[0]);
	if (ok)
		value_member(&b, w, "value", argc > 1 ? argv[1] : NULL);
	send(&b);
	return 0;
}

static int op(const struct words *w, int argc, char **argv, struct err *e)
{
	const char *word = argc ? argv[0] : "";

	if (!strcmp(word, "invoke"))
		return op_invoke(w, argc - 1, argv + 1, e);
	if (!strcmp(word, "ok") || !strcmp(word, "fail"))
		return op_complete(w, word, argc - 1, argv + 1, e);
	if (!strcmp(word, "unknown"))
		return op_complete(w, "info", argc - 1, argv + 1, e);
	return err_set(e, 0, "write simrun op invoke, ok, unknown or fail; simrun op -h says more");
}

/* ---- prop ---- */

static bool truth(const char *word, bool *out)
{
	*out = !strcmp(word, "true") || !strcmp(word, "1");
	return *out || !strcmp(word, "false") || !strcmp(word, "0");
}

static bool is_number(const char *s)
{
	char *end;

	(void)strtold(s, &end);
	return end > s && !*end && strspn(s, "0123456789+-.eE") == strlen(s) && *s != '+';
}

static int compare(struct buf *b, char **argv, struct err *e)
{
	static const char *const ops[] = {">", ">=", "<", "<="};
	long double l = strtold(argv[0], NULL), r = strtold(argv[2], NULL);
	bool less = argv[1][0] == '<', cond;
	size_t i = 0;

	while (i < ARRAY_LEN(ops) && strcmp(ops[i], argv[1]))
		i++;
	if (i == ARRAY_LEN(ops) || !is_number(argv[0]) || !is_number(argv[2]))
		return err_set(e, 0, "a comparison is NUMBER, one of '>' '>=' '<' '<=', NUMBER");
	cond = l == r ? argv[1][1] == '=' : (l < r) == less;
	raw_member(b, "condition", cond ? "true" : "false");
	raw_member(b, "left", argv[0]);
	member(b, "op", argv[1]);
	raw_member(b, "right", argv[2]);
	return 0;
}

struct command_line {
	char **argv;
};

static bool succeeds(void *arg)
{
	const struct command_line *c = arg;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		execvp(c->argv[0], c->argv);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* simrun prop eventually MESSAGE WITHIN COMMAND…: outside of a simulation it waits as well, and fails when it is in vain. */
static int eventually(int argc, char **argv, int *status, struct err *e)
{
	struct command_line c;
	int64_t within, until, step;
	bool done;

	if (argc < 3)
		return err_set(e, 0, "write simrun prop eventually MESSAGE WITHIN COMMAND [ARGS]");
	if (duration_parse(argv[1], &within, e) < 0)
		return -1;
	c.argv = argv + 2;
	if (simrun_active()) {
		done = simrun_eventually_("script", "", argv[0], succeeds, &c, within);
	} else {
		/* The SDK would abort; a script has its status. */
		step = MAX(within / 100, 1);
		for (until = 0; !(done = succeeds(&c)) && until < within; until += MAX(step, 1000000))
			poll(NULL, 0, (int)MIN(MAX(step / 1000000, 1), 1000000));
	}
	*status = done ? STATUS_PASS : STATUS_FAIL;
	return 0;
}

static int prop(const struct words *w, int argc, char **argv, int *status, struct err *e)
{
	enum property_kind k;
	struct buf b = {0};
	bool cond, bare;

	if (argc < 2 || !property_kind_find(argv[0], &k))
		return err_set(e, 0, "write simrun prop KIND MESSAGE [CONDITION]; simrun prop -h says more");
	if (k == PROP_EVENTUALLY)
		return eventually(argc - 1, argv + 1, status, e);
	bare = k == PROP_REACHABLE || k == PROP_UNREACHABLE;
	if (argc != (bare ? 2 : 3) && (bare || argc != 5))
		return err_set(e, 0, bare ? "%s takes a message and no condition" : "%s takes a message and true, false or a comparison",
			       argv[0]);
	member(&b, "simrun", argv[0]);
	member(&b, "message", argv[1]);
	if (argc == 3 && !truth(argv[2], &cond))
		return err_set(e, 0, "'%s' is no condition; write true or false", argv[2]);
	if (argc == 3)
		raw_member(&b, "condition", cond ? "true" : "false");
	if (argc == 5 && compare(&b, argv + 2, e) < 0)
		return -1;
	if (w->details)
		member(&b, "details", w->details);
	send(&b);
	return 0;
}

/* ---- the others ---- */

static int event(int argc, char **argv, struct err *e)
{
	struct buf b = {0};

	if (argc < 1 || argc > 2)
		return err_set(e, 0, "write simrun event NAME [JSON]");
	member(&b, "simrun", "event");
	member(&b, "name", argv[0]);
	raw_member(&b, "details", argc > 1 ? argv[1] : "null");
	send(&b);
	return 0;
}

static int fail(int argc, char **argv, struct err *e)
{
	struct buf b = {0};

	if (argc != 1)
		return err_set(e, 0, "write simrun fail MESSAGE");
	member(&b, "simrun", "fail");
	member(&b, "message", argv[0]);
	send(&b);
	return 0;
}

static int quiet(int argc, char **argv, struct err *e)
{
	int64_t ns;

	if (argc != 1)
		return err_set(e, 0, "write simrun quiet DURATION");
	if (duration_parse(argv[0], &ns, e) < 0)
		return -1;
	simrun_quiet_for(ns);
	return 0;
}

static int budget(int argc, char **argv, struct err *e)
{
	uint64_t n;

	if (argc != 1)
		return err_set(e, 0, "write simrun budget N");
	if (parse_u64(argv[0], &n, e) < 0)
		return -1;
	printf("%" PRId64 "\n", simrun_budget((int64_t)MIN(n, (uint64_t)INT64_MAX)));
	return 0;
}

static const struct subcommand {
	const char *name, *usage, *about;
	const struct option *options;
} subcommands[] = {
	{"op", "invoke PROCESS F [KEY [VALUE]]\n       simrun op ok ID [OUTPUT]\n       simrun op unknown|fail ID",
	 "Records an operation of a client. invoke prints its number, which the completion\n"
	 "names: it took effect, it may have, or it surely did not.",
	 op_options},
	{"prop", "KIND MESSAGE [true|false|LEFT OP RIGHT]\n       simrun prop eventually MESSAGE WITHIN COMMAND [ARGS]",
	 "A property: always, always_or_unreachable, sometimes with a condition or a\n"
	 "comparison of two numbers (OP: > >= < <=); reachable, unreachable without.\n"
	 "eventually runs COMMAND until it succeeds, for WITHIN at most.",
	 prop_options},
	{"event", "NAME [JSON]", "Records a moment of the run in its trace.", no_options},
	{"fail", "MESSAGE", "Ends the run as failed.", no_options},
	{"setup-complete", "", "Says that faults may begin.", no_options},
	{"quiet", "DURATION", "Suppresses faults for so long.", no_options},
	{"buggify", "SITE", "Succeeds where the script shall misbehave on purpose.", no_options},
	{"budget", "N", "Prints N, or less in a run that is being made smaller.", no_options},
	{"random", "", "Prints a random number of 64 bits, from the seed.", no_options},
};

static int perform(const char *name, const struct words *w, int argc, char **argv, int *status, struct err *e)
{
	if (!strcmp(name, "op"))
		return op(w, argc, argv, e);
	if (!strcmp(name, "prop"))
		return prop(w, argc, argv, status, e);
	if (!strcmp(name, "event"))
		return event(argc, argv, e);
	if (!strcmp(name, "fail"))
		return fail(argc, argv, e);
	if (!strcmp(name, "quiet"))
		return quiet(argc, argv, e);
	if (!strcmp(name, "budget"))
		return budget(argc, argv, e);
	if (!strcmp(name, "buggify")) {
		if (argc != 1)
			return err_set(e, 0, "write simrun buggify SITE");
		*status = simrun_buggify(argv[0]) ? STATUS_PASS : STATUS_FAIL;
		return 0;
	}
	if (argc)
		return err_set(e, 0, "'%s' is one too many; simrun %s takes no arguments", argv[0], name);
	if (!strcmp(name, "random"))
		printf("%" PRIu64 "\n", simrun_random());
	else
		simrun_setup_complete();
	return 0;
}

int cmd_sdk(int argc, char **argv)
{
	const struct subcommand *c = subcommands;
	struct words w = {0};
	struct err e = {0};
	int n, status = STATUS_PASS;

	while (strcmp(c->name, argv[0]))
		c++;
	n = options_parse(c->options, &w, argc - 1, argv + 1, NULL, &e);
	if (n == OPTIONS_HELP) {
		printf("usage: simrun %s%s %s\n\n%s\nOutside of a simulation it does nothing and succeeds.\n", c->name,
		       c->options->name ? " [OPTIONS]" : "", c->usage, c->about);
		if (c->options->name) {
			printf("\noptions:\n");
			options_help(c->options, stdout);
		}
		return STATUS_PASS;
	}
	if (n < 0 || perform(c->name, &w, argc - 1 - n, argv + 1 + n, &status, &e) < 0)
		return usage_error(&e);
	return fflush(stdout) ? STATUS_HARNESS : status;
}
