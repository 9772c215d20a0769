/* Timers that send signals: expiry, overruns, silence, CPU clocks, interval timers, exec. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "kernel/posix_timer.h"

#define MS NS_PER_MS

struct world {
	struct kern k;
	struct proc *p;
	struct thread *t;
};

static int setup(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof w);
	kern_init(&w.k, 1, SCHED_POLICY_FIFO);
	w.p = proc_new(&w.k, 10, NULL);
	w.t = thread_new(&w.k, w.p, 10);
	/* Handlers for all that is sent here, or the process would end; blocked, so that they stay queued. */
	for (int sig = 1; sig <= K_NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			w.p->sighand->act[sig].handler = 0x1000;
	w.t->sigmask = ~0ull;
	w.k.current = w.t;
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	ptimers_clear(&w->k, w->p);
	kern_clear(&w->k);
	return 0;
}

static void pass(struct world *w, int64_t ns)
{
	int64_t end = w->k.clock.now_ns + ns;

	while (vclock_next(&w->k.clock) <= end)
		vclock_jump(&w->k.clock);
	vclock_advance(&w->k.clock, end - w->k.clock.now_ns);
}

static void charge(struct world *w, int64_t ns)
{
	vclock_advance(&w->k.clock, ns);
	w->t->cpu_ns += ns;
	w->p->cpu_ns += ns;
	ptimer_cpu_charged(&w->k, w->t);
}

/* The signal is pending, is taken, and carries these. */
static void taken(struct world *w, int sig, int64_t value, int overrun)
{
	struct sigitem it;

	assert_true(sig_take_from_set(&w->k, w->t, K_SIGBIT(sig), &it));
	assert_int_equal(it.sig, sig);
	assert_int_equal(it.code, SI_TIMER);
	assert_int_equal(it.value, value);
	assert_int_equal(it.uid, overrun);
}

static bool pending(struct world *w, int sig)
{
	return sig_pending_set(w->t) & K_SIGBIT(sig);
}

static struct ptimer *timer(struct world *w, enum ptimer_clock clock, enum ptimer_notify notify)
{
	struct ptimer_new n = {.clock = clock, .notify = notify, .sig = SIGUSR1, .value = 42, .tid = 10, .cpu_tid = 10};

	return ptimer_create(&w->k, w->p, &n);
}

static void set(struct ptimer *t, int64_t value, int64_t interval)
{
	ptimer_set(t, &(struct ptimer_spec){value, interval}, false, NULL);
}

static void fires_once(void **state)
{
	struct world *w = *state;
	struct ptimer *t = timer(w, PTIMER_MONO, PTIMER_TO_PROC);
	struct ptimer_spec s;

	set(t, 20 * MS, 0);
	pass(w, 19 * MS);
	assert_false(pending(w, SIGUSR1));
	ptimer_get(t, &s);
	assert_int_equal(s.value, MS);
	pass(w, MS);
	taken(w, SIGUSR1, 42, 0);
	ptimer_get(t, &s);
	assert_int_equal(s.value, 0);
	pass(w, 1000 * MS);
	assert_false(pending(w, SIGUSR1));
}

/* However long nobody takes the signal: one event, one entry in the queue, and the right count. */
static void missed_expirations_are_overruns(void **state)
{
	struct world *w = *state;
	struct ptimer *t = timer(w, PTIMER_MONO, PTIMER_TO_THREAD);
	struct ptimer_spec s;

	set(t, 1, 1);
	pass(w, 1);
	assert_int_equal(vclock_next(&w->k.clock), VCLOCK_NEVER);
	set(t, MS, MS);
	assert_true(pending(w, SIGUSR1)); /* of the former setting */
	taken(w, SIGUSR1, 42, 0);
	pass(w, 50 * MS + MS / 2);
	ptimer_get(t, &s);
	assert_int_equal(s.value, MS / 2);
	assert_int_equal(s.interval, MS);
	taken(w, SIGUSR1, 42, 49);
	assert_int_equal(ptimer_overrun(t), 49);
	pass(w, MS / 2);
	taken(w, SIGUSR1, 42, 0);
}

static void two_timers_of_one_signal_both_arrive(void **state)
{
	struct world *w = *state;
	struct ptimer *a = timer(w, PTIMER_MONO, PTIMER_TO_PROC), *b = timer(w, PTIMER_MONO, PTIMER_TO_PROC);

	assert_int_not_equal(ptimer_id(a), ptimer_id(b));
	set(a, MS, 0);
	set(b, MS, 0);
	pass(w, MS);
	taken(w, SIGUSR1, 42, 0);
	taken(w, SIGUSR1, 42, 0);
	assert_false(pending(w, SIGUSR1));
}

static void ignored_signal_does_not_stop_it(void **state)
{
	struct world *w = *state;
	struct ptimer *t = timer(w, PTIMER_MONO, PTIMER_TO_PROC);

	w->t->sigmask = 0;
	w->p->sighand->act[SIGUSR1].handler = 1;
	set(t, MS, 1);
	pass(w, 10 * MS);
	assert_false(pending(w, SIGUSR1));
	assert_true(vclock_next(&w->k.clock) > w->k.clock.now_ns + MS); /* no storm */
	w->t->sigmask = ~0ull;
	w->p->sighand->act[SIGUSR1].handler = 0x1000;
	pass(w, 10 * MS);
	assert_true(pending(w, SIGUSR1));
}

static void silent_timer_only_counts_down(void **state)
{
	struct world *w = *state;
	struct ptimer *t = timer(w, PTIMER_WALL, PTIMER_SILENT);
	struct ptimer_spec s;

	set(t, 100 * MS, 30 * MS);
	assert_int_equal(vclock_next(&w->k.clock), VCLOCK_NEVER);
	pass(w, 60 * MS);
	ptimer_get(t, &s);
	assert_int_equal(s.value, 40 * MS);
	pass(w, 50 * MS);
	ptimer_get(t, &s);
	assert_int_equal(s.value, 20 * MS);
	set(t, MS, 0);
	pass(w, 2 * MS);
	ptimer_get(t, &s);
	assert_int_equal(s.value, 0);
}

static void absolute_wall_time_follows_the_wall_clock(void **state)
{
	struct world *w = *state;
	struct ptimer *t = timer(w, PTIMER_WALL, PTIMER_TO_PROC);
	int64_t wall;

	w->k.wall_offset_ns = 1000 * NS_PER_S;
	wall = w->k.clock.now_ns + w->k.wall_offset_ns;
	ptimer_set(t, &(struct ptimer_spec){wall + 100 * MS, 0}, true, NULL);
	pass(w, 40 * MS);
	w->k.wall_offset_ns += 50 * MS;
	ptimer_wall_changed(&w->k, w->p);
	pass(w, 9 * MS);
	assert_false(pending(w, SIGUSR1));
	pass(w, MS);
	taken(w, SIGUSR1, 42, 0);
	/* A time that has passed fires at once. */
	ptimer_set(t, &(struct ptimer_spec){wall, 0}, true, NULL);
	pass(w, 0);
	taken(w, SIGUSR1, 42, 0);
}

static void cpu_timers_count_cpu_time(void **state)
{
	struct world *w = *state;
	struct ptimer *t = timer(w, PTIMER_THREAD_CPU, PTIMER_TO_PROC);
	struct ptimer_spec s;

	set(t, 10 * MS, 10 * MS);
	pass(w, 1000 * MS);
	assert_false(pending(w, SIGUSR1));
	charge(w, 9 * MS);
	assert_false(pending(w, SIGUSR1));
	ptimer_get(t, &s);
	assert_int_equal(s.value, MS);
	charge(w, 23 * MS);
	taken(w, SIGUSR1, 42, 2);
	charge(w, 8 * MS);
	taken(w, SIGUSR1, 42, 0);
}

static void interval_timers(void **state)
{
	struct world *w = *state;
	struct ptimer_spec old, s;
	struct sigitem it;

	itimer_set(&w->k, w->p, 0, &(struct ptimer_spec){50 * MS, 20 * MS}, &old);
	assert_int_equal(old.value, 0);
	pass(w, 49 * MS);
	itimer_get(&w->k, w->p, 0, &s);
	assert_int_equal(s.value, MS);
	assert_int_equal(s.interval, 20 * MS);
	pass(w, 35 * MS);
	assert_int_equal(vclock_next(&w->k.clock), VCLOCK_NEVER); /* waits for the signal to be taken */
	assert_true(sig_take_from_set(&w->k, w->t, K_SIGBIT(SIGALRM), &it));
	assert_int_equal(it.code, SI_KERNEL);
	itimer_get(&w->k, w->p, 0, &s);
	assert_int_equal(s.value, 6 * MS); /* in step: 50, 70, 90 ms */
	itimer_set(&w->k, w->p, 0, &(struct ptimer_spec){0, 0}, &old);
	assert_int_equal(old.value, 6 * MS);
	assert_int_equal(vclock_next(&w->k.clock), VCLOCK_NEVER);

	itimer_set(&w->k, w->p, 2, &(struct ptimer_spec){MS, MS}, &old);
	charge(w, MS);
	assert_true(sig_take_from_set(&w->k, w->t, K_SIGBIT(SIGPROF), &it));
	charge(w, MS);
	assert_true(sig_take_from_set(&w->k, w->t, K_SIGBIT(SIGPROF), &it));
}

static void exec_keeps_interval_timers_only(void **state)
{
	struct world *w = *state;
	int id = ptimer_id(timer(w, PTIMER_MONO, PTIMER_TO_PROC));
	struct ptimer_spec s;

	set(ptimer_find(w->p, id), MS, 0);
	itimer_set(&w->k, w->p, 0, &(struct ptimer_spec){5 * MS, 0}, &s);
	ptimers_exec(&w->k, w->p);
	assert_null(ptimer_find(w->p, id));
	itimer_get(&w->k, w->p, 0, &s);
	assert_int_equal(s.value, 5 * MS);
	ptimers_clear(&w->k, w->p);
	assert_int_equal(vclock_next(&w->k.clock), VCLOCK_NEVER);
	assert_null(w->p->timers);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fires_once),
		TEST(missed_expirations_are_overruns),
		TEST(two_timers_of_one_signal_both_arrive),
		TEST(ignored_signal_does_not_stop_it),
		TEST(silent_timer_only_counts_down),
		TEST(absolute_wall_time_follows_the_wall_clock),
		TEST(cpu_timers_count_cpu_time),
		TEST(interval_timers),
		TEST(exec_keeps_interval_timers_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
