/* pidfds: readable when the process is dead, signals through them. */
#include "guest.h"

#include <poll.h>
#include <sys/syscall.h>

static void sleeps(void *arg)
{
	sleep_forever();
}

int main(void)
{
	pid_t pid = child(sleeps, NULL);
	int fd = (int)OK(syscall(SYS_pidfd_open, pid, 0));
	struct pollfd pf = {.fd = fd, .events = POLLIN};

	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	CHECK_EQ(poll(&pf, 1, 0), 0);
	CHECK_EQ(poll(&pf, 1, 20), 0);
	OK(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
	OK(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
	CHECK_EQ(poll(&pf, 1, -1), 1);
	CHECK(pf.revents & POLLIN);
	CHECK_KILLED(pid, SIGTERM);
	CHECK_ERR(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0), ESRCH);

	/* A directory of /proc serves as well. */
	char path[32];
	pid = child(sleeps, NULL);
	snprintf(path, sizeof path, "/proc/%d", pid);
	int dir = (int)OK(open(path, O_DIRECTORY | O_CLOEXEC));
	OK(syscall(SYS_pidfd_send_signal, dir, 0, NULL, 0));
	OK(syscall(SYS_pidfd_send_signal, dir, SIGKILL, NULL, 0));
	CHECK_KILLED(pid, SIGKILL);
	CHECK_ERR(syscall(SYS_pidfd_send_signal, dir, 0, NULL, 0), ESRCH);
	int proc = (int)OK(open("/proc", O_DIRECTORY | O_CLOEXEC));
	CHECK_ERR(syscall(SYS_pidfd_send_signal, proc, 0, NULL, 0), EBADF);
	char c;
	CHECK_ERR(read(fd, &c, 1), EINVAL);
	CHECK_ERR(syscall(SYS_pidfd_open, 99999999, 0), ESRCH);
	CHECK_ERR(syscall(SYS_pidfd_open, -1, 0), EINVAL);
	CHECK_ERR(syscall(SYS_pidfd_open, getpid(), 0x1), EINVAL);
	return guest_ok();
}
