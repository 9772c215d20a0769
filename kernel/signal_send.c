/*
 * Sending signals, and what happens at once: default actions, job control. After prepare_signal(), complete_signal() and
 * get_signal() in kernel/signal.c of Linux, with one difference: a default action that ends or stops the process is
 * performed when the signal is sent (or unblocked), not when the thread next returns to user mode; since every thread is
 * parked at such a return, nobody can tell.
 */
#include "kernel/task.h"

#include "base/err.h"

enum { LIM_SIGPENDING = 11, RT_FIRST = 32 };

#define STOP_SIGNALS (K_SIGBIT(SIGSTOP) | K_SIGBIT(SIGTSTP) | K_SIGBIT(SIGTTIN) | K_SIGBIT(SIGTTOU))

enum effect { EFFECT_HANDLER, EFFECT_IGNORE, EFFECT_END, EFFECT_STOP };

static enum effect effect_of(const struct proc *p, int sig)
{
	uint64_t handler = sig == SIGKILL || sig == SIGSTOP ? 0 : p->sighand->act[sig].handler;

	if (handler > 1)
		return EFFECT_HANDLER;
	if (handler == 1)
		return EFFECT_IGNORE;
	switch (sig_default_action(sig)) {
	case SIG_DEF_STOP:
		return EFFECT_STOP;
	case SIG_DEF_IGN:
	case SIG_DEF_CONT:
		return EFFECT_IGNORE;
	case SIG_DEF_TERM:
	case SIG_DEF_CORE:
		break;
	}
	return EFFECT_END;
}

/* ---- job control ---- */

static void tell_parent_of_job(struct kern *k, struct proc *p, int code, int status)
{
	struct proc *parent = p->parent;
	struct sigitem it = {.sig = SIGCHLD, .code = code, .pid = proc_seen_pid(p), .uid = p->uid, .status = status};
	const struct k_sigaction *a;

	if (!parent || !parent->sighand)
		return;
	a = &parent->sighand->act[SIGCHLD];
	if (a->handler != 1 && !(a->flags & K_SA_NOCLDSTOP))
		sig_send(k, parent, NULL, &it);
	waitq_wake(&parent->child_wq, 0);
}

void proc_stop(struct kern *k, struct proc *p, int sig)
{
	if (p->stopped || p->doomed)
		return;
	p->stopped = true;
	p->stop_report = sig;
	list_each(t, &p->threads, struct thread, in_proc)
		thread_set_stopped(k, t, true);
	tell_parent_of_job(k, p, CLD_STOPPED, sig);
}

void proc_continue(struct kern *k, struct proc *p)
{
	if (!p->stopped || p->doomed)
		return;
	p->stopped = false;
	p->stop_report = 0xffff;
	list_each(t, &p->threads, struct thread, in_proc)
		thread_set_stopped(k, t, false);
	tell_parent_of_job(k, p, CLD_CONTINUED, SIGCONT);
	list_each(t, &p->threads, struct thread, in_proc) {
		sig_settle(k, t);
		if (sig_deliverable(k, t) && t->state == THREAD_BLOCKED)
			thread_wake(k, t);
	}
}

/* ---- default actions ---- */

/* True when the process was ended or stopped: nothing else of it needs a look. */
static bool act_now(struct kern *k, struct proc *p, struct sigpending *q, int sig)
{
	struct sigitem it;

	switch (effect_of(p, sig)) {
	case EFFECT_HANDLER:
		return false;
	case EFFECT_IGNORE:
		sig_drop(k, q, K_SIGBIT(sig));
		return false;
	case EFFECT_END:
		/* No core bit: as with a core limit of 0, nothing is dumped. */
		proc_doom(k, p, sig);
		return true;
	case EFFECT_STOP:
		ENSURE(sig_dequeue(k, q, sig, &it));
		if (sig != SIGSTOP && proc_group_orphaned(k, p->pgid, NULL))
			return false;
		proc_stop(k, p, sig);
		return true;
	}
	return false;
}

void sig_settle(struct kern *k, struct thread *t)
{
	struct proc *p = t->proc;
	uint64_t set = sig_pending_set(t) & ~t->sigmask & ~t->sigwait_set;

	for (; set && !p->doomed && thread_may_run(t); set &= set - 1) {
		int sig = __builtin_ctzll(set) + 1;
		if ((t->pending.set & K_SIGBIT(sig)) && act_now(k, p, &t->pending, sig))
			return;
		if ((p->pending.set & K_SIGBIT(sig)) && act_now(k, p, &p->pending, sig))
			return;
	}
}

/* ---- sending ---- */

/* Stop signals and SIGCONT cancel each other, whoever blocks them. */
static void prepare(struct kern *k, struct proc *p, int sig)
{
	uint64_t cancelled = 0;

	if (K_SIGBIT(sig) & STOP_SIGNALS)
		cancelled = K_SIGBIT(SIGCONT);
	else if (sig == SIGCONT)
		cancelled = STOP_SIGNALS;
	if (!cancelled)
		return;
	sig_drop(k, &p->pending, cancelled);
	list_each(t, &p->threads, struct thread, in_proc)
		sig_drop(k, &t->pending, cancelled);
	if (sig == SIGCONT)
		proc_continue(k, p);
}

static bool open_to(const struct thread *t, int sig)
{
	uint64_t closed = t->sigmask & ~t->sigwait_set;

	return sig == SIGKILL || (thread_may_run(t) && !(closed & K_SIGBIT(sig)));
}

/* The thread that takes a signal for the process: the eldest if it wants it, else the first that does, those without
 * another signal to take before the others. */
static struct thread *choose(struct kern *k, const struct proc *p, struct thread *only, int sig)
{
	struct thread *busy = NULL;

	if (only)
		return open_to(only, sig) ? only : NULL;
	list_each(t, &p->threads, struct thread, in_proc) {
		if (!open_to(t, sig))
			continue;
		/* The new signal itself, just queued, does not count as another one. */
		if (t == k->current || !(sig_pending_set(t) & ~t->sigmask & ~K_SIGBIT(sig)))
			return t;
		if (!busy)
			busy = t;
	}
	return busy;
}

/* complete_signal(): somebody is to take it, or it takes effect at once. */
static void complete(struct kern *k, struct proc *p, struct thread *only, struct sigpending *q, int sig)
{
	struct thread *t = choose(k, p, only, sig);
	bool awaited;

	if (!t)
		return;
	/* rt_sigtimedwait of a signal that is otherwise blocked gets it, whatever its action is (real_blocked). */
	awaited = (t->sigwait_set & t->sigmask & K_SIGBIT(sig)) != 0;
	if (!awaited && act_now(k, p, q, sig))
		return;
	if (t->state == THREAD_BLOCKED)
		thread_wake(k, t);
}

static bool ignored(const struct proc *p, const struct thread *t, int sig)
{
	/* Kept while blocked: the action may have changed when it is unblocked, and sigwait may want it. */
	if (t && (t->sigmask & K_SIGBIT(sig)))
		return false;
	return effect_of(p, sig) == EFFECT_IGNORE;
}

static unsigned queued(const struct proc *p)
{
	unsigned n = p->pending.n;

	list_each(t, &p->threads, struct thread, in_proc)
		n += t->pending.n;
	return n;
}

/*
 * The node will be started again. Who sends it a signal that is for ending programs wants it to end for good; one that
 * programs give a meaning of their own (HUP: read the configuration anew) finds nobody who would take it.
 */
static void to_held(struct kern *k, struct proc *p, int sig)
{
	if (sig != SIGKILL && sig != SIGTERM && sig != SIGINT && sig != SIGQUIT && sig != SIGABRT)
		return;
	if (k->held_killed)
		k->held_killed(k, p, sig);
	else
		proc_end_held(k, p, sig);
}

static int queue_alive(struct kern *k, struct proc *p, struct thread *t, const struct sigitem *info)
{
	int sig = info->sig;
	struct sigpending *q = t ? &t->pending : &p->pending;
	struct sigitem *it;

	prepare(k, p, sig);
	if (p->doomed || ignored(p, t ? t : proc_main_thread(p), sig))
		return 0;
	if (sig == SIGKILL) {
		proc_doom(k, p, SIGKILL);
		return 0;
	}
	/* Each timer has a queue entry of its own, whatever the signal (send_sigqueue()). */
	if (sig < RT_FIRST && (q->set & K_SIGBIT(sig)) && info->code != SI_TIMER)
		return 0;
	if (sig >= RT_FIRST && info->code != SI_USER && info->code != SI_TIMER && queued(p) >= p->rlim[LIM_SIGPENDING][0])
		return -EAGAIN;
	it = arena_new_of(k->arena, struct sigitem);
	*it = *info;
	list_add_tail(&q->queue, &it->link);
	q->n++;
	q->set |= K_SIGBIT(sig);
	waitq_wake(&p->sig_wq, K_EPOLLIN);
	complete(k, p, t, q, sig);
	return 0;
}

int sig_queue(struct kern *k, struct proc *p, struct thread *t, const struct sigitem *info)
{
	ENSURE(info->sig > 0 && info->sig <= K_NSIG);
	if (p->held && p->zombie)
		to_held(k, p, info->sig); /* may free it */
	else if (!p->zombie && !p->doomed)
		return queue_alive(k, p, t, info);
	return 0;
}

void sig_send(struct kern *k, struct proc *p, struct thread *t, const struct sigitem *info)
{
	sig_queue(k, p, t, info);
}

void sig_send_simple(struct kern *k, struct proc *p, struct thread *t, int sig, int code, int pid)
{
	const struct proc *from = proc_find(k, pid);
	struct sigitem it = {.sig = sig, .code = code, .pid = pid, .uid = from ? from->uid : 0};

	sig_send(k, p, t, &it);
}

void sig_retarget(struct kern *k, struct proc *p, const struct thread *gone)
{
	if (!p->pending.set || p->doomed)
		return;
	list_each(t, &p->threads, struct thread, in_proc)
		if (t != gone && t->state == THREAD_BLOCKED && sig_deliverable(k, t))
			thread_wake(k, t);
}
