/* bind: EADDRINUSE, SO_REUSEADDR, ephemeral ports are distinct, EINVAL twice, foreign addresses, privileged errors. */
#include "sock.h"

int main(void)
{
	uint16_t port, ports[20];
	int l = tcp_listener(5, &port);
	struct sockaddr_in a = loopback(port);

	int s = OK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK_ERR(bind(s, (struct sockaddr *)&a, sizeof a), EADDRINUSE);
	set_int(s, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(get_int(s, SOL_SOCKET, SO_REUSEADDR), 1);
	CHECK_ERR(bind(s, (struct sockaddr *)&a, sizeof a), EADDRINUSE); /* a listener is there */
	a.sin_addr.s_addr = htonl(INADDR_ANY);
	CHECK_ERR(bind(s, (struct sockaddr *)&a, sizeof a), EADDRINUSE); /* any includes loopback */
	a.sin_addr.s_addr = inet_addr("192.0.2.1");
	CHECK_ERR(bind(s, (struct sockaddr *)&a, sizeof a), EADDRNOTAVAIL);
	a = loopback(0);
	OK(bind(s, (struct sockaddr *)&a, sizeof a));
	CHECK_ERR(bind(s, (struct sockaddr *)&a, sizeof a), EINVAL);
	CHECK_ERR(bind(s, (struct sockaddr *)&a, 2), EINVAL);

	for (int i = 0; i < 20; i++) {
		int fd = tcp_listener(1, &ports[i]);
		CHECK(fd > 0);
		CHECK(ports[i] >= 1024);
		for (int j = 0; j < i; j++)
			CHECK(ports[i] != ports[j]);
	}

	/* Another address of 127/8 is another one. */
	a = loopback(port);
	a.sin_addr.s_addr = inet_addr("127.0.0.2");
	int s2 = OK(socket(AF_INET, SOCK_STREAM, 0));
	OK(bind(s2, (struct sockaddr *)&a, sizeof a));

	/* After the listener and its connections are closed by the client side, it can be bound again. */
	int c = tcp_connect(port), d = OK(accept(l, NULL, NULL));
	OK(close(c));
	char ch;
	CHECK_EQ(read(d, &ch, 1), 0);
	OK(close(d));
	OK(close(l));
	nap_ms(100); /* until the last acknowledgement is there */
	a = loopback(port);
	s = OK(socket(AF_INET, SOCK_STREAM, 0));
	set_int(s, SOL_SOCKET, SO_REUSEADDR, 1);
	OK(bind(s, (struct sockaddr *)&a, sizeof a));
	OK(listen(s, 1));
	OK(close(tcp_connect(port)));
	return guest_ok();
}
