/* ioctl: the requests that every descriptor knows, and the probes that programs make on anything. */
#include "guest.h"

#include <linux/fs.h>
#include <linux/random.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>

static bool cloexec(int fd)
{
	return OK(fcntl(fd, F_GETFD)) & FD_CLOEXEC;
}

int main(void)
{
	struct termios tio;
	struct winsize ws;
	int p[2], s[2], n = -1, on = 1, off = 0;

	workdir();
	OK(pipe(p));
	OK(ioctl(p[0], FIONREAD, &n));
	CHECK_EQ(n, 0);
	CHECK_EQ(write(p[1], "hello", 5), 5);
	OK(ioctl(p[0], FIONREAD, &n));
	CHECK_EQ(n, 5);
	OK(ioctl(p[1], FIONREAD, &n));
	CHECK_EQ(n, 5);
	OK(ioctl(p[0], FIONBIO, &on));
	CHECK(OK(fcntl(p[0], F_GETFL)) & O_NONBLOCK);
	OK(ioctl(p[0], FIONBIO, &off));
	CHECK(!(OK(fcntl(p[0], F_GETFL)) & O_NONBLOCK));
	CHECK_ERR(ioctl(p[0], FIONBIO, (void *)8), EFAULT);
	OK(ioctl(p[0], FIOCLEX));
	CHECK(cloexec(p[0]));
	OK(ioctl(p[0], FIONCLEX));
	CHECK(!cloexec(p[0]));

	int fd = file_with("f", "0123456789");
	OK(lseek(fd, 4, SEEK_SET));
	OK(ioctl(fd, FIONREAD, &n));
	CHECK_EQ(n, 6);

	int probes[] = {p[0], fd, OK(open("/dev/null", O_RDWR)), OK(open(".", O_RDONLY))};
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
		CHECK_ERR(ioctl(probes[i], TCGETS, &tio), ENOTTY);
		CHECK_ERR(ioctl(probes[i], TIOCGWINSZ, &ws), ENOTTY);
		CHECK_ERR(ioctl(probes[i], TIOCGPGRP, &n), ENOTTY);
		CHECK_EQ(isatty(probes[i]), 0);
	}
	CHECK_ERR(ioctl(99, TCGETS, &tio), EBADF);
	CHECK_ERR(ioctl(OK(open("f", O_PATH)), FIONREAD, &n), EBADF);

	int rnd = OK(open("/dev/urandom", O_RDONLY));
	OK(ioctl(rnd, RNDGETENTCNT, &n));
	CHECK_EQ(n, 256);

	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	CHECK_EQ(write(s[0], "abc", 3), 3);
	OK(ioctl(s[1], FIONREAD, &n));
	CHECK_EQ(n, 3);
	return guest_ok();
}
