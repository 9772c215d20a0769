/* IPv6 over loopback, and a dual-stack listener that IPv4 clients reach as mapped addresses. */
#include "sock.h"

int main(void)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT}, peer;
	socklen_t len = sizeof peer;
	char buf[64];

	int l = OK(socket(AF_INET6, SOCK_STREAM, 0));
	OK(bind(l, (struct sockaddr *)&a, sizeof a));
	OK(listen(l, 5));
	a.sin6_port = htons(port_of(l));
	int s = OK(socket(AF_INET6, SOCK_STREAM, 0));
	OK(connect(s, (struct sockaddr *)&a, sizeof a));
	int c = OK(accept(l, (struct sockaddr *)&peer, &len));
	CHECK_EQ(len, sizeof peer);
	CHECK(IN6_IS_ADDR_LOOPBACK(&peer.sin6_addr));
	send_all(s, "six", 3);
	recv_all(c, buf, 3);

	/* The IPv4 loopback is another address. */
	struct sockaddr_in v4 = loopback(ntohs(a.sin6_port));
	int t = OK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK_ERR(connect(t, (struct sockaddr *)&v4, sizeof v4), ECONNREFUSED);

	int dual = OK(socket(AF_INET6, SOCK_STREAM, 0));
	set_int(dual, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	a = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
	OK(bind(dual, (struct sockaddr *)&a, sizeof a));
	OK(listen(dual, 5));
	int v = tcp_connect(port_of(dual));
	len = sizeof peer;
	c = OK(accept(dual, (struct sockaddr *)&peer, &len));
	CHECK_EQ(peer.sin6_family, AF_INET6);
	CHECK(IN6_IS_ADDR_V4MAPPED(&peer.sin6_addr));
	inet_ntop(AF_INET6, &peer.sin6_addr, buf, sizeof buf);
	CHECK(strcmp(buf, "::ffff:127.0.0.1") == 0);
	CHECK_EQ(ntohs(peer.sin6_port), port_of(v));
	send_all(v, "four", 4);
	recv_all(c, buf, 4);
	return guest_ok();
}
