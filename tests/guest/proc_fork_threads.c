/* fork in a process with threads: the child has one; forks from many threads at once. */
#include "guest.h"

#include <dirent.h>

static int threads_of_self(void)
{
	int n = 0;
	DIR *d = opendir("/proc/self/task");

	CHECK(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void *idle(void *arg)
{
	sleep_forever();
	return NULL;
}

static void *forks(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = OK(fork());

		if (pid == 0) {
			CHECK_EQ(gettid(), getpid());
			_exit(i);
		}
		CHECK_EXIT(pid, i);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 3; i++)
		thread(idle, NULL);
	CHECK_EQ(threads_of_self(), 4);
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK_EQ(threads_of_self(), 1);
		join(thread(forks, NULL)); /* the child may have threads of its own */
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	for (int i = 0; i < 4; i++)
		t[i] = thread(forks, NULL);
	for (int i = 0; i < 4; i++)
		join(t[i]);
	CHECK_ERR(waitpid(-1, NULL, WNOHANG), ECHILD);
	return guest_ok();
}
