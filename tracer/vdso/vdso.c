/*
 * The vDSO that guests see: clock reads without a system call, from the shared clock page. Compiled freestanding into one
 * small ELF image. See vdso(7) for the symbols that x86-64 programs look for; __vdso_getrandom is absent on purpose (it
 * would hand out randomness that no seed decides).
 */
#include "tracer/vdso.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

struct tv {
	long sec, usec;
};

/* A literal in the text, so that the image needs neither relocations nor a data segment. */
__asm__(".section .text\n.balign 8\npage_slot:\n.quad 0x5ec0de5ec10c4a6e\n.hidden page_slot\n");
extern struct clock_page *const page_slot __attribute__((visibility("hidden")));

static inline struct clock_page *page(void)
{
	struct clock_page *p;

	__asm__("mov page_slot(%%rip), %0" : "=r"(p));
	return p;
}

static inline long call2(long nr, long a, long b)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return ret;
}

/* Advances the clock by one read. Returns 0 when the supervisor must be asked instead. */
static inline int tick(struct clock_page *p)
{
	int64_t next = p->mono_ns + p->step_ns;

	if (next > p->limit_ns)
		return 0;
	p->mono_ns = next;
	if (!(++p->reads % CLOCK_READS_PER_STEP) && p->step_ns < CLOCK_STEP_MAX_NS)
		p->step_ns *= 2;
	return 1;
}

static inline void split(int64_t ns, struct timespec *ts)
{
	ts->tv_sec = ns / 1000000000;
	ts->tv_nsec = ns % 1000000000;
}

int __vdso_clock_gettime(clockid_t id, struct timespec *ts)
{
	struct clock_page *p = page();
	int64_t off;

	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		off = p->wall_off_ns;
		break;
	case CLOCK_TAI:
		off = p->wall_off_ns + p->tai_off_ns;
		break;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		off = 0;
		break;
	default:
		return (int)call2(SYS_clock_gettime, id, (long)ts);
	}
	if (!tick(p))
		return (int)call2(SYS_clock_gettime, id, (long)ts);
	p->wall_reads += off != 0;
	split(p->mono_ns + off, ts);
	return 0;
}

int __vdso_gettimeofday(struct tv *tv, void *tz)
{
	struct clock_page *p = page();

	if (tz || !tv || !tick(p))
		return (int)call2(SYS_gettimeofday, (long)tv, (long)tz);
	p->wall_reads++;
	tv->sec = (p->mono_ns + p->wall_off_ns) / 1000000000;
	tv->usec = (p->mono_ns + p->wall_off_ns) % 1000000000 / 1000;
	return 0;
}

time_t __vdso_time(time_t *t)
{
	struct clock_page *p = page();
	time_t now;

	if (!tick(p))
		return call2(SYS_time, (long)t, 0);
	p->wall_reads++;
	now = (p->mono_ns + p->wall_off_ns) / 1000000000;
	if (t)
		*t = now;
	return now;
}

int __vdso_clock_getres(clockid_t id, struct timespec *ts)
{
	return (int)call2(SYS_clock_getres, id, (long)ts);
}

long __vdso_getcpu(unsigned *cpu, unsigned *node, void *unused)
{
	(void)unused;
	if (cpu)
		*cpu = (unsigned)page()->cpu;
	if (node)
		*node = 0;
	return 0;
}

int clock_gettime(clockid_t, struct timespec *) __attribute__((weak, alias("__vdso_clock_gettime")));
int gettimeofday(struct tv *, void *) __attribute__((weak, alias("__vdso_gettimeofday")));
time_t time(time_t *) __attribute__((weak, alias("__vdso_time")));
int clock_getres(clockid_t, struct timespec *) __attribute__((weak, alias("__vdso_clock_getres")));
long getcpu(unsigned *, unsigned *, void *) __attribute__((weak, alias("__vdso_getcpu")));

/* For calls that the supervisor makes inside a guest (exec.c), and the mark by which an SDK knows simrun. */
__asm__(".section .text\n.globl __simrun_syscall\n.type __simrun_syscall,@function\n__simrun_syscall:\nsyscall\nnop\nret\n"
	".size __simrun_syscall, . - __simrun_syscall\n");
