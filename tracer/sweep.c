#include "tracer/sweep.h"

#include "base/mem.h"
#include "tracer/divergence.h"
#include "tracer/result.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PROGRESS_MS = 250,
	AGAIN_MAX = 16,    /* how often a seed is started again for a thread that waits in a loop */
	GRACE_S = 20,      /* that a supervisor gets to stop by itself when its limit of real time is reached */
	LAST_WAIT_MS = 5000, /* for the processes of ended runs to be gone */
};

/* The runs of one seed. Without check there is only the first. What differs rarely may take several recordings to show. */
enum phase { RUN_FIRST, RUN_AGAIN, RECORD_FIRST, RECORD_AGAIN, RECORD_LAST = RECORD_FIRST + 5, PHASES };

struct job {
	bool busy;
	enum phase phase;
	uint64_t index, seed;
	int64_t deadline_ms;
	bool overdue;          /* killed, because it did not stop by itself */
	struct run_config cfg; /* of the first run */
	void *user;
	struct worker w;
	struct run_result res[PHASES];
	uint64_t from, to;     /* the calls recorded */
	struct sites sites;    /* what cfg.sites points to */
	unsigned again;        /* times that the seed was started again with one more */
};

struct state {
	const struct sweep *s;
	struct sweep_stats *stats;
	struct job *jobs;
	struct pollfd *polled;
	uint64_t next_index;
	bool no_more;          /* no further seed is begun */
	int signals;           /* signalfd */
	sigset_t old_mask;
	cpu_set_t cpus;
	int64_t started_ms, shown_ms;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* The CPU of the n-th job among those that this process may use. One alone stays where the kernel has put it. */
static int nth_cpu(const struct state *st, unsigned n)
{
	int count = CPU_COUNT(&st->cpus), left;

	if (st->s->jobs == 1 || !count)
		return sched_getcpu();
	left = (int)(n % (unsigned)count);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &st->cpus) && left-- == 0)
			return cpu;
	return -1;
}

static int start_phase(struct state *st, struct job *j, enum phase phase, struct err *e)
{
	struct run_config cfg = j->cfg;

	j->phase = phase;
	if (phase != RUN_FIRST) {
		/* Only the first run is seen. */
		cfg.guest_out = cfg.guest_err = cfg.trace_fd = -1;
		cfg.trace = TRACE_OFF;
		cfg.verbose = false;
		cfg.unjudged = true;
	}
	if (phase >= RECORD_FIRST) {
		cfg.find_sites = false;
		cfg.record_from = j->from;
		cfg.record_to = j->to;
	}
	j->overdue = false;
	j->deadline_ms = now_ms() + (cfg.timeout_s + GRACE_S) * 1000;
	return worker_start(&j->w, st->s->run, &cfg, e);
}

static int start_seed(struct state *st, struct job *j, struct err *e)
{
	if (!seeds_next(st->s->seeds, &j->seed)) {
		st->no_more = true;
		return 0;
	}
	j->index = st->next_index++;
	j->cfg = st->s->cfg;
	j->cfg.seed = j->seed;
	j->cfg.pin_cpu = nth_cpu(st, (unsigned)(j - st->jobs));
	j->sites = st->s->sites ? *st->s->sites : (struct sites){0};
	j->cfg.sites = &j->sites;
	j->cfg.find_sites = true;
	j->again = 0;
	j->user = NULL;
	st->s->begin(st->s->ctx, &j->cfg, &j->user);
	j->busy = true;
	return start_phase(st, j, RUN_FIRST, e);
}

static void clear_results(struct job *j)
{
	for (unsigned i = 0; i < PHASES; i++)
		run_result_clear(&j->res[i]);
}

/* What the runs of a checked seed amount to, written into the first one's result. */
static void conclude_check(struct job *j)
{
	struct run_result *first = &j->res[RUN_FIRST], *last = &j->res[j->phase];
	struct buf text = {0};

	if (last->cls == CLASS_HARNESS) {
		first->cls = CLASS_HARNESS;
		snprintf(first->message, sizeof first->message, "in run %d of the check: %.400s", j->phase + 1, last->message);
		return;
	}
	if (j->phase < RECORD_AGAIN)
		return;
	divergence_describe(&text, &j->res[RECORD_FIRST], last, j->from, j->to);
	first->cls = CLASS_NONDETERMINISM;
	snprintf(first->message, sizeof first->message, "%.*s", (int)sizeof first->message - 1, text.data);
	buf_clear(&first->details);
	if (text.len >= sizeof first->message)
		buf_addf(&first->details, "%s\n", text.data);
	buf_clear(&text);
}

static void note_found(struct state *st, const struct seed_outcome *o)
{
	bool failed = verdict_status(o->res.cls) != STATUS_PASS && o->res.cls != CLASS_SETUP;

	if (!(st->s->until_fail && failed) && !(st->s->cfg.until_output && o->res.matched_output))
		return;
	if (st->stats->found && st->stats->found_index < o->index)
		return;
	st->stats->found = true;
	st->stats->found_index = o->index;
	st->no_more = true;
}

static void finish_seed(struct state *st, struct job *j)
{
	struct seed_outcome o = {.index = j->index, .seed = j->seed, .cfg = j->cfg, .user = j->user,
				 .checked = j->phase > RUN_FIRST};
	enum exit_status status;

	if (o.checked)
		conclude_check(j);
	o.res = j->res[RUN_FIRST];
	j->res[RUN_FIRST] = (struct run_result){0};
	status = verdict_status(o.res.cls);
	st->stats->done++;
	if (o.res.cls == CLASS_SETUP) {
		st->stats->invalid++;
	} else {
		st->stats->failed += status != STATUS_PASS;
		st->stats->status = status_combine(st->stats->status, status);
	}
	st->stats->elapsed_ms = now_ms() - st->started_ms;
	if (st->s->max_failures && st->stats->failed >= st->s->max_failures)
		st->no_more = st->stats->enough = true;
	note_found(st, &o);
	st->s->done(st->s->ctx, &o, st->stats);
	run_result_clear(&o.res);
	clear_results(j);
	j->busy = false;
}

static bool recordings_differ(const struct job *j)
{
	const struct buf *a = &j->res[RECORD_FIRST].recorded, *b = &j->res[j->phase].recorded;

	return j->phase > RECORD_FIRST && (a->len != b->len || (a->len && memcmp(a->data, b->data, a->len)));
}

/* A thread was found to wait in a loop that counts: the seed from its start, with that place counted. */
static int start_again(struct state *st, struct job *j, struct err *e)
{
	struct site site = j->res[j->phase].site;

	sites_add(&j->sites, &site);
	clear_results(j);
	j->cfg.find_sites = ++j->again < AGAIN_MAX && j->sites.n < SITES_MAX;
	if (st->s->again)
		st->s->again(st->s->ctx, &j->cfg, j->user, &site);
	return start_phase(st, j, RUN_FIRST, e);
}

/* A run has ended: the next one of the same seed, or the seed's outcome. */
static int next_phase(struct state *st, struct job *j, struct err *e)
{
	struct run_result *res = &j->res[j->phase];

	worker_result(&j->w, res);
	if (j->overdue && res->cls == CLASS_HARNESS) {
		res->cls = CLASS_TIMEOUT;
		snprintf(res->message, sizeof res->message, "the supervisor did not stop at the limit of %lld s of real time",
			 (long long)j->cfg.timeout_s);
	}
	if (res->again)
		return start_again(st, j, e);
	/* Where real time or simrun itself ended a run, there is nothing to compare. */
	if (!st->s->check || res->cls == CLASS_HARNESS || res->cls == CLASS_TIMEOUT ||
	    recordings_differ(j) || j->phase == RECORD_LAST) {
		finish_seed(st, j);
		return 0;
	}
	if (j->phase == RUN_AGAIN) {
		if (!runs_differ(&j->res[RUN_FIRST], res)) {
			finish_seed(st, j);
			return 0;
		}
		divergence_window(&j->res[RUN_FIRST], res, &j->from, &j->to);
	}
	return start_phase(st, j, j->phase + 1, e);
}

static void drop_seed(struct state *st, struct job *j)
{
	struct run_result ignored;

	worker_kill(&j->w);
	if (j->w.pid && !j->w.ended)
		waitpid(j->w.pid, &j->w.status, 0);
	if (j->w.pid) {
		worker_result(&j->w, &ignored);
		run_result_clear(&ignored);
	}
	clear_results(j);
	st->s->dropped(st->s->ctx, &j->cfg, j->user);
	j->busy = false;
}

/* Reaps what has ended: supervisors, and processes of their runs that fell to us (we are a subreaper). */
static void reap(struct state *st)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned i = 0; i < st->s->jobs; i++) {
			struct worker *w = &st->jobs[i].w;
			if (st->jobs[i].busy && w->pid == pid) {
				w->ended = true;
				w->status = status;
			}
		}
}

/* Once what was looked for is found, only seeds before it are of interest: one of them may be the first. */
static void drop_later_seeds(struct state *st)
{
	for (unsigned i = 0; st->stats->found && i < st->s->jobs; i++)
		if (st->jobs[i].busy && st->jobs[i].index > st->stats->found_index)
			drop_seed(st, &st->jobs[i]);
}

static void take_signal(struct state *st)
{
	struct signalfd_siginfo si;

	if (read(st->signals, &si, sizeof si) == sizeof si)
		st->stats->signal = (int)si.ssi_signo;
}

/* Waits for a result, the end of a run, a signal, or the time for the next progress line. */
static void wait_for_news(struct state *st)
{
	nfds_t n = 0;

	st->polled[n++] = (struct pollfd){.fd = st->signals, .events = POLLIN};
	for (unsigned i = 0; i < st->s->jobs; i++) {
		struct job *j = &st->jobs[i];
		if (!j->busy)
			continue;
		st->polled[n++] = (struct pollfd){.fd = j->w.pidfd, .events = POLLIN};
		st->polled[n++] = (struct pollfd){.fd = j->w.pipe, .events = POLLIN};
	}
	if (poll(st->polled, n, PROGRESS_MS) < 0 && errno != EINTR)
		return;
	if (st->polled[0].revents)
		take_signal(st);
	for (unsigned i = 0; i < st->s->jobs; i++) {
		struct job *j = &st->jobs[i];
		if (!j->busy)
			continue;
		worker_read(&j->w);
		if (!j->overdue && now_ms() > j->deadline_ms) {
			j->overdue = true;
			worker_kill(&j->w);
		}
	}
	reap(st);
}

static void show_progress(struct state *st)
{
	int64_t now = now_ms();

	st->stats->elapsed_ms = now - st->started_ms;
	if (!st->s->progress || now - st->shown_ms < PROGRESS_MS)
		return;
	st->shown_ms = now;
	st->s->progress(st->s->ctx, st->stats);
}

static bool any_busy(const struct state *st)
{
	for (unsigned i = 0; i < st->s->jobs; i++)
		if (st->jobs[i].busy)
			return true;
	return false;
}

static int sweep_loop(struct state *st, struct err *e)
{
	for (;;) {
		if (!st->no_more && st->s->for_ms && now_ms() - st->started_ms >= st->s->for_ms)
			st->no_more = st->stats->time_over = true;
		for (unsigned i = 0; i < st->s->jobs && !st->no_more; i++)
			if (!st->jobs[i].busy && start_seed(st, &st->jobs[i], e) < 0)
				return -1;
		if (!any_busy(st))
			return 0;
		wait_for_news(st);
		if (st->stats->signal)
			return 0;
		for (unsigned i = 0; i < st->s->jobs; i++) {
			struct job *j = &st->jobs[i];
			if (j->busy && j->w.ended && next_phase(st, j, e) < 0)
				return -1;
		}
		drop_later_seeds(st);
		show_progress(st);
	}
}

/* Nothing of the runs shall be left when the command ends: what they leave dies by itself, but not at once. */
static void wait_for_leftovers(void)
{
	int64_t end = now_ms() + LAST_WAIT_MS;
	struct timespec tick = {.tv_nsec = 1000000};
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && now_ms() < end)
		if (pid == 0)
			nanosleep(&tick, NULL);
}

static int sweep_begin(struct state *st, struct err *e)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &st->old_mask);
	st->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (st->signals < 0)
		return err_set(e, errno, "cannot make a signal descriptor");
	/* Pid 1 of a run's namespace outlives its supervisor for a moment: it comes to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (sched_getaffinity(0, sizeof st->cpus, &st->cpus) < 0)
		CPU_ZERO(&st->cpus);
	return 0;
}

int sweep_run(const struct sweep *s, struct sweep_stats *stats, struct err *e)
{
	struct state st = {.s = s, .stats = stats, .signals = -1};
	int rc;

	*stats = (struct sweep_stats){.total = seeds_count(s->seeds)};
	st.jobs = xnewn(struct job, s->jobs);
	st.polled = xnewn(struct pollfd, 1 + 2 * (size_t)s->jobs);
	st.started_ms = st.shown_ms = now_ms();
	rc = sweep_begin(&st, e);
	if (!rc)
		rc = sweep_loop(&st, e);
	for (unsigned i = 0; i < s->jobs; i++)
		if (st.jobs[i].busy)
			drop_seed(&st, &st.jobs[i]);
	wait_for_leftovers();
	stats->elapsed_ms = now_ms() - st.started_ms;
	if (rc < 0)
		stats->status = STATUS_HARNESS;
	else if (stats->done && stats->invalid == stats->done)
		stats->status = STATUS_UNKNOWN; /* nothing was tested at all */
	if (st.signals >= 0)
		close(st.signals);
	sigprocmask(SIG_SETMASK, &st.old_mask, NULL);
	free(st.jobs);
	free(st.polled);
	return rc;
}
