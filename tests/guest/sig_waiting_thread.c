/* A dedicated thread takes the process's signals with sigwait while the others work. */
#include "guest.h"

static int got[3];

static void *taker(void *arg)
{
	sigset_t *set = arg;
	int sig;

	for (;;) {
		PT(sigwait(set, &sig));
		if (sig == SIGTERM)
			return NULL;
		got[sig == SIGUSR2]++;
	}
}

int main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	PT(pthread_sigmask(SIG_BLOCK, &set, NULL));
	pthread_t t = thread(taker, &set);
	for (int i = 1; i <= 10; i++) {
		OK(kill(getpid(), i % 2 ? SIGUSR1 : SIGUSR2));
		while (__atomic_load_n(&got[0], __ATOMIC_SEQ_CST) + __atomic_load_n(&got[1], __ATOMIC_SEQ_CST) < i)
			usleep(100);
	}
	OK(kill(getpid(), SIGTERM));
	join(t);
	CHECK_EQ(got[0], 5);
	CHECK_EQ(got[1], 5);
	return guest_ok();
}
