/* Every fatal signal shows in the wait status; those ignored by default do not kill. */
#include "guest.h"

#include <sys/resource.h>

static void raises(void *arg)
{
	struct rlimit none = {0, 0};

	OK(setrlimit(RLIMIT_CORE, &none));
	signal((int)(intptr_t)arg, SIG_DFL);
	unblock_signal((int)(intptr_t)arg);
	kill(getpid(), (int)(intptr_t)arg);
	_exit(50);
}

int main(void)
{
	const int fatal[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGUSR1, SIGSEGV,
		SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,
		SIGPWR, SIGSYS, SIGRTMIN, SIGRTMAX,
	};
	const int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH};

	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
		int st = wait_status(child(raises, (void *)(intptr_t)fatal[i]));

		CHECK(WIFSIGNALED(st));
		CHECK_EQ(WTERMSIG(st), fatal[i]);
		CHECK(!WCOREDUMP(st));
	}
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		CHECK_EXIT(child(raises, (void *)(intptr_t)harmless[i]), 50);

	CHECK_ERR(kill(getpid(), 65), EINVAL);
	CHECK_ERR(kill(getpid(), -1), EINVAL);
	CHECK_ERR(kill(99999999, SIGTERM), ESRCH);
	struct sigaction sa = {.sa_handler = SIG_IGN};
	CHECK_ERR(sigaction(SIGKILL, &sa, NULL), EINVAL);
	CHECK_ERR(sigaction(SIGSTOP, &sa, NULL), EINVAL);
	CHECK_ERR(sigaction(0, &sa, NULL), EINVAL);
	return guest_ok();
}
