/* A server with edge-triggered epoll and non-blocking sockets, clients that send in pieces. */
#include "sock.h"

#include <sys/epoll.h>

enum { CLIENTS = 10, SIZE = 20000 };

static void *client(void *arg)
{
	int s = tcp_connect((uint16_t)(uintptr_t)arg);
	static const char block[SIZE];
	char got[SIZE];

	for (int at = 0; at < SIZE; at += 1000) {
		send_all(s, block, 1000);
		usleep(100);
	}
	recv_all(s, got, SIZE);
	OK(close(s));
	return NULL;
}

int main(void)
{
	uint16_t port;
	int l = tcp_listener(32, &port), ep = OK(epoll_create1(0)), closed = 0;
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.fd = l}, got[8];
	pthread_t t[CLIENTS];
	static char buf[4096];

	set_nonblock(l);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, l, &ev));
	for (int i = 0; i < CLIENTS; i++)
		t[i] = thread(client, (void *)(uintptr_t)port);
	while (closed < CLIENTS) {
		int n = (int)OK(epoll_wait(ep, got, 8, -1));
		for (int i = 0; i < n; i++) {
			int fd = got[i].data.fd, c;

			if (fd == l) {
				while ((c = accept4(l, NULL, NULL, SOCK_NONBLOCK)) != -1) {
					ev.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
					ev.data.fd = c;
					OK(epoll_ctl(ep, EPOLL_CTL_ADD, c, &ev));
				}
				CHECK_EQ(errno, EAGAIN);
				continue;
			}
			for (;;) {
				ssize_t r = read(fd, buf, sizeof buf);
				if (r > 0) {
					send_all(fd, buf, (size_t)r);
					continue;
				}
				if (r == 0) {
					close(fd);
					closed++;
				} else {
					CHECK_EQ(errno, EAGAIN);
				}
				break;
			}
		}
	}
	for (int i = 0; i < CLIENTS; i++)
		join(t[i]);
	return guest_ok();
}
