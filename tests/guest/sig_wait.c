/* sigwait, sigwaitinfo, sigtimedwait: blocked signals are taken synchronously; timeouts; EINTR by others. */
#include "guest.h"

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void sends_later(void *arg)
{
	nap_ms(20);
	OK(kill(getppid(), (int)(intptr_t)arg));
}

int main(void)
{
	sigset_t set;
	siginfo_t si;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	OK(sigprocmask(SIG_BLOCK, &set, NULL));

	raise(SIGTERM);
	PT(sigwait(&set, &sig));
	CHECK_EQ(sig, SIGTERM);

	pid_t pid = child(sends_later, (void *)SIGUSR1);
	CHECK_EQ(sigwaitinfo(&set, &si), SIGUSR1);
	CHECK_EQ(si.si_pid, pid);
	CHECK_EQ(si.si_code, SI_USER);
	CHECK_EXIT(pid, 0);

	struct timespec t = {.tv_nsec = 20 * NS_PER_MS}, zero = {0}, bad = {.tv_nsec = -1};
	struct timespec forever = {.tv_sec = 100000};
	int64_t start = mono_ns();
	CHECK_ERR(sigtimedwait(&set, &si, &t), EAGAIN);
	CHECK(mono_ns() - start >= 20 * NS_PER_MS);
	CHECK_ERR(sigtimedwait(&set, &si, &zero), EAGAIN);
	CHECK_ERR(sigtimedwait(&set, &si, &bad), EINVAL);
	raise(SIGUSR1);
	CHECK_EQ(sigtimedwait(&set, NULL, &zero), SIGUSR1);

	/* The lower number first. */
	raise(SIGTERM);
	raise(SIGUSR1);
	CHECK_EQ(sigtimedwait(&set, NULL, &zero), SIGUSR1);
	CHECK_EQ(sigtimedwait(&set, NULL, &zero), SIGTERM);

	/* Another signal's handler interrupts it. */
	on_signal(SIGUSR2, handler, SA_RESTART);
	pid = child(sends_later, (void *)SIGUSR2);
	CHECK_ERR(sigtimedwait(&set, &si, &forever), EINTR);
	CHECK_EQ(hits, 1);
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
