/* socketpair: all three kinds, across fork, non-blocking, EPIPE and EOF, kernel buffers fill. */
#include "sock.h"

int main(void)
{
	int sv[2];
	char buf[64];
	static char big[1 << 20];

	signal(SIGPIPE, SIG_IGN);
	const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
	for (int i = 0; i < 3; i++) {
		OK(socketpair(AF_UNIX, kinds[i], 0, sv));
		CHECK_EQ(write(sv[0], "ping", 4), 4);
		CHECK_EQ(write(sv[0], "again", 5), 5);
		CHECK_EQ(read(sv[1], buf, 64), i == 0 ? 9 : 4);
		CHECK_EQ(write(sv[1], "pong", 4), 4);
		CHECK_EQ(read(sv[0], buf, 64), 4);
		OK(close(sv[0]));
		OK(close(sv[1]));
	}
	OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sv));
	CHECK_ERR(read(sv[0], buf, 1), EAGAIN);
	CHECK_EQ(fcntl(sv[0], F_GETFD), FD_CLOEXEC);
	ssize_t n = write(sv[0], big, sizeof big);
	CHECK(n > 10000 && n < (ssize_t)sizeof big);
	CHECK_EQ(poll_one(sv[0], POLLOUT, 0), 0);
	while (n > 0)
		n -= OK(read(sv[1], big, sizeof big));
	CHECK_EQ(poll_one(sv[0], POLLOUT, 0), POLLOUT);
	OK(close(sv[1]));
	CHECK_ERR(write(sv[0], "x", 1), EPIPE);
	CHECK_EQ(read(sv[0], buf, 1), 0);
	CHECK_EQ(poll_one(sv[0], POLLIN, 0), POLLIN | POLLHUP);

	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(close(sv[0]));
		recv_all(sv[1], buf, 5);
		send_all(sv[1], buf, 5);
		_exit(0);
	}
	OK(close(sv[1]));
	send_all(sv[0], "12345", 5);
	recv_all(sv[0], buf, 5);
	CHECK_EQ(read(sv[0], buf, 1), 0);
	CHECK_EXIT(pid, 0);
	CHECK_ERR(socketpair(AF_INET, SOCK_STREAM, 0, sv), EOPNOTSUPP);
	return guest_ok();
}
