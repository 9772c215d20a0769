/* A deep chain of processes hands a number up; a hundred children at once are all waited for. */
#include "guest.h"

static int depth_below(int left)
{
	int st;

	if (left == 0)
		return 0;
	pid_t pid = OK(fork());
	if (pid == 0)
		_exit(depth_below(left - 1));
	CHECK_EQ(waitpid(pid, &st, 0), pid);
	CHECK(WIFEXITED(st));
	return WEXITSTATUS(st) + 1;
}

int main(void)
{
	int st, seen[100] = {0};

	CHECK_EQ(depth_below(20), 20);
	for (int i = 0; i < 100; i++) {
		if (OK(fork()) == 0) {
			usleep((useconds_t)(i * 7919 % 100) * 100);
			_exit(i);
		}
	}
	for (int i = 0; i < 100; i++) {
		OK(wait(&st));
		CHECK(WIFEXITED(st));
		seen[WEXITSTATUS(st)]++;
	}
	for (int i = 0; i < 100; i++)
		CHECK_EQ(seen[i], 1);
	CHECK_ERR(wait(&st), ECHILD);
	return guest_ok();
}
