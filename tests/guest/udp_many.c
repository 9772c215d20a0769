/* recvmmsg and sendmmsg on UDP; MSG_TRUNC; timeouts; SO_REUSEADDR of two bound sockets. */
#include "sock.h"

int main(void)
{
	struct sockaddr_in a = loopback(0), from[4];
	char buf[4][16];
	struct iovec v[4];
	struct mmsghdr m[4] = {0};

	int r = OK(socket(AF_INET, SOCK_DGRAM, 0)), s = OK(socket(AF_INET, SOCK_DGRAM, 0));
	OK(bind(r, (struct sockaddr *)&a, sizeof a));
	a = loopback(port_of(r));
	OK(connect(s, (struct sockaddr *)&a, sizeof a));
	for (int i = 0; i < 3; i++) {
		v[i] = (struct iovec){"datagram number" + i * 2, (size_t)(10 + i)};
		m[i].msg_hdr = (struct msghdr){.msg_iov = &v[i], .msg_iovlen = 1};
	}
	CHECK_EQ(sendmmsg(s, m, 3, 0), 3);
	CHECK_EQ(m[2].msg_len, 12);
	nap_ms(20);
	for (int i = 0; i < 4; i++) {
		v[i] = (struct iovec){buf[i], i == 1 ? 4 : 16};
		m[i].msg_hdr = (struct msghdr){.msg_iov = &v[i], .msg_iovlen = 1};
		m[i].msg_hdr.msg_name = &from[i];
		m[i].msg_hdr.msg_namelen = sizeof *from;
	}
	CHECK_EQ(recvmmsg(r, m, 4, MSG_WAITFORONE, NULL), 3);
	CHECK_EQ(m[0].msg_len, 10);
	CHECK_EQ(m[1].msg_len, 4);
	CHECK(m[1].msg_hdr.msg_flags & MSG_TRUNC);
	CHECK_EQ(ntohs(from[2].sin_port), port_of(s));
	CHECK_ERR(recvmmsg(r, m, 4, MSG_DONTWAIT, NULL), EAGAIN);

	struct timeval tv = {.tv_usec = 20000};
	OK(setsockopt(r, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
	int64_t start = mono_ns();
	CHECK_ERR(recv(r, buf[0], 16, 0), EAGAIN);
	CHECK(mono_ns() - start >= 19 * NS_PER_MS);

	int t = OK(socket(AF_INET, SOCK_DGRAM, 0));
	CHECK_ERR(bind(t, (struct sockaddr *)&a, sizeof a), EADDRINUSE);
	set_int(t, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_ERR(bind(t, (struct sockaddr *)&a, sizeof a), EADDRINUSE); /* both must have it */
	set_int(r, SOL_SOCKET, SO_REUSEADDR, 1);
	OK(bind(t, (struct sockaddr *)&a, sizeof a));
	return guest_ok();
}
