/* SIGCHLD: on exit, on stop unless SA_NOCLDSTOP, and the classic loop that reaps all that have ended. */
#include "guest.h"

static volatile sig_atomic_t hits, reaped;

static void counts(int sig)
{
	hits++;
}

static void reaps(int sig)
{
	int saved = errno;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
	errno = saved;
}

static void quits(void *arg)
{
	usleep((useconds_t)(intptr_t)arg);
}

static void forever(void *arg)
{
	sleep_forever();
}

int main(void)
{
	sigset_t none;
	int st;

	on_signal(SIGCHLD, counts, SA_NOCLDSTOP | SA_RESTART);
	pid_t pid = child(forever, NULL);
	OK(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	OK(kill(pid, SIGCONT));
	CHECK_EQ(waitpid(pid, &st, WCONTINUED), pid);
	CHECK_EQ(hits, 0);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	CHECK_EQ(hits, 1);

	on_signal(SIGCHLD, counts, SA_RESTART);
	pid = child(forever, NULL);
	OK(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	CHECK_EQ(hits, 2);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);

	on_signal(SIGCHLD, reaps, SA_RESTART);
	block_signal(SIGCHLD);
	for (intptr_t i = 0; i < 20; i++)
		child(quits, (void *)(i * 500 % 3000));
	sigemptyset(&none);
	while (reaped < 20)
		sigsuspend(&none);
	CHECK_EQ(reaped, 20);
	CHECK_ERR(wait(NULL), ECHILD);
	return guest_ok();
}
