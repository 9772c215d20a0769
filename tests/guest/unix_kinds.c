/* Unix datagram and seqpacket sockets keep boundaries; abstract names; connected and unconnected datagrams. */
#include "sock.h"

int main(void)
{
	char buf[64];
	struct sockaddr_un a, from;
	socklen_t len;

	workdir();
	/* Datagrams. */
	int r = OK(socket(AF_UNIX, SOCK_DGRAM, 0)), s = OK(socket(AF_UNIX, SOCK_DGRAM, 0));
	a = unix_addr("r");
	OK(bind(r, (struct sockaddr *)&a, sizeof a));
	CHECK_EQ(sendto(s, "one", 3, 0, (struct sockaddr *)&a, sizeof a), 3);
	OK(connect(s, (struct sockaddr *)&a, sizeof a));
	CHECK_EQ(send(s, "twotwo", 6, 0), 6);
	CHECK_EQ(send(s, "", 0, 0), 0);
	len = sizeof from;
	CHECK_EQ(recvfrom(r, buf, 64, 0, (struct sockaddr *)&from, &len), 3);
	CHECK_EQ(recv(r, buf, 3, MSG_TRUNC), 6); /* cut off; the true length */
	CHECK_EQ(recv(r, buf, 64, 0), 0);
	CHECK_ERR(recv(r, buf, 64, MSG_DONTWAIT), EAGAIN);
	OK(close(r));
	CHECK_ERR(send(s, "x", 1, 0), ECONNREFUSED);

	/* Sequenced packets. */
	int l = unix_listener("q", SOCK_SEQPACKET);
	int c = unix_connect("q", SOCK_SEQPACKET), d = OK(accept(l, NULL, NULL));
	CHECK_EQ(write(c, "abc", 3), 3);
	CHECK_EQ(write(c, "defgh", 5), 5);
	CHECK_EQ(read(d, buf, 64), 3);
	CHECK_EQ(read(d, buf, 2), 2);
	OK(close(c));
	CHECK_EQ(read(d, buf, 64), 0); /* the rest of the packet is gone */

	/* Abstract names: no file, gone with the socket. */
	a = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(a.sun_path + 1, 60, "guest-%d", getpid());
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(a.sun_path + 1));
	l = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	OK(bind(l, (struct sockaddr *)&a, len));
	OK(listen(l, 1));
	c = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	OK(connect(c, (struct sockaddr *)&a, len));
	OK(close(l));
	c = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	CHECK_ERR(connect(c, (struct sockaddr *)&a, len), ECONNREFUSED);

	/* Autobind: five hexadecimal digits. */
	l = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	OK(bind(l, (struct sockaddr *)&a, sizeof(sa_family_t)));
	len = sizeof from;
	OK(getsockname(l, (struct sockaddr *)&from, &len));
	CHECK_EQ(len, sizeof(sa_family_t) + 6);
	CHECK_EQ(from.sun_path[0], 0);

	c = OK(socket(AF_UNIX, SOCK_DGRAM, 0));
	a = unix_addr("q");
	CHECK_ERR(connect(c, (struct sockaddr *)&a, sizeof a), EPROTOTYPE);
	return guest_ok();
}
