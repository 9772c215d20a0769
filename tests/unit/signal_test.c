/* Signals: what is queued, dropped, taken in which order, by whom, and what happens at once. */
#include "tests/unit/kern_fixture.h"

#include "base/rng.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { HANDLER = 0x1000 };

static void act(struct fixture *x, int sig, uint64_t handler, uint64_t flags)
{
	sig_set_action(&x->k, x->p, sig, &(struct k_sigaction){.handler = handler, .flags = flags});
}

static void mask(struct fixture *x, struct thread *t, uint64_t set)
{
	sig_set_mask(&x->k, t, set);
}

static void to_proc(struct fixture *x, int sig)
{
	sig_send_simple(&x->k, x->p, NULL, sig, SI_USER, 100);
}

static void to_thread(struct fixture *x, struct thread *t, int sig)
{
	sig_send_simple(&x->k, x->p, t, sig, SI_TKILL, 100);
}

/* What t takes now; 0: nothing. */
static int taken(struct fixture *x, struct thread *t)
{
	struct sigitem it;
	bool can = sig_deliverable(&x->k, t);

	assert_int_equal(sig_take(&x->k, t, &it), can);
	return can ? it.sig : 0;
}

/* A thread that waits in an interruptible call. */
static struct thread *waiting(struct fixture *x, int tid, uint64_t blocked)
{
	struct thread *t = thread_new(&x->k, x->p, tid);

	mask(x, t, blocked);
	return t;
}

/* ---- dropping and queueing ---- */

static void test_ignored(void **state)
{
	struct fixture *x = *state;

	to_proc(x, SIGCHLD);
	to_proc(x, SIGURG);
	to_proc(x, SIGWINCH);
	to_proc(x, SIGCONT);
	act(x, SIGUSR1, 1, 0);
	to_proc(x, SIGUSR1);
	assert_int_equal(sig_pending_set(x->t), 0);
	assert_false(x->p->doomed);
	/* Blocked ones are kept: the action may change. */
	mask(x, x->t, K_SIGBIT(SIGCHLD) | K_SIGBIT(SIGUSR1) | K_SIGBIT(SIGURG));
	to_proc(x, SIGCHLD);
	to_thread(x, x->t, SIGUSR1);
	to_proc(x, SIGURG);
	assert_int_equal(sig_pending_set(x->t), K_SIGBIT(SIGCHLD) | K_SIGBIT(SIGUSR1) | K_SIGBIT(SIGURG));
	act(x, SIGCHLD, HANDLER, 0);
	mask(x, x->t, K_SIGBIT(SIGURG));
	assert_int_equal(taken(x, x->t), SIGCHLD);
	assert_int_equal(taken(x, x->t), 0);
	assert_int_equal(sig_pending_set(x->t), K_SIGBIT(SIGURG));
	/* Setting an action that ignores drops what is pending, also for threads. */
	mask(x, x->t, ~0ull);
	to_thread(x, x->t, SIGCHLD);
	to_proc(x, SIGCHLD);
	act(x, SIGCHLD, 0, 0);
	act(x, SIGURG, 1, 0);
	assert_int_equal(sig_pending_set(x->t), 0);
	assert_nothing_leaked(x);
}

static void test_coalesce(void **state)
{
	struct fixture *x = *state;
	struct sigitem it;

	act(x, SIGUSR1, HANDLER, 0);
	for (int i = 1; i < 4; i++)
		sig_send_simple(&x->k, x->p, NULL, SIGUSR1, SI_USER, i);
	to_thread(x, x->t, SIGUSR1);
	assert_int_equal(taken(x, x->t), SIGUSR1);
	assert_true(sig_take(&x->k, x->t, &it));
	assert_int_equal(it.pid, 1);
	assert_int_equal(taken(x, x->t), 0);
	for (int i = 1; i < 4; i++) {
		struct sigitem rt = {.sig = 40, .code = SI_QUEUE, .value = i};
		act(x, 40, HANDLER, 0);
		assert_int_equal(sig_queue(&x->k, x->p, NULL, &rt), 0);
	}
	for (int i = 1; i < 4; i++) {
		assert_true(sig_take(&x->k, x->t, &it));
		assert_int_equal(it.value, i);
	}
	assert_false(sig_deliverable(&x->k, x->t));
	assert_nothing_leaked(x);
}

static void test_queue_limit(void **state)
{
	struct fixture *x = *state;
	struct sigitem rt = {.sig = 40, .code = SI_QUEUE};

	mask(x, x->t, ~0ull);
	x->p->rlim[11][0] = 3;
	assert_int_equal(sig_queue(&x->k, x->p, NULL, &rt), 0);
	assert_int_equal(sig_queue(&x->k, x->p, x->t, &rt), 0);
	assert_int_equal(sig_queue(&x->k, x->p, NULL, &rt), 0);
	assert_int_equal(sig_queue(&x->k, x->p, NULL, &rt), -EAGAIN);
	to_proc(x, SIGUSR1); /* what kill(2) sends is never refused */
	assert_true(sig_pending_set(x->t) & K_SIGBIT(SIGUSR1));
	assert_true(sig_take_from_set(&x->k, x->t, K_SIGBIT(40), &rt));
	assert_true(sig_take_from_set(&x->k, x->t, K_SIGBIT(40), &rt));
	assert_int_equal(sig_queue(&x->k, x->p, NULL, &rt), 0);
	sig_flush(&x->k, &x->p->pending);
	sig_flush(&x->k, &x->t->pending);
	assert_nothing_leaked(x);
}

/* ---- order ---- */

static void test_order(void **state)
{
	struct fixture *x = *state;
	static const int sent[] = {SIGTERM, 40, SIGSEGV, SIGHUP, SIGUSR1}, order[] = {SIGSEGV, SIGHUP, SIGUSR1, SIGTERM, 40};

	for (int i = 0; i < 5; i++) {
		act(x, sent[i], HANDLER, 0);
		to_proc(x, sent[i]);
	}
	to_thread(x, x->t, 40);
	to_thread(x, x->t, SIGTERM);
	/* The thread's own ones first, then the process's. */
	assert_int_equal(taken(x, x->t), SIGTERM);
	assert_int_equal(taken(x, x->t), 40);
	for (int i = 0; i < 5; i++)
		assert_int_equal(taken(x, x->t), order[i]);
	assert_int_equal(taken(x, x->t), 0);
}

/*
 * The same seeded operations on a process of ours and on the process that runs this test: what is pending, and what a
 * wait with a zero timeout takes, is equal. That is how order, coalescing and queueing are held to be Linux's own.
 */
static void twin_send(struct fixture *x, int sig, bool thread, int value)
{
	struct sigitem it = {.sig = sig, .code = SI_QUEUE, .value = value};
	siginfo_t si = {.si_signo = sig, .si_code = SI_QUEUE};

	si.si_value.sival_int = value;
	if (thread)
		assert_int_equal(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sig, &si), 0);
	else
		assert_int_equal(syscall(SYS_rt_sigqueueinfo, getpid(), sig, &si), 0);
	assert_int_equal(sig_queue(&x->k, x->p, thread ? x->t : NULL, &it), 0);
}

static void twin_take(struct fixture *x, uint64_t set)
{
	const struct timespec zero = {0};
	siginfo_t si;
	struct sigitem it;
	long sig = syscall(SYS_rt_sigtimedwait, &set, &si, &zero, 8);
	bool got = sig_take_from_set(&x->k, x->t, set, &it);

	assert_int_equal(got, sig > 0);
	if (got) {
		assert_int_equal(it.sig, sig);
		assert_int_equal(it.value, si.si_value.sival_int);
	}
}

static void test_twin(void **state)
{
	/* Not those that libraries of this process keep for themselves, nor KILL and STOP. */
	static const int sigs[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 11, 12, 13, 14, 15, 17, 18, 20, 21,
				   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 34, 35, 36, 40, 50, 63, 64};
	const size_t n = sizeof sigs / sizeof *sigs;
	struct fixture *x = *state;
	uint64_t all = 0, old, pending;
	struct rng r;

	for (size_t i = 0; i < n; i++)
		all |= K_SIGBIT(sigs[i]);
	assert_int_equal(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, 8), 0);
	mask(x, x->t, all);
	rng_init(&r, 11, "twin");
	for (int i = 0; i < 20000; i++) {
		if (rng_below(&r, 5) < 3) {
			twin_send(x, sigs[rng_below(&r, n)], rng_below(&r, 2), i);
		} else {
			uint64_t set = rng_below(&r, 3) ? all : rng_u64(&r) & all;
			twin_take(x, set);
		}
		assert_int_equal(syscall(SYS_rt_sigpending, &pending, 8), 0);
		assert_int_equal(sig_pending_set(x->t), pending);
		if (x->p->pending.n + x->t->pending.n > 300)
			while (sig_pending_set(x->t))
				twin_take(x, all);
	}
	while (sig_pending_set(x->t))
		twin_take(x, all);
	assert_int_equal(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8), 0);
	assert_nothing_leaked(x);
}

/* ---- default actions ---- */

static void count_doomed(struct kern *k, struct proc *p)
{
	(void)p;
	k->wall_offset_ns++; /* any counter will do */
}

static void test_fatal(void **state)
{
	struct fixture *x = *state;

	x->k.proc_doomed = count_doomed;
	to_proc(x, SIGTERM);
	assert_true(x->p->doomed);
	assert_int_equal(x->p->exit_status, SIGTERM);
	proc_doom(&x->k, x->p, SIGKILL);
	to_proc(x, SIGKILL);
	assert_int_equal(x->p->exit_status, SIGTERM);
	assert_int_equal(x->k.wall_offset_ns, 1);
}

static void test_fatal_without_core(void **state)
{
	struct fixture *x = *state;

	to_thread(x, x->t, SIGABRT);
	assert_int_equal(x->p->exit_status, SIGABRT);
}

static void test_kill_cannot_be_blocked(void **state)
{
	struct fixture *x = *state;

	mask(x, x->t, ~0ull);
	assert_int_equal(x->t->sigmask, ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP)));
	to_proc(x, SIGKILL);
	assert_int_equal(x->p->exit_status, SIGKILL);
}

static void test_fatal_when_unblocked(void **state)
{
	struct fixture *x = *state;

	mask(x, x->t, K_SIGBIT(SIGTERM));
	to_proc(x, SIGTERM);
	assert_false(x->p->doomed);
	assert_false(sig_deliverable(&x->k, x->t));
	mask(x, x->t, 0);
	assert_int_equal(x->p->exit_status, SIGTERM);
}

static void test_fatal_in_other_thread(void **state)
{
	struct fixture *x = *state;

	waiting(x, 101, 0);
	mask(x, x->t, K_SIGBIT(SIGTERM));
	to_proc(x, SIGTERM);
	assert_int_equal(x->p->exit_status, SIGTERM);
}

/* Pending for a handler that is taken away before it ran. */
static void test_fatal_by_action(void **state)
{
	struct fixture *x = *state;

	act(x, SIGUSR1, HANDLER, 0);
	to_proc(x, SIGUSR1);
	assert_false(x->p->doomed);
	act(x, SIGUSR1, 0, 0);
	assert_int_equal(x->p->exit_status, SIGUSR1);
}

/* ---- job control ---- */

static struct proc *with_parent(struct fixture *x)
{
	struct proc *c = proc_new(&x->k, 300, x->p);

	thread_new(&x->k, c, 300);
	act(x, SIGCHLD, HANDLER, 0);
	return c;
}

static void test_stop_continue(void **state)
{
	struct fixture *x = *state;
	struct proc *c = with_parent(x);
	struct thread *ct = proc_main_thread(c);
	struct sigitem it;

	thread_wake(&x->k, ct);
	sig_send_simple(&x->k, c, NULL, SIGSTOP, SI_USER, 100);
	assert_true(c->stopped && ct->stopped);
	assert_int_equal(c->stop_report, SIGSTOP);
	assert_ptr_equal(sched_pick(&x->k.sched), &x->t->run); /* its parent was told */
	assert_null(sched_pick(&x->k.sched));
	assert_true(sig_take(&x->k, x->t, &it));
	assert_int_equal(it.code, CLD_STOPPED);
	assert_int_equal(it.status, SIGSTOP);
	assert_int_equal(it.pid, 300);
	/* It does not act on signals now, except SIGKILL. */
	c->sighand->act[SIGUSR1].handler = HANDLER;
	sig_send_simple(&x->k, c, NULL, SIGUSR1, SI_USER, 100);
	sig_send_simple(&x->k, c, NULL, SIGTERM, SI_USER, 100);
	assert_false(c->doomed);
	assert_false(sig_deliverable(&x->k, ct));
	sig_drop(&x->k, &c->pending, K_SIGBIT(SIGTERM));
	sig_send_simple(&x->k, c, NULL, SIGCONT, SI_USER, 100);
	assert_false(c->stopped || ct->stopped);
	assert_int_equal(c->stop_report, 0xffff);
	assert_true(sig_take(&x->k, x->t, &it));
	assert_int_equal(it.code, CLD_CONTINUED);
	assert_int_equal(it.status, SIGCONT);
	assert_true(sig_take(&x->k, ct, &it));
	assert_int_equal(it.sig, SIGUSR1);
	/* SIGCONT of a running process is nothing to report. */
	c->stop_report = 0;
	sig_send_simple(&x->k, c, NULL, SIGCONT, SI_USER, 100);
	assert_int_equal(c->stop_report, 0);
	assert_false(sig_deliverable(&x->k, x->t));
}

static void test_fatal_after_continue(void **state)
{
	struct fixture *x = *state;
	struct proc *c = with_parent(x);

	sig_send_simple(&x->k, c, NULL, SIGSTOP, SI_USER, 100);
	sig_send_simple(&x->k, c, NULL, SIGTERM, SI_USER, 100);
	assert_false(c->doomed);
	sig_send_simple(&x->k, c, NULL, SIGCONT, SI_USER, 100);
	assert_int_equal(c->exit_status, SIGTERM);
}

static void test_kill_while_stopped(void **state)
{
	struct fixture *x = *state;
	struct proc *c = with_parent(x);

	sig_send_simple(&x->k, c, NULL, SIGSTOP, SI_USER, 100);
	sig_send_simple(&x->k, c, NULL, SIGKILL, SI_USER, 100);
	assert_int_equal(c->exit_status, SIGKILL);
}

static void test_nocldstop(void **state)
{
	struct fixture *x = *state;
	struct proc *c = with_parent(x);

	act(x, SIGCHLD, HANDLER, K_SA_NOCLDSTOP);
	sig_send_simple(&x->k, c, NULL, SIGSTOP, SI_USER, 100);
	assert_true(c->stopped);
	assert_false(sig_deliverable(&x->k, x->t));
}

static void test_stop_and_cont_cancel(void **state)
{
	struct fixture *x = *state;
	const uint64_t both = K_SIGBIT(SIGTSTP) | K_SIGBIT(SIGCONT);

	mask(x, x->t, ~0ull);
	to_proc(x, SIGTSTP);
	to_thread(x, x->t, SIGTTIN);
	assert_int_equal(sig_pending_set(x->t), K_SIGBIT(SIGTSTP) | K_SIGBIT(SIGTTIN));
	to_proc(x, SIGCONT);
	assert_int_equal(sig_pending_set(x->t), K_SIGBIT(SIGCONT));
	to_thread(x, x->t, SIGTSTP);
	assert_int_equal(sig_pending_set(x->t) & both, K_SIGBIT(SIGTSTP));
}

/* SIGTSTP does not stop a group that nobody could continue; SIGSTOP does. */
static void test_stop_of_orphaned_group(void **state)
{
	struct fixture *x = *state;
	struct proc *c = with_parent(x);

	assert_false(proc_group_orphaned(&x->k, x->p->pgid, NULL));
	x->p->outside_parent = false;
	assert_true(proc_group_orphaned(&x->k, x->p->pgid, NULL));
	to_proc(x, SIGTSTP);
	assert_false(x->p->stopped);
	assert_int_equal(sig_pending_set(x->t), 0);
	sig_send_simple(&x->k, c, NULL, SIGTTIN, SI_USER, 100); /* same group as its parent, which has none */
	assert_false(c->stopped);
	c->pgid = 300;
	sig_send_simple(&x->k, c, NULL, SIGTTIN, SI_USER, 100);
	assert_true(c->stopped);
	to_proc(x, SIGSTOP);
	assert_true(x->p->stopped);
}

/* ---- which thread ---- */

static void test_choice(void **state)
{
	struct fixture *x = *state;
	struct thread *a = waiting(x, 101, K_SIGBIT(SIGUSR1)), *b = waiting(x, 102, 0), *c = waiting(x, 103, 0);

	act(x, SIGUSR1, HANDLER, 0);
	act(x, SIGUSR2, HANDLER, 0);
	mask(x, x->t, K_SIGBIT(SIGUSR1));
	to_proc(x, SIGUSR1);
	assert_int_equal(a->state, THREAD_BLOCKED);
	assert_int_equal(b->state, THREAD_READY);
	assert_int_equal(c->state, THREAD_BLOCKED);
	to_proc(x, SIGUSR2);
	assert_int_equal(x->t->state, THREAD_READY);
	to_thread(x, c, SIGUSR2);
	assert_int_equal(c->state, THREAD_READY);
	assert_int_equal(a->state, THREAD_BLOCKED);
}

/* A thread that has another signal to take leaves this one to those who have none. */
static void test_choice_of_idle(void **state)
{
	struct fixture *x = *state;
	struct thread *a = waiting(x, 101, 0);

	act(x, SIGUSR1, HANDLER, 0);
	act(x, SIGUSR2, HANDLER, 0);
	x->k.current = NULL;
	to_thread(x, x->t, SIGUSR1);
	assert_int_equal(a->state, THREAD_BLOCKED);
	to_proc(x, SIGUSR2);
	assert_int_equal(a->state, THREAD_READY);
}

static void test_retarget(void **state)
{
	struct fixture *x = *state;
	struct thread *a = waiting(x, 101, 0), *b = waiting(x, 102, 0);

	act(x, SIGUSR1, HANDLER, 0);
	to_proc(x, SIGUSR1);
	assert_int_equal(x->t->state, THREAD_READY);
	assert_int_equal(a->state, THREAD_BLOCKED);
	mask(x, a, K_SIGBIT(SIGUSR1));
	assert_int_equal(b->state, THREAD_READY); /* a blocked it: b is told to look */
	b->state = THREAD_BLOCKED;
	sched_remove(&x->k.sched, &b->run);
	thread_dead(&x->k, x->t);
	assert_int_equal(b->state, THREAD_READY);
	assert_int_equal(a->state, THREAD_BLOCKED);
}

/* rt_sigtimedwait gets a blocked signal, whatever its action. */
static void test_sigwait(void **state)
{
	struct fixture *x = *state;
	struct thread *a = waiting(x, 101, ~0ull);
	struct sigitem it;

	mask(x, x->t, ~0ull);
	a->sigwait_set = K_SIGBIT(SIGTERM) | K_SIGBIT(SIGCHLD) | K_SIGBIT(SIGTSTP);
	to_proc(x, SIGTERM);
	assert_false(x->p->doomed);
	assert_int_equal(a->state, THREAD_READY);
	to_proc(x, SIGCHLD);
	to_proc(x, SIGTSTP);
	assert_false(x->p->stopped);
	a->sigwait_set = 0;
	assert_true(sig_take_from_set(&x->k, a, K_SIGBIT(SIGCHLD) | K_SIGBIT(SIGTERM), &it));
	assert_int_equal(it.sig, SIGTERM);
	assert_true(sig_take_from_set(&x->k, a, K_SIGBIT(SIGCHLD) | K_SIGBIT(SIGTERM), &it));
	assert_int_equal(it.sig, SIGCHLD);
	assert_false(sig_take_from_set(&x->k, a, K_SIGBIT(SIGCHLD) | K_SIGBIT(SIGTERM), &it));
}

/* Not blocked, it is as fatal as ever. */
static void test_sigwait_unblocked(void **state)
{
	struct fixture *x = *state;

	x->t->sigwait_set = K_SIGBIT(SIGTERM);
	to_proc(x, SIGTERM);
	assert_int_equal(x->p->exit_status, SIGTERM);
}

static unsigned woken;

static void count_wakes(struct waiter *w, uint32_t events)
{
	(void)w;
	assert_int_equal(events, K_EPOLLIN);
	woken++;
}

static void test_sig_wq(void **state)
{
	struct fixture *x = *state;
	struct waiter w;

	woken = 0;
	waitq_add(&x->p->sig_wq, &w, count_wakes);
	mask(x, x->t, ~0ull);
	to_proc(x, SIGUSR1);
	to_thread(x, x->t, SIGUSR1);
	to_proc(x, SIGUSR1); /* coalesced: nothing new */
	assert_int_equal(woken, 2);
}

/* ---- masks, exec ---- */

static void test_temp_mask(void **state)
{
	struct fixture *x = *state;

	act(x, SIGUSR1, HANDLER, 0);
	mask(x, x->t, K_SIGBIT(SIGUSR1));
	to_proc(x, SIGUSR1);
	thread_set_temp_mask(&x->k, x->t, K_SIGBIT(SIGHUP));
	assert_true(sig_deliverable(&x->k, x->t));
	thread_set_temp_mask(&x->k, x->t, 0); /* a retry */
	assert_int_equal(x->t->sigmask, K_SIGBIT(SIGHUP));
	thread_end_temp_mask(&x->k, x->t);
	assert_int_equal(x->t->sigmask, K_SIGBIT(SIGUSR1));
	assert_false(sig_deliverable(&x->k, x->t));
	thread_end_temp_mask(&x->k, x->t);
	assert_int_equal(x->t->sigmask, K_SIGBIT(SIGUSR1));
}

static void test_exec(void **state)
{
	struct fixture *x = *state;
	struct proc *c = proc_fork(&x->k, x->p, 300, false, false, true);

	assert_ptr_equal(c->sighand, x->p->sighand);
	act(x, SIGUSR1, HANDLER, K_SA_RESTART);
	act(x, SIGUSR2, 1, K_SA_RESTART);
	mask(x, x->t, K_SIGBIT(SIGTERM));
	to_proc(x, SIGTERM);
	sig_exec(&x->k, x->p);
	assert_ptr_not_equal(c->sighand, x->p->sighand);
	assert_int_equal(c->sighand->act[SIGUSR1].handler, HANDLER);
	assert_int_equal(x->p->sighand->act[SIGUSR1].handler, 0);
	assert_int_equal(x->p->sighand->act[SIGUSR1].flags, 0);
	assert_int_equal(x->p->sighand->act[SIGUSR2].handler, 1);
	assert_int_equal(sig_pending_set(x->t), K_SIGBIT(SIGTERM));
	assert_int_equal(x->t->sigmask, K_SIGBIT(SIGTERM));
	assert_false(x->p->doomed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_ignored),
		UNIT(test_coalesce),
		UNIT(test_queue_limit),
		UNIT(test_order),
		UNIT(test_twin),
		UNIT(test_fatal),
		UNIT(test_fatal_without_core),
		UNIT(test_kill_cannot_be_blocked),
		UNIT(test_fatal_when_unblocked),
		UNIT(test_fatal_in_other_thread),
		UNIT(test_fatal_by_action),
		UNIT(test_stop_continue),
		UNIT(test_fatal_after_continue),
		UNIT(test_kill_while_stopped),
		UNIT(test_nocldstop),
		UNIT(test_stop_and_cont_cancel),
		UNIT(test_stop_of_orphaned_group),
		UNIT(test_choice),
		UNIT(test_choice_of_idle),
		UNIT(test_retarget),
		UNIT(test_sigwait),
		UNIT(test_sigwait_unblocked),
		UNIT(test_sig_wq),
		UNIT(test_temp_mask),
		UNIT(test_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
