#include "tracer/report_run.h"

#include "base/mem.h"
#include "tracer/catalog.h"
#include "tracer/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERDICT_LINES = 20 };

static const char *what_runs(const struct run_options *o)
{
	return o->cfg.argv[0] ? o->cfg.argv[0] : o->scenario_path;
}

int reporter_init(struct reporter *r, const struct run_options *o, bool many, struct err *e)
{
	const char *term = getenv("TERM");
	bool json_stdout = o->json_path && !strcmp(o->json_path, "-");

	/* Standard output carries the JSON alone when it is asked for there. */
	*r = (struct reporter){.o = o, .out = json_stdout ? stderr : stdout, .many = many};
	for (size_t i = 0; i < o->scenario.catalog.n; i++) {
		struct properties ps = {0};
		if (catalog_go(&ps, o->scenario.catalog.v[i], e) < 0)
			return -1;
		coverage_know(&r->coverage, &ps);
		properties_clear(&ps);
	}
	if (junit_open(&r->junit, o->junit_path, what_runs(o), e) < 0)
		return -1;
	r->progress = many && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	if (!o->json_path)
		return 0;
	r->json = json_stdout ? stdout : fopen(o->json_path, "we");
	return r->json ? 0 : err_set(e, errno, "cannot write '%s'", o->json_path);
}

static void hide_progress(struct reporter *r)
{
	if (r->progress_shown)
		fputs("\r\033[K", stderr);
	r->progress_shown = false;
}

void reporter_message(struct reporter *r, const char *fmt, ...)
{
	va_list ap;

	hide_progress(r);
	fflush(r->out);
	fputs("simrun: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void print_duration(FILE *out, int64_t ms)
{
	int64_t s = ms / 1000;

	if (s < 60)
		fprintf(out, "%" PRId64 ".%01" PRId64 "s", s, ms % 1000 / 100);
	else if (s < 3600)
		fprintf(out, "%" PRId64 "m%02" PRId64 "s", s / 60, s % 60);
	else
		fprintf(out, "%" PRId64 "h%02" PRId64 "m", s / 3600, s / 60 % 60);
}

static void print_rate(FILE *out, const struct sweep_stats *stats)
{
	int64_t ms = MAX(stats->elapsed_ms, 1);

	fprintf(out, "%.1f seeds/s", (double)stats->done * 1000 / (double)ms);
}

void reporter_progress(struct reporter *r, const struct sweep_stats *stats)
{
	if (!r->progress)
		return;
	fputs("\r\033[K", stderr);
	if (stats->total == UINT64_MAX)
		fprintf(stderr, "%" PRIu64 " done", stats->done);
	else
		fprintf(stderr, "%" PRIu64 "/%" PRIu64 " done", stats->done, stats->total);
	fprintf(stderr, ", %" PRIu64 " failed, ", stats->failed);
	print_rate(stderr, stats);
	if (stats->done && stats->total != UINT64_MAX) {
		fputs(", ", stderr);
		print_duration(stderr, (int64_t)((double)stats->elapsed_ms / (double)stats->done *
						 (double)(stats->total - MIN(stats->total, stats->done))));
		fputs(" left", stderr);
	}
	fflush(stderr);
	r->progress_shown = true;
}

/* ---- warnings ---- */

/* "refused ioctl 0x5413 on tcp (12 times)" without the count, which differs from seed to seed. */
static size_t without_count(const char *line, size_t n)
{
	static const char times[] = " times)";
	const char *open;

	if (n < sizeof times || memcmp(line + n - (sizeof times - 1), times, sizeof times - 1))
		return n;
	open = memrchr(line, '(', n);
	return open && open > line && open[-1] == ' ' ? (size_t)(open - line) - 1 : n;
}

static void note_warning(struct reporter *r, const char *line, size_t n)
{
	n = without_count(line, n);
	for (size_t i = 0; i < r->nwarnings; i++)
		if (strlen(r->warnings[i].text) == n && !memcmp(r->warnings[i].text, line, n)) {
			r->warnings[i].seeds++;
			return;
		}
	r->warnings = xrealloc(r->warnings, (r->nwarnings + 1) * sizeof *r->warnings);
	r->warnings[r->nwarnings++] = (struct warning){xstrndup(line, n), 1};
}

typedef void line_fn(struct reporter *r, const char *line, size_t n);

static void each_line(struct reporter *r, const struct buf *text, line_fn *fn)
{
	for (size_t at = 0; at < text->len;) {
		const char *line = text->data + at, *end = memchr(line, '\n', text->len - at);
		size_t n = end ? (size_t)(end - line) : text->len - at;
		fn(r, line, n);
		at += n + 1;
	}
}

static void print_warning(struct reporter *r, const char *line, size_t n)
{
	fprintf(r->out, "warning: %.*s\n", (int)n, line);
}

static void print_detail(struct reporter *r, const char *line, size_t n)
{
	fprintf(r->out, "  %.*s\n", (int)n, line);
}

/* ---- one seed ---- */

static const char *verdict_word(const struct run_result *res)
{
	if (res->cls == CLASS_SETUP)
		return "INVALID";
	if (res->stopped)
		return "STOPPED";
	switch (verdict_status(res->cls)) {
	case STATUS_PASS:
		return "PASS";
	case STATUS_UNKNOWN:
		return "UNKNOWN";
	case STATUS_TIMEOUT:
		return "TIMEOUT";
	case STATUS_HARNESS:
		return "ERROR";
	default:
		return "FAIL";
	}
}

static void print_verdict(const struct seed_outcome *o, FILE *out)
{
	const struct run_result *res = &o->res;
	const char *class = verdict_class_name(res->cls);

	fprintf(out, "%s seed %" PRIu64 "  %" PRId64 ".%06" PRId64 "s virtual, ", verdict_word(res), o->seed,
		res->virtual_ns / 1000000000, res->virtual_ns / 1000 % 1000000);
	print_duration(out, res->real_ms);
	fputs(" real", out);
	if (*class)
		fprintf(out, "  %s: %s", class, res->message);
	else if (res->matched_output)
		fputs("  output matched", out);
	else if (o->checked)
		fputs("  two runs, no difference", out);
	fputc('\n', out);
}

static void print_hash(struct reporter *r, const struct run_result *res)
{
	fprintf(r->out, "determinism hash %016" PRIx64 " over %" PRIu64 " host calls\n", res->hash, res->calls);
}

void repro_arguments(struct buf *out, const struct run_options *o)
{
	if (o->repro.len)
		buf_add(out, o->repro.data, o->repro.len);
	/* A program named like a subcommand, or like an option. */
	if (o->cfg.argv[0] && strchr(o->cfg.argv[0], '/') == NULL)
		buf_adds(out, "-- ");
	for (char **a = o->cfg.argv; *a; a++) {
		if (a != o->cfg.argv)
			buf_addc(out, ' ');
		shell_quote(out, *a);
	}
}

void repro_command(struct buf *out, const struct run_options *o, uint64_t seed, bool check)
{
	shell_quote(out, program_invocation_name);
	buf_addf(out, " -seed %" PRIu64 " ", seed);
	if (check)
		buf_adds(out, "-check ");
	repro_arguments(out, o);
}

static void print_repro(struct reporter *r, uint64_t seed, enum verdict_class cls)
{
	struct buf b = {0};

	if (r->again) {
		fprintf(r->out, "reproduce: %s\n", r->again);
		return;
	}
	/* One run alone does not show that two differ. */
	repro_command(&b, r->o, seed, r->o->check && cls == CLASS_NONDETERMINISM);
	fprintf(r->out, "reproduce: %s\n", b.data);
	buf_clear(&b);
}

static void note_culprit(struct reporter *r, const struct seed_outcome *o)
{
	if (r->has_culprit && r->culprit_index < o->index)
		return;
	r->has_culprit = true;
	r->culprit_index = o->index;
	r->culprit = o->seed;
	r->culprit_class = o->res.cls;
}

/* Why that may be. */
static const char nobody_takes_part[] = ": none was due, or only the driver ran, which takes no part unless -faults driver says so";

static bool wants_faults(const struct reporter *r)
{
	return r->o->cfg.faults && !fault_config_empty(r->o->cfg.faults);
}

/* What ran alone has shown its output already; of several, -v shows each when it is done. */
static void report_alone(struct reporter *r, const struct seed_outcome *o, const char *dir, bool culprit)
{
	print_verdict(o, r->out);
	each_line(r, &o->res.details, print_detail);
	each_line(r, &o->res.warnings, print_warning);
	if ((culprit || o->res.stopped) && o->res.tail.len) {
		fputs("trace:\n", r->out);
		fwrite(o->res.tail.data, 1, o->res.tail.len, r->out);
	}
	if (!fault_tally_line(&o->res.faults, &o->res.idle_faults, r->out) && wants_faults(r) && !o->res.stopped)
		fprintf(r->out, "faults: none was injected%s\n", nobody_takes_part);
	if (dir)
		fprintf(r->out, "run folder: %s\n", dir);
	if (culprit)
		print_repro(r, o->seed, o->res.cls);
	print_hash(r, &o->res);
}

/* alike: how many have failed like this one. */
static void report_among_many(struct reporter *r, const struct seed_outcome *o, const char *dir, bool culprit, uint64_t alike)
{
	enum { SHOWN_OF_A_GROUP = 3 };

	each_line(r, &o->res.warnings, note_warning);
	fault_tally_add(&r->faults, &o->res.faults);
	if (r->o->cfg.verbose && o->res.output.len)
		fwrite(o->res.output.data, 1, o->res.output.len, stderr);
	if (!culprit && !r->o->cfg.verbose)
		return;
	fflush(stderr);
	print_verdict(o, r->out);
	if (r->o->cfg.verbose)
		each_line(r, &o->res.details, print_detail);
	if (alike > SHOWN_OF_A_GROUP && !r->o->cfg.verbose)
		return;
	if (dir)
		fprintf(r->out, "  run folder: %s\n", dir);
	fputs("  ", r->out);
	print_hash(r, &o->res);
}

static uint64_t note_coverage(struct reporter *r, uint64_t seed, const struct run_result *res)
{
	r->horizons += res->horizon;
	r->inconclusive += res->inconclusive;
	if (res->cls != CLASS_HARNESS && res->cls != CLASS_SETUP)
		coverage_add(&r->coverage, &res->properties);
	return verdict_status(res->cls) == STATUS_PASS ? 0 : groups_add(&r->groups, seed, res);
}

static void add_file(json_t *j, const char *key, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);

	json_object_set_new(j, key, json_bytes(path, strlen(path)));
	free(path);
}

static void add_files(json_t *j, const char *dir, const struct run_result *res)
{
	json_object_set_new(j, "run_folder", json_bytes(dir, strlen(dir)));
	if (res->history.len)
		add_file(j, "history_file", dir, "history.jsonl");
	if (res->timeline.len)
		add_file(j, "timeline_file", dir, "timeline.html");
}

/* For those who read no terminal. */
static void note_for_ci(struct reporter *r, const struct seed_outcome *o)
{
	struct buf command = {0};
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	repro_command(&command, r->o, o->seed, r->o->check && o->res.cls == CLASS_NONDETERMINISM);
	junit_seed(&r->junit, o, command.data);
	buf_clear(&command);
	if ((r->many && verdict_status(o->res.cls) == STATUS_PASS) || r->nverdicts++ >= VERDICT_LINES || !(f = open_memstream(&text, &n)))
		return;
	print_verdict(o, f);
	fclose(f);
	buf_add(&r->verdicts, text, n);
	free(text);
}

void reporter_seed(struct reporter *r, const struct seed_outcome *o, const char *dir)
{
	bool culprit = verdict_status(o->res.cls) != STATUS_PASS || o->res.matched_output;
	uint64_t alike;

	hide_progress(r);
	alike = note_coverage(r, o->seed, &o->res);
	note_for_ci(r, o);
	if (culprit)
		note_culprit(r, o);
	if (r->many) {
		report_among_many(r, o, dir, culprit, alike);
	} else {
		coverage_print(&r->coverage, r->out);
		report_alone(r, o, dir, culprit);
	}
	fflush(r->out);
	if (r->json) {
		json_t *j = result_json(&o->cfg, o->seed, &o->res);
		if (dir)
			add_files(j, dir, &o->res);
		json_dumpf(j, r->json, JSON_COMPACT | JSON_PRESERVE_ORDER);
		json_decref(j);
		fputc('\n', r->json);
		fflush(r->json);
	}
}

/* ---- all of them ---- */

static void print_summary(struct reporter *r, const struct sweep_stats *stats)
{
	for (size_t i = 0; i < r->nwarnings; i++)
		fprintf(r->out, "warning: %s (in %" PRIu64 " seed%s)\n", r->warnings[i].text, r->warnings[i].seeds,
			r->warnings[i].seeds == 1 ? "" : "s");
	if (stats->signal)
		fprintf(r->out, "interrupted: ");
	if (stats->signal && stats->total != UINT64_MAX)
		fprintf(r->out, "%" PRIu64 " of %" PRIu64 " seeds: ", stats->done, stats->total);
	else
		fprintf(r->out, "%" PRIu64 " seed%s: ", stats->done, stats->done == 1 ? "" : "s");
	fprintf(r->out, "%" PRIu64 " passed", stats->done - stats->failed - stats->invalid);
	if (r->o->scenario.duration_ns)
		fprintf(r->out, " (%" PRIu64 " hit the time horizon)", r->horizons);
	fprintf(r->out, ", %" PRIu64 " failed", stats->failed);
	if (stats->invalid)
		fprintf(r->out, ", %" PRIu64 " invalid", stats->invalid);
	fputs(" in ", r->out);
	print_duration(r->out, stats->elapsed_ms);
	fputs(" (", r->out);
	print_rate(r->out, stats);
	fputs(")\n", r->out);
	if (r->inconclusive)
		fprintf(r->out, "%" PRIu64 " inconclusive: the check of the history ran out of its budget\n", r->inconclusive);
	if (r->o->cfg.until_output && !stats->found)
		fputs("no seed printed a line that matches\n", r->out);
}

/* Only a whole sweep can say that something never happened. */
static void judge_coverage(struct reporter *r, struct sweep_stats *stats)
{
	size_t missing = coverage_missing(&r->coverage);
	bool whole = stats->time_over ? stats->done > 0 : stats->done == stats->total;

	if (!r->many || !missing || stats->signal || stats->found || stats->enough || !whole)
		return;
	if (!r->missing_noted)
		junit_missing(&r->junit, &r->coverage);
	r->missing_noted = true;
	fprintf(r->out, "FAIL %zu propert%s never reached or never true in %" PRIu64 " seeds\n", missing,
		missing == 1 ? "y was" : "ies were", r->coverage.seeds);
	stats->status = status_combine(stats->status, STATUS_FAIL);
}

static void report_end(struct reporter *r, struct sweep_stats *stats)
{
	if (r->many) {
		if (!fault_tally_print(&r->faults, r->out) && wants_faults(r) && stats->done)
			fprintf(r->out, "no fault was injected in any seed%s\n", nobody_takes_part);
		coverage_print(&r->coverage, r->out);
		groups_print(&r->groups, r->out);
	}
	if (r->many || stats->signal)
		print_summary(r, stats);
	judge_coverage(r, stats);
	/* A history that nobody could judge says nothing of its seed. */
	if (r->coverage.seeds && r->inconclusive == r->coverage.seeds && stats->status == STATUS_PASS)
		stats->status = STATUS_UNKNOWN;
	if (r->many && r->has_culprit)
		print_repro(r, r->culprit, r->culprit_class);
}

/* The same report once more, where GitHub shows it. */
static void summarize_step(struct reporter *r, struct sweep_stats *stats)
{
	struct buf report = {0};
	FILE *out = r->out;
	char *text = NULL, *heading;
	size_t n = 0;

	if (!getenv("GITHUB_STEP_SUMMARY") || !(r->out = open_memstream(&text, &n))) {
		r->out = out;
		return;
	}
	report_end(r, stats);
	fclose(r->out);
	r->out = out;
	buf_add(&report, r->verdicts.data, r->verdicts.len);
	if (r->nverdicts > VERDICT_LINES)
		buf_addf(&report, "… and %" PRIu64 " more\n", r->nverdicts - VERDICT_LINES);
	buf_add(&report, text, n);
	heading = xasprintf("simrun: %s, %" PRIu64 " of %" PRIu64 " seed%s failed", what_runs(r->o), stats->failed, stats->done,
			    stats->done == 1 ? "" : "s");
	step_summary(heading, &report);
	free(heading);
	free(text);
	buf_clear(&report);
}

void reporter_end(struct reporter *r, struct sweep_stats *stats)
{
	hide_progress(r);
	report_end(r, stats);
	summarize_step(r, stats);
	r->elapsed_ms = stats->elapsed_ms;
}

bool reporter_clear(struct reporter *r)
{
	bool ok = true;

	for (size_t i = 0; i < r->nwarnings; i++)
		free(r->warnings[i].text);
	free(r->warnings);
	coverage_clear(&r->coverage);
	groups_clear(&r->groups);
	buf_clear(&r->verdicts);
	ok = junit_close(&r->junit, r->elapsed_ms);
	if (r->json)
		ok = ok && !ferror(r->json) && !(r->json == stdout ? fflush(r->json) : fclose(r->json));
	ok = !fflush(r->out) && !ferror(r->out) && ok;
	*r = (struct reporter){0};
	return ok;
}
