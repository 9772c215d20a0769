/* Timers of CPU clocks: ITIMER_PROF, ITIMER_VIRTUAL, timer_create on both CPU clocks. They count work, not sleep. */
#include "guest.h"

#include <sys/time.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void work_until(int n)
{
	while (hits < n)
		getppid();
}

static void itimer(int which, int sig)
{
	struct itimerval it = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000}, cur;
	clockid_t cpu = CLOCK_PROCESS_CPUTIME_ID;
	int64_t start = clock_ns(cpu);

	on_signal(sig, handler, 0);
	hits = 0;
	OK(setitimer(which, &it, NULL));
	nap_ms(200);
	CHECK_EQ(hits, 0);
	work_until(2);
	/* The kernel rounds to ticks; what it adds to the second expiry may be missing from the first. */
	CHECK(clock_ns(cpu) - start >= 20 * NS_PER_MS);
	OK(getitimer(which, &cur));
	CHECK_EQ(cur.it_interval.tv_usec, 20000);
	it = (struct itimerval){0};
	OK(setitimer(which, &it, &cur));
	CHECK_EQ(cur.it_interval.tv_usec, 20000);
}

static void posix_timer(clockid_t id)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec it = {.it_value.tv_nsec = 20 * NS_PER_MS, .it_interval.tv_nsec = 20 * NS_PER_MS};
	int64_t start = clock_ns(id);
	timer_t t;

	on_signal(SIGUSR1, handler, 0);
	hits = 0;
	OK(timer_create(id, &ev, &t));
	OK(timer_settime(t, 0, &it, NULL));
	nap_ms(200);
	CHECK_EQ(hits, 0);
	work_until(2);
	CHECK(clock_ns(id) - start >= 40 * NS_PER_MS);
	OK(timer_delete(t));
}

int main(void)
{
	itimer(ITIMER_PROF, SIGPROF);
	itimer(ITIMER_VIRTUAL, SIGVTALRM);
	posix_timer(CLOCK_PROCESS_CPUTIME_ID);
	posix_timer(CLOCK_THREAD_CPUTIME_ID);
	return guest_ok();
}
