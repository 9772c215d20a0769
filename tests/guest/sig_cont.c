/* SIGCONT runs a stopped process even if it is blocked or ignored; stops and continues cancel each other's pending ones. */
#include "guest.h"

static int told[2];

static void on_cont(int sig)
{
	tell(told[1]);
}

static void waits(void *arg)
{
	if (arg)
		block_signal(SIGCONT);
	else
		on_signal(SIGCONT, on_cont, SA_RESTART);
	tell(told[1]);
	for (;;)
		nap_ms(2);
}

static void stops_itself(void *arg)
{
	raise(SIGSTOP);
	_exit(6);
}

static void *sleeps(void *arg)
{
	sleep_forever();
	return NULL;
}

static void threads(void *arg)
{
	for (int i = 0; i < 3; i++)
		thread(sleeps, NULL);
	tell(told[1]);
	sleep_forever();
}

int main(void)
{
	int st;

	OK(pipe(told));
	for (intptr_t blocked = 0; blocked < 2; blocked++) {
		pid_t pid = child(waits, (void *)blocked);

		await(told[0]);
		OK(kill(pid, SIGSTOP));
		CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
		OK(kill(pid, SIGCONT));
		CHECK_EQ(waitpid(pid, &st, WCONTINUED), pid);
		CHECK(WIFCONTINUED(st));
		if (!blocked)
			await(told[0]); /* the handler ran as well */
		OK(kill(pid, SIGKILL));
		CHECK_KILLED(pid, SIGKILL);
	}
	pid_t pid = child(stops_itself, NULL);
	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	CHECK(WIFSTOPPED(st));
	OK(kill(pid, SIGCONT));
	CHECK_EXIT(pid, 6);

	/* All threads of a process stop; its exec and exit come only later. */
	pid = child(threads, NULL);
	await(told[0]);
	OK(kill(pid, SIGTSTP));
	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	CHECK_EQ(WSTOPSIG(st), SIGTSTP);
	OK(kill(pid, SIGCONT));
	OK(kill(pid, SIGTERM));
	CHECK_KILLED(pid, SIGTERM);

	/* A stop that is pending is thrown away by SIGCONT, and the other way round. */
	sigset_t set;
	block_signal(SIGTSTP);
	block_signal(SIGCONT);
	raise(SIGTSTP);
	OK(sigpending(&set));
	CHECK(sigismember(&set, SIGTSTP));
	raise(SIGCONT);
	OK(sigpending(&set));
	CHECK(!sigismember(&set, SIGTSTP) && sigismember(&set, SIGCONT));
	raise(SIGTSTP);
	OK(sigpending(&set));
	CHECK(sigismember(&set, SIGTSTP) && !sigismember(&set, SIGCONT));
	raise(SIGCONT);
	return guest_ok();
}
