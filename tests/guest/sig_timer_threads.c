/* Process timers with threads: the signal comes to a thread that does not block it; nanosleep elsewhere is undisturbed. */
#include "guest.h"

#include <sys/time.h>

static volatile sig_atomic_t hits;
static volatile pid_t in;

static void handler(int sig)
{
	hits++;
	in = gettid();
}

static void *undisturbed(void *arg)
{
	struct timespec t = {.tv_nsec = 200 * NS_PER_MS};

	OK(nanosleep(&t, NULL)); /* not EINTR */
	return NULL;
}

static void *takes(void *arg)
{
	while (hits < 5)
		usleep(500);
	return (void *)(intptr_t)gettid();
}

int main(void)
{
	struct itimerval it = {.it_value.tv_usec = 5000, .it_interval.tv_usec = 5000}, off = {0};

	on_signal(SIGALRM, handler, 0);
	pthread_t t = thread(takes, NULL);
	block_signal(SIGALRM);
	pthread_t u = thread(undisturbed, NULL); /* inherits the mask */
	OK(setitimer(ITIMER_REAL, &it, NULL));
	pid_t taker = (pid_t)(intptr_t)join(t);
	OK(setitimer(ITIMER_REAL, &off, NULL));
	CHECK_EQ(in, taker);
	join(u);
	return guest_ok();
}
