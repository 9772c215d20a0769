/* Threads: waiting on queues and deadlines, being scheduled, ending; and the wait queues themselves. */
#include "tests/unit/kern_fixture.h"

#include "kernel/futex.h"

static struct thread *picked(struct fixture *x)
{
	struct sched_node *n = sched_pick(&x->k.sched);
	struct thread *t;

	if (!n)
		return NULL;
	t = container_of(n, struct thread, run);
	t->state = THREAD_RUNNING;
	return t;
}

static void runs(struct fixture *x, struct thread *t)
{
	t->state = THREAD_BLOCKED;
	thread_wake(&x->k, t);
	assert_ptr_equal(picked(x), t);
}

/* ---- wait queues ---- */

struct actor {
	struct waiter w;
	struct waitq *q;
	struct actor *other; /* unlinked when called */
	struct actor *added; /* hung on the queue when called */
	bool leaves;
	unsigned calls;
	unsigned *order, place;
};

static void actor_fn(struct waiter *w, uint32_t events)
{
	struct actor *a = container_of(w, struct actor, w);

	a->calls++;
	a->place = ++*a->order;
	assert_int_equal(events, 5);
	if (a->leaves)
		list_del(&a->w.link);
	if (a->other)
		list_del(&a->other->w.link);
	if (a->added) {
		waitq_add(a->q, &a->added->w, actor_fn);
		a->added = NULL;
	}
}

static void test_waitq(void **state)
{
	struct waitq q;
	struct actor a[4] = {0};
	unsigned order = 0;

	(void)state;
	waitq_init(&q);
	waitq_wake(&q, 5);
	for (int i = 0; i < 4; i++) {
		a[i].q = &q;
		a[i].order = &order;
		if (i < 3)
			waitq_add(&q, &a[i].w, actor_fn);
	}
	a[0].leaves = true;
	a[0].other = &a[1];
	a[2].added = &a[3];
	waitq_wake(&q, 5);
	assert_int_equal(a[0].calls, 1);
	assert_int_equal(a[1].calls, 0);
	assert_int_equal(a[2].calls, 1);
	assert_int_equal(a[3].calls, 0);
	waitq_wake(&q, 5);
	assert_int_equal(a[0].calls, 1);
	assert_int_equal(a[2].calls, 2);
	assert_int_equal(a[3].calls, 1);
	assert_true(a[2].place < a[3].place);
}

/* A function of a waiter may cause the same queue to be woken. */
static void nested_fn(struct waiter *w, uint32_t events)
{
	struct actor *a = container_of(w, struct actor, w);

	if (a->calls++ == 0)
		waitq_wake(a->q, events);
}

static void test_waitq_nested(void **state)
{
	struct waitq q;
	struct actor a[3] = {0};

	(void)state;
	waitq_init(&q);
	for (int i = 0; i < 3; i++) {
		a[i].q = &q;
		waitq_add(&q, &a[i].w, nested_fn);
	}
	waitq_wake(&q, 0);
	for (int i = 0; i < 3; i++) {
		assert_true(a[i].calls >= 1);
		assert_false(list_empty(&a[i].w.link));
	}
}

/* ---- waiting ---- */

static void test_wait_on(void **state)
{
	struct fixture *x = *state;
	struct waitq q1, q2;

	waitq_init(&q1);
	waitq_init(&q2);
	runs(x, x->t);
	thread_wait_on(&x->k, x->t, &q1);
	thread_wait_on(&x->k, x->t, &q2);
	thread_wait_on(&x->k, x->t, &q1);
	thread_wait_until(&x->k, x->t, x->k.clock.now_ns + 10);
	thread_block(&x->k, x->t);
	assert_int_equal(x->t->state, THREAD_BLOCKED);
	assert_null(picked(x));
	waitq_wake(&q1, 0);
	assert_true(list_empty(&q1.waiters));
	assert_true(list_empty(&q2.waiters));
	assert_false(timer_armed(&x->t->deadline));
	assert_true(x->t->woken);
	assert_false(x->t->timed_out);
	assert_ptr_equal(picked(x), x->t);
	assert_null(picked(x));
	assert_nothing_leaked(x);
}

static void test_deadline(void **state)
{
	struct fixture *x = *state;
	struct waitq q;
	int64_t at = x->k.clock.now_ns + 1000;

	waitq_init(&q);
	runs(x, x->t);
	thread_wait_on(&x->k, x->t, &q);
	thread_wait_until(&x->k, x->t, at);
	thread_block(&x->k, x->t);
	assert_true(vclock_jump(&x->k.clock));
	assert_int_equal(x->k.clock.now_ns, at);
	assert_true(x->t->timed_out);
	assert_true(list_empty(&q.waiters));
	assert_ptr_equal(picked(x), x->t);
	thread_wait_until(&x->k, x->t, VCLOCK_NEVER);
	assert_false(vclock_jump(&x->k.clock));
	assert_nothing_leaked(x);
}

/* What is woken before it blocks does not block. */
static void test_woken_early(void **state)
{
	struct fixture *x = *state;
	struct waitq q;

	waitq_init(&q);
	runs(x, x->t);
	thread_wait_on(&x->k, x->t, &q);
	waitq_wake(&q, 0);
	assert_int_equal(x->t->state, THREAD_READY);
	assert_ptr_equal(picked(x), x->t);
}

/* ---- scheduling ---- */

static void test_yield(void **state)
{
	struct fixture *x = *state;
	struct thread *u = thread_new(&x->k, x->p, 101), *v = thread_new(&x->k, x->p, 102);

	thread_wake(&x->k, x->t);
	thread_wake(&x->k, u);
	thread_wake(&x->k, v);
	assert_ptr_equal(picked(x), x->t);
	thread_yield(&x->k, x->t);
	assert_ptr_equal(picked(x), u);
	thread_yield(&x->k, u);
	assert_ptr_equal(picked(x), v);
	thread_yield(&x->k, v);
	assert_ptr_equal(picked(x), x->t);
}

static void test_stopped(void **state)
{
	struct fixture *x = *state;

	thread_wake(&x->k, x->t);
	thread_set_stopped(&x->k, x->t, true);
	assert_null(picked(x));
	thread_set_stopped(&x->k, x->t, false);
	assert_ptr_equal(picked(x), x->t);
	/* Stopped while it waits: what it waits for happens, but it does not run. */
	thread_block(&x->k, x->t);
	thread_set_stopped(&x->k, x->t, true);
	thread_wake(&x->k, x->t);
	assert_int_equal(x->t->state, THREAD_READY);
	assert_null(picked(x));
	thread_set_stopped(&x->k, x->t, false);
	assert_ptr_equal(picked(x), x->t);
	/* Stopped while it waits, continued before: it goes on waiting. */
	thread_block(&x->k, x->t);
	thread_set_stopped(&x->k, x->t, true);
	thread_set_stopped(&x->k, x->t, false);
	assert_null(picked(x));
}

/* ---- the end ---- */

static void test_dead(void **state)
{
	struct fixture *x = *state;
	struct thread *u = thread_new(&x->k, x->p, 101);
	struct waitq q;

	waitq_init(&q);
	assert_int_equal(x->p->nthreads, 2);
	assert_ptr_equal(thread_find(&x->k, 101), u);
	runs(x, u);
	thread_wait_on(&x->k, u, &q);
	thread_wait_until(&x->k, u, x->k.clock.now_ns + 5);
	futex_enqueue(&x->k, u, (struct futex_key){1, 2}, FUTEX_ANY);
	thread_block(&x->k, u);
	u->sigmask = ~0ull;
	sig_send_simple(&x->k, x->p, u, SIGUSR1, SI_TKILL, 100);
	x->k.current = u;
	thread_dead(&x->k, u);
	assert_true(list_empty(&q.waiters));
	assert_false(vclock_jump(&x->k.clock));
	assert_int_equal(futex_wake(&x->k, (struct futex_key){1, 2}, 1, FUTEX_ANY), 0);
	assert_null(thread_find(&x->k, 101));
	assert_null(x->k.current);
	assert_int_equal(x->p->nthreads, 1);
	assert_nothing_leaked(x);
}

static void test_set_tid(void **state)
{
	struct fixture *x = *state;
	struct thread *u = thread_new(&x->k, x->p, 101);

	thread_dead(&x->k, x->t);
	thread_set_tid(&x->k, u, 100);
	assert_null(thread_find(&x->k, 101));
	assert_ptr_equal(thread_find(&x->k, 100), u);
}

static void test_doomed_stays_down(void **state)
{
	struct fixture *x = *state;
	struct waitq q;

	waitq_init(&q);
	runs(x, x->t);
	thread_wait_on(&x->k, x->t, &q);
	thread_block(&x->k, x->t);
	proc_doom(&x->k, x->p, SIGKILL);
	assert_true(list_empty(&q.waiters));
	thread_wake(&x->k, x->t);
	thread_yield(&x->k, x->t);
	assert_null(picked(x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waitq), cmocka_unit_test(test_waitq_nested),
		UNIT(test_wait_on),	      UNIT(test_deadline),
		UNIT(test_woken_early),	      UNIT(test_yield),
		UNIT(test_stopped),	      UNIT(test_dead),
		UNIT(test_set_tid),	      UNIT(test_doomed_stays_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
