/*
 * notify N: a bare round trip of a seccomp user notification, N times: what no supervisor can be faster than. Set up as
 * simrun's own: one CPU for both, the wake-up synchronous, the TSC trapped on both sides.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
enum { WAIT_KILLABLE_RECV = 1 << 5, SYNC_WAKE_UP = 1 };

static void fail(const char *what)
{
	dprintf(2, "notify: %s: %s\n", what, strerror(errno));
	_exit(1);
}

/* The filter's listener gets the lowest free number, which the parent fetches. */
static int load_filter(void)
{
	struct sock_filter insn[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof insn / sizeof insn[0], insn};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE_RECV | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog);
}

static void guest(int to_parent, long n)
{
	int listener = load_filter();

	if (listener < 0 || write(to_parent, &listener, sizeof listener) != sizeof listener)
		_exit(1);
	while (n--)
		syscall(SYS_getppid);
	_exit(0);
}

static int fetch(pid_t pid, int from_guest)
{
	int number, pidfd = (int)syscall(SYS_pidfd_open, pid, 0), fd;

	if (pidfd < 0 || read(from_guest, &number, sizeof number) != sizeof number)
		fail("no filter");
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	if (fd < 0)
		fail("pidfd_getfd");
	ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP); /* from Linux 6.6 on */
	return fd;
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? atol(argv[1]) : 0;
	struct seccomp_notif req;
	struct seccomp_notif_resp resp;
	cpu_set_t one;
	int p[2], fd;
	pid_t pid;

	if (n <= 0)
		return 2;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (pipe(p) < 0 || (pid = fork()) < 0)
		fail("fork");
	if (pid == 0)
		guest(p[1], n);
	fd = fetch(pid, p[0]);
	for (long i = 0; i < n; i++) {
		memset(&req, 0, sizeof req);
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &req) < 0)
			fail("receive");
		resp = (struct seccomp_notif_resp){.id = req.id, .val = 1};
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &resp) < 0)
			fail("send");
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}
