/* UDP over IPv6 loopback and to a dual-stack socket. */
#include "sock.h"

int main(void)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT}, from;
	socklen_t len = sizeof from;
	char buf[16];

	int r = OK(socket(AF_INET6, SOCK_DGRAM, 0)), s = OK(socket(AF_INET6, SOCK_DGRAM, 0));
	OK(bind(r, (struct sockaddr *)&a, sizeof a));
	a.sin6_port = htons(port_of(r));
	CHECK_EQ(sendto(s, "six", 3, 0, (struct sockaddr *)&a, sizeof a), 3);
	CHECK_EQ(recvfrom(r, buf, 16, 0, (struct sockaddr *)&from, &len), 3);
	CHECK(IN6_IS_ADDR_LOOPBACK(&from.sin6_addr));
	CHECK_EQ(ntohs(from.sin6_port), port_of(s));

	int dual = OK(socket(AF_INET6, SOCK_DGRAM, 0));
	a = (struct sockaddr_in6){.sin6_family = AF_INET6};
	OK(bind(dual, (struct sockaddr *)&a, sizeof a));
	struct sockaddr_in v4 = loopback(port_of(dual));
	int t = OK(socket(AF_INET, SOCK_DGRAM, 0));
	CHECK_EQ(sendto(t, "four", 4, 0, (struct sockaddr *)&v4, sizeof v4), 4);
	len = sizeof from;
	CHECK_EQ(recvfrom(dual, buf, 16, 0, (struct sockaddr *)&from, &len), 4);
	CHECK(IN6_IS_ADDR_V4MAPPED(&from.sin6_addr));
	CHECK_EQ(sendto(dual, "back", 4, 0, (struct sockaddr *)&from, len), 4);
	CHECK_EQ(recv(t, buf, 16, 0), 4);
	return guest_ok();
}
