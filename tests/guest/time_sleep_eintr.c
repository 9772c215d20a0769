/* A handler interrupts nanosleep, SA_RESTART or not; the time left is reported. sleep() returns the seconds left. */
#include "guest.h"

#include <sys/time.h>

static volatile sig_atomic_t caught;

static void handler(int sig)
{
	caught++;
}

static void alarm_ms(int ms)
{
	struct itimerval it = {.it_value.tv_usec = ms * 1000};

	OK(setitimer(ITIMER_REAL, &it, NULL));
}

int main(void)
{
	for (int flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		struct timespec t = {.tv_sec = 1000}, left = {0};
		int64_t start = mono_ns();

		on_signal(SIGALRM, handler, flags);
		alarm_ms(30);
		CHECK_ERR(nanosleep(&t, &left), EINTR);
		int64_t slept = mono_ns() - start;
		CHECK(slept >= 30 * NS_PER_MS);
		CHECK(left.tv_sec >= 900);
		/* The two clocks are read at slightly different moments. */
		CHECK(left.tv_sec * NS_PER_S + left.tv_nsec <= 1000 * NS_PER_S - 29 * NS_PER_MS);
		CHECK(left.tv_sec * NS_PER_S + left.tv_nsec >= 1000 * NS_PER_S - slept);
	}
	CHECK_EQ(caught, 2);

	alarm_ms(30);
	unsigned left = sleep(1000);
	CHECK(left >= 900 && left <= 1000);

	/* An absolute sleep does not write the time left. */
	struct timespec at = timespec_of(mono_ns() + 1000 * NS_PER_S), untouched = {.tv_sec = 77};
	alarm_ms(30);
	PT_ERR(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, &untouched), EINTR);
	CHECK_EQ(untouched.tv_sec, 77);
	CHECK_EQ(caught, 4);

	/* An ignored signal does not end it. */
	on_signal(SIGALRM, SIG_IGN, 0);
	int64_t start = mono_ns();
	alarm_ms(10);
	struct timespec t = {.tv_nsec = 50 * NS_PER_MS};
	OK(nanosleep(&t, NULL));
	CHECK(mono_ns() - start >= 50 * NS_PER_MS);
	return guest_ok();
}
