/* alarm and setitimer: once, intervals, what is left, cancelled; SIGALRM kills by default. */
#include "guest.h"

#include <sys/time.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void dies(void *arg)
{
	signal(SIGALRM, SIG_DFL);
	alarm(1);
	sleep_forever();
}

int main(void)
{
	struct itimerval it = {.it_value.tv_usec = 10000, .it_interval.tv_usec = 10000}, old, off = {0};

	on_signal(SIGALRM, handler, 0);
	CHECK_EQ(alarm(100), 0);
	unsigned left = alarm(200);
	CHECK(left == 100 || left == 99);
	left = alarm(0);
	CHECK(left == 200 || left == 199);
	CHECK_EQ(alarm(0), 0);

	int64_t start = mono_ns();
	OK(setitimer(ITIMER_REAL, &it, NULL));
	while (hits < 10)
		pause();
	CHECK(mono_ns() - start >= 100 * NS_PER_MS);
	OK(getitimer(ITIMER_REAL, &old));
	CHECK_EQ(old.it_interval.tv_usec, 10000);
	CHECK(old.it_value.tv_sec == 0 && old.it_value.tv_usec <= 10000);
	OK(setitimer(ITIMER_REAL, &off, &old));
	CHECK_EQ(old.it_interval.tv_usec, 10000);
	int seen = hits;
	nap_ms(50);
	CHECK_EQ(hits, seen);

	/* alarm and ITIMER_REAL are one timer. */
	alarm(50);
	OK(getitimer(ITIMER_REAL, &old));
	CHECK(old.it_value.tv_sec >= 48 && old.it_value.tv_sec <= 50);
	alarm(0);

	CHECK_KILLED(child(dies, NULL), SIGALRM);
	it.it_value.tv_usec = 1000000;
	CHECK_ERR(setitimer(ITIMER_REAL, &it, NULL), EINVAL);
	CHECK_ERR(setitimer(99, &off, NULL), EINVAL);
	return guest_ok();
}
