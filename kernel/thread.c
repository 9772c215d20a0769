/* Threads: being runnable, waiting, ending. */
#include "kernel/task.h"

#include "base/err.h"
#include "kernel/futex.h"
#include "kernel/sysv_sem.h"

#include <string.h>

/* One registration of a blocked thread with one wait queue. */
struct thread_wait {
	struct waiter w;
	struct list of_thread;
	struct thread *thread;
};

/* sched_fork() */
static void inherit_attrs(struct thread *t, const struct thread *creator)
{
	t->attrs = creator->attrs;
	if (!t->attrs.reset_on_fork)
		return;
	t->attrs.reset_on_fork = false;
	t->attrs.policy = t->attrs.rt_prio = 0;
	if (t->attrs.nice < 0)
		t->attrs.nice = 0;
}

struct thread *thread_new(struct kern *k, struct proc *p, int tid)
{
	struct thread *t = arena_new_of(k->arena, struct thread);

	t->kern = k;
	t->proc = p;
	t->tid = tid;
	t->state = THREAD_BLOCKED; /* on nothing: thread_wake() starts it */
	t->stopped = p->stopped;
	list_init(&t->waits);
	list_init(&t->pi_owned);
	sig_pending_init(&t->pending);
	if (k->current && (k->current->proc == p || k->current->proc == p->parent))
		inherit_attrs(t, k->current);
	list_add_tail(&p->threads, &t->in_proc);
	p->nthreads++;
	map_put(&k->threads, (uint64_t)tid, t);
	return t;
}

struct thread *thread_find(struct kern *k, int tid)
{
	return tid > 0 ? map_get(&k->threads, (uint64_t)tid) : NULL;
}

static void thread_waiter_fn(struct waiter *w, uint32_t events)
{
	struct thread *t = container_of(w, struct thread_wait, w)->thread;

	(void)events;
	thread_wake(t->kern, t); /* frees w */
}

static void deadline_passed(struct timer *timer)
{
	struct thread *t = container_of(timer, struct thread, deadline);

	t->timed_out = true;
	thread_wake(t->kern, t);
}

void thread_wait_on(struct kern *k, struct thread *t, struct waitq *q)
{
	struct thread_wait *w = arena_new_of(k->arena, struct thread_wait);

	w->thread = t;
	list_add_tail(&t->waits, &w->of_thread);
	waitq_add(q, &w->w, thread_waiter_fn);
}

void thread_wait_until(struct kern *k, struct thread *t, int64_t at_ns)
{
	if (at_ns == VCLOCK_NEVER)
		timer_cancel(&k->clock, &t->deadline);
	else
		timer_arm(&k->clock, &t->deadline, at_ns, deadline_passed);
}

static void drop_waits(struct kern *k, struct thread *t)
{
	list_each_safe(w, tmp, &t->waits, struct thread_wait, of_thread) {
		list_del(&w->w.link);
		list_del(&w->of_thread);
		arena_release_of(k->arena, w);
	}
	timer_cancel(&k->clock, &t->deadline);
}

void thread_block(struct kern *k, struct thread *t)
{
	(void)k;
	ENSURE(t->state == THREAD_RUNNING || t->state == THREAD_BLOCKED);
	t->state = THREAD_BLOCKED;
	t->woken = false;
}

static void make_ready(struct kern *k, struct thread *t)
{
	t->state = THREAD_READY;
	if (t->held)
		++*t->held;
	if (thread_may_run(t))
		sched_add(&k->sched, &t->run);
}

void thread_wake(struct kern *k, struct thread *t)
{
	if (t->state == THREAD_DEAD || t->proc->doomed)
		return;
	drop_waits(k, t);
	t->woken = true;
	if (t->state != THREAD_READY)
		make_ready(k, t);
}

void thread_yield(struct kern *k, struct thread *t)
{
	if (t->state == THREAD_DEAD || t->proc->doomed)
		return;
	t->run.yielded = true;
	make_ready(k, t);
}

void thread_set_tid(struct kern *k, struct thread *t, int tid)
{
	if (map_get(&k->threads, (uint64_t)t->tid) == t)
		map_del(&k->threads, (uint64_t)t->tid);
	t->tid = tid;
	map_put(&k->threads, (uint64_t)tid, t);
}

void thread_stand_still(struct kern *k, struct thread *t)
{
	drop_waits(k, t);
	futex_finish(k, t);
	sem_wait_end(k, t);
	sched_remove(&k->sched, &t->run);
	t->state = THREAD_BLOCKED;
}

void thread_set_stopped(struct kern *k, struct thread *t, bool stopped)
{
	t->stopped = stopped;
	if (stopped)
		sched_remove(&k->sched, &t->run);
	else if (t->state == THREAD_READY && thread_may_run(t))
		sched_add(&k->sched, &t->run);
}

void thread_hold(struct kern *k, struct thread *t, uint64_t *turns)
{
	ENSURE(!t->held && t->state != THREAD_DEAD);
	t->held = turns;
	if (t->state == THREAD_READY && !t->stopped)
		++*turns;
	sched_remove(&k->sched, &t->run);
}

void thread_release(struct kern *k, struct thread *t)
{
	t->held = NULL;
	if (!thread_may_run(t))
		return;
	if (t->state == THREAD_READY)
		sched_add(&k->sched, &t->run);
	sig_settle(k, t);
	if (sig_deliverable(k, t) && t->state == THREAD_BLOCKED)
		thread_wake(k, t);
}

void thread_dead(struct kern *k, struct thread *t)
{
	struct proc *p = t->proc;

	ENSURE(t->state != THREAD_DEAD);
	thread_stand_still(k, t);
	futex_forget_thread(k, t);
	t->state = THREAD_DEAD;
	sig_flush(k, &t->pending);
	list_del(&t->in_proc);
	p->nthreads--;
	if (t->tid == p->pid)
		memcpy(p->comm, t->comm, sizeof p->comm);
	if (map_get(&k->threads, (uint64_t)t->tid) == t)
		map_del(&k->threads, (uint64_t)t->tid);
	if (k->current == t)
		k->current = NULL;
	/* What only this thread could take is now for the others. */
	sig_retarget(k, p, t);
	arena_release_of(k->arena, t);
}
