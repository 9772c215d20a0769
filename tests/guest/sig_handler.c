/* A handler runs for raise, kill and tgkill of oneself before the call returns; the mask is restored after it. */
#include "guest.h"

#include <sys/syscall.h>

static volatile sig_atomic_t hits, nested_blocked, other_blocked;

static void handler(int sig)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	nested_blocked = sigismember(&set, SIGUSR1);
	other_blocked = sigismember(&set, SIGUSR2);
	hits++;
}

int main(void)
{
	sigset_t set;
	struct sigaction sa = {.sa_handler = handler}, old;

	sigaddset(&sa.sa_mask, SIGUSR2);
	OK(sigaction(SIGUSR1, &sa, &old));
	CHECK(old.sa_handler == SIG_DFL);
	raise(SIGUSR1);
	CHECK_EQ(hits, 1);
	CHECK_EQ(nested_blocked, 1);
	CHECK_EQ(other_blocked, 1);
	OK(kill(getpid(), SIGUSR1));
	CHECK_EQ(hits, 2);
	OK(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1));
	CHECK_EQ(hits, 3);
	OK(sigprocmask(SIG_BLOCK, NULL, &set));
	CHECK(!sigismember(&set, SIGUSR1) && !sigismember(&set, SIGUSR2));

	/* SA_NODEFER leaves it unblocked; SA_RESETHAND makes it one shot. */
	sa.sa_flags = SA_NODEFER | SA_RESETHAND;
	OK(sigaction(SIGUSR1, &sa, &old));
	CHECK(old.sa_handler == handler);
	raise(SIGUSR1);
	CHECK_EQ(hits, 4);
	CHECK_EQ(nested_blocked, 0);
	OK(sigaction(SIGUSR1, NULL, &old));
	CHECK(old.sa_handler == SIG_DFL);
	CHECK_ERR(syscall(SYS_tgkill, getpid(), 99999999, 0), ESRCH);
	CHECK_ERR(syscall(SYS_tgkill, 99999999, gettid(), 0), ESRCH);
	CHECK_ERR(syscall(SYS_tgkill, -1, gettid(), 0), EINVAL);
	return guest_ok();
}
