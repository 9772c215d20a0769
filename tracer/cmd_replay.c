/* simrun replay [OPTIONS] seed-N|DIR: repeats the run of a run folder and compares the two. */
#include "base/mem.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/fault_value.h"
#include "tracer/result.h"
#include "tracer/rundir.h"
#include "tracer/runner.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct replay {
	struct rundir_record rec;
	char *dir;        /* the run folder, absolute */
	bool differs;
	struct buf again; /* the command */
	struct buf notes; /* what changed, a line each */
};

/* "seed-7" and "7" are folders of the present directory's .simrun. Heap. */
static char *folder_of(const char *arg)
{
	struct stat st;
	char *dir = isdigit((unsigned char)arg[0]) ? xasprintf(RUNDIR_PARENT "/seed-%s", arg)
						   : xasprintf(RUNDIR_PARENT "/%s", arg);

	if (!strchr(arg, '/') && stat(dir, &st) == 0)
		return dir;
	free(dir);
	return xstrdup(arg);
}

/* The digest that a list of "path digest" lines has for a path; NULL: none. n: length of the path. */
static const char *digest_of(const struct strvec *list, const char *path, size_t n)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strncmp(list->v[i], path, n) && list->v[i][n] == ' ' && !strchr(list->v[i] + n + 1, ' '))
			return list->v[i] + n + 1;
	return NULL;
}

/* Names the binaries that are not the same as then. */
static void compare_binaries(struct replay *rp, const struct buf *now)
{
	for (size_t at = 0; at < now->len;) {
		const char *line = now->data + at, *end = memchr(line, '\n', now->len - at), *space, *then;
		size_t n = end ? (size_t)(end - line) : now->len - at;
		at += n + 1;
		space = memrchr(line, ' ', n);
		if (!space)
			continue;
		then = digest_of(&rp->rec.binaries, line, (size_t)(space - line));
		n -= (size_t)(space + 1 - line);
		if (then && (strlen(then) != n || memcmp(then, space + 1, n)))
			buf_addf(&rp->notes, "%.*s has changed: its digest was %s and is now %.*s\n", (int)(space - line), line,
				 then, (int)n, space + 1);
	}
}

static void compare(void *ctx, struct seed_outcome *o)
{
	struct replay *rp = ctx;
	struct run_result *res = &o->res;
	struct err e = {0};

	compare_binaries(rp, &res->digests);
	if (rundir_add_history(rp->dir, res, &e) < 0)
		buf_addf(&rp->notes, "no history: %s\n", e.msg);
	if (strcmp(rp->rec.version, SIMRUN_VERSION))
		buf_addf(&rp->notes, "the run was made by simrun %s, this is %s\n", rp->rec.version, SIMRUN_VERSION);
	if (!rp->rec.has_result || res->stopped || res->cls == CLASS_HARNESS || res->cls == CLASS_TIMEOUT)
		return;
	rp->differs = rp->rec.hash != res->hash || rp->rec.calls != res->calls;
	if (!rp->differs)
		return;
	res->cls = CLASS_NONDETERMINISM;
	snprintf(res->message, sizeof res->message,
		 "the replay differs: the run had determinism hash %016" PRIx64 " over %" PRIu64 " host calls", rp->rec.hash,
		 rp->rec.calls);
	buf_clear(&res->details);
	buf_add(&res->details, rp->notes.data, rp->notes.len);
}

static int go(const char *dir, struct run_options *o, struct replay *rp)
{
	struct err e = {0};
	struct runner r;
	int status;

	if (runner_open(&r, o, &e) < 0) {
		fprintf(stderr, "simrun: %s\n", e.msg);
		return STATUS_HARNESS;
	}
	r.folders = false; /* the folder stays as the first run wrote it */
	r.watch = compare;
	rp->dir = realpath(dir, NULL);
	shell_quote(&rp->again, program_invocation_name);
	buf_adds(&rp->again, " replay ");
	shell_quote(&rp->again, dir);
	r.reporter.again = rp->again.data;
	r.ctx = rp;
	if (chdir(rp->rec.directory) < 0) {
		fprintf(stderr, "simrun: %s: the run was made in %s: %s\n", dir, rp->rec.directory, strerror(errno));
		return STATUS_HARNESS;
	}
	if (o->cfg.argv[0] && check_program(o->cfg.argv[0], o->env.v, &status) < 0)
		return status;
	status = runner_go(&r);
	if (rp->differs)
		return status;
	if (rp->notes.len)
		fprintf(stderr, "%s", rp->notes.data);
	if (!rp->rec.has_result)
		fprintf(stderr, "simrun: %s holds no result: there is nothing to compare with\n", dir);
	return status;
}

static int set_until(void *to, const char *v, struct err *e)
{
	struct run_config *cfg = &((struct run_options *)to)->cfg;
	char msg[256];
	regex_t re;
	int rc;

	if (!*v)
		return err_set(e, 0, "write a time, as in 1.204s, or what a line of the trace says");
	if (!time_parse(v, &cfg->until_ns, &(struct err){0})) {
		if (cfg->until_ns <= 0)
			return err_set(e, 0, "a run starts at 0s");
		return 0;
	}
	rc = regcomp(&re, v, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &re, msg, sizeof msg);
		return err_set(e, 0, "neither a time nor an extended regular expression: %s", msg);
	}
	regfree(&re);
	cfg->until_event = v;
	return 0;
}

static int set_gdb(void *to, const char *v, struct err *e)
{
	struct run_config *cfg = &((struct run_options *)to)->cfg;

	cfg->gdb = v;
	return *v ? 0 : err_set(e, 0, "write the name of a node");
}

static const struct option own_options[] = {
	{"until", "TIME|EVENT", OPTION_REPLAY,
	 "stop at this virtual time, or where a line of the trace or of\noutput matches this expression", set_until},
	{"gdb", "NODE[:PID]", OPTION_REPLAY, "where it stops, or fails, debug that process with gdb", set_gdb},
	OPTIONS_END,
};

/* Options may stand before and after the folder. */
static int parse(const struct option *table, struct run_options *o, int argc, char **argv, const char **dir, struct err *e)
{
	int n = options_parse(table, o, argc, argv, NULL, e), m;

	if (n < 0)
		return n;
	if (n == argc)
		return err_set(e, 0, "no run folder; write simrun replay seed-N, or the folder's path");
	*dir = argv[n];
	m = options_parse(table, o, argc - n - 1, argv + n + 1, NULL, e);
	if (m < 0)
		return m;
	if (m < argc - n - 1)
		return err_set(e, 0, "'%s' is one too many; replay takes one run folder", argv[n + 1 + m]);
	return 0;
}

static int replay(const char *arg, struct run_options *o)
{
	struct replay rp = {0};
	struct err e = {0};
	char *dir = folder_of(arg), *trace = NULL;
	/* Nobody shall be hurried who looks at a process. */
	int64_t timeout_s = o->cfg.gdb ? (int64_t)100 * 366 * 86400 : o->cfg.timeout_s;
	bool wants_trace = o->cfg.trace != TRACE_OFF;
	enum trace_level level = o->cfg.trace;
	int status = STATUS_HARNESS;

	if (!wants_trace) { /* the last lines are shown all the same */
		level = TRACE_EVENTS;
		o->trace_path = "/dev/null";
	} else if (!o->trace_path) {
		o->trace_path = trace = xasprintf("%s/trace.jsonl", dir);
	}
	if (rundir_load(dir, o, &rp.rec, &e) < 0) {
		fprintf(stderr, "simrun: %s\n", e.msg);
	} else {
		o->cfg.trace = level;
		if (timeout_s)
			o->cfg.timeout_s = timeout_s;
		status = go(dir, o, &rp);
	}
	rundir_record_clear(&rp.rec);
	buf_clear(&rp.notes);
	buf_clear(&rp.again);
	free(rp.dir);
	free(trace);
	free(dir);
	return status;
}

int cmd_replay(int argc, char **argv)
{
	struct option *table = replay_option_table(own_options);
	struct run_options o;
	struct err e = {0};
	const char *dir = NULL;
	int rc, status = STATUS_PASS;

	run_options_init(&o);
	o.cfg.trace = TRACE_OFF; /* as its option says, or none */
	o.cfg.timeout_s = 0;     /* as it was, if not given */
	rc = parse(table, &o, argc - 1, argv + 1, &dir, &e);
	if (rc == OPTIONS_HELP) {
		printf("usage: simrun replay [OPTIONS] seed-N|DIR\n"
		       "\n"
		       "Repeats the run of a run folder (.simrun/seed-N, or any other) and compares the two.\n"
		       "\n"
		       "options:\n");
		options_help(table, stdout);
	} else if (rc < 0) {
		status = usage_error(&e);
	} else {
		status = replay(dir, &o);
	}
	run_options_clear(&o);
	free(table);
	return status;
}
