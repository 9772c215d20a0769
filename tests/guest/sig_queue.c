/* Real-time signals queue with their values, in order, lower numbers first; ordinary ones do not queue. */
#include "guest.h"

static int got[64][2], n;

static void handler(int sig, siginfo_t *si, void *uc)
{
	got[n][0] = sig;
	got[n++][1] = si->si_value.sival_int;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	sigset_t set;

	sigemptyset(&set);
	sigfillset(&sa.sa_mask);
	const int sigs[] = {SIGRTMIN + 2, SIGRTMIN, SIGRTMIN + 1, SIGUSR1};
	for (int i = 0; i < 4; i++) {
		OK(sigaction(sigs[i], &sa, NULL));
		sigaddset(&set, sigs[i]);
	}
	OK(sigprocmask(SIG_BLOCK, &set, NULL));
	for (int v = 0; v < 5; v++)
		for (int i = 0; i < 4; i++)
			OK(sigqueue(getpid(), sigs[i], (union sigval){.sival_int = v}));
	OK(sigprocmask(SIG_UNBLOCK, &set, NULL));
	CHECK_EQ(n, 16);
	CHECK_EQ(got[0][0] == SIGUSR1 || got[15][0] == SIGUSR1, 1);
	int at = got[0][0] == SIGUSR1;
	/*
	 * Delivery order of handlers: the kernel pushes frames for all pending ones, lowest first, unless the mask of
	 * the first keeps the others out, as here.
	 */
	for (int s = 0; s < 3; s++)
		for (int v = 0; v < 5; v++, at++) {
			CHECK_EQ(got[at][0], SIGRTMIN + s);
			CHECK_EQ(got[at][1], v);
		}

	/* Taken synchronously, the order is the same. */
	OK(sigprocmask(SIG_BLOCK, &set, NULL));
	for (int v = 0; v < 3; v++) {
		OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = v}));
		OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 10 + v}));
	}
	for (int i = 0; i < 6; i++) {
		siginfo_t si;

		CHECK_EQ(sigwaitinfo(&set, &si), i < 3 ? SIGRTMIN : SIGRTMIN + 1);
		CHECK_EQ(si.si_value.sival_int, i < 3 ? 10 + i : i - 3);
		CHECK_EQ(si.si_code, SI_QUEUE);
	}
	return guest_ok();
}
