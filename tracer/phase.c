#include "tracer/phase.h"

#include "base/mem.h"
#include "tracer/scenario.h"
#include "tracer/sdk.h"
#include "tracer/sim.h"
#include "tracer/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct phases {
	struct sim *s;
	enum fault_phase now;
	bool setup_seen;
	struct timer end;        /* of the fault phase; then of the time for recovery */
	int64_t recovery_ns;     /* when it began */
};

static const struct scenario none;

static const struct scenario *scenario(const struct sim *s)
{
	return s->cfg->scenario ? s->cfg->scenario : &none;
}

enum fault_phase phase_now(const struct sim *s)
{
	return s->phases->now;
}

bool phase_setup_seen(const struct sim *s)
{
	return s->phases->setup_seen;
}

static void enter(struct sim *s, enum fault_phase p)
{
	s->phases->now = p;
	fault_phase(s, p);
}

static void line(struct sim *s, const struct proc *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void line(struct sim *s, const struct proc *p, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	trace_line(s, p, NULL, "phase", b.data);
	buf_clear(&b);
}

/* "5.000s" of virtual time, as the trace has it. */
static void clock_text(const struct sim *s, int64_t at_ns, char *out, size_t n)
{
	int64_t ms = (at_ns - s->boot_ns) / 1000000;

	snprintf(out, n, "%" PRId64 ".%03" PRId64 "s", ms / 1000, ms % 1000);
}

/* ---- the time that there is ---- */

static void on_recovery_over(struct timer *t)
{
	struct phases *ph = container_of(t, struct phases, end);
	struct sim *s = ph->s;
	const char *who = stage_waits_for(s);
	char within[32], since[32];

	if (!who)
		return;
	duration_print(scenario(s)->within_ns, within, sizeof within);
	clock_text(s, ph->recovery_ns, since, sizeof since);
	if (!s->finished) {
		snprintf(s->res->node, sizeof s->res->node, "%s", who);
		snprintf(s->res->group, sizeof s->res->group, "did not finish after recovery");
	}
	sim_verdict(s, CLASS_LIVENESS, "%s did not finish within %s of the recovery phase starting at %s", who, within, since);
}

static void begin_recovery(struct sim *s, const char *why)
{
	struct phases *ph = s->phases;
	int64_t within = scenario(s)->within_ns;
	unsigned restarted = 0;
	char until[64] = "";

	if (ph->now >= PHASE_RECOVERY)
		return;
	ph->recovery_ns = s->kern.clock.now_ns;
	timer_cancel(&s->kern.clock, &ph->end);
	if (within) {
		char at[32];
		clock_text(s, ph->recovery_ns + within, at, sizeof at);
		snprintf(until, sizeof until, ", everything must finish by %s", at);
		timer_arm(&s->kern.clock, &ph->end, ph->recovery_ns + within, on_recovery_over);
	}
	/* The fault engine starts the nodes in the call: counted here for the line. */
	restarted = stage_nodes_down(s);
	line(s, NULL, "recovery: %s; faults stop, partitions, clogs, slowdowns and pauses end, %u crashed node%s restart%s now%s", why,
	     restarted, restarted == 1 ? "" : "s", restarted == 1 ? "s" : "", until);
	enter(s, PHASE_RECOVERY);
}

static void on_faults_over(struct timer *t)
{
	struct phases *ph = container_of(t, struct phases, end);
	struct sim *s = ph->s;

	if (scenario(s)->within_ns) {
		begin_recovery(s, "the fault period ended");
		return;
	}
	s->res->horizon = true;
	line(s, NULL, "the time horizon: the duration of the run is over");
	sim_verdict(s, CLASS_PASS, "%s", "");
}

/* The duration counts from the end of setup, as no fault fires before. */
static void begin_faults(struct sim *s)
{
	int64_t duration = scenario(s)->duration_ns;

	enter(s, PHASE_FAULTS);
	if (duration)
		timer_arm(&s->kern.clock, &s->phases->end, s->kern.clock.now_ns + duration, on_faults_over);
}

/* Setup has no bound of its own, so the duration bounds it as well. */
static void on_setup_over(struct timer *t)
{
	struct phases *ph = container_of(t, struct phases, end);
	char duration[32];

	duration_print(scenario(ph->s)->duration_ns, duration, sizeof duration);
	sim_verdict(ph->s, CLASS_SETUP, "setup was not complete after %s", duration);
}

void phases_init(struct sim *s)
{
	s->phases = xnew(struct phases);
	s->phases->s = s;
	if (!scenario(s)->faults_after_setup) {
		begin_faults(s);
		return;
	}
	enter(s, PHASE_SETUP);
	if (scenario(s)->duration_ns)
		timer_arm(&s->kern.clock, &s->phases->end, s->kern.clock.now_ns + scenario(s)->duration_ns, on_setup_over);
}

void phases_clear(struct sim *s)
{
	if (!s->phases)
		return;
	timer_cancel(&s->kern.clock, &s->phases->end);
	free(s->phases);
	s->phases = NULL;
}

/* ---- what guests and their ends bring about ---- */

void phase_setup_complete(struct sim *s, const struct proc *p)
{
	struct phases *ph = s->phases;
	char name[96];

	if (ph->setup_seen)
		return;
	ph->setup_seen = true;
	line(s, p, "setup is complete, says %s%s", instance_name(s, p, name, sizeof name),
	     ph->now == PHASE_SETUP ? "; faults begin" : "");
	if (ph->now == PHASE_SETUP)
		begin_faults(s);
}

void phase_quiet(struct sim *s, const struct proc *p, int64_t for_ns)
{
	char name[96], time[32];

	duration_print(for_ns, time, sizeof time);
	line(s, p, "quiet for %s, asked by %s: no faults; partitions, clogs and slowdowns end", time,
	     instance_name(s, p, name, sizeof name));
	fault_quiet(s, for_ns);
}

void phase_recovery(struct sim *s, const char *why)
{
	begin_recovery(s, why);
}

void phase_finally(struct sim *s)
{
	enter(s, PHASE_FINALLY);
}

void phase_result(struct sim *s)
{
	struct run_result *r = s->res;
	char was[sizeof r->message];

	if (!scenario(s)->faults_after_setup || s->phases->setup_seen)
		return;
	if (r->cls == CLASS_PASS) {
		buf_adds(&r->warnings, "faults_after_setup: nobody said that setup is complete, so nothing was injected\n");
		return;
	}
	/* What went wrong before there was anything to test says nothing about it. */
	if (r->cls != CLASS_EXIT && r->cls != CLASS_DEADLOCK && r->cls != CLASS_LIVENESS)
		return;
	r->cls = CLASS_SETUP;
	memcpy(was, r->message, sizeof was);
	snprintf(r->message, sizeof r->message, "setup was not complete: %.*s", (int)(sizeof r->message - 32), was);
}
