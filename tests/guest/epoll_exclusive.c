/* EPOLLEXCLUSIVE: waiters in several epoll instances; every event is handled by somebody; what it excludes. */
#include "guest.h"

#include <sys/epoll.h>

enum { N = 4, EVENTS = 40 };

static int p[2], handled;

static void *worker(void *arg)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLEXCLUSIVE}, got;
	int ep = OK(epoll_create1(0));

	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	for (;;) {
		CHECK_EQ(OK(epoll_wait(ep, &got, 1, -1)), 1);
		char c;
		ssize_t n = read(p[0], &c, 1);
		if (n == 0) {
			close(ep);
			return NULL;
		}
		if (n == 1)
			__atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
		else
			CHECK_EQ(errno, EAGAIN);
	}
}

int main(void)
{
	pthread_t t[N];
	struct epoll_event ev = {.events = EPOLLIN | EPOLLEXCLUSIVE};

	OK(pipe2(p, O_NONBLOCK));
	for (int i = 0; i < N; i++)
		t[i] = thread(worker, NULL);
	for (int i = 0; i < EVENTS; i++) {
		tell(p[1]);
		if (i % 7 == 0)
			nap_ms(1);
	}
	while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) < EVENTS)
		nap_ms(1);
	close(p[1]);
	for (int i = 0; i < N; i++)
		join(t[i]);
	CHECK_EQ(handled, EVENTS);

	int ep = OK(epoll_create1(0));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev), EINVAL);
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	ev.events |= EPOLLONESHOT;
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev), EINVAL);
	return guest_ok();
}
