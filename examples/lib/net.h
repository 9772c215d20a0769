/* What the C examples share: lines of text over TCP on 127.0.0.1. Plain POSIX; nothing of it knows of a simulation. */
#ifndef EXAMPLES_NET_H
#define EXAMPLES_NET_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_LEN = 4096, CONNS_MAX = 64 };

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static inline int64_t monotonic_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static inline void nap_ms(int64_t ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

static inline struct sockaddr_in local_address(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

/* ---- the asking side ---- */

/* One connection to a server; made when it is needed, and anew when it has failed. */
struct peer {
	int port, fd; /* fd -1: not connected */
	int timeout_ms;
};

static inline void hang_up(struct peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static inline bool dial(struct peer *p)
{
	struct timeval tv = {.tv_sec = p->timeout_ms / 1000, .tv_usec = p->timeout_ms % 1000 * 1000};
	struct sockaddr_in a = local_address(p->port);

	if (p->fd >= 0)
		return true;
	p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->fd < 0)
		die("socket");
	setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
	if (connect(p->fd, (struct sockaddr *)&a, sizeof a) == 0)
		return true;
	hang_up(p);
	return false;
}

/* Sends the line and waits for the one that answers it. False: something went wrong; whether it was done is unknown. */
static inline bool ask(struct peer *p, const char *request, char *reply)
{
	size_t n = 0;

	if (!dial(p))
		return false;
	if (!send_all(p->fd, request, strlen(request)) || !send_all(p->fd, "\n", 1)) {
		hang_up(p);
		return false;
	}
	for (;;) {
		ssize_t k = recv(p->fd, reply + n, LINE_MAX_LEN - 1 - n, 0);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0 || (n += (size_t)k) == LINE_MAX_LEN - 1) {
			hang_up(p);
			return false;
		}
		if (reply[n - 1] == '\n') {
			reply[n - 1] = 0;
			return true;
		}
	}
}

/* ---- the answering side ---- */

struct conn {
	int fd;
	size_t n;
	char line[LINE_MAX_LEN];
};

static inline bool answer(int fd, const char *reply)
{
	return send_all(fd, reply, strlen(reply)) && send_all(fd, "\n", 1);
}

/* Reads what there is and handles every whole line. False: the connection is over. */
static inline bool serve_conn(struct conn *c, void (*handle)(int fd, char *line))
{
	ssize_t k = recv(c->fd, c->line + c->n, sizeof c->line - 1 - c->n, MSG_DONTWAIT);
	char *end;

	if (k < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (k <= 0)
		return false;
	c->n += (size_t)k;
	while ((end = memchr(c->line, '\n', c->n))) {
		*end++ = 0;
		handle(c->fd, c->line);
		c->n -= (size_t)(end - c->line);
		memmove(c->line, end, c->n);
	}
	return c->n < sizeof c->line - 1;
}

/* For ever: handle() is called for each line, tick() about every tick_ms. */
static inline void serve(int port, void (*handle)(int fd, char *line), void (*tick)(void), int tick_ms)
{
	static struct conn conns[CONNS_MAX];
	struct pollfd p[CONNS_MAX + 1];
	struct sockaddr_in a = local_address(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, n = 0;
	int64_t next = monotonic_ms() + tick_ms;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 64) < 0)
		die("listen");
	for (;;) {
		int64_t wait = next - monotonic_ms();
		p[0] = (struct pollfd){.fd = fd, .events = n < CONNS_MAX ? POLLIN : 0};
		for (int i = 0; i < n; i++)
			p[i + 1] = (struct pollfd){.fd = conns[i].fd, .events = POLLIN};
		poll(p, (nfds_t)n + 1, tick ? (int)(wait > 0 ? wait : 0) : -1);
		for (int i = n - 1; i >= 0; i--)
			if (p[i + 1].revents && !serve_conn(&conns[i], handle)) {
				close(conns[i].fd);
				conns[i] = conns[--n];
			}
		if (p[0].revents & POLLIN) {
			int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
			if (c >= 0)
				conns[n++] = (struct conn){.fd = c};
		}
		if (tick && monotonic_ms() >= next) {
			tick();
			next = monotonic_ms() + tick_ms;
		}
	}
}

/* BUG=n in the environment plants a bug. */
static inline int planted(void)
{
	const char *v = getenv("BUG");

	return v ? atoi(v) : 0;
}

#endif
