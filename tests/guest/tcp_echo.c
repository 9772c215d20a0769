/* A TCP echo between two processes: addresses on both sides, data both ways, orderly end. */
#include "sock.h"

static void serves(void *arg)
{
	int l = (int)(intptr_t)arg;
	struct sockaddr_in peer;
	socklen_t len = sizeof peer;
	char buf[100];
	ssize_t n;

	int c = OK(accept4(l, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC));
	CHECK_EQ(fcntl(c, F_GETFD), FD_CLOEXEC);
	CHECK_EQ(len, sizeof peer);
	CHECK_EQ(peer.sin_family, AF_INET);
	CHECK_EQ(ntohl(peer.sin_addr.s_addr), INADDR_LOOPBACK);
	CHECK(peer.sin_port != 0);
	while ((n = OK(read(c, buf, sizeof buf))) > 0)
		send_all(c, buf, (size_t)n);
	CHECK_EQ(n, 0);
}

int main(void)
{
	uint16_t port;
	int l = tcp_listener(5, &port);
	pid_t pid = child(serves, (void *)(intptr_t)l);
	struct sockaddr_in a;
	socklen_t len = sizeof a;
	char buf[100];

	int s = tcp_connect(port);
	OK(getpeername(s, (struct sockaddr *)&a, &len));
	CHECK_EQ(ntohs(a.sin_port), port);
	OK(getsockname(s, (struct sockaddr *)&a, &len));
	CHECK(ntohs(a.sin_port) != port && a.sin_port != 0);
	CHECK_EQ(ntohl(a.sin_addr.s_addr), INADDR_LOOPBACK);
	for (int i = 0; i < 50; i++) {
		int n = snprintf(buf, sizeof buf, "message %d", i);

		send_all(s, buf, (size_t)n);
		char got[100] = "";
		recv_all(s, got, (size_t)n);
		CHECK(strcmp(buf, got) == 0);
	}
	OK(shutdown(s, SHUT_WR));
	CHECK_EQ(read(s, buf, sizeof buf), 0);
	CHECK_EXIT(pid, 0);
	printf("ports %d %d\n", port, ntohs(a.sin_port));
	return guest_ok();
}
