/* A blocked signal is pending, once, and comes when it is unblocked; masks are each thread's own. */
#include "guest.h"

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void *inherits(void *arg)
{
	sigset_t set;

	PT(pthread_sigmask(SIG_BLOCK, NULL, &set));
	CHECK(sigismember(&set, SIGUSR1));
	unblock_signal(SIGUSR1);
	PT(pthread_kill(pthread_self(), SIGUSR1));
	CHECK_EQ(hits, 2);
	return NULL;
}

int main(void)
{
	sigset_t set, old;

	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	for (int i = 0; i < 5; i++)
		OK(kill(getpid(), SIGUSR1));
	CHECK_EQ(hits, 0);
	OK(sigpending(&set));
	CHECK(sigismember(&set, SIGUSR1));
	unblock_signal(SIGUSR1);
	CHECK_EQ(hits, 1); /* five became one */
	OK(sigpending(&set));
	CHECK(!sigismember(&set, SIGUSR1));

	block_signal(SIGUSR1);
	join(thread(inherits, NULL));
	PT(pthread_sigmask(SIG_BLOCK, NULL, &set));
	CHECK(sigismember(&set, SIGUSR1));

	/* SIGKILL and SIGSTOP cannot be blocked: left out silently. */
	sigfillset(&set);
	OK(sigprocmask(SIG_SETMASK, &set, &old));
	OK(sigprocmask(SIG_BLOCK, NULL, &set));
	CHECK(!sigismember(&set, SIGKILL) && !sigismember(&set, SIGSTOP) && sigismember(&set, SIGTERM));
	OK(sigprocmask(SIG_SETMASK, &old, NULL));
	CHECK_ERR(sigprocmask(99, &old, NULL), EINVAL);

	/* A pending signal that becomes ignored is thrown away. */
	OK(kill(getpid(), SIGUSR1));
	on_signal(SIGUSR1, SIG_IGN, 0);
	OK(sigpending(&set));
	CHECK(!sigismember(&set, SIGUSR1));
	on_signal(SIGUSR1, handler, 0);
	unblock_signal(SIGUSR1);
	CHECK_EQ(hits, 2);
	return guest_ok();
}
