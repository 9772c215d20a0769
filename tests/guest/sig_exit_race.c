/* Signals to threads and processes that are just ending: delivered, or ESRCH; never a hang, never the wrong one. */
#include "guest.h"

#include <sys/syscall.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void *shortly(void *arg)
{
	*(pid_t *)arg = gettid();
	usleep(50);
	return NULL;
}

static void ends(void *arg)
{
	usleep(100);
}

int main(void)
{
	on_signal(SIGUSR1, handler, SA_RESTART);
	for (int i = 0; i < 50; i++) {
		volatile pid_t tid = 0;
		pthread_t t = thread(shortly, (void *)&tid);

		while (!tid)
			sched_yield();
		for (int n = 0; n < i % 5; n++)
			usleep(20);
		if (syscall(SYS_tgkill, getpid(), tid, SIGUSR1) == -1)
			CHECK_EQ(errno, ESRCH);
		join(t);
	}
	for (int i = 0; i < 20; i++) {
		signal(SIGUSR1, SIG_DFL);
		pid_t pid = child(ends, NULL);

		for (int n = 0; n < i % 5; n++)
			usleep(40);
		OK(kill(pid, SIGUSR1)); /* a zombie is there until it is waited for */
		int st = wait_status(pid);
		CHECK((WIFEXITED(st) && WEXITSTATUS(st) == 0) || (WIFSIGNALED(st) && WTERMSIG(st) == SIGUSR1));
		CHECK_ERR(kill(pid, SIGUSR1), ESRCH);
	}
	return guest_ok();
}
