/* Several threads call exec, exit and fork at the same moment: exactly one image comes out of it. */
#include "guest.h"

static pthread_barrier_t barrier;
static char self[PATH_MAX];

static void *execs(void *arg)
{
	pthread_barrier_wait(&barrier);
	execl(self, "x", "after", (char *)NULL);
	return NULL;
}

static void *forks(void *arg)
{
	pthread_barrier_wait(&barrier);
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		while (wait(NULL) != -1) /* perhaps a child of the thread that forked */
			;
		return 5;
	}
	OK(readlink("/proc/self/exe", self, sizeof self - 1));
	for (int round = 0; round < 5; round++) {
		pid_t pid = OK(fork());
		if (pid == 0) {
			PT(pthread_barrier_init(&barrier, NULL, 5));
			thread(forks, NULL);
			for (int i = 0; i < 3; i++)
				thread(execs, NULL);
			execs(NULL);
			_exit(1);
		}
		CHECK_EXIT(pid, 5);
	}
	return guest_ok();
}
