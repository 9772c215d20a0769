/*
 * Faults of wall clocks. What is changed is the node's offset (kernel/wall.h), so that every reader agrees; whoever waits for
 * a time of that clock is made to look again.
 */
#include "tracer/fault_effects.h"
#include "tracer/fault_engine.h"

#include "base/mem.h"
#include "kernel/posix_timer.h"
#include "kernel/timerfd.h"
#include "kernel/wall.h"

#include <stdlib.h>

static bool follows_wall(const struct thread *t)
{
	const struct task *task = thread_task(t);

	return t->state == THREAD_BLOCKED && task && task->in_call && task->call.follows_wall;
}

/* The clock of n runs differently from now on; `set`: it jumped. */
static void changed(struct faults *fs, struct fault *f, struct node *n, bool set)
{
	struct kern *k = &fs->s->kern;
	uint64_t moved = 0;

	list_each(p, &k->proc_list, struct proc, in_kern) {
		if (p->node != n)
			continue;
		moved += ptimer_wall_changed(k, p);
		for (unsigned fd = 0; p->fds && fd < p->fds->cap; fd++)
			if (p->fds->ent[fd].file && file_is_timerfd(p->fds->ent[fd].file))
				moved += timerfd_wall_changed(p->fds->ent[fd].file, set);
		list_each(t, &p->threads, struct thread, in_proc)
			if (follows_wall(t)) {
				thread_wake(k, t);
				moved++;
			}
	}
	fault_did(f, EFFECT_TIMERS_MOVED, moved);
}

static void set_by(struct faults *fs, struct fault *f, int64_t by)
{
	f->node->wall_offset_ns += by;
	changed(fs, f, f->node, true);
}

/* Reads of the clock count for the fault that touched it last. */
static void count_reads(struct fault *f, bool on)
{
	uint64_t *mine = &f->effect[EFFECT_CLOCK_READS];

	if (on)
		f->node->wall_reads = mine;
	else if (f->node->wall_reads == mine)
		f->node->wall_reads = NULL;
}

bool fault_jump_start(struct faults *fs, struct fault *f)
{
	count_reads(f, true);
	set_by(fs, f, fault_spec_number(&f->spec, "by"));
	return true;
}

void fault_jump_stop(struct faults *fs, struct fault *f)
{
	set_by(fs, f, -fault_spec_number(&f->spec, "by"));
	count_reads(f, false);
}

bool fault_drift_start(struct faults *fs, struct fault *f)
{
	struct node *n = f->node;

	if (n->wall_drift_ppm)
		return false;
	n->wall_drift_ppm = fault_spec_number(&f->spec, "rate");
	n->wall_drift_since_ns = fault_now(fs);
	count_reads(f, true);
	changed(fs, f, n, false);
	return true;
}

/* It runs as fast as others again, and stays where it is. */
void fault_drift_stop(struct faults *fs, struct fault *f)
{
	struct node *n = f->node;

	n->wall_offset_ns = wall_offset(&fs->s->kern, n) - fs->s->kern.wall_offset_ns;
	n->wall_drift_ppm = 0;
	count_reads(f, false);
	changed(fs, f, n, false);
}

struct strobe {
	struct timer timer;
	struct fault *f;
	bool ahead;
};

static void on_strobe(struct timer *t)
{
	struct strobe *st = container_of(t, struct strobe, timer);
	struct fault *f = st->f;
	int64_t by = fault_spec_number(&f->spec, "by");

	st->ahead = !st->ahead;
	set_by(f->fs, f, st->ahead ? by : -by);
	timer_arm(&f->fs->s->kern.clock, t, vclock_add(fault_now(f->fs), fault_spec_number(&f->spec, "period")), on_strobe);
}

bool fault_strobe_start(struct faults *fs, struct fault *f)
{
	struct strobe *st = f->priv ? f->priv : xnew(struct strobe);

	*st = (struct strobe){.f = f};
	f->priv = st;
	count_reads(f, true);
	on_strobe(&st->timer);
	return true;
}

void fault_strobe_stop(struct faults *fs, struct fault *f)
{
	struct strobe *st = f->priv;

	timer_cancel(&fs->s->kern.clock, &st->timer);
	if (st->ahead)
		set_by(fs, f, -fault_spec_number(&f->spec, "by"));
	count_reads(f, false);
}

/* A second is repeated, or left out; CLOCK_TAI goes on through it. */
bool fault_leap_start(struct faults *fs, struct fault *f)
{
	int64_t by = fault_spec_number(&f->spec, "second") ? NS_PER_S : -NS_PER_S;

	f->node->leap_ns -= by;
	count_reads(f, true);
	set_by(fs, f, by);
	return true;
}
