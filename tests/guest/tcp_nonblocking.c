/* Non-blocking TCP: EINPROGRESS, poll for the connection, SO_ERROR, EAGAIN of accept, read and write. */
#include "sock.h"

int main(void)
{
	uint16_t port;
	int l = tcp_listener(5, &port);
	struct sockaddr_in a = loopback(port);
	static char big[1 << 20];

	set_nonblock(l);
	CHECK_ERR(accept(l, NULL, NULL), EAGAIN);
	int s = OK(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), EINPROGRESS);
	CHECK_EQ(poll_one(s, POLLOUT, -1), POLLOUT);
	CHECK_EQ(get_int(s, SOL_SOCKET, SO_ERROR), 0);
	OK(connect(s, (struct sockaddr *)&a, sizeof a)); /* Linux: success once, then EISCONN */
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), EISCONN);

	CHECK_EQ(poll_one(l, POLLIN, -1), POLLIN);
	int c = OK(accept4(l, NULL, NULL, SOCK_NONBLOCK));
	CHECK_ERR(accept(l, NULL, NULL), EAGAIN);
	CHECK(fcntl(c, F_GETFL) & O_NONBLOCK);
	char ch;
	CHECK_ERR(read(c, &ch, 1), EAGAIN);
	CHECK_ERR(recv(c, &ch, 1, 0), EAGAIN);
	CHECK_EQ(poll_one(c, POLLIN | POLLOUT, 0), POLLOUT);

	/* Fill both buffers, drain, and it is writable again. */
	size_t sent = 0, got = 0;
	ssize_t n;
	for (int full = 0; full < 5; nap_ms(10)) { /* the window moves on while data is under way */
		n = write(s, big, sizeof big);
		CHECK(n > 0 || (n == -1 && errno == EAGAIN));
		full = n > 0 ? 0 : full + 1;
		sent += n > 0 ? (size_t)n : 0;
	}
	CHECK(sent > 10000);
	CHECK_EQ(poll_one(s, POLLOUT, 0), 0);
	while (got < sent) {
		CHECK_EQ(poll_one(c, POLLIN, -1) & POLLIN, POLLIN);
		n = OK(read(c, big, sizeof big));
		got += (size_t)n;
	}
	CHECK_EQ(poll_one(s, POLLOUT, -1), POLLOUT);

	/* A refusal comes through poll as well. */
	OK(close(l));
	int t = OK(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
	CHECK_ERR(connect(t, (struct sockaddr *)&a, sizeof a), EINPROGRESS);
	int ev = poll_one(t, POLLOUT, -1);
	CHECK_EQ(ev & (POLLERR | POLLHUP), POLLERR | POLLHUP);
	CHECK_EQ(get_int(t, SOL_SOCKET, SO_ERROR), ECONNREFUSED);
	CHECK_EQ(get_int(t, SOL_SOCKET, SO_ERROR), 0);
	return guest_ok();
}
