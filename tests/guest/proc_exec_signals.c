/* exec: handlers become default, ignored stay ignored, mask and pending signals are kept, an alarm still fires. */
#include "guest.h"

static void handler(int sig)
{
}

static int after(void)
{
	struct sigaction sa;
	sigset_t set;

	OK(sigaction(SIGUSR1, NULL, &sa));
	CHECK(sa.sa_handler == SIG_DFL);
	OK(sigaction(SIGUSR2, NULL, &sa));
	CHECK(sa.sa_handler == SIG_IGN);
	OK(sigprocmask(SIG_BLOCK, NULL, &set));
	CHECK(sigismember(&set, SIGTERM) && sigismember(&set, SIGRTMIN) && !sigismember(&set, SIGINT));
	OK(sigpending(&set));
	CHECK(sigismember(&set, SIGTERM) && !sigismember(&set, SIGRTMIN));

	stack_t ss;
	OK(sigaltstack(NULL, &ss));
	CHECK(ss.ss_flags & SS_DISABLE);
	sleep_forever(); /* until the alarm set before exec */
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return after();
	pid_t pid = OK(fork());
	if (pid == 0) {
		static char stack[65536];
		stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};

		OK(sigaltstack(&ss, NULL));
		on_signal(SIGUSR1, handler, 0);
		on_signal(SIGUSR2, SIG_IGN, 0);
		block_signal(SIGTERM);
		block_signal(SIGRTMIN);
		raise(SIGTERM);
		alarm(1);
		execl("/proc/self/exe", "x", "after", (char *)NULL);
		_exit(127);
	}
	CHECK_KILLED(pid, SIGALRM);
	return guest_ok();
}
