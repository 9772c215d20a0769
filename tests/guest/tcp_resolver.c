/* getaddrinfo and getnameinfo for numbers and localhost; connecting by what they return. */
#include "sock.h"

#include <netdb.h>

int main(void)
{
	uint16_t port;
	int l = tcp_listener(1, &port);
	struct addrinfo hint = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *ai;
	char num[16], host[64], serv[16];

	snprintf(num, sizeof num, "%d", port);
	CHECK_EQ(getaddrinfo("localhost", num, &hint, &ai), 0);
	CHECK_EQ(ntohl(((struct sockaddr_in *)ai->ai_addr)->sin_addr.s_addr), INADDR_LOOPBACK);
	int s = OK(socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol));
	OK(connect(s, ai->ai_addr, ai->ai_addrlen));
	OK(close(OK(accept(l, NULL, NULL))));
	CHECK_EQ(getnameinfo(ai->ai_addr, ai->ai_addrlen, host, sizeof host, serv, sizeof serv,
			     NI_NUMERICHOST | NI_NUMERICSERV), 0);
	CHECK(strcmp(host, "127.0.0.1") == 0 && strcmp(serv, num) == 0);
	freeaddrinfo(ai);
	hint.ai_flags = AI_NUMERICHOST;
	CHECK_EQ(getaddrinfo("10.1.2.3", "80", &hint, &ai), 0);
	freeaddrinfo(ai);
	CHECK_EQ(getaddrinfo("not a number", "80", &hint, &ai), EAI_NONAME);
	return guest_ok();
}
