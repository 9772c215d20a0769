/* shutdown of a listener wakes a blocked accept with EINVAL; the port refuses. */
#include "sock.h"

static int listener;

static void *accepts(void *arg)
{
	CHECK_ERR(accept(listener, NULL, NULL), EINVAL);
	return NULL;
}

int main(void)
{
	uint16_t port;

	listener = tcp_listener(1, &port);
	pthread_t t = thread(accepts, NULL);
	settle();
	OK(shutdown(listener, SHUT_RDWR));
	join(t);
	struct sockaddr_in a = loopback(port);
	int s = OK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK_ERR(connect(s, (struct sockaddr *)&a, sizeof a), ECONNREFUSED);
	return guest_ok();
}
