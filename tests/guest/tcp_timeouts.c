/* SO_RCVTIMEO and SO_SNDTIMEO: EAGAIN after the time, for read, accept, recvmsg and write. */
#include "sock.h"

static void timeout_ms(int fd, int opt, int ms)
{
	struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

	OK(setsockopt(fd, SOL_SOCKET, opt, &tv, sizeof tv));
}

int main(void)
{
	int sv[2];
	char buf[16];
	static char big[1 << 20];
	uint16_t port;
	struct timeval tv;
	socklen_t len = sizeof tv;

	tcp_pair(sv);
	timeout_ms(sv[0], SO_RCVTIMEO, 40);
	OK(getsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &tv, &len));
	CHECK(tv.tv_sec == 0 && tv.tv_usec == 40000);
	int64_t start = mono_ns();
	CHECK_ERR(read(sv[0], buf, 1), EAGAIN);
	CHECK(mono_ns() - start >= 39 * NS_PER_MS);
	CHECK_ERR(recv(sv[0], buf, 1, 0), EAGAIN);
	CHECK_EQ(write(sv[1], "ab", 2), 2);
	recv_all(sv[0], buf, 2);
	/* What came before the timeout is returned. */
	CHECK_EQ(write(sv[1], "abc", 3), 3);
	CHECK_EQ(poll_one(sv[0], POLLIN, -1), POLLIN);
	CHECK_EQ(recv(sv[0], buf, 10, MSG_WAITALL), 3);

	timeout_ms(sv[0], SO_SNDTIMEO, 40);
	start = mono_ns();
	ssize_t n;
	while ((n = write(sv[0], big, sizeof big)) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	CHECK(mono_ns() - start >= 39 * NS_PER_MS);

	int l = tcp_listener(1, &port);
	timeout_ms(l, SO_RCVTIMEO, 40);
	start = mono_ns();
	CHECK_ERR(accept(l, NULL, NULL), EAGAIN);
	CHECK(mono_ns() - start >= 39 * NS_PER_MS);
	timeout_ms(sv[1], SO_RCVTIMEO, 0); /* zero: wait for ever */
	tv.tv_usec = 1000000;
	CHECK_ERR(setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv), EDOM);
	return guest_ok();
}
