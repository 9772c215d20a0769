/* Process ids: new ones are not in use, self and parent agree, the numbers repeat with the seed (they are printed). */
#include "guest.h"

int main(void)
{
	pid_t pid[10];

	for (int i = 0; i < 10; i++) {
		pid[i] = OK(fork());
		if (pid[i] == 0)
			sleep_forever();
		for (int j = 0; j < i; j++)
			CHECK(pid[i] != pid[j]);
	}
	printf("%d:", getpid());
	for (int i = 0; i < 10; i++) {
		printf(" %d", pid[i]);
		OK(kill(pid[i], SIGKILL));
		CHECK_KILLED(pid[i], SIGKILL);
	}
	printf("; group %d, session %d\n", getpgrp(), getsid(0));
	return guest_ok();
}
