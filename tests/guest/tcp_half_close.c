/* shutdown: each direction by itself; EOF, EPIPE and SIGPIPE, RDHUP and HUP in poll. */
#include "sock.h"

static volatile sig_atomic_t pipes;

static void handler(int sig)
{
	pipes++;
}

int main(void)
{
	int sv[2];
	char buf[16];

	on_signal(SIGPIPE, handler, 0);
	tcp_pair(sv);
	send_all(sv[0], "last", 4);
	OK(shutdown(sv[0], SHUT_WR));
	CHECK_ERR(write(sv[0], "x", 1), EPIPE);
	CHECK_EQ(pipes, 1);
	CHECK_ERR(send(sv[0], "x", 1, MSG_NOSIGNAL), EPIPE);
	CHECK_EQ(pipes, 1);
	recv_all(sv[1], buf, 4);
	CHECK_EQ(read(sv[1], buf, 16), 0);
	CHECK_EQ(poll_one(sv[1], POLLIN | POLLOUT | POLLRDHUP, -1), POLLIN | POLLOUT | POLLRDHUP);

	send_all(sv[1], "answer", 6); /* the other direction is still open */
	recv_all(sv[0], buf, 6);
	OK(shutdown(sv[1], SHUT_WR));
	CHECK_EQ(read(sv[0], buf, 16), 0);
	CHECK_EQ(poll_one(sv[0], POLLIN, -1), POLLIN | POLLHUP); /* both directions closed */
	OK(close(sv[0]));
	OK(close(sv[1]));

	tcp_pair(sv);
	OK(shutdown(sv[0], SHUT_RD));
	CHECK_EQ(read(sv[0], buf, 16), 0);
	CHECK_EQ(write(sv[1], "x", 1), 1);
	OK(shutdown(sv[1], SHUT_RDWR));
	CHECK_ERR(write(sv[1], "x", 1), EPIPE);
	CHECK_ERR(shutdown(sv[0], 99), EINVAL);
	return guest_ok();
}
