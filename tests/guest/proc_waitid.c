/* waitid: siginfo, WNOWAIT, WNOHANG, P_PID, P_PGID, P_ALL, P_PIDFD, rusage of wait4. */
#include "guest.h"

#include <sys/resource.h>
#include <sys/syscall.h>

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
	siginfo_t si = {0};

	pid_t pid = child(exits, (void *)11);
	OK(waitid(P_PID, pid, &si, WEXITED | WNOWAIT));
	CHECK_EQ(si.si_pid, pid);
	CHECK_EQ(si.si_signo, SIGCHLD);
	CHECK_EQ(si.si_code, CLD_EXITED);
	CHECK_EQ(si.si_status, 11);
	CHECK_EQ(si.si_uid, getuid());
	memset(&si, 0, sizeof si);
	OK(waitid(P_ALL, 0, &si, WEXITED)); /* still there */
	CHECK_EQ(si.si_pid, pid);
	CHECK_ERR(waitid(P_PID, pid, &si, WEXITED), ECHILD);

	pid = child(sleeps, NULL);
	si.si_pid = 77;
	OK(waitid(P_PID, pid, &si, WEXITED | WNOHANG));
	CHECK_EQ(si.si_pid, 0);
	OK(kill(pid, SIGKILL));
	OK(waitid(P_PGID, getpgrp(), &si, WEXITED));
	CHECK_EQ(si.si_code, CLD_KILLED);
	CHECK_EQ(si.si_status, SIGKILL);

	pid = child(exits, (void *)12);
	int fd = (int)OK(syscall(SYS_pidfd_open, pid, 0));
	OK(waitid(3 /* P_PIDFD */, (id_t)fd, &si, WEXITED));
	CHECK_EQ(si.si_pid, pid);
	CHECK_EQ(si.si_status, 12);

	struct rusage ru;
	int st;
	pid = child(exits, (void *)13);
	CHECK_EQ(wait4(pid, &st, 0, &ru), pid);
	CHECK_EQ(WEXITSTATUS(st), 13);
	CHECK(ru.ru_utime.tv_sec >= 0 && ru.ru_utime.tv_sec < 100);

	CHECK_ERR(waitid(P_ALL, 0, &si, 0), EINVAL);
	CHECK_ERR(waitid(99, 0, &si, WEXITED), EINVAL);
	return guest_ok();
}
