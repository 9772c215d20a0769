#include "checker/cmd.h"

#include "checker/check.h"
#include "checker/stream.h"
#include "checker/user.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_PASS = 0, EXIT_FAIL = 1, EXIT_UNKNOWN = 2, EXIT_INPUT = 125, EXIT_USAGE = 129 };

struct command {
	struct check_options opt;
	const char *history, *json, *timeline, *model;
	enum hist_format format;
	int64_t deadline_ns; /* of -timeout; 0: none */
	int64_t checked_ns;  /* when the verdict was there */
	int repeat;          /* -repeat: check so often, for measurements */
	bool stats, quiet;
};

/* Processor time, so that the figures of -stats do not depend on what else runs. */
static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ns(void)
{
	struct timespec t;

	timespec_get(&t, TIME_UTC);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void checked(void *arg)
{
	struct command *c = arg;

	c->checked_ns = cpu_ns();
}

static bool expired(void *arg)
{
	const struct command *c = arg;

	return now_ns() > c->deadline_ns;
}

struct option {
	const char *name, *arg, *help;
	int (*set)(struct command *c, const char *arg);
};

static int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *fmt, ...)
{
	va_list ap;

	fputs("simrun check: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(" (see simrun check -h)\n", stderr);
	return -1;
}

static int set_history(struct command *c, const char *arg)
{
	c->history = arg;
	return 0;
}

static int set_model(struct command *c, const char *arg)
{
	c->model = arg;
	return 0;
}

static int set_order(struct command *c, const char *arg)
{
	static const struct { const char *name; unsigned order; } names[] = {
		{"realtime", ORDER_REALTIME | ORDER_EXPLICIT}, {"real-time", ORDER_REALTIME | ORDER_EXPLICIT},
		{"process", ORDER_PROCESS | ORDER_EXPLICIT}, {"explicit", ORDER_EXPLICIT}, {"none", 0}};
	bool none = false;

	c->opt.order = 0;
	for (const char *p = arg; *p;) {
		size_t n = strcspn(p, ","), k = 0;
		while (k < ARRAY_LEN(names) && (strlen(names[k].name) != n || strncmp(names[k].name, p, n)))
			k++;
		if (k == ARRAY_LEN(names))
			return usage_error("-order: '%.*s' is not one of realtime, process, explicit, none", (int)n, p);
		none |= !names[k].order;
		c->opt.order |= names[k].order;
		p += n + (p[n] == ',');
	}
	if (none)
		c->opt.order = 8; /* nothing at all, but given */
	return 0;
}

static int set_consistency(struct command *c, const char *arg)
{
	int l = level_find(arg);

	if (l < 0)
		return usage_error("-consistency: there is no level '%s'", arg);
	c->opt.consistency = (enum level)l;
	return 0;
}

static int set_initial(struct command *c, const char *arg)
{
	c->opt.initial = arg;
	return 0;
}

/* 100, 4k, 16M, 2G */
static int number(const char *name, const char *arg, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(arg, &end, 10);
	if (end > arg && *end && !end[1] && strchr("kKmMgG", *end)) {
		int shift = *end == 'k' || *end == 'K' ? 10 : *end == 'm' || *end == 'M' ? 20 : 30;
		if (*out > UINT64_MAX >> shift)
			errno = ERANGE;
		*out <<= shift;
		end++;
	}
	if (errno || end == arg || *end || *arg == '-')
		return usage_error("%s: '%s' is not a number", name, arg);
	return 0;
}

static int set_budget(struct command *c, const char *arg)
{
	return number("-budget", arg, &c->opt.limits.configs);
}

static int set_memory(struct command *c, const char *arg)
{
	uint64_t n;

	if (number("-memory", arg, &n))
		return -1;
	if (n < 1 << 20)
		return usage_error("-memory: at least 1M is needed");
	c->opt.limits.memory = n;
	return 0;
}

static int set_jobs(struct command *c, const char *arg)
{
	uint64_t n;

	if (number("-j", arg, &n) || !n || n > 1024)
		return n > 1024 || !n ? usage_error("-j: from 1 to 1024") : -1;
	c->opt.limits.jobs = (unsigned)n;
	return 0;
}

static int set_timeout(struct command *c, const char *arg)
{
	char *end;
	double t = strtod(arg, &end), unit = !strcmp(end, "ms") ? 1e-3 : !strcmp(end, "m") ? 60 : !*end || !strcmp(end, "s") ? 1 : 0;

	if (end == arg || unit == 0 || t <= 0 || t > 1e9)
		return usage_error("-timeout: '%s' is not a duration (30s, 5m)", arg);
	c->deadline_ns = now_ns() + (int64_t)(t * unit * 1e9);
	c->opt.limits.expired = expired;
	c->opt.limits.arg = c;
	return 0;
}

static int set_json(struct command *c, const char *arg)
{
	c->json = arg;
	return 0;
}

static int set_timeline(struct command *c, const char *arg)
{
	c->timeline = arg;
	return 0;
}

static int set_format(struct command *c, const char *arg)
{
	c->format = !strcmp(arg, "json") ? FMT_JSON : !strcmp(arg, "edn") ? FMT_EDN : !strcmp(arg, "log") ? FMT_LOG : FMT_AUTO;
	if (c->format == FMT_AUTO && strcmp(arg, "auto"))
		return usage_error("-format: '%s' is not one of auto, json, edn, log", arg);
	return 0;
}

static int set_group(struct command *c, const char *arg)
{
	uint64_t n;

	if (number("-group", arg, &n))
		return -1;
	c->opt.group = (int64_t)MIN(n, INT32_MAX);
	return 0;
}

static int set_negative(struct command *c, const char *arg)
{
	c->opt.negative_balances = true;
	return 0;
}

static int set_stats(struct command *c, const char *arg)
{
	c->stats = true;
	return 0;
}

static int set_repeat(struct command *c, const char *arg)
{
	uint64_t n;

	if (number("-repeat", arg, &n) || !n || n > 1000000)
		return usage_error("-repeat: from 1 to 1000000");
	c->repeat = (int)n;
	return 0;
}

static int set_verbose(struct command *c, const char *arg)
{
	c->opt.all_events = true;
	return 0;
}

static int set_quiet(struct command *c, const char *arg)
{
	c->quiet = true;
	return 0;
}

static const struct option options[] = {
	{"history", "FILE", "the history; - is standard input", set_history},
	{"model", "NAME|./SO", "a model of the list below, or your own; guessed when the operations tell", set_model},
	{"order", "ORDER", "realtime (default), process, explicit (\"after\" edges only), none; several with commas", set_order},
	{"consistency", "LEVEL", "of transactions; default serializable", set_consistency},
	{"initial", "VALUE", "the initial value, in the history's format", set_initial},
	{"budget", "N", "configurations that a search may visit; default 40,000,000", set_budget},
	{"memory", "BYTES", "for the history's text, and for a search's cache and states; default 1G", set_memory},
	{"timeout", "TIME", "safety net: give up after this much real time", set_timeout},
	{"j", "N", "keys to check in parallel; default 1", set_jobs},
	{"json", "FILE", "the result as JSON; - is standard output", set_json},
	{"timeline", "FILE", "an HTML timeline; default beside the history, on a violation; none", set_timeline},
	{"format", "FORMAT", "auto (default), json, edn, log", set_format},
	{"group", "N", "long-fork: keys in a group", set_group},
	{"negative-balances", NULL, "bank: balances may be below zero", set_negative},
	{"stats", NULL, "processor times of reading, checking and explaining, on standard error", set_stats},
	{"repeat", "N", "with -stats: check N times and tell the shortest time", set_repeat},
	{"v", NULL, "whole witness orders", set_verbose},
	{"q", NULL, "the verdict's line only", set_quiet},
};

static void help(void)
{
	printf("usage: simrun check -history FILE [options]\n\n"
	       "Judges a recorded history: is it linearizable, serializable, …? Exit status: 0 it is, 1 it is not,\n"
	       "2 unknown (a budget was spent), 125 the history cannot be read, 129 bad command line.\n\n");
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		char left[64];
		snprintf(left, sizeof left, "-%s %s", options[i].name, options[i].arg ? options[i].arg : "");
		printf("  %-22s %s\n", left, options[i].help);
	}
	printf("\nmodels:\n");
	for (size_t i = 0; models[i]; i++)
		printf("  %-22s %s\n", models[i]->name, models[i]->about);
	printf("\nlevels:");
	for (int l = 0; l < LEVELS; l++)
		printf(" %s", level_name((enum level)l));
	printf("\n");
}

/* 0: go on; 1: help was printed; -1: a mistake. */
static int parse(struct command *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *value = NULL;
		size_t k = 0, n;
		if (*a != '-' || !a[1]) {
			if (c->history)
				return usage_error("unexpected argument '%s'", a);
			c->history = a;
			continue;
		}
		a += a[1] == '-' ? 2 : 1;
		if (!strcmp(a, "h") || !strcmp(a, "help")) {
			help();
			return 1;
		}
		n = strcspn(a, "=");
		while (k < ARRAY_LEN(options) && (strlen(options[k].name) != n || strncmp(options[k].name, a, n)))
			k++;
		if (k == ARRAY_LEN(options))
			return usage_error("unknown option '%s'", argv[i]);
		if (a[n] == '=')
			value = a + n + 1;
		if (options[k].arg && !value) {
			if (++i == argc)
				return usage_error("option -%s needs a value", options[k].name);
			value = argv[i];
		}
		if (!options[k].arg && value)
			return usage_error("option -%s takes no value", options[k].name);
		if (options[k].set(c, value))
			return -1;
	}
	return c->history ? 0 : usage_error("no -history given");
}

static int write_file(const char *path, const struct buf *b)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;

	if (!f || (b->len && fwrite(b->data, 1, b->len, f) != b->len) || (f == stdout ? fflush(f) : fclose(f))) {
		fprintf(stderr, "simrun: cannot write '%s': %s\n", path, strerror(errno));
		return -1;
	}
	return 0;
}

static int bad_input(const struct command *c, const struct err *e, uint32_t line)
{
	if (line)
		fprintf(stderr, "simrun: %s:%u: %s\n", c->history, line, e->msg);
	else
		fprintf(stderr, "simrun: %s\n", e->msg);
	return EXIT_INPUT;
}

static int write_timeline(const struct command *cmd, const struct check *c, struct buf *text)
{
	char *path = cmd->timeline ? xstrdup(cmd->timeline) : NULL;
	struct buf html = {0};
	int r;

	if (!path && c->verdict == NOT_LINEARIZABLE && strcmp(cmd->history, "-"))
		path = xasprintf("%s.html", cmd->history);
	if (!path || !strcmp(path, "none")) {
		free(path);
		return 0;
	}
	report_html(c, &html);
	/* The default place may be read-only; that is no reason to fail. */
	if (cmd->timeline) {
		r = write_file(path, &html);
	} else {
		FILE *f = fopen(path, "wb");
		r = 0;
		if (f) {
			fwrite(html.data, 1, html.len, f);
			fclose(f);
		} else {
			buf_addf(text, "timeline  not written: %s: %s\n", path, strerror(errno));
			free(path);
			path = NULL;
		}
	}
	if (!r && path)
		buf_addf(text, "timeline  %s\n", path);
	buf_clear(&html);
	free(path);
	return r;
}

static int report(const struct command *cmd, const struct check *c, struct buf *text)
{
	FILE *out = cmd->json && !strcmp(cmd->json, "-") ? stderr : stdout;
	struct buf json = {0}, tl = {0};
	int r = write_timeline(cmd, c, &tl);

	if (cmd->quiet) {
		fprintf(out, "%s  %s\n", c->verdict == LINEARIZABLE ? "ok" : c->verdict == UNDECIDED ? "UNKNOWN" : "FAIL", c->summary);
	} else {
		buf_adds(text, tl.len ? tl.data : "");
		report_text(c, text);
		fwrite(text->data, 1, text->len, out);
	}
	if (cmd->json && !r) {
		report_json(c, &json);
		r = write_file(cmd->json, &json);
	}
	buf_clear(&json);
	buf_clear(&tl);
	return r ? EXIT_INPUT : c->verdict == LINEARIZABLE ? EXIT_PASS : c->verdict == UNDECIDED ? EXIT_UNKNOWN : EXIT_FAIL;
}

/* The shortest of -repeat checks: what a check costs when nothing has to be paged in first. */
static int64_t measure(const struct command *cmd, struct history *h)
{
	struct check_options opt = cmd->opt;
	int64_t best = INT64_MAX;

	opt.checked = NULL;
	opt.limits.explain = false;
	for (int i = 0; i < cmd->repeat; i++) {
		struct check c;
		struct err e = {0};
		uint32_t line;
		int64_t t0 = cpu_ns(), t1;
		int r = check_prepare(&c, h, &opt, &e, &line);
		if (!r)
			r = check_run(&c, &e, &line);
		t1 = cpu_ns();
		best = MIN(best, t1 - t0);
		check_clear(&c);
		if (r)
			break;
	}
	return best;
}

/* A file beyond -memory whose model can be judged as it goes by. */
static int check_stream(const struct command *cmd)
{
	struct stream_result r;
	struct err e = {0};

	if (stream_bank(cmd->history, &cmd->opt, &r, &e))
		return bad_input(cmd, &e, 0);
	printf("history   %s: larger than -memory, read as a stream: %" PRIu64 " events, %" PRIu64 " reads\nmodel     bank\n%s",
	       cmd->history, r.events, r.reads, r.text.data ? r.text.data : "");
	printf("%s  history of %" PRIu64 " events is %s (model bank)\n", r.bad ? "FAIL " : "ok   ", r.events, r.bad ?
		"not valid" : "valid");
	buf_clear(&r.text);
	return r.bad ? EXIT_FAIL : EXIT_PASS;
}

static int check_history(struct command *cmd)
{
	struct history h;
	struct check c = {0};
	struct err e = {0};
	struct buf text = {0};
	uint32_t line = 0;
	int64_t t0 = cpu_ns(), t1, t2;
	int r;

	if (stream_wanted(cmd->history, cmd->opt.model, cmd->opt.limits.memory))
		return check_stream(cmd);
	if (hist_read_file(&h, cmd->history, cmd->format, cmd->opt.limits.memory, &e)) {
		r = bad_input(cmd, &e, 0);
		hist_clear(&h);
		return r;
	}
	t1 = cpu_ns();
	cmd->opt.checked = checked;
	cmd->opt.checked_arg = cmd;
	r = check_prepare(&c, &h, &cmd->opt, &e, &line);
	if (!r) {
		report_head(&c, &text);
		if (c.warnings.len) {
			fputs(c.warnings.data, stderr);
			fflush(stderr);
		}
		r = check_run(&c, &e, &line);
	}
	t2 = cpu_ns();
	if (cmd->repeat && !r)
		fprintf(stderr, "shortest check %" PRId64 " ns\n", measure(cmd, &h));
	if (cmd->stats)
		fprintf(stderr, "read %" PRId64 " ns, %zu bytes, %.0f MB/s; check %" PRId64 " ns; explain %" PRId64
		                " ns; visited %" PRIu64 "\n", t1 - t0, h.len, (double)h.len * 1e3 / (double)(t1 - t0 + 1),
		        (cmd->checked_ns ? cmd->checked_ns : t2) - t1, cmd->checked_ns ? t2 - cmd->checked_ns : 0, c.lin.visited);
	r = r ? bad_input(cmd, &e, line) : report(cmd, &c, &text);
	check_clear(&c);
	hist_clear(&h);
	buf_clear(&text);
	return r;
}

int check_main(int argc, char **argv)
{
	struct command c = {.opt = CHECK_DEFAULTS};
	struct err e = {0};
	int r = parse(&c, argc, argv);

	if (r)
		return r > 0 ? EXIT_PASS : EXIT_USAGE;
	if (c.model && strchr(c.model, '/')) {
		c.opt.own = model_load(c.model, &e);
		if (!c.opt.own)
			return bad_input(&c, &e, 0);
	} else if (c.model && !(c.opt.model = c.model, model_find(c.model))) {
		usage_error("-model: there is no model '%s'", c.model);
		return EXIT_USAGE;
	}
	return check_history(&c);
}
