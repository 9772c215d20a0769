/* A dead child is a zombie until waited for; with SIGCHLD ignored or SA_NOCLDWAIT there is none. */
#include "guest.h"

static void exits(void *arg)
{
	_exit(1);
}

static char state_of(pid_t pid)
{
	char path[64], c;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	if (!f)
		return '-';
	CHECK_EQ(fscanf(f, "%*d (%*[^)]) %c", &c), 1);
	fclose(f);
	return c;
}

int main(void)
{
	pid_t pid = child(exits, NULL);
	siginfo_t si;

	OK(waitid(P_PID, pid, &si, WEXITED | WNOWAIT));
	CHECK_EQ(state_of(pid), 'Z');
	OK(kill(pid, 0)); /* it still has its pid */
	OK(kill(pid, SIGKILL));
	CHECK_EQ(getpgid(pid), getpgrp());
	CHECK_EXIT(pid, 1);
	CHECK_EQ(state_of(pid), '-');
	CHECK_ERR(kill(pid, 0), ESRCH);

	for (int i = 0; i < 2; i++) {
		struct sigaction sa = {.sa_handler = i ? SIG_DFL : SIG_IGN, .sa_flags = i ? SA_NOCLDWAIT : 0};

		OK(sigaction(SIGCHLD, &sa, NULL));
		pid = child(exits, NULL);
		/* Blocks until the last child is gone. */
		CHECK_ERR(waitpid(pid, NULL, 0), ECHILD);
		CHECK_ERR(kill(pid, 0), ESRCH);
	}
	return guest_ok();
}
