/*
 * The loop of one run: fire timers, pick a thread, let it run to its next event, serve that, again.
 */
#include "kernel/wall.h"
#include "tracer/fault.h"
#include "tracer/filter.h"
#include "tracer/notify.h"
#include "tracer/preempt.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/spin.h"
#include "tracer/sys_time.h"
#include "tracer/vdso.h"
#include "tracer/wait_site.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Set by signal handlers, so that no notification is waited for while there is something else to do. */
static volatile int attention;
static volatile sig_atomic_t ticks, told_to_stop;

enum {
	TICK_MS = 10,
	/* The first look at a thread that makes no call comes soon and is short; each next one comes and takes twice as long. */
	SPIN_TICKS = 1,
	SPIN_STEPS_FIRST = 64,
	SPIN_STEPS = 512,
	SPIN_STEPS_MAX = 1 << 16,
	/* No look may take more than 1/8 of the time since the last: a step costs 3 us on some machines, 40 us on others. */
	SPIN_SHARE = 8,
	/* Processor time without a call after which a thread is taken to wait, if others could run. */
	WAIT_MS = 1000,
};

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	(void)info;
	if (sig == SIGALRM)
		ticks++;
	else if (sig != SIGCHLD)
		told_to_stop = 1;
	attention = 1;
	notify_fixup(uc);
}

static const int sigs[] = {SIGCHLD, SIGALRM, SIGINT, SIGTERM, SIGHUP};

void sim_hold_signals(bool hold)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(sigs); i++)
		sigaddset(&set, sigs[i]);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static void take_signals(void)
{
	struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct itimerval it = {.it_value.tv_usec = TICK_MS * 1000, .it_interval.tv_usec = TICK_MS * 1000};

	for (size_t i = 0; i < ARRAY_LEN(sigs); i++)
		sigaction(sigs[i], &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
}

/* ---- letting a thread go on ---- */

/* The clock page shows the clock of the node whose thread is about to run. */
static void load_page(struct sim *s, struct task *t)
{
	struct clock_page *p = s->page;

	p->mono_ns = s->kern.clock.now_ns;
	p->wall_off_ns = wall_offset(&s->kern, t->thread->proc->node);
	p->tai_off_ns = time_tai_offset(t->thread->proc->node);
	p->wall_reads = 0;
	p->cpu = thread_cpu(t->thread);
	count_load(s, t);
	p->reads = 0;
	p->step_ns = t->clock_step_ns ? t->clock_step_ns : s->cfg->clock_read_cost_ns;
	p->limit_ns = MIN(vclock_next(&s->kern.clock), p->mono_ns + (s->kern.sched.len ? CLOCK_TURN_NS : CLOCK_ALONE_NS));
}

/* The signal that the thread takes before it goes on. */
static bool next_signal(struct sim *s, struct task *t, struct sigitem *it)
{
	*it = t->interrupt;
	t->interrupt.sig = 0;
	if (!it->sig)
		return sig_take(&s->kern, t->thread, it);
	if (t->thread->proc->sighand->act[it->sig].handler > 1)
		return true;
	/* Another thread took the handler away meanwhile: the new action decides, and nothing is left to restart the call. */
	if (t->reply.value <= -K_ERESTARTSYS && t->reply.value >= -K_ERESTART_RESTARTBLOCK)
		t->reply.value = -EINTR;
	thread_end_temp_mask(&s->kern, t->thread);
	sig_send(&s->kern, t->thread->proc, t->thread, it);
	return false;
}

static bool on_stop(struct sim *s, pid_t tid, int status);

/* A switch between calls, if one is due: see preempt.h. True when the thread need not be let go any more. */
static bool run_for_steps(struct sim *s, struct task *t)
{
	unsigned steps;
	int status;

	if (t->park != PARK_NOTIFY && !t->steppable)
		return false;
	steps = preempt_draw(s, t);
	if (!steps)
		return false;
	switch (preempt_step(s, t, steps, &status)) {
	case PREEMPT_SWITCH:
		t->park = PARK_STOP;
		t->steppable = true;
		dispatch_preempt(s, t);
		return true;
	case PREEMPT_CALL:
		t->park = PARK_STOP;
		t->steppable = false;
		return false;
	case PREEMPT_STOP:
		break;
	}
	t->park = PARK_RUNNING;
	if (status == -1 || !on_stop(s, t->tid, status))
		return true;
	return true;
}

/* Debug registers can be set in a stop only. False: another stop came up instead, and was served. */
static bool arm(struct sim *s, struct task *t)
{
	int status;

	if (count_arm(s, t))
		return true;
	if (task_hold(s, t, &status)) {
		t->park = PARK_STOP;
		t->steppable = true;
		return count_arm(s, t);
	}
	t->park = PARK_RUNNING;
	if (status != -1)
		on_stop(s, t->tid, status);
	return false;
}

static void resume(struct sim *s, struct task *t)
{
	struct sigitem it;
	int rc = 0;

	load_page(s, t);
	if (next_signal(s, t, &it)) {
		deliver_signal(s, t, &it);
		return;
	}
	if (t->thread->proc->doomed)
		return;
	if (!arm(s, t))
		return;
	if (s->preempt_left && run_for_steps(s, t))
		return;
	switch (t->park) {
	case PARK_NOTIFY:
		rc = t->reply.kind == V_CONTINUE ? notify_continue(s->listener, t->notify_id) :
						   notify_reply(s->listener, t->notify_id, t->reply.value);
		break;
	case PARK_STOP:
		rc = pt_cont(t->tid, 0);
		break;
	case PARK_RUNNING:
	case PARK_VFORK:
		BUG("thread %d cannot be resumed from state %d", t->thread->tid, t->park);
	}
	if (rc && rc != -ENOENT && rc != -ESRCH)
		BUG("cannot resume thread %d: %s", t->thread->tid, strerror(-rc));
	t->park = PARK_RUNNING;
}

/* ---- what a running thread comes up with ---- */

static void on_notification(struct sim *s, const struct seccomp_notif *n)
{
	struct task *t = map_get(&s->tasks, n->pid);

	if (!t)
		BUG("a notification from %u, which is no guest", n->pid);
	if (t != s->current)
		BUG("thread %d ran although %d was picked", t->thread->tid, s->current->thread->tid);
	t->park = PARK_NOTIFY;
	t->steppable = false;
	t->notify_id = n->id;
	t->ip = n->data.instruction_pointer;
	t->call.nr = n->data.nr;
	if (n->data.arch != AUDIT_ARCH_X86_64)
		t->call.nr = -1 - n->data.nr; /* int $0x80: no row has a negative number */
	for (int i = 0; i < 6; i++)
		t->call.arg[i] = n->data.args[i];
	dispatch_call(s, t);
}

static void on_seccomp_stop(struct sim *s, struct task *t)
{
	struct user_regs_struct r;

	pt_getregs(t->tid, &r);
	t->park = PARK_STOP;
	t->steppable = false;
	t->ip = r.rip;
	t->sp = r.rsp;
	t->call.nr = (long)r.orig_rax;
	t->call.arg[0] = r.rdi;
	t->call.arg[1] = r.rsi;
	t->call.arg[2] = r.rdx;
	t->call.arg[3] = r.r10;
	t->call.arg[4] = r.r8;
	t->call.arg[5] = r.r9;
	dispatch_call(s, t);
}

static void on_unexpected_end(struct sim *s, struct task *t, int status)
{
	struct proc *p = t->thread->proc;

	/* The kernel ended it for a reason of its own, e.g. a signal frame that did not fit on the stack. */
	sim_event(s, p, "process %d was ended by the kernel: it %s", p->pid, ending_of(status).text);
	t->exited = true;
	if (!p->doomed)
		proc_doom(&s->kern, p, WIFSIGNALED(status) ? WTERMSIG(status) : (WEXITSTATUS(status) << 8));
}

static bool on_stop(struct sim *s, pid_t tid, int status);

/* How many instructions the next look may step. */
static unsigned spin_budget(const struct sim *s)
{
	unsigned looks = s->watch.looks, steps = looks ? SPIN_STEPS << MIN(looks - 1, 7u) : SPIN_STEPS_FIRST;

	return MIN(MAX(steps, 4 * s->spin_period), (unsigned)SPIN_STEPS_MAX);
}

/* How long after the last look the next one comes, in ticks. */
static uint64_t spin_pause(const struct sim *s)
{
	uint64_t cost = s->spin_steps ? spin_budget(s) * s->spin_ticks / s->spin_steps : 0;
	uint64_t pause = (uint64_t)SPIN_TICKS << MIN(s->watch.looks, 10u);

	return s->watch.looks ? MAX(pause, SPIN_SHARE * cost) : pause;
}

/* It has used much time without a call while others could run. Processor time: other load on the machine does not count. */
static bool waits_long(struct sim *s, struct task *t)
{
	if (!s->watch.cpu_ms)
		s->watch.cpu_ms = task_cpu_ms(t);
	return s->cfg->find_sites && count_others(s) && task_cpu_ms(t) - s->watch.cpu_ms >= WAIT_MS;
}

/* No place to count at is left: it gives way where it happens to stand, and the run cannot be repeated. */
static void give_way_anywhere(struct sim *s, struct task *t)
{
	if (!s->unrepeatable)
		report_backtrace(s, t, &s->res->details);
	s->unrepeatable = true;
	sim_warn(s, "not repeatable: thread %d of process %d (%s) waits in a loop where nothing can be counted", t->thread->tid,
		 t->thread->proc->pid, t->thread->comm);
	t->counted.turns++;
	t->park = PARK_STOP;
	t->steppable = true;
	dispatch_turn(s, t);
}

/* The run ends, to be made again with the place counted where the thread goes round. True: the thread is parked. */
static bool long_wait(struct sim *s, struct task *t)
{
	int status;

	switch (wait_site_find(s, t, &s->res->site, &status)) {
	case WAIT_SITE_FOUND:
		t->park = PARK_STOP;
		s->res->again = true;
		sim_verdict(s, CLASS_UNREPEATABLE, "thread %d (%s) waits in a loop that counts, in %s", t->thread->tid,
			    t->thread->comm, s->res->site.file);
		return true;
	case WAIT_SITE_STOP:
		return status == -1 ? false : on_stop(s, t->tid, status);
	case WAIT_SITE_FULL:
		give_way_anywhere(s, t);
		return true;
	case WAIT_SITE_NONE:
		break;
	}
	s->watch.cpu_ms = 0; /* later again */
	s->watch.since = ticks;
	pt_cont(t->tid, 0);
	return false;
}

/* The watchdog's stop, unless it came too late and the thread has made a call since. */
static bool on_interrupt(struct sim *s, struct task *t)
{
	unsigned steps = spin_budget(s);
	sig_atomic_t began = ticks;
	enum spin found;
	int status;

	if (!s->watch.wanted) {
		pt_cont(t->tid, 0);
		return false;
	}
	s->watch.wanted = false;
	s->watch.looks++;
	found = spin_examine(s, t, steps, &status);
	s->spin_ticks += (uint64_t)(ticks - began);
	switch (found) {
	case SPIN_YES:
		t->park = PARK_STOP;
		dispatch_spin(s, t);
		return true;
	case SPIN_TURN:
		count_turn(s, t);
		return t->park != PARK_RUNNING;
	case SPIN_STOP:
		return status == -1 ? false : on_stop(s, t->tid, status);
	case SPIN_NO:
		if (waits_long(s, t))
			return long_wait(s, t);
		break;
	}
	s->watch.since = ticks;
	pt_cont(t->tid, 0);
	return false;
}

static void watch_spin(struct sim *s)
{
	if (!s->watch.wanted && (uint64_t)(ticks - s->watch.since) > spin_pause(s) &&
	    ptrace(PTRACE_INTERRUPT, s->current->tid, 0, 0) == 0)
		s->watch.wanted = true;
}

/* True when the running thread has been parked by this status. */
static bool on_stop(struct sim *s, pid_t tid, int status)
{
	struct task *t = map_get(&s->tasks, (uint64_t)tid);
	int sig = WSTOPSIG(status);

	if (!t)
		return false; /* pid 1 of the namespace, or the template */
	if (!WIFSTOPPED(status)) {
		on_unexpected_end(s, t, status);
		return true;
	}
	if (pt_event(status) == PTRACE_EVENT_SECCOMP) {
		on_seccomp_stop(s, t);
		return true;
	}
	if (pt_event(status) == PTRACE_EVENT_STOP)
		return on_interrupt(s, t);
	if (sig == SIGTRAP && count_trap(s, t))
		return t->park != PARK_RUNNING;
	t->park = PARK_STOP;
	guest_fault(s, t, sig);
	return t->park != PARK_RUNNING;
}

static bool wall_limit_hit(struct sim *s)
{
	struct buf where = {0};

	if (told_to_stop)
		sim_verdict(s, CLASS_HARNESS, "interrupted");
	if (real_ms() < s->deadline_ms)
		return s->finished;
	if (s->finished)
		return true;
	if (!s->current) {
		sim_verdict(s, CLASS_TIMEOUT, "the limit of %lld s of real time is over", (long long)s->cfg->timeout_s);
		return true;
	}
	report_backtrace(s, s->current, &where);
	sim_verdict(s, CLASS_TIMEOUT, "the limit of %lld s of real time is over; running was %s: process %d, thread %d (%s)",
		    (long long)s->cfg->timeout_s, sim_node_of(s, s->current->thread->proc)->name, s->current->thread->proc->pid,
		    s->current->thread->tid, s->current->thread->comm);
	buf_add(&s->res->details, where.data, where.len);
	buf_clear(&where);
	return true;
}

/* Waits until the thread that runs is parked again. */
static void wait_event(struct sim *s)
{
	s->watch = (struct watch){.since = ticks};
	for (;;) {
		long rc = notify_recv(s->listener, s->notif, &attention);
		int status;
		pid_t tid;
		if (rc == 0) {
			on_notification(s, s->notif);
			return;
		}
		if (rc != -EINTR && rc != -ENOENT)
			BUG("cannot receive a notification: %s", strerror((int)-rc));
		attention = 0;
		if (wall_limit_hit(s))
			return;
		while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
			if (on_stop(s, tid, status)) {
				attention = 1; /* there may be more: look again before sleeping */
				return;
			}
		watch_spin(s);
	}
}

/* ---- the loop ---- */

void sim_kill_doomed(struct sim *s)
{
	while (s->ndoomed) {
		struct proc *p = s->doomed[0];
		memmove(s->doomed, s->doomed + 1, --s->ndoomed * sizeof *s->doomed);
		proc_kill_now(s, p);
	}
}

/* Threads that spin for another's store, and nobody left who could make one. */
static bool only_spinners(const struct sim *s)
{
	return s->nspinning && s->kern.clock.len == s->nspinning &&
	       vclock_next(&s->kern.clock) - s->kern.clock.now_ns > NS_PER_S;
}

/* Nobody can run. The next fault begins before the next timer fires; without one it could only hide that all is over. */
static bool jump_to_fault(struct sim *s)
{
	int64_t next = vclock_next(&s->kern.clock);

	if (next == VCLOCK_NEVER || fault_next(s) >= next)
		return false;
	if (fault_next(s) > s->kern.clock.now_ns)
		s->kern.clock.now_ns = fault_next(s);
	return true;
}

/* Nobody can run before the time at which a replay shall stop: nothing happens until then. */
static bool jump_to_stop(struct sim *s)
{
	int64_t until = s->boot_ns + s->cfg->until_ns;

	if (!s->cfg->until_ns || until > vclock_next(&s->kern.clock) || until > fault_next(s))
		return false;
	s->kern.clock.now_ns = until;
	return true;
}

static void step(struct sim *s)
{
	struct sched_node *n;
	struct task *t;

	if (fault_next(s) <= s->kern.clock.now_ns)
		fault_fire(s);
	vclock_fire_due(&s->kern.clock);
	sim_kill_doomed(s);
	if (s->finished)
		return;
	n = sched_pick(&s->kern.sched);
	if (!n) {
		if (jump_to_stop(s))
			return;
		if (only_spinners(s) || (!jump_to_fault(s) && !vclock_jump(&s->kern.clock)))
			report_deadlock(s);
		return;
	}
	t = thread_task(container_of(n, struct thread, run));
	t->thread->state = THREAD_RUNNING;
	s->current = t;
	s->kern.current = t->thread;
	if (t->spinning) {
		t->spinning = false;
		s->nspinning--;
	}
	if (t->in_call) {
		dispatch_retry(s, t);
		return;
	}
	if (t->park == PARK_VFORK) {
		/* Woken by a signal: it stays until the child lets it go (wait_for_vfork_done() in kernel/fork.c). */
		thread_block(&s->kern, t->thread);
		return;
	}
	resume(s, t);
	if (t->park == PARK_RUNNING)
		wait_event(s);
}

/* Of a replay that shall not go on to its end. */
static bool stop_reached(struct sim *s)
{
	if (!s->event_seen && (!s->cfg->until_ns || sim_elapsed_ns(s) < s->cfg->until_ns))
		return false;
	s->finished = s->res->stopped = true;
	return true;
}

void sim_loop(struct sim *s)
{
	s->deadline_ms = s->cfg->timeout_s ? real_ms() + s->cfg->timeout_s * 1000 : INT64_MAX;
	take_signals();
	while (!s->finished && !stop_reached(s)) {
		step(s);
		if (attention && !s->finished)
			wall_limit_hit(s);
	}
}
