/* vfork: the parent waits until the child has called exec or exited; memory is shared. */
#include "guest.h"

static volatile int shared;

int main(int argc, char **argv)
{
	if (argc > 1)
		return 23;

	pid_t pid = vfork();
	if (pid == 0) {
		nap_ms(30);
		shared = 1;
		_exit(9);
	}
	CHECK(pid > 0);
	CHECK_EQ(shared, 1);
	CHECK_EXIT(pid, 9);

	pid = vfork();
	if (pid == 0) {
		shared = 2;
		execl("/proc/self/exe", "again", "x", (char *)NULL);
		_exit(127);
	}
	CHECK_EQ(shared, 2);
	CHECK_EXIT(pid, 23);

	/* A failed exec: the child lives on. */
	pid = vfork();
	if (pid == 0) {
		execl("/does/not/exist", "x", (char *)NULL);
		shared = errno;
		_exit(126);
	}
	CHECK_EQ(shared, ENOENT);
	CHECK_EXIT(pid, 126);

	/* Killed while the parent waits. */
	pid = vfork();
	if (pid == 0) {
		kill(getpid(), SIGKILL);
		_exit(1);
	}
	CHECK_KILLED(pid, SIGKILL);
	return guest_ok();
}
