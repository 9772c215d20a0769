/* While a thread spins on the clock, timers of others fire: a signal handler ends the spin. */
#include "guest.h"

#include <sys/time.h>

static volatile sig_atomic_t stop;

static void handler(int sig)
{
	stop = 1;
}

int main(void)
{
	struct itimerval it = {.it_value.tv_usec = 20000};
	int64_t start = mono_ns();

	on_signal(SIGALRM, handler, 0);
	OK(setitimer(ITIMER_REAL, &it, NULL));
	while (!stop)
		CHECK(mono_ns() - start < 600 * NS_PER_S);
	CHECK(mono_ns() - start >= 20 * NS_PER_MS);
	printf("%lld\n", (long long)(mono_ns() - start));
	return guest_ok();
}
