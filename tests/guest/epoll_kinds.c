/* One epoll set with every kind of descriptor: each becomes ready by its own event, and only it. */
#include "sock.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

static int ep;

static void add(int fd, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.fd = fd};

	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
}

/* Exactly this one is ready. */
static void only(int fd, uint32_t events)
{
	struct epoll_event ev[8];

	CHECK_EQ(OK(epoll_wait(ep, ev, 8, 10000)), 1);
	CHECK_EQ(ev[0].data.fd, fd);
	CHECK_EQ(ev[0].events, events);
}

static void waits(void *arg)
{
	sleep_forever();
}

int main(void)
{
	int p[2], tcp[2], sv[2];
	char buf[128];
	uint64_t v = 1;
	uint16_t port;
	struct epoll_event none;

	ep = OK(epoll_create1(0));
	OK(pipe(p));
	tcp_pair(tcp);
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	int event = OK(eventfd(0, 0)), timer = OK(timerfd_create(CLOCK_MONOTONIC, 0)), l = tcp_listener(5, &port);
	sigset_t set = sigset_of(SIGUSR1);
	OK(sigprocmask(SIG_BLOCK, &set, NULL));
	int sig = OK(signalfd(-1, &set, 0));
	pid_t pid = child(waits, NULL);
	int pidfd = (int)OK(syscall(SYS_pidfd_open, pid, 0));
	int udp = OK(socket(AF_INET, SOCK_DGRAM, 0));
	struct sockaddr_in a = loopback(0);
	OK(bind(udp, (struct sockaddr *)&a, sizeof a));
	a = loopback(port_of(udp));

	const int fds[] = {p[0], tcp[0], sv[0], event, timer, l, sig, pidfd, udp};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		add(fds[i], EPOLLIN | EPOLLRDHUP);
	CHECK_EQ(epoll_wait(ep, &none, 1, 0), 0);

	tell(p[1]);
	only(p[0], EPOLLIN);
	await(p[0]);
	tell(tcp[1]);
	only(tcp[0], EPOLLIN);
	await(tcp[0]);
	tell(sv[1]);
	only(sv[0], EPOLLIN);
	await(sv[0]);
	CHECK_EQ(write(event, &v, 8), 8);
	only(event, EPOLLIN);
	CHECK_EQ(read(event, &v, 8), 8);
	struct itimerspec it = {.it_value.tv_nsec = 1000000};
	OK(timerfd_settime(timer, 0, &it, NULL));
	only(timer, EPOLLIN);
	CHECK_EQ(read(timer, &v, 8), 8);
	int c = tcp_connect(port);
	only(l, EPOLLIN);
	OK(accept(l, NULL, NULL));
	raise(SIGUSR1);
	only(sig, EPOLLIN);
	CHECK_EQ(read(sig, buf, 128), 128);
	CHECK_EQ(sendto(c = OK(socket(AF_INET, SOCK_DGRAM, 0)), "x", 1, 0, (struct sockaddr *)&a, sizeof a), 1);
	only(udp, EPOLLIN);
	CHECK_EQ(recv(udp, buf, 8, 0), 1);
	OK(kill(pid, SIGKILL));
	only(pidfd, EPOLLIN);
	CHECK_KILLED(pid, SIGKILL);
	OK(close(pidfd));

	OK(shutdown(tcp[1], SHUT_WR));
	only(tcp[0], EPOLLIN | EPOLLRDHUP);
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, tcp[0], NULL));
	OK(close(sv[1]));
	only(sv[0], EPOLLIN | EPOLLRDHUP | EPOLLHUP);
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, sv[0], NULL));
	OK(close(p[1]));
	only(p[0], EPOLLHUP);
	return guest_ok();
}
