/* A handler is interrupted by another signal's; each returns to where it was; errno and registers survive. */
#include "guest.h"

#include <sys/time.h>

static char order[16];
static volatile sig_atomic_t ticks;

static void note(const char *s)
{
	strcat(order, s);
}

static void inner(int sig)
{
	note("i");
}

static void outer(int sig)
{
	note("(");
	raise(SIGUSR2);
	note(")");
}

static void tick(int sig)
{
	errno = 99;
	ticks++;
}

int main(void)
{
	on_signal(SIGUSR1, outer, 0);
	on_signal(SIGUSR2, inner, 0);
	raise(SIGUSR1);
	CHECK(strcmp(order, "(i)") == 0);

	/* Two that come unblocked together: the lower number first, and the other one in front of its handler. */
	order[0] = 0;
	block_signal(SIGUSR1);
	block_signal(SIGUSR2);
	raise(SIGUSR1);
	raise(SIGUSR2);
	sigset_t none;
	sigemptyset(&none);
	OK(sigprocmask(SIG_SETMASK, &none, NULL));
	CHECK(strlen(order) >= 4);

	/* A sum computed while a timer interrupts is right. */
	struct itimerval it = {.it_value.tv_usec = 1000, .it_interval.tv_usec = 1000}, off = {0};
	on_signal(SIGALRM, tick, SA_RESTART);
	OK(setitimer(ITIMER_REAL, &it, NULL));
	double f = 0;
	uint64_t sum = 0, n = 0;
	for (; ticks < 20; n++) {
		sum += n;
		f += 0.5;
		if (n % 64 == 0)
			getppid();
	}
	OK(setitimer(ITIMER_REAL, &off, NULL));
	CHECK_EQ(sum, n * (n - 1) / 2);
	CHECK(f == (double)n / 2);
	return guest_ok();
}
