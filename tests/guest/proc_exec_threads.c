/* exec from a thread that is not the leader: the process keeps its pid, all other threads are gone. */
#include "guest.h"

#include <dirent.h>

static char self[PATH_MAX]; /* /proc/self/exe is gone once the leader is */

static void *sleeper(void *arg)
{
	sleep_forever();
	return NULL;
}

static void *in_read(void *arg)
{
	char c;
	int *p = arg;

	if (read(p[0], &c, 1))
		return NULL;
	return NULL;
}

static void *execs(void *arg)
{
	char pid[16];

	snprintf(pid, sizeof pid, "%d", getpid());
	nap_ms(10);
	execl(self, "x", pid, (char *)NULL);
	_exit(127);
}

static int after(const char *pid)
{
	int threads = 0;
	DIR *d = opendir("/proc/self/task");

	CHECK(d);
	for (struct dirent *e; (e = readdir(d));)
		threads += e->d_name[0] != '.';
	closedir(d);
	CHECK_EQ(threads, 1);
	CHECK_EQ(getpid(), atoi(pid));
	CHECK_EQ(gettid(), getpid());
	return 66;
}

int main(int argc, char **argv)
{
	int p[2];

	if (argc > 1)
		return after(argv[1]);
	OK(readlink("/proc/self/exe", self, sizeof self - 1));
	OK(pipe(p));
	for (int leader_waits = 0; leader_waits < 2; leader_waits++) {
		pid_t pid = OK(fork());
		if (pid == 0) {
			thread(sleeper, NULL);
			thread(in_read, p);
			pthread_t t = thread(execs, NULL);
			if (leader_waits)
				pthread_join(t, NULL);
			else
				pthread_exit(NULL);
			_exit(126);
		}
		CHECK_EXIT(pid, 66);
	}

	/* From the leader, with other threads. */
	pid_t pid = OK(fork());
	if (pid == 0) {
		thread(sleeper, NULL);
		thread(in_read, p);
		execs(NULL);
	}
	CHECK_EXIT(pid, 66);
	return guest_ok();
}
