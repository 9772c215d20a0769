/* connect: refused where nobody listens; to a bound but not listening port; twice; on a listener; bad addresses. */
#include "sock.h"

int main(void)
{
	struct sockaddr_in a;
	uint16_t port;
	int l = tcp_listener(1, &port);

	OK(close(l));
	a = loopback(port);
	int s = OK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), ECONNREFUSED);
	CHECK_EQ(get_int(s, SOL_SOCKET, SO_ERROR), 0); /* reported already */
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), ECONNREFUSED);

	/* The same socket may connect later. */
	int l2 = OK(socket(AF_INET, SOCK_STREAM, 0));
	set_int(l2, SOL_SOCKET, SO_REUSEADDR, 1);
	OK(bind(l2, (struct sockaddr *)&a, sizeof a));
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), ECONNREFUSED);
	OK(listen(l2, 1));
	OK(connect(s, (struct sockaddr *)&a, sizeof a));
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), EISCONN);
	CHECK_ERR(connect(l2, (struct sockaddr *)&a, sizeof a), EISCONN);

	int u = OK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK_ERR(connect(u, (struct sockaddr *)&a, 3), EINVAL);
	CHECK_ERR(accept(u, NULL, NULL), EINVAL);
	CHECK_ERR(getpeername(u, (struct sockaddr *)&a, &(socklen_t){sizeof a}), ENOTCONN);
	signal(SIGPIPE, SIG_IGN);
	char c;
	CHECK_ERR(read(u, &c, 1), ENOTCONN);
	CHECK_ERR(shutdown(u, SHUT_RDWR), ENOTCONN);
	CHECK_ERR(connect(0, (struct sockaddr *)&a, sizeof a), ENOTSOCK);
	CHECK_ERR(connect(999, (struct sockaddr *)&a, sizeof a), EBADF);
	return guest_ok();
}
