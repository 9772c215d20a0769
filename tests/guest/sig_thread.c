/* A signal to a thread runs in it; one to the process runs in a thread that does not block it. */
#include "guest.h"

enum { N = 4 };

static volatile pid_t ran_in;
static pid_t tids[N];
static pthread_barrier_t barrier;
static volatile int stop;

static void handler(int sig)
{
	ran_in = gettid();
}

static void *body(void *arg)
{
	intptr_t i = (intptr_t)arg;

	block_signal(SIGUSR2);
	tids[i] = gettid();
	pthread_barrier_wait(&barrier);
	while (!stop)
		usleep(1000);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	on_signal(SIGUSR1, handler, SA_RESTART);
	on_signal(SIGUSR2, handler, SA_RESTART);
	PT(pthread_barrier_init(&barrier, NULL, N + 1));
	for (intptr_t i = 0; i < N; i++)
		t[i] = thread(body, (void *)i);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < N; i++) {
		ran_in = 0;
		PT(pthread_kill(t[i], SIGUSR1));
		while (!ran_in)
			usleep(100);
		CHECK_EQ(ran_in, tids[i]);
	}
	/* All others block it: only the main thread is left. */
	ran_in = 0;
	OK(kill(getpid(), SIGUSR2));
	CHECK_EQ(ran_in, getpid());

	/* The main thread blocks it as well: it is pending for the process; then another one takes it. */
	block_signal(SIGUSR2);
	ran_in = 0;
	OK(kill(getpid(), SIGUSR2));
	sigset_t set;
	OK(sigpending(&set));
	CHECK(sigismember(&set, SIGUSR2));
	CHECK_EQ(ran_in, 0);
	int sig;
	set = sigset_of(SIGUSR2);
	PT(sigwait(&set, &sig));

	/* To a thread that blocks it: pending there, not for others. */
	PT(pthread_kill(t[0], SIGUSR2));
	OK(sigpending(&set));
	CHECK(!sigismember(&set, SIGUSR2));
	unblock_signal(SIGUSR2);
	CHECK_EQ(ran_in, 0);
	stop = 1;
	for (int i = 0; i < N; i++)
		join(t[i]);
	return guest_ok();
}
