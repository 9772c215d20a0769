/* sigsuspend swaps the mask while it waits: no signal is lost between the check and the wait. */
#include "guest.h"

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void pinger(void *arg)
{
	pid_t parent = (pid_t)(intptr_t)arg;
	sigset_t none;

	sigemptyset(&none);
	for (int i = 0; i < 20; i++) {
		OK(kill(parent, SIGUSR1));
		while (hits <= i)
			sigsuspend(&none);
	}
}

int main(void)
{
	sigset_t none, now;

	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	sigemptyset(&none);
	pid_t pid = child(pinger, (void *)(intptr_t)getpid());
	for (int i = 0; i < 20; i++) {
		while (hits <= i)
			CHECK_ERR(sigsuspend(&none), EINTR);
		OK(sigprocmask(SIG_BLOCK, NULL, &now));
		CHECK(sigismember(&now, SIGUSR1));
		OK(kill(pid, SIGUSR1));
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(hits, 20);
	return guest_ok();
}
