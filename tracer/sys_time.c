/*
 * Clocks and sleeping. Every clock id is the run's one virtual clock, plus the node's wall offset, or CPU time, which is
 * the virtual time charged to a thread or process. The vDSO answers most reads; what comes here is the rest.
 */
#include "tracer/sys_time.h"

#include "kernel/wall.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

enum { TICK_NS = 4000000 }; /* CONFIG_HZ=250: the resolution of the coarse clocks */

int64_t time_ns(int64_t sec, int64_t nsec)
{
	if (sec > INT64_MAX / NS_PER_S - 1)
		return VCLOCK_NEVER;
	return sec * NS_PER_S + nsec;
}

static bool valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

int64_t time_wall_offset(const struct call *c)
{
	return wall_offset(c->k, c->proc->node);
}

int64_t time_tai_offset(const struct node *n)
{
	return TIME_TAI_OFFSET_NS + (n ? n->leap_ns : 0);
}

/* Somebody looked at the time of day. */
static void saw_wall(const struct call *c)
{
	if (c->proc->node && c->proc->node->wall_reads)
		++*c->proc->node->wall_reads;
}

/* ---- clock ids ---- */

bool time_cpu_clock(const struct call *c, int id, struct cpu_clock *out)
{
	/* Made by clock_getcpuclockid(3): ~pid << 3, bit 2 says thread, bits 0 and 1 say which kind of time. */
	bool is_thread = id & 4;
	int pid = ~(id >> 3);

	*out = (struct cpu_clock){0};
	if (id == CLOCK_PROCESS_CPUTIME_ID) {
		out->proc = c->proc;
	} else if (id == CLOCK_THREAD_CPUTIME_ID) {
		out->thread = c->thread;
	} else if (id >= 0 || (id & 3) == 3) { /* 3: a descriptor of a hardware clock; there are none */
		return false;
	} else if (is_thread) {
		out->thread = pid ? thread_find(c->k, pid) : c->thread;
		if (out->thread && out->thread->proc != c->proc)
			return false;
	} else {
		out->proc = pid ? proc_find(c->k, pid) : c->proc;
		if (out->proc && out->proc->zombie)
			return false;
	}
	return out->proc || out->thread;
}

/* Now on that clock; false: no such clock. */
static bool clock_now(const struct call *c, int id, int64_t *ns)
{
	struct cpu_clock cpu;
	int64_t mono = c->k->clock.now_ns;

	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		*ns = mono + time_wall_offset(c);
		saw_wall(c);
		return true;
	case CLOCK_TAI:
		*ns = mono + time_wall_offset(c) + time_tai_offset(c->proc->node);
		return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		*ns = mono;
		return true;
	default:
		if (!time_cpu_clock(c, id, &cpu))
			return false;
		*ns = cpu.thread ? cpu.thread->cpu_ns : cpu.proc->cpu_ns;
		return true;
	}
}

static int write_timespec(struct call *c, uint64_t to, int64_t ns)
{
	struct timespec t = to_timespec(ns);

	return copy_out(c, to, &t, sizeof t);
}

struct verdict sys_clock_gettime(struct call *c)
{
	int64_t ns;

	if (!clock_now(c, (int)c->arg[0], &ns))
		return FAIL(EINVAL);
	return write_timespec(c, c->arg[1], ns) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_clock_getres(struct call *c)
{
	int id = (int)c->arg[0];
	bool coarse = id == CLOCK_REALTIME_COARSE || id == CLOCK_MONOTONIC_COARSE || (id < 0 && (id & 3) != 2);
	int64_t ns;

	if (!clock_now(c, id, &ns))
		return FAIL(EINVAL);
	if (c->arg[1] && write_timespec(c, c->arg[1], coarse ? TICK_NS : 1))
		return FAIL(EFAULT);
	return REPLY(0);
}

struct verdict sys_time(struct call *c)
{
	int64_t now = (c->k->clock.now_ns + time_wall_offset(c)) / NS_PER_S;

	saw_wall(c);
	if (c->arg[0] && copy_out(c, c->arg[0], &now, sizeof now))
		return FAIL(EFAULT);
	return REPLY(now);
}

struct verdict sys_gettimeofday(struct call *c)
{
	int64_t now = c->k->clock.now_ns + time_wall_offset(c);
	struct timeval tv = {.tv_sec = now / NS_PER_S, .tv_usec = now % NS_PER_S / NS_PER_US};
	struct timezone tz = {0};

	saw_wall(c);
	if (c->arg[0] && copy_out(c, c->arg[0], &tv, sizeof tv))
		return FAIL(EFAULT);
	if (c->arg[1] && copy_out(c, c->arg[1], &tz, sizeof tz))
		return FAIL(EFAULT);
	return REPLY(0);
}

/* ---- setting ---- */

struct verdict sys_settimeofday(struct call *c)
{
	struct timeval tv;
	struct timezone tz;

	if (c->arg[0]) {
		if (copy_in(c, &tv, c->arg[0], sizeof tv))
			return FAIL(EFAULT);
		if (tv.tv_usec < 0 || tv.tv_usec > 1000000 || tv.tv_sec < 0)
			return FAIL(EINVAL);
	}
	if (c->arg[1] && copy_in(c, &tz, c->arg[1], sizeof tz))
		return FAIL(EFAULT);
	return call_refuse(c, EPERM, "settimeofday: the simulator sets clocks");
}

struct verdict sys_clock_settime(struct call *c)
{
	struct timespec t;

	if ((int)c->arg[0] != CLOCK_REALTIME)
		return FAIL(EINVAL);
	if (copy_in(c, &t, c->arg[1], sizeof t))
		return FAIL(EFAULT);
	if (!valid(&t))
		return FAIL(EINVAL);
	return call_refuse(c, EPERM, "clock_settime: the simulator sets clocks");
}

/* What an undisturbed, synchronised clock shows; see adjtimex(2). */
static struct verdict adjust(struct call *c, uint64_t at)
{
	struct timex t;
	unsigned modes; /* the first member; the rest need not be filled in */
	int64_t now = c->k->clock.now_ns + time_wall_offset(c);

	if (copy_in(c, &modes, at, sizeof modes))
		return FAIL(EFAULT);
	if (modes && modes != ADJ_OFFSET_SS_READ)
		return call_refuse(c, EPERM, "adjtimex with modes 0x%x: the simulator sets clocks", modes);
	t = (struct timex){.modes = modes,
			   .maxerror = 1000,
			   .esterror = 100,
			   .status = STA_PLL | STA_NANO,
			   .constant = 7,
			   .precision = 1,
			   .tolerance = 32768000,
			   .tick = 10000,
			   .tai = (int)(time_tai_offset(c->proc->node) / NS_PER_S)};
	t.time.tv_sec = now / NS_PER_S;
	t.time.tv_usec = now % NS_PER_S; /* STA_NANO: nanoseconds */
	return copy_out(c, at, &t, sizeof t) ? FAIL(EFAULT) : REPLY(TIME_OK);
}

struct verdict sys_adjtimex(struct call *c)
{
	return adjust(c, c->arg[0]);
}

struct verdict sys_clock_adjtime(struct call *c)
{
	if ((int)c->arg[0] != CLOCK_REALTIME)
		return FAIL((int)c->arg[0] > 0 && (int)c->arg[0] <= CLOCK_TAI ? EOPNOTSUPP : EINVAL);
	return adjust(c, c->arg[1]);
}

/* ---- sleeping ---- */

enum { SLEEP_STARTED, SLEEP_AT }; /* scratch words */

/* Until s[SLEEP_AT], on the clock that differs from the run's by `off`. */
static struct verdict sleep_on(struct call *c, int64_t off, uint64_t rem)
{
	int64_t at = (int64_t)c->s[SLEEP_AT], now = c->k->clock.now_ns + off;
	struct timespec left;

	if (now >= at)
		return REPLY(0);
	c->thread->wait_what = "sleep";
	if (c->follows_wall && at != VCLOCK_NEVER)
		thread_wait_until(c->k, c->thread, wall_deadline(c->k, c->proc->node, at - (off - time_wall_offset(c))));
	else
		thread_wait_until(c->k, c->thread, at == VCLOCK_NEVER ? at : at - off);
	if (rem && call_interrupted(c)) {
		left = to_timespec(at - now);
		if (copy_out(c, rem, &left, sizeof left))
			return BLOCK(-EFAULT);
	}
	return BLOCK(-EINTR);
}

/* The first try's reading of the argument: 0 or -errno. */
static int read_sleep(struct call *c, uint64_t from, bool absolute)
{
	struct timespec t;

	if (c->s[SLEEP_STARTED])
		return 0;
	if (copy_in(c, &t, from, sizeof t))
		return -EFAULT;
	if (!valid(&t))
		return -EINVAL;
	c->s[SLEEP_STARTED] = 1;
	c->s[SLEEP_AT] = (uint64_t)time_ns(t.tv_sec, t.tv_nsec);
	if (!absolute)
		c->s[SLEEP_AT] = (uint64_t)vclock_add(c->k->clock.now_ns, (int64_t)c->s[SLEEP_AT]);
	return 0;
}

struct verdict sys_nanosleep(struct call *c)
{
	int rc = read_sleep(c, c->arg[0], false);

	return rc ? REPLY(rc) : sleep_on(c, 0, c->arg[1]);
}

struct verdict sys_clock_nanosleep(struct call *c)
{
	int id = (int)c->arg[0], rc;
	bool absolute = c->arg[1] & TIMER_ABSTIME;
	struct cpu_clock cpu;
	int64_t off = 0;

	switch (id) {
	case CLOCK_REALTIME:
		off = time_wall_offset(c);
		break;
	case CLOCK_TAI:
		off = time_wall_offset(c) + time_tai_offset(c->proc->node);
		break;
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
		break;
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_THREAD_CPUTIME_ID:
		return FAIL(EOPNOTSUPP);
	default:
		if (!time_cpu_clock(c, id, &cpu))
			return FAIL(EINVAL);
		return call_refuse(c, EOPNOTSUPP, "clock_nanosleep on CPU clock %d", id);
	}
	rc = read_sleep(c, c->arg[2], absolute);
	if (rc)
		return REPLY(rc);
	c->follows_wall = absolute && off;
	return absolute ? sleep_on(c, off, 0) : sleep_on(c, 0, c->arg[3]);
}
