/* The clone calls themselves: SETTID flags, exit signals other than SIGCHLD, shared descriptors and memory. */
#include "guest.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int shared_value, fd_in_child = -1;

static int shares(void *arg)
{
	shared_value = 5;
	fd_in_child = open("/dev/null", O_RDONLY);
	return 31;
}

int main(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t ptid = 0, ctid = 0;
	int st;

	/* fork-like, with both tids stored. */
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | SIGCHLD, 0, &ptid, &ctid, 0);
	if (pid == 0)
		_exit(ctid == (pid_t)syscall(SYS_getpid) ? 0 : 1);
	CHECK_EQ(ptid, pid);
	CHECK_EQ(ctid, 0);
	CHECK_EXIT(pid, 0);

	/* Shared memory and descriptors, not a thread. */
	pid = OK(clone(shares, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD, NULL));
	CHECK_EXIT(pid, 31);
	CHECK_EQ(shared_value, 5);
	OK(fcntl(fd_in_child, F_GETFD));

	/* No exit signal: only __WCLONE or __WALL sees it. */
	pid = OK(clone(shares, stack + sizeof stack, CLONE_VM, NULL));
	CHECK_ERR(waitpid(pid, &st, 0), ECHILD);
	CHECK_EQ(waitpid(pid, &st, __WCLONE), pid);
	CHECK_EQ(WEXITSTATUS(st), 31);
	pid = OK(clone(shares, stack + sizeof stack, CLONE_VM | CLONE_VFORK, NULL));
	CHECK_EQ(waitpid(pid, &st, __WALL), pid);

	/* clone3 with a pidfd. */
	int pidfd = -1;
	struct clone_args ca = {.flags = CLONE_PIDFD, .pidfd = (uintptr_t)&pidfd, .exit_signal = SIGCHLD};
	pid = (pid_t)syscall(SYS_clone3, &ca, sizeof ca);
	if (pid == 0)
		_exit(8);
	CHECK(pid > 0);
	CHECK(pidfd > 2);
	CHECK_EQ(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
	CHECK_EXIT(pid, 8);

	/* Flags that exclude each other. */
	CHECK_ERR(syscall(SYS_clone, CLONE_THREAD | SIGCHLD, stack + sizeof stack, 0, 0, 0), EINVAL);
	CHECK_ERR(syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, stack + sizeof stack, 0, 0, 0), EINVAL);
	return guest_ok();
}
