/* The older forms of calls, which current libraries no longer make but other programs do. */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <utime.h>

struct old_dirent {
	unsigned long d_ino, d_off;
	unsigned short d_reclen;
	char d_name[];
};

static void files(void)
{
	struct stat a, b;
	char buf[1024];
	int names = 0;

	int fd = (int)OK(syscall(SYS_creat, "f", 0600));
	CHECK_EQ(write(fd, "abc", 3), 3);
	OK(close(fd));
	fd = (int)OK(syscall(SYS_open, "f", O_RDONLY | O_CLOEXEC, 0));
	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	OK(syscall(SYS_stat, "f", &a));
	OK(syscall(SYS_fstat, fd, &b));
	CHECK_EQ(a.st_ino, b.st_ino);
	CHECK_EQ(a.st_size, 3);
	OK(symlink("f", "s"));
	OK(syscall(SYS_lstat, "s", &b));
	CHECK(S_ISLNK(b.st_mode));
	CHECK_EQ(syscall(SYS_readlink, "s", buf, sizeof buf), 1);
	OK(syscall(SYS_mknod, "fifo", S_IFIFO | 0600, 0));
	OK(syscall(SYS_mkdir, "d", 0700));
	OK(syscall(SYS_access, "d", X_OK));

	struct utimbuf ut = {.actime = 100, .modtime = 200};
	OK(syscall(SYS_utime, "f", &ut));
	OK(syscall(SYS_stat, "f", &a));
	CHECK(a.st_atim.tv_sec == 100 && a.st_mtim.tv_sec == 200);
	struct timeval tv[2] = {{300, 0}, {400, 5}};
	OK(syscall(SYS_utimes, "f", tv));
	OK(syscall(SYS_futimesat, AT_FDCWD, "f", tv));
	OK(syscall(SYS_stat, "f", &a));
	CHECK(a.st_atim.tv_sec == 300 && a.st_mtim.tv_nsec == 5000);

	int dir = (int)OK(syscall(SYS_open, ".", O_RDONLY | O_DIRECTORY, 0));
	long n;
	while ((n = OK(syscall(SYS_getdents, dir, buf, sizeof buf))) > 0)
		for (long at = 0; at < n; at += ((struct old_dirent *)(buf + at))->d_reclen)
			names++;
	CHECK_EQ(names, 6); /* . .. f s fifo d */
	OK(syscall(SYS_rename, "f", "g"));
	OK(syscall(SYS_unlink, "g"));
	OK(syscall(SYS_rmdir, "d"));
}

int main(void)
{
	int p[2];
	struct timespec ts = {.tv_nsec = 2000000};
	struct timeval tv = {.tv_usec = 2000};
	struct rlimit rl;
	fd_set set;
	int64_t start = mono_ns();

	workdir();
	files();
	OK(syscall(SYS_nanosleep, &ts, NULL));
	OK(syscall(SYS_pipe, p));
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	CHECK_EQ(syscall(SYS_select, p[0] + 1, &set, NULL, NULL, &tv), 0);
	CHECK(tv.tv_sec == 0 && tv.tv_usec == 0);
	CHECK(mono_ns() - start >= 4 * NS_PER_MS);
	struct {
		int fd;
		short events, revents;
	} pf = {p[1], 4, 0};
	CHECK_EQ(syscall(SYS_poll, &pf, 1, 0), 1);
	CHECK_EQ(syscall(SYS_dup2, p[0], 70), 70);
	int ev = (int)OK(syscall(SYS_eventfd, 5));
	uint64_t v;
	CHECK_EQ(read(ev, &v, 8), 8);
	CHECK_EQ(v, 5);
	uint64_t mask = 1 << (SIGUSR1 - 1);
	block_signal(SIGUSR1);
	int sfd = (int)OK(syscall(SYS_signalfd, -1, &mask, 8));
	OK(syscall(SYS_tkill, gettid(), SIGUSR1));
	char info[128];
	CHECK_EQ(read(sfd, info, sizeof info), 128);
	int ep = (int)OK(syscall(SYS_epoll_create, 1));
	struct epoll_event e = {.events = EPOLLOUT};
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &e));
	CHECK_EQ(syscall(SYS_epoll_wait, ep, &e, 1, 0), 1);
	OK(syscall(SYS_getrlimit, RLIMIT_NOFILE, &rl));
	OK(syscall(SYS_setrlimit, RLIMIT_NOFILE, &rl));
	time_t t = syscall(SYS_time, NULL);
	CHECK(t > 1700000000);
	CHECK_EQ(syscall(SYS_alarm, 100), 0);
	CHECK(syscall(SYS_alarm, 0) >= 99);
	CHECK_EQ(syscall(SYS_getpgrp), getpgrp());

	pid_t pid = (pid_t)syscall(SYS_fork);
	if (pid == 0)
		_exit(4);
	CHECK_EXIT(pid, 4);
	return guest_ok();
}
