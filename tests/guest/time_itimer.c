/* setitimer, getitimer, alarm: values, rounding, replacement; exec keeps the alarm, fork does not. */
#include "guest.h"

#include <sys/time.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void no_alarm_here(void *arg)
{
	struct itimerval it;

	OK(getitimer(ITIMER_REAL, &it));
	CHECK_EQ(it.it_value.tv_sec, 0);
	CHECK_EQ(it.it_value.tv_usec, 0);
}

static void exec_with_alarm(void *arg)
{
	struct itimerval it = {.it_value.tv_usec = 200000};

	OK(setitimer(ITIMER_REAL, &it, NULL));
	execl("/bin/sleep", "sleep", "30", NULL);
	_exit(9);
}

int main(void)
{
	struct itimerval it = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 10000}, old;

	CHECK_EQ(alarm(10), 0);
	CHECK_EQ(alarm(0), 10);
	CHECK_EQ(alarm(0), 0);
	on_signal(SIGALRM, handler, 0);
	OK(setitimer(ITIMER_REAL, &it, NULL));
	while (hits < 3)
		pause();
	OK(getitimer(ITIMER_REAL, &old));
	CHECK_EQ(old.it_interval.tv_usec, 10000);
	CHECK(old.it_value.tv_sec == 0 && old.it_value.tv_usec <= 10000);
	it = (struct itimerval){.it_value.tv_sec = 1000, .it_value.tv_usec = 600000};
	OK(setitimer(ITIMER_REAL, &it, &old));
	CHECK_EQ(old.it_interval.tv_usec, 10000);
	CHECK_EXIT(child(no_alarm_here, NULL), 0);
	CHECK_EQ(alarm(0), 1001); /* to the nearest second */
	it.it_value.tv_usec = 1000000;
	CHECK_ERR(setitimer(ITIMER_REAL, &it, NULL), EINVAL);
	CHECK_ERR(setitimer((enum __itimer_which)9, &old, NULL), EINVAL);
	CHECK_ERR(getitimer((enum __itimer_which)9, &old), EINVAL);
	CHECK_KILLED(child(exec_with_alarm, NULL), SIGALRM);
	return guest_ok();
}
