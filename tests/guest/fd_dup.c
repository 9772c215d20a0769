/* dup, dup2, dup3, F_DUPFD: lowest free number, shared offset and flags, separate CLOEXEC. */
#include "guest.h"

int main(void)
{
	char buf[8];

	closefrom(3); /* whatever was inherited */
	workdir();
	int fd = file_with("f", "abcdefgh");
	int a = OK(dup(fd));
	CHECK_EQ(a, fd + 1);
	CHECK_EQ(read(fd, buf, 2), 2);
	CHECK_EQ(read(a, buf, 2), 2);
	CHECK(memcmp(buf, "cd", 2) == 0);
	OK(fcntl(fd, F_SETFL, O_APPEND));
	CHECK(fcntl(a, F_GETFL) & O_APPEND);
	OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	CHECK_EQ(fcntl(a, F_GETFD), 0);

	CHECK_EQ(dup2(fd, 50), 50);
	CHECK_EQ(dup2(fd, fd), fd);
	CHECK_EQ(fcntl(50, F_GETFD), 0);
	CHECK_EQ(dup3(fd, 51, O_CLOEXEC), 51);
	CHECK_EQ(fcntl(51, F_GETFD), FD_CLOEXEC);
	CHECK_ERR(dup3(fd, fd, 0), EINVAL);
	CHECK_ERR(dup3(fd, 52, O_APPEND), EINVAL);
	CHECK_ERR(dup2(99, 5), EBADF);
	CHECK_ERR(dup2(99, 99), EBADF);
	CHECK_ERR(dup(-1), EBADF);
	CHECK_ERR(dup2(fd, -1), EBADF);
	CHECK_EQ(fcntl(fd, F_DUPFD, 50), 52);
	CHECK_EQ(fcntl(fd, F_DUPFD_CLOEXEC, 10), 10);
	CHECK_EQ(fcntl(10, F_GETFD), FD_CLOEXEC);
	CHECK_ERR(fcntl(fd, F_DUPFD, -1), EINVAL);
	CHECK_ERR(fcntl(fd, 9999), EINVAL);

	/* Only what lives can own a file. */
	CHECK_ERR(fcntl(fd, F_SETOWN, 1 << 30), ESRCH);
	CHECK_ERR(fcntl(fd, F_SETOWN, -(1 << 30)), ESRCH);
	CHECK_ERR(fcntl(fd, F_SETOWN, INT_MIN), EINVAL);
	OK(fcntl(fd, F_SETOWN, getpid()));
	CHECK_EQ(fcntl(a, F_GETOWN), getpid());
	OK(fcntl(fd, F_SETOWN, -getpgrp()));
	OK(fcntl(fd, F_SETOWN, 0));
	CHECK_EQ(fcntl(a, F_GETOWN), 0);

	/* dup2 onto an open one closes it. */
	int p[2];
	OK(pipe(p));
	CHECK_EQ(dup2(fd, p[1]), p[1]);
	CHECK_EQ(read(p[0], buf, 1), 0);

	/* The lowest free number. */
	OK(close(a));
	OK(close(0));
	CHECK_EQ(open("f", O_RDONLY), 0);
	CHECK_EQ(dup(fd), a);
	CHECK_ERR(close(200), EBADF);
	OK(close(51));
	CHECK_ERR(close(51), EBADF);
	return guest_ok();
}
