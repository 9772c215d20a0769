/*
 * Timers that send a signal: those of timer_create(2), and the three interval timers of setitimer(2).
 *
 * As in Linux a periodic timer of the run's clock fires once and goes on only when its signal has been taken; expirations
 * missed meanwhile are counted (overrun). So a timer that nobody listens to causes no events. Timers of CPU clocks are
 * looked at when CPU time is charged, since CPU time passes at no other moment.
 */
#ifndef KERNEL_POSIX_TIMER_H
#define KERNEL_POSIX_TIMER_H

#include "kernel/task.h"

enum ptimer_clock {
	PTIMER_MONO,
	PTIMER_WALL,       /* of the process's node */
	PTIMER_PROC_CPU,
	PTIMER_THREAD_CPU, /* of ptimer_new.cpu_tid */
};

enum ptimer_notify { PTIMER_SILENT, PTIMER_TO_PROC, PTIMER_TO_THREAD };

/* What timer_create is told. */
struct ptimer_new {
	enum ptimer_clock clock;
	enum ptimer_notify notify;
	int cpu_tid;
	int sig;
	int tid;       /* PTIMER_TO_THREAD: whom */
	int64_t value; /* si_value */
	bool value_is_id; /* si_value is the timer's id (no struct sigevent given) */
};

/* In ns; value 0: not running. */
struct ptimer_spec {
	int64_t value, interval;
};

struct ptimer;

struct ptimer *ptimer_create(struct kern *k, struct proc *p, const struct ptimer_new *n);
struct ptimer *ptimer_find(const struct proc *p, int id);
int ptimer_id(const struct ptimer *t);
void ptimer_delete(struct ptimer *t);
/* value: relative, or absolute on the timer's clock. *old as ptimer_get() would have given. */
void ptimer_set(struct ptimer *t, const struct ptimer_spec *spec, bool absolute, struct ptimer_spec *old);
void ptimer_get(struct ptimer *t, struct ptimer_spec *out);
int ptimer_overrun(const struct ptimer *t);

/* which: ITIMER_REAL 0, ITIMER_VIRTUAL 1, ITIMER_PROF 2. */
void itimer_set(struct kern *k, struct proc *p, int which, const struct ptimer_spec *spec, struct ptimer_spec *old);
void itimer_get(struct kern *k, struct proc *p, int which, struct ptimer_spec *out);

/* A signal of t's process was taken from its queue: if a timer sent it, fills in the overrun and lets the timer go on. */
void ptimer_signal_taken(struct kern *k, struct thread *t, struct sigitem *it);
/* CPU time was charged to t. Cheap when no timer of a CPU clock runs. */
void ptimer_cpu_charged(struct kern *k, struct thread *t);
/* The wall clock of p's node was set: absolute timers follow it; how many. */
unsigned ptimer_wall_changed(struct kern *k, struct proc *p);

void ptimers_exec(struct kern *k, struct proc *p);  /* exec: interval timers stay, the others go */
void ptimers_clear(struct kern *k, struct proc *p); /* the process ends */

#endif
