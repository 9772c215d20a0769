/* Connections wait in the backlog with their data until they are accepted, in order. */
#include "sock.h"

enum { N = 8 };

int main(void)
{
	uint16_t port;
	int l = tcp_listener(N, &port), s[N];
	char c;

	for (int i = 0; i < N; i++) {
		s[i] = tcp_connect(port); /* completes without accept */
		c = (char)('a' + i);
		CHECK_EQ(write(s[i], &c, 1), 1);
	}
	OK(close(s[2])); /* gone before it is accepted: accepted all the same */
	for (int i = 0; i < N; i++) {
		int a = OK(accept(l, NULL, NULL));

		CHECK_EQ(read(a, &c, 1), 1);
		CHECK_EQ(c, 'a' + i);
		if (i == 2)
			CHECK_EQ(read(a, &c, 1), 0);
		OK(close(a));
	}

	/* The backlog is closed with its connections in it: they are reset. */
	int t = tcp_connect(port);
	OK(close(l));
	CHECK_ERR(read(t, &c, 1), ECONNRESET);

	/* listen without bind: a free port, on any address. */
	l = OK(socket(AF_INET, SOCK_STREAM, 0));
	OK(listen(l, 3));
	port = port_of(l);
	CHECK(port != 0);
	t = tcp_connect(port);
	OK(close(OK(accept(l, NULL, NULL))));
	CHECK_EQ(get_int(l, SOL_SOCKET, SO_ACCEPTCONN), 1);
	CHECK_EQ(get_int(t, SOL_SOCKET, SO_ACCEPTCONN), 0);
	OK(listen(l, 10)); /* again: changes the backlog */
	return guest_ok();
}
