/* pthread_sigqueue: a value to one thread, and only to it; order is kept per thread. */
#include "guest.h"

enum { N = 3 };

static pthread_barrier_t barrier;

static void *takes(void *arg)
{
	sigset_t set = sigset_of(SIGRTMIN);
	siginfo_t si;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(sigwaitinfo(&set, &si), SIGRTMIN);
		CHECK_EQ(si.si_code, SI_QUEUE);
		CHECK_EQ(si.si_value.sival_int, (int)(intptr_t)arg * 100 + i);
		CHECK_EQ(si.si_pid, getpid());
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	block_signal(SIGRTMIN);
	PT(pthread_barrier_init(&barrier, NULL, N + 1));
	for (intptr_t i = 0; i < N; i++)
		t[i] = thread(takes, (void *)i);
	pthread_barrier_wait(&barrier);
	for (int v = 0; v < 5; v++)
		for (int i = 0; i < N; i++)
			PT(pthread_sigqueue(t[i], SIGRTMIN, (union sigval){.sival_int = i * 100 + v}));
	for (int i = 0; i < N; i++)
		join(t[i]);
	return guest_ok();
}
