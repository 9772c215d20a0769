/* Short forms for programs that use sockets. */
#ifndef TESTS_GUEST_SOCK_H
#define TESTS_GUEST_SOCK_H

#include "guest.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static inline struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

static inline uint16_t port_of(int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof a;

	OK(getsockname(fd, (struct sockaddr *)&a, &len));
	return ntohs(a.ss_family == AF_INET ? ((struct sockaddr_in *)&a)->sin_port
					    : ((struct sockaddr_in6 *)&a)->sin6_port);
}

/* A TCP socket that listens on a free port of the loopback address. */
static inline int tcp_listener(int backlog, uint16_t *port)
{
	int fd = OK(socket(AF_INET, SOCK_STREAM, 0));
	struct sockaddr_in a = loopback(0);

	OK(bind(fd, (struct sockaddr *)&a, sizeof a));
	OK(listen(fd, backlog));
	*port = port_of(fd);
	return fd;
}

static inline int tcp_connect(uint16_t port)
{
	int fd = OK(socket(AF_INET, SOCK_STREAM, 0));
	struct sockaddr_in a = loopback(port);

	OK(connect(fd, (struct sockaddr *)&a, sizeof a));
	return fd;
}

/* Both ends of one TCP connection. */
static inline void tcp_pair(int sv[2])
{
	uint16_t port;
	int l = tcp_listener(1, &port);

	sv[0] = tcp_connect(port);
	sv[1] = OK(accept(l, NULL, NULL));
	OK(close(l));
}

static inline struct sockaddr_un unix_addr(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	strcpy(a.sun_path, path);
	return a;
}

static inline int unix_listener(const char *path, int type)
{
	int fd = OK(socket(AF_UNIX, type, 0));
	struct sockaddr_un a = unix_addr(path);

	OK(bind(fd, (struct sockaddr *)&a, sizeof a));
	OK(listen(fd, 8));
	return fd;
}

static inline int unix_connect(const char *path, int type)
{
	int fd = OK(socket(AF_UNIX, type, 0));
	struct sockaddr_un a = unix_addr(path);

	OK(connect(fd, (struct sockaddr *)&a, sizeof a));
	return fd;
}

static inline int get_int(int fd, int level, int opt)
{
	int v = -1;
	socklen_t len = sizeof v;

	OK(getsockopt(fd, level, opt, &v, &len));
	return v;
}

static inline void set_int(int fd, int level, int opt, int v)
{
	OK(setsockopt(fd, level, opt, &v, sizeof v));
}

static inline void send_all(int fd, const void *buf, size_t n)
{
	for (const char *p = buf; n > 0;) {
		ssize_t w = write(fd, p, n);

		if (w == -1 && errno == EINTR)
			continue;
		CHECK(w > 0);
		p += w;
		n -= (size_t)w;
	}
}

/* Exactly n bytes. */
static inline void recv_all(int fd, void *buf, size_t n)
{
	for (char *p = buf; n > 0;) {
		ssize_t r = read(fd, p, n);

		if (r == -1 && errno == EINTR)
			continue;
		CHECK(r > 0);
		p += r;
		n -= (size_t)r;
	}
}

/* What poll reports for one descriptor. */
static inline int poll_one(int fd, short events, int timeout)
{
	struct pollfd pf = {.fd = fd, .events = events};

	return OK(poll(&pf, 1, timeout)) ? pf.revents : 0;
}

#endif
