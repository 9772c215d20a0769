/* Faults on nodes: crashes, stops, pauses, slowness, unfair scheduling. */
#include "tracer/fault_effects.h"
#include "tracer/fault_engine.h"

#include "base/mem.h"
#include "netsim/net.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- crash ---- */

static bool can_go_down(const struct node *n)
{
	const struct nodehost *h = node_host(n);

	return n->index && n->up && h->root && h->launch && !h->stopping;
}

static void kill_node(struct faults *fs, struct fault *f)
{
	fault_did(f, EFFECT_CONNECTIONS_LOST, net_count_node_connections(fs->s->net, f->node, NET_OPEN));
	fault_did(f, EFFECT_PROCESSES_KILLED, node_crash(fs->s, f->node));
}

bool fault_crash_start(struct faults *fs, struct fault *f)
{
	if (!can_go_down(f->node))
		return false;
	kill_node(fs, f);
	fault_ends_in(fs, f, fault_spec_number(&f->spec, "downtime"));
	return true;
}

void fault_crash_stop(struct faults *fs, struct fault *f)
{
	int rc = node_restart(fs->s, f->node);

	if (rc)
		sim_warn(fs->s, "node %s could not be started again: %s", f->node->name, strerror(-rc));
}

/* ---- stop ---- */

static void on_grace_over(struct timer *t)
{
	struct fault *f = container_of(t, struct fault, timer);
	struct faults *fs = f->fs;

	node_host(f->node)->stopping = false;
	kill_node(fs, f);
	f->step = 1;
	fault_ends_in(fs, f, fault_spec_number(&f->spec, "downtime"));
}

bool fault_stop_start(struct faults *fs, struct fault *f)
{
	struct nodehost *h = node_host(f->node);
	int64_t grace = fault_spec_number(&f->spec, "grace");

	if (!can_go_down(f->node))
		return false;
	node_keep_files(fs->s, f->node);
	h->stopping = true;
	f->step = 0;
	sig_send_simple(&fs->s->kern, h->root, NULL, SIGTERM, SI_USER, 0);
	if (grace != VCLOCK_NEVER)
		timer_arm(&fs->s->kern.clock, &f->timer, vclock_add(fault_now(fs), grace), on_grace_over);
	return true;
}

void fault_node_down(struct sim *s, struct node *n)
{
	struct faults *fs = s->faults;

	list_each(f, &fs->all, struct fault, link)
		if (f->state == FAULT_ACTIVE && f->node == n && !strcmp(f->spec.kind->name, "stop") && !f->step) {
			fault_did(f, EFFECT_PROCESSES_KILLED, 1);
			/* Whatever it left behind goes with it, but not while its end is under way. */
			timer_arm(&s->kern.clock, &f->timer, fault_now(fs), on_grace_over);
		}
}

void fault_stop_stop(struct faults *fs, struct fault *f)
{
	if (!f->step) {
		node_host(f->node)->stopping = false;
		kill_node(fs, f);
	}
	fault_crash_stop(fs, f);
}

/* ---- pauses ---- */

static bool hold(struct faults *fs, struct fault *f, struct thread *t)
{
	if (t->held || t->state == THREAD_DEAD || t->proc->doomed)
		return false;
	thread_hold(&fs->s->kern, t, &f->effect[EFFECT_TURNS_HELD]);
	return true;
}

bool fault_pause_start(struct faults *fs, struct fault *f)
{
	bool any = false;

	if (!f->node->up)
		return false;
	list_each(p, &fs->s->kern.proc_list, struct proc, in_kern)
		if (sim_node_of(fs->s, p) == f->node)
			list_each(t, &p->threads, struct thread, in_proc)
				any |= hold(fs, f, t);
	return any;
}

void fault_pause_stop(struct faults *fs, struct fault *f)
{
	list_each(p, &fs->s->kern.proc_list, struct proc, in_kern)
		list_each(t, &p->threads, struct thread, in_proc)
			if (t->held == &f->effect[EFFECT_TURNS_HELD])
				thread_release(&fs->s->kern, t);
}

/* The thread that made the call; else one of the node, drawn. */
static struct thread *thread_of(struct faults *fs, struct fault *f)
{
	struct thread *found = f->caller_tid ? thread_find(&fs->s->kern, f->caller_tid) : NULL;
	uint64_t n = 0;

	if (found && sim_node_of(fs->s, found->proc) == f->node)
		return found;
	found = NULL;
	list_each(p, &fs->s->kern.proc_list, struct proc, in_kern)
		if (sim_node_of(fs->s, p) == f->node)
			list_each(t, &p->threads, struct thread, in_proc)
				if (!rng_below(&f->rng, ++n))
					found = t;
	return found;
}

bool fault_pause_thread_start(struct faults *fs, struct fault *f)
{
	struct thread *t = thread_of(fs, f);

	return t && hold(fs, f, t);
}

/* ---- slowness ---- */

bool fault_slow_start(struct faults *fs, struct fault *f)
{
	struct nodehost *h = node_host(f->node);

	if (h->slow)
		return false;
	h->slow = f;
	return true;
}

void fault_slow_stop(struct faults *fs, struct fault *f)
{
	node_host(f->node)->slow = NULL;
}

int64_t fault_slowness(struct sim *s, const struct proc *p)
{
	struct fault *f = node_host(sim_node_of(s, p))->slow;

	if (!f)
		return 0;
	fault_did(f, EFFECT_CALLS_DELAYED, 1);
	return fault_spec_number(&f->spec, "each");
}

/* ---- unfairness ---- */

bool fault_unfair_start(struct faults *fs, struct fault *f)
{
	struct sched *sched = &fs->s->kern.sched;
	int64_t share = fault_spec_number(&f->spec, "share");

	if (sched->passed)
		return false;
	sched->passed = &f->effect[EFFECT_PICKS_PASSED];
	list_each(p, &fs->s->kern.proc_list, struct proc, in_kern)
		list_each(t, &p->threads, struct thread, in_proc)
			t->run.low = fault_takes_part(fs, sim_node_of(fs->s, p)) && (int64_t)rng_below(&f->rng, 1000000) < share;
	return true;
}

void fault_unfair_stop(struct faults *fs, struct fault *f)
{
	fs->s->kern.sched.passed = NULL;
	list_each(p, &fs->s->kern.proc_list, struct proc, in_kern)
		list_each(t, &p->threads, struct thread, in_proc)
			t->run.low = false;
}
