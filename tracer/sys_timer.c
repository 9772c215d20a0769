/* Timers that send a signal: timer_create(2) and its kin, setitimer(2), alarm(2). The timers are kernel/posix_timer.c. */
#include "kernel/posix_timer.h"
#include "tracer/sim.h"
#include "tracer/sys_time.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

/* ---- timer_create ---- */

/* struct sigevent of the x86-64 ABI, as far as the kernel reads it. */
struct guest_sigevent {
	int64_t value;
	int32_t signo, notify, tid, unused;
};
enum { GUEST_SIGEV_SIGNAL = 0, GUEST_SIGEV_NONE = 1, GUEST_SIGEV_THREAD = 2, GUEST_SIGEV_THREAD_ID = 4 };

/* good_sigevent() in kernel/time/posix-timers.c. 0 or -EINVAL. */
static int read_target(const struct call *c, const struct guest_sigevent *ev, struct ptimer_new *n)
{
	const struct thread *to;

	n->value = ev->value;
	n->sig = ev->signo;
	switch (ev->notify) {
	case GUEST_SIGEV_NONE:
		n->notify = PTIMER_SILENT;
		return 0;
	case GUEST_SIGEV_SIGNAL | GUEST_SIGEV_THREAD_ID:
		to = thread_find(c->k, ev->tid);
		if (!to || to->proc != c->proc)
			return -EINVAL;
		n->notify = PTIMER_TO_THREAD;
		n->tid = ev->tid;
		break;
	case GUEST_SIGEV_SIGNAL:
	case GUEST_SIGEV_THREAD: /* the C library makes its own thread and asks for SIGEV_THREAD_ID */
		n->notify = PTIMER_TO_PROC;
		break;
	default:
		return -EINVAL;
	}
	return ev->signo > 0 && ev->signo <= K_NSIG ? 0 : -EINVAL;
}

/* 0 or -errno. */
static int read_clock(struct call *c, int id, struct ptimer_new *n)
{
	struct cpu_clock cpu;

	switch (id) {
	case CLOCK_REALTIME:
		n->clock = PTIMER_WALL;
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
		n->clock = PTIMER_MONO;
		return 0;
	case CLOCK_TAI:
		return (int)call_refuse(c, EOPNOTSUPP, "timer_create on CLOCK_TAI").value;
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_REALTIME_COARSE:
		return -EOPNOTSUPP;
	}
	if (!time_cpu_clock(c, id, &cpu))
		return -EINVAL;
	if (cpu.proc && cpu.proc != c->proc)
		return (int)call_refuse(c, EINVAL, "timer_create on another process's CPU clock").value;
	n->clock = cpu.thread ? PTIMER_THREAD_CPU : PTIMER_PROC_CPU;
	n->cpu_tid = cpu.thread ? cpu.thread->tid : 0;
	return 0;
}

struct verdict sys_timer_create(struct call *c)
{
	struct ptimer_new n = {.notify = PTIMER_TO_PROC, .sig = SIGALRM, .value_is_id = !c->arg[1]};
	struct guest_sigevent ev;
	struct ptimer *t;
	int id, rc;

	/* Raw: sigev_value may hold an address, and the rest is padding. */
	if (c->arg[1] && copy_in_raw(c, &ev, c->arg[1], sizeof ev))
		return FAIL(EFAULT);
	rc = read_clock(c, (int)c->arg[0], &n);
	if (!rc && c->arg[1])
		rc = read_target(c, &ev, &n);
	if (rc)
		return REPLY(rc);
	t = ptimer_create(c->k, c->proc, &n);
	id = ptimer_id(t);
	if (copy_out(c, c->arg[2], &id, sizeof id)) {
		ptimer_delete(t);
		return FAIL(EFAULT);
	}
	return REPLY(0);
}

/* ---- the others of timer_* ---- */

static bool valid(const struct itimerspec *t)
{
	const struct timespec *v = &t->it_value, *i = &t->it_interval;

	return v->tv_sec >= 0 && v->tv_nsec >= 0 && v->tv_nsec < NS_PER_S && i->tv_sec >= 0 && i->tv_nsec >= 0 &&
	       i->tv_nsec < NS_PER_S;
}

static int write_spec(struct call *c, uint64_t to, const struct ptimer_spec *s)
{
	struct itimerspec t = {.it_value = {s->value / NS_PER_S, s->value % NS_PER_S},
			       .it_interval = {s->interval / NS_PER_S, s->interval % NS_PER_S}};

	return copy_out(c, to, &t, sizeof t);
}

struct verdict sys_timer_settime(struct call *c)
{
	struct ptimer *t = ptimer_find(c->proc, (int)c->arg[0]);
	struct ptimer_spec spec, old;
	struct itimerspec in;

	if (!c->arg[2])
		return FAIL(EINVAL);
	if (copy_in(c, &in, c->arg[2], sizeof in))
		return FAIL(EFAULT);
	if (!valid(&in) || !t)
		return FAIL(EINVAL);
	spec.value = time_ns(in.it_value.tv_sec, in.it_value.tv_nsec);
	spec.interval = time_ns(in.it_interval.tv_sec, in.it_interval.tv_nsec);
	ptimer_set(t, &spec, c->arg[1] & TIMER_ABSTIME, &old);
	if (c->arg[3] && write_spec(c, c->arg[3], &old))
		return FAIL(EFAULT);
	return REPLY(0);
}

struct verdict sys_timer_gettime(struct call *c)
{
	struct ptimer *t = ptimer_find(c->proc, (int)c->arg[0]);
	struct ptimer_spec spec;

	if (!t)
		return FAIL(EINVAL);
	ptimer_get(t, &spec);
	return write_spec(c, c->arg[1], &spec) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_timer_getoverrun(struct call *c)
{
	const struct ptimer *t = ptimer_find(c->proc, (int)c->arg[0]);

	return t ? REPLY(ptimer_overrun(t)) : FAIL(EINVAL);
}

struct verdict sys_timer_delete(struct call *c)
{
	struct ptimer *t = ptimer_find(c->proc, (int)c->arg[0]);

	if (!t)
		return FAIL(EINVAL);
	ptimer_delete(t);
	return REPLY(0);
}

/* ---- interval timers ---- */

static bool tv_valid(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000;
}

static int64_t tv_ns(const struct timeval *t)
{
	return time_ns(t->tv_sec, t->tv_usec * NS_PER_US);
}

static int write_itimer(struct call *c, uint64_t to, const struct ptimer_spec *s)
{
	/* Rounded up: a running timer never shows zero. */
	int64_t us = s->value / NS_PER_US + (s->value % NS_PER_US != 0), every = s->interval / NS_PER_US;
	struct itimerval v = {.it_value = {us / 1000000, us % 1000000}, .it_interval = {every / 1000000, every % 1000000}};

	return copy_out(c, to, &v, sizeof v);
}

struct verdict sys_getitimer(struct call *c)
{
	struct ptimer_spec s;

	if ((unsigned)c->arg[0] > ITIMER_PROF)
		return FAIL(EINVAL);
	itimer_get(c->k, c->proc, (int)c->arg[0], &s);
	return write_itimer(c, c->arg[1], &s) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_setitimer(struct call *c)
{
	struct itimerval in = {0};
	struct ptimer_spec spec, old;

	if (c->arg[1] && copy_in(c, &in, c->arg[1], sizeof in))
		return FAIL(EFAULT);
	if (!tv_valid(&in.it_value) || !tv_valid(&in.it_interval) || (unsigned)c->arg[0] > ITIMER_PROF)
		return FAIL(EINVAL);
	spec.value = tv_ns(&in.it_value);
	spec.interval = tv_ns(&in.it_interval);
	itimer_set(c->k, c->proc, (int)c->arg[0], &spec, &old);
	if (c->arg[2] && write_itimer(c, c->arg[2], &old))
		return FAIL(EFAULT);
	return REPLY(0);
}

struct verdict sys_alarm(struct call *c)
{
	struct ptimer_spec spec = {.value = (int64_t)(uint32_t)c->arg[0] * NS_PER_S}, old;
	int64_t sec;

	itimer_set(c->k, c->proc, ITIMER_REAL, &spec, &old);
	/* alarm_setitimer(): to the nearest second, but a running alarm is never 0. */
	sec = old.value / NS_PER_S;
	if (old.value % NS_PER_S >= NS_PER_S / 2 || (!sec && old.value))
		sec++;
	return REPLY(sec);
}
