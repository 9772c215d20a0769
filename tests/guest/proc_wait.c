/* waitpid: WNOHANG, a given pid, any child, a group; exit codes modulo 256; signals; ECHILD; EINVAL. */
#include "guest.h"

static void exits(void *arg)
{
	_exit((int)(intptr_t)arg);
}

static void sleeps(void *arg)
{
	sleep_forever();
}

int main(void)
{
	int st;
	const int codes[] = {0, 1, 127, 255, 256, -1};

	CHECK_ERR(wait(NULL), ECHILD);
	CHECK_ERR(waitpid(-1, NULL, 0x8000), EINVAL);
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		pid_t pid = child(exits, (void *)(intptr_t)codes[i]);
		CHECK_EXIT(pid, codes[i] & 255);
	}

	pid_t a = child(sleeps, NULL);
	CHECK_EQ(waitpid(a, &st, WNOHANG), 0);
	CHECK_EQ(waitpid(-1, &st, WNOHANG), 0);
	pid_t b = child(exits, (void *)1);
	CHECK_EQ(waitpid(-1, &st, 0), b);
	OK(kill(a, SIGTERM));
	CHECK_EQ(wait(&st), a);
	CHECK(WIFSIGNALED(st) && WTERMSIG(st) == SIGTERM && !WCOREDUMP(st));
	CHECK_ERR(waitpid(a, &st, WNOHANG), ECHILD);

	/* A child that is not the one asked for stays waitable. */
	a = child(exits, (void *)1);
	b = child(exits, (void *)2);
	CHECK_EXIT(b, 2);
	CHECK_EXIT(a, 1);

	/* By process group: the caller's (0) and another (-pgid). */
	a = child(sleeps, NULL);
	OK(setpgid(a, a));
	b = child(exits, (void *)3);
	CHECK_EQ(waitpid(0, &st, 0), b);
	CHECK_ERR(waitpid(0, &st, 0), ECHILD);
	CHECK_EQ(waitpid(-a, &st, WNOHANG), 0);
	OK(kill(-a, SIGKILL));
	CHECK_EQ(waitpid(-a, &st, 0), a);
	CHECK_EQ(WTERMSIG(st), SIGKILL);
	CHECK_ERR(waitpid(-a, &st, 0), ECHILD);
	CHECK_ERR(waitpid(1, NULL, 0), ECHILD);
	return guest_ok();
}
