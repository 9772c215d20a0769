/* RLIMIT_NPROC for an ordinary user: fork and threads fail with EAGAIN, and work again afterwards. */
#include "guest.h"

#include <grp.h>
#include <sys/resource.h>

static void *idle(void *arg)
{
	sleep_forever();
	return NULL;
}

static void limited(void *arg)
{
	pid_t pid[20];
	int n = 0;

	OK(setgroups(0, NULL));
	OK(setresgid(61234, 61234, 61234)); /* a user that has no other process */
	OK(setresuid(61234, 61234, 61234));
	OK(setrlimit(RLIMIT_NPROC, &(struct rlimit){5, 5}));
	for (; n < 20; n++) {
		pid[n] = fork();
		if (pid[n] == 0)
			sleep_forever();
		if (pid[n] == -1)
			break;
	}
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(n, 4); /* with ourselves, five */
	pthread_t t;
	PT_ERR(pthread_create(&t, NULL, idle, NULL), EAGAIN);
	for (int i = 0; i < n; i++) {
		OK(kill(pid[i], SIGKILL));
		CHECK_KILLED(pid[i], SIGKILL);
	}
	PT(pthread_create(&t, NULL, idle, NULL));
}

int main(void)
{
	if (geteuid() != 0)
		return guest_ok(); /* other processes of the user would count */
	CHECK_EXIT(child(limited, NULL), 0);
	return guest_ok();
}
