/* UDP: boundaries, addresses, connected sockets, truncation, refusal by ICMP, broadcast of one port. */
#include "sock.h"

static void serves(void *arg)
{
	int s = (int)(intptr_t)arg;
	char buf[2000];
	struct sockaddr_in from;
	socklen_t len;
	ssize_t n;

	do {
		len = sizeof from;
		n = OK(recvfrom(s, buf, sizeof buf, 0, (struct sockaddr *)&from, &len));
		CHECK_EQ(sendto(s, buf, (size_t)n, 0, (struct sockaddr *)&from, len), n);
	} while (n > 0);
}

int main(void)
{
	struct sockaddr_in a = loopback(0), from;
	socklen_t len = sizeof from;
	char buf[2000];

	int srv = OK(socket(AF_INET, SOCK_DGRAM, 0));
	OK(bind(srv, (struct sockaddr *)&a, sizeof a));
	a = loopback(port_of(srv));
	pid_t pid = child(serves, (void *)(intptr_t)srv);
	int s = OK(socket(AF_INET, SOCK_DGRAM, 0));
	for (int i = 1; i < 10; i++) {
		memset(buf, 'a' + i, sizeof buf);
		CHECK_EQ(sendto(s, buf, (size_t)i * 100, 0, (struct sockaddr *)&a, sizeof a), i * 100);
		len = sizeof from;
		CHECK_EQ(recvfrom(s, buf, sizeof buf, 0, (struct sockaddr *)&from, &len), i * 100);
		CHECK_EQ(from.sin_port, a.sin_port);
		CHECK_EQ(buf[i * 100 - 1], 'a' + i);
	}
	OK(connect(s, (struct sockaddr *)&a, sizeof a));
	CHECK_EQ(send(s, "0123456789", 10, 0), 10);
	CHECK_EQ(recv(s, buf, 4, 0), 4); /* the rest of the datagram is gone */
	CHECK_EQ(send(s, "", 0, 0), 0);
	CHECK_EQ(recv(s, buf, 4, 0), 0); /* an empty datagram is one */
	CHECK_EXIT(pid, 0);
	OK(close(srv));

	CHECK_EQ(send(s, "x", 1, 0), 1);
	CHECK_ERR(recv(s, buf, 4, 0), ECONNREFUSED);
	CHECK_EQ(poll_one(s, POLLIN, 0), 0);
	int u = OK(socket(AF_INET, SOCK_DGRAM, 0));
	CHECK_ERR(send(u, "x", 1, 0), EDESTADDRREQ);
	CHECK_ERR(listen(u, 1), EOPNOTSUPP);
	static char huge[70000];
	CHECK_ERR(sendto(u, huge, sizeof huge, 0, (struct sockaddr *)&a, sizeof a), EMSGSIZE);
	return guest_ok();
}
