/*
 * Everything at once: a server process with threads and epoll, clients in processes, a logger behind a pipe, signals.
 */
#include "sock.h"

#include <sys/epoll.h>

enum { CLIENTS = 4, REQUESTS = 15, WORKERS = 3 };

static int ep, log_fd, listener;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served;
static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	stop = 1;
}

static void *worker(void *arg)
{
	struct epoll_event ev;
	char buf[64];

	while (!stop) {
		if (epoll_wait(ep, &ev, 1, 20) <= 0)
			continue;
		int fd = ev.data.fd;
		if (fd == listener) {
			int c = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
			struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = c};

			if (c != -1)
				OK(epoll_ctl(ep, EPOLL_CTL_ADD, c, &e));
			continue;
		}
		ssize_t n = read(fd, buf, sizeof buf);
		if (n <= 0) {
			close(fd);
			continue;
		}
		send_all(fd, buf, (size_t)n);
		pthread_mutex_lock(&lock);
		served++;
		dprintf(log_fd, "request %d\n", served);
		pthread_mutex_unlock(&lock);
		struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
		OK(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &e));
	}
	return NULL;
}

static void server(void *arg)
{
	pthread_t t[WORKERS];
	struct epoll_event e = {.events = EPOLLIN, .data.fd = listener};

	on_signal(SIGTERM, on_term, 0);
	set_nonblock(listener);
	ep = OK(epoll_create1(0));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e));
	for (int i = 0; i < WORKERS; i++)
		t[i] = thread(worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		join(t[i]);
	_exit(served == CLIENTS * REQUESTS ? 0 : 1);
}

static void client(void *arg)
{
	int s = tcp_connect((uint16_t)(uintptr_t)arg);
	char want[32], got[32];

	for (int i = 0; i < REQUESTS; i++) {
		int n = snprintf(want, sizeof want, "%d of %d", i, getpid());

		send_all(s, want, (size_t)n);
		recv_all(s, got, (size_t)n);
		CHECK(memcmp(want, got, (size_t)n) == 0);
		if (i % 4 == 0)
			usleep(500);
	}
}

int main(void)
{
	uint16_t port;
	int p[2], n;
	pid_t c[CLIENTS];

	OK(pipe(p));
	log_fd = p[1];
	listener = tcp_listener(16, &port);
	pid_t srv = child(server, NULL);
	OK(close(p[1]));
	for (int i = 0; i < CLIENTS; i++)
		c[i] = child(client, (void *)(uintptr_t)port);
	FILE *f = fdopen(p[0], "r");
	for (int i = 1; i <= CLIENTS * REQUESTS; i++) {
		CHECK_EQ(fscanf(f, " request %d", &n), 1);
		CHECK_EQ(n, i);
	}
	for (int i = 0; i < CLIENTS; i++)
		CHECK_EXIT(c[i], 0);
	OK(kill(srv, SIGTERM));
	CHECK_EXIT(srv, 0);
	CHECK_EQ(fscanf(f, " request %d", &n), EOF);
	return guest_ok();
}
