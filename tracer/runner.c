#include "tracer/runner.h"

#include "base/mem.h"
#include "tracer/remember.h"
#include "tracer/result.h"
#include "tracer/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What belongs to one seed while it runs. */
struct seed_files {
	json_t *header; /* run.json, made up before the first guest starts */
	int trace_fd;   /* an unnamed file, or the runner's trace_file, or -1 */
};

int runner_open(struct runner *r, struct run_options *o, struct err *e)
{
	if (o->remember && remember_load(o, e) < 0)
		return -1;
	*r = (struct runner){.o = o, .trace_file = -1, .folders = true, .many = seeds_count(&o->seeds) > 1};
	if (reporter_init(&r->reporter, o, r->many, e) < 0)
		return -1;
	if (!o->trace_path || o->cfg.trace == TRACE_OFF)
		return 0;
	r->trace_file = !strcmp(o->trace_path, "-")
				? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
				: open(o->trace_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (r->trace_file < 0)
		return err_set(e, errno, "cannot write '%s'", o->trace_path);
	return 0;
}

static void set_output(const struct runner *r, struct run_config *cfg)
{
	/* Of several runs only what the report says is shown. */
	if (r->many || r->o->quiet)
		return;
	cfg->guest_out = fileno(r->reporter.out);
	cfg->guest_err = STDERR_FILENO;
}

static void begin(void *ctx, struct run_config *cfg, void **user)
{
	struct runner *r = ctx;
	struct seed_files *f = xnew(struct seed_files);
	struct err e = {0};

	set_output(r, cfg);
	f->header = rundir_header(cfg);
	f->trace_fd = -1;
	if (r->folders && r->o->keep && rundir_begin(cfg->seed, f->header, &e) < 0)
		reporter_message(&r->reporter, "%s", e.msg);
	if (cfg->trace != TRACE_OFF && r->trace_file >= 0 && !r->many)
		f->trace_fd = r->trace_file; /* at once, for somebody who looks on */
	else if (cfg->trace != TRACE_OFF && (r->folders || r->trace_file >= 0) && (f->trace_fd = unnamed_file(&e)) < 0)
		reporter_message(&r->reporter, "no trace of seed %llu: %s", (unsigned long long)cfg->seed, e.msg);
	cfg->trace_fd = f->trace_fd;
	if (f->trace_fd < 0)
		cfg->trace = TRACE_OFF;
	*user = f;
}

static void again(void *ctx, struct run_config *cfg, void *user, const struct site *site)
{
	struct runner *r = ctx;
	struct seed_files *f = user;
	struct err e = {0};

	sites_add(&r->sites, site);
	if (r->folders && sites_note(site, &e) < 0)
		reporter_message(&r->reporter, "%s", e.msg);
	reporter_message(&r->reporter, "seed %llu starts again: a thread waits in a loop that counts, at %s+0x%llx, noted in "
			 RUNDIR_PARENT "/sites.json", (unsigned long long)cfg->seed, site->file, (unsigned long long)site->offset);
	json_decref(f->header);
	f->header = rundir_header(cfg);
	if (f->trace_fd >= 0 && ftruncate(f->trace_fd, 0) < 0)
		return; /* a pipe: it holds the trace of both */
}

static void release(const struct runner *r, struct seed_files *f)
{
	if (f->trace_fd >= 0 && f->trace_fd != r->trace_file)
		close(f->trace_fd);
	json_decref(f->header);
	free(f);
}

/* The path of the seed's folder, or NULL when none is to be kept or it could not be written. */
static char *keep_folder(struct runner *r, struct seed_outcome *o, struct seed_files *f)
{
	struct err e = {0};
	/* A pipe or terminal cannot be read back. */
	bool readable = f->trace_fd >= 0 && lseek(f->trace_fd, 0, SEEK_CUR) >= 0;

	if (!r->folders || (!r->o->keep && verdict_status(o->res.cls) == STATUS_PASS && !o->res.matched_output))
		return NULL;
	if (rundir_write(o->seed, f->header, &o->cfg, &o->res, readable ? f->trace_fd : -1, &e) < 0) {
		reporter_message(&r->reporter, "%s", e.msg);
		return NULL;
	}
	return rundir_path(o->seed);
}

static void done(void *ctx, struct seed_outcome *o, const struct sweep_stats *stats)
{
	struct runner *r = ctx;
	struct seed_files *f = o->user;
	struct err e = {0};
	char *dir;

	if (r->watch)
		r->watch(r->ctx, o);
	if (r->o->remember && o->res.cls != CLASS_HARNESS && o->res.cls != CLASS_SETUP &&
	    remember_seed(r->o, o->seed, verdict_status(o->res.cls) != STATUS_PASS, &e) < 0)
		reporter_message(&r->reporter, "%s", e.msg);
	if (r->trace_file >= 0 && f->trace_fd >= 0 && f->trace_fd != r->trace_file &&
	    copy_file(f->trace_fd, r->trace_file, &e) < 0)
		reporter_message(&r->reporter, "%s: %s", r->o->trace_path, e.msg);
	dir = keep_folder(r, o, f);
	reporter_seed(&r->reporter, o, dir);
	free(dir);
	release(r, f);
}

static void dropped(void *ctx, struct run_config *cfg, void *user)
{
	release(ctx, user);
}

static void progress(void *ctx, const struct sweep_stats *stats)
{
	struct runner *r = ctx;

	reporter_progress(&r->reporter, stats);
}

/* A replay has them from the run's header. */
static void load_sites(struct runner *r)
{
	struct err e = {0};

	if (r->o->cfg.sites)
		r->sites = *r->o->cfg.sites;
	else if (sites_load(&r->sites, &e) < 0)
		reporter_message(&r->reporter, "%s", e.msg);
}

int runner_go(struct runner *r)
{
	struct run_options *o = r->o;
	struct sweep sweep = {
		.run = run_seed,
		.cfg = o->cfg,
		.seeds = &o->seeds,
		.jobs = (unsigned)MIN(o->jobs, seeds_count(&o->seeds)),
		.check = o->check,
		.until_fail = o->until_fail,
		.for_ms = o->for_s * 1000,
		.max_failures = o->max_failures,
		.sites = &r->sites,
		.ctx = r,
		.begin = begin,
		.again = again,
		.done = done,
		.dropped = dropped,
		.progress = progress,
	};
	struct sweep_stats stats;
	struct err e = {0};
	int status;

	load_sites(r);
	if (sweep_run(&sweep, &stats, &e) < 0)
		reporter_message(&r->reporter, "%s", e.msg);
	reporter_end(&r->reporter, &stats);
	status = stats.status;
	/* What was looked for may yet be found in other seeds. */
	if (o->cfg.until_output && !stats.found && status == STATUS_PASS)
		status = STATUS_UNKNOWN;
	if (!reporter_clear(&r->reporter))
		status = STATUS_HARNESS;
	if (r->trace_file >= 0)
		close(r->trace_file);
	if (stats.signal) {
		/* The caller shall see what it was. */
		signal(stats.signal, SIG_DFL);
		raise(stats.signal);
	}
	return status;
}
