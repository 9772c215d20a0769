/* ioctl: ENOTTY for what a file does not know, FIOCLEX, FIONCLEX, FIONBIO; terminal calls on what is none. */
#include "guest.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>

int main(void)
{
	int p[2], n = 1;
	struct winsize ws;
	struct termios tio;

	workdir();
	OK(pipe(p));
	int file = file_with("f", "abc"), s = OK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK_ERR(ioctl(p[0], 0x12345678, &n), ENOTTY);
	CHECK_ERR(ioctl(file, 0x12345678, &n), ENOTTY);
	CHECK_ERR(ioctl(s, 0x12345678, &n), ENOTTY);
	CHECK_ERR(ioctl(p[0], TIOCGWINSZ, &ws), ENOTTY);
	CHECK_ERR(ioctl(file, TIOCGWINSZ, &ws), ENOTTY);
	CHECK_ERR(tcgetattr(p[0], &tio), ENOTTY);
	CHECK_EQ(isatty(file), 0);
	CHECK_EQ(errno, ENOTTY);
	CHECK_ERR(ioctl(999, FIONREAD, &n), EBADF);

	OK(ioctl(p[0], FIOCLEX));
	CHECK_EQ(fcntl(p[0], F_GETFD), FD_CLOEXEC);
	OK(ioctl(p[0], FIONCLEX));
	CHECK_EQ(fcntl(p[0], F_GETFD), 0);
	n = 1;
	OK(ioctl(p[0], FIONBIO, &n));
	CHECK(fcntl(p[0], F_GETFL) & O_NONBLOCK);
	n = 0;
	OK(ioctl(p[0], FIONBIO, &n));
	CHECK(!(fcntl(p[0], F_GETFL) & O_NONBLOCK));
	OK(ioctl(file, FIONREAD, &n));
	CHECK_EQ(n, 3);
	return guest_ok();
}
