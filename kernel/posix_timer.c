#include "kernel/posix_timer.h"

#include "base/mem.h"
#include "kernel/wall.h"

#include <limits.h>

enum { ITIMERS = 3, ITIMER_ID = -1 };
/* An ignored signal is never taken; a periodic timer then goes on by itself, but not faster than the kernel's tick. */
#define IGNORED_STEP_NS (4 * NS_PER_MS)

struct ptimer {
	struct list link; /* in ptimers.list, in order of creation; not for interval timers */
	struct timer timer; /* armed while it runs on the run's clock */
	struct kern *k;
	struct proc *proc;
	struct ptimer_new n;
	int id;           /* ITIMER_ID: an interval timer */
	bool wall;        /* the present setting is an absolute time of the wall clock */
	bool running;     /* an expiry is ahead */
	bool queued;      /* its signal is queued and not taken yet */
	int64_t at;       /* the next, or last, expiry: on its own clock */
	int64_t interval;
	int64_t missed;   /* overruns of the signal taken last */
	int setting;      /* counts ptimer_set(): a signal queued before does not concern the new setting */
};

/* struct proc.timers */
struct ptimers {
	struct list list;
	int next_id;
	struct ptimer *interval[ITIMERS]; /* NULL: never used */
};

static struct ptimers *timers_of(struct kern *k, struct proc *p)
{
	if (!p->timers) {
		p->timers = arena_new_of(k->arena, struct ptimers);
		list_init(&p->timers->list);
	}
	return p->timers;
}

/* ---- clocks ---- */

static bool on_cpu_clock(const struct ptimer *t)
{
	return t->n.clock == PTIMER_PROC_CPU || t->n.clock == PTIMER_THREAD_CPU;
}

static int64_t clock_now(const struct ptimer *t)
{
	const struct thread *th;

	switch (t->n.clock) {
	case PTIMER_PROC_CPU:
		return t->proc->cpu_ns;
	case PTIMER_THREAD_CPU:
		th = map_get(&t->k->threads, (uint64_t)t->n.cpu_tid);
		return th && th->proc == t->proc ? th->cpu_ns : 0;
	case PTIMER_MONO:
	case PTIMER_WALL:
		break;
	}
	return t->k->clock.now_ns + (t->wall ? wall_offset(t->k, t->proc->node) : 0);
}

/* ---- expiry ---- */

static void fire(struct timer *timer);

static void arm(struct ptimer *t)
{
	t->running = true;
	if (!on_cpu_clock(t) && t->n.notify != PTIMER_SILENT)
		timer_arm(&t->k->clock, &t->timer, t->wall ? wall_deadline(t->k, t->proc->node, t->at) : t->at, fire);
}

static void disarm(struct ptimer *t)
{
	t->running = false;
	timer_cancel(&t->k->clock, &t->timer);
}

/* Moves `at` beyond `now` by whole intervals; how many. */
static int64_t forward(struct ptimer *t, int64_t now)
{
	int64_t n;

	if (now < t->at)
		return 0;
	n = (now - t->at) / t->interval + 1;
	t->at = vclock_add(t->at, n * t->interval);
	return n;
}

static bool is_own(const struct ptimer *t, const struct sigitem *it)
{
	return it->code == SI_TIMER && it->pid == t->id && it->status == t->setting;
}

static bool in_queue(const struct ptimer *t, const struct sigpending *p)
{
	list_each(it, &p->queue, struct sigitem, link)
		if (is_own(t, it))
			return true;
	return false;
}

static void send(struct ptimer *t)
{
	struct thread *target = NULL;
	struct sigitem it = {.sig = t->n.sig, .code = SI_TIMER, .pid = t->id, .value = t->n.value, .status = t->setting};

	if (t->id == ITIMER_ID) {
		it = (struct sigitem){.sig = t->n.sig, .code = SI_KERNEL};
	} else if (t->n.notify == PTIMER_TO_THREAD) {
		target = map_get(&t->k->threads, (uint64_t)t->n.tid);
		if (!target || target->proc != t->proc)
			return; /* the thread has ended: nobody is told, see timer_create(2) */
	}
	sig_send(t->k, t->proc, target, &it);
	t->queued = in_queue(t, target ? &target->pending : &t->proc->pending);
}

static void expired(struct ptimer *t)
{
	disarm(t);
	if (t->n.notify == PTIMER_SILENT || t->proc->doomed)
		return;
	send(t);
	if (!t->interval || t->queued || t->proc->doomed)
		return;
	/* ITIMER_REAL goes on when SIGALRM is taken, and ends if it is ignored: posixtimer_rearm_itimer() in Linux. */
	if (t->id == ITIMER_ID && t->n.clock == PTIMER_MONO)
		return;
	if (t->id == ITIMER_ID)
		forward(t, clock_now(t));
	else
		forward(t, vclock_add(clock_now(t), on_cpu_clock(t) ? 0 : IGNORED_STEP_NS));
	arm(t);
}

static void fire(struct timer *timer)
{
	expired(container_of(timer, struct ptimer, timer));
}

static void goes_on(struct ptimer *t)
{
	int64_t n;

	t->queued = false;
	t->missed = 0;
	if (!t->interval || t->running)
		return;
	n = forward(t, clock_now(t));
	t->missed = n > 0 ? n - 1 : 0;
	arm(t);
}

void ptimer_signal_taken(struct kern *k, struct thread *th, struct sigitem *it)
{
	struct ptimers *ts = th->proc->timers;
	struct ptimer *t;

	(void)k;
	if (!ts)
		return;
	if (it->sig == SIGALRM && ts->interval[0] && ts->interval[0]->interval)
		goes_on(ts->interval[0]);
	if (it->code != SI_TIMER)
		return;
	t = ptimer_find(th->proc, it->pid);
	if (!t || !is_own(t, it))
		return;
	goes_on(t);
	it->uid = (uint32_t)ptimer_overrun(t);
}

static void check_cpu(struct ptimer *t, const struct thread *charged)
{
	if (!t || !t->running || !on_cpu_clock(t))
		return;
	if (t->n.clock == PTIMER_THREAD_CPU && t->n.cpu_tid != charged->tid)
		return;
	if (clock_now(t) >= t->at)
		expired(t);
}

void ptimer_cpu_charged(struct kern *k, struct thread *th)
{
	struct ptimers *ts = th->proc->timers;

	(void)k;
	if (!ts)
		return;
	for (int i = 1; i < ITIMERS; i++)
		check_cpu(ts->interval[i], th);
	list_each(t, &ts->list, struct ptimer, link)
		check_cpu(t, th);
}

unsigned ptimer_wall_changed(struct kern *k, struct proc *p)
{
	unsigned n = 0;

	(void)k;
	if (!p->timers)
		return 0;
	list_each(t, &p->timers->list, struct ptimer, link)
		if (t->wall && t->running) {
			arm(t);
			n++;
		}
	return n;
}

/* ---- setting and reading ---- */

static struct ptimer *make(struct kern *k, struct proc *p, const struct ptimer_new *n, int id)
{
	struct ptimer *t = arena_new_of(k->arena, struct ptimer);

	t->k = k;
	t->proc = p;
	t->n = *n;
	t->id = id;
	if (n->value_is_id)
		t->n.value = id;
	list_init(&t->link);
	return t;
}

struct ptimer *ptimer_create(struct kern *k, struct proc *p, const struct ptimer_new *n)
{
	struct ptimers *ts = timers_of(k, p);
	struct ptimer *t = make(k, p, n, ts->next_id++);

	list_add_tail(&ts->list, &t->link);
	return t;
}

struct ptimer *ptimer_find(const struct proc *p, int id)
{
	if (p->timers)
		list_each(t, &p->timers->list, struct ptimer, link)
			if (t->id == id)
				return t;
	return NULL;
}

int ptimer_id(const struct ptimer *t)
{
	return t->id;
}

void ptimer_delete(struct ptimer *t)
{
	disarm(t);
	list_del(&t->link);
	arena_release_of(t->k->arena, t);
}

void ptimer_get(struct ptimer *t, struct ptimer_spec *out)
{
	int64_t now = clock_now(t);

	*out = (struct ptimer_spec){.interval = t->interval};
	/* A silent timer "runs" beyond its end, one whose signal is queued stands still: both are brought up to now. */
	if (t->interval && (t->running || t->queued) && now >= t->at) {
		int64_t at = t->at;
		forward(t, now);
		out->value = t->at - now;
		if (t->queued)
			t->at = at; /* the expirations are counted when the signal is taken */
	} else if (t->running) {
		/* Due but not fired yet is still running: 1 ns, see common_timer_get(). Only silent ones are over then. */
		out->value = MAX(t->at - now, (int64_t)(t->n.notify == PTIMER_SILENT ? 0 : 1));
	}
}

void ptimer_set(struct ptimer *t, const struct ptimer_spec *spec, bool absolute, struct ptimer_spec *old)
{
	if (old)
		ptimer_get(t, old);
	disarm(t);
	t->queued = false;
	t->missed = 0;
	t->setting++;
	t->interval = spec->value ? spec->interval : 0;
	t->wall = absolute && t->n.clock == PTIMER_WALL;
	if (!spec->value)
		return;
	t->at = absolute ? spec->value : vclock_add(clock_now(t), spec->value);
	arm(t);
}

int ptimer_overrun(const struct ptimer *t)
{
	return (int)MIN(t->missed, (int64_t)INT_MAX); /* DELAYTIMER_MAX */
}

/* ---- interval timers ---- */

static struct ptimer *itimer(struct kern *k, struct proc *p, int which)
{
	static const struct ptimer_new kinds[ITIMERS] = {
		{.clock = PTIMER_MONO, .notify = PTIMER_TO_PROC, .sig = SIGALRM},
		/* CPU time is not split into user and system time: both count all of it. */
		{.clock = PTIMER_PROC_CPU, .notify = PTIMER_TO_PROC, .sig = SIGVTALRM},
		{.clock = PTIMER_PROC_CPU, .notify = PTIMER_TO_PROC, .sig = SIGPROF},
	};
	struct ptimers *ts = timers_of(k, p);

	if (!ts->interval[which])
		ts->interval[which] = make(k, p, &kinds[which], ITIMER_ID);
	return ts->interval[which];
}

void itimer_set(struct kern *k, struct proc *p, int which, const struct ptimer_spec *spec, struct ptimer_spec *old)
{
	ptimer_set(itimer(k, p, which), spec, false, old);
}

void itimer_get(struct kern *k, struct proc *p, int which, struct ptimer_spec *out)
{
	*out = (struct ptimer_spec){0};
	if (p->timers && p->timers->interval[which])
		ptimer_get(p->timers->interval[which], out);
}

/* ---- the process changes ---- */

void ptimers_exec(struct kern *k, struct proc *p)
{
	(void)k;
	if (!p->timers)
		return;
	list_each_safe(t, tmp, &p->timers->list, struct ptimer, link)
		ptimer_delete(t);
}

void ptimers_clear(struct kern *k, struct proc *p)
{
	struct ptimers *ts = p->timers;

	if (!ts)
		return;
	ptimers_exec(k, p);
	for (int i = 0; i < ITIMERS; i++)
		if (ts->interval[i])
			ptimer_delete(ts->interval[i]);
	p->timers = NULL;
	arena_release_of(k->arena, ts);
}
