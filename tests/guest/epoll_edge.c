/* epoll, edge triggered: once per arrival; rearmed by MOD; writable again after a drain. */
#include "guest.h"

#include <sys/epoll.h>

static int ep;

static int wait_one(void)
{
	struct epoll_event ev;

	return OK(epoll_wait(ep, &ev, 1, 0)) ? (int)ev.events : 0;
}

int main(void)
{
	int p[2];
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	char buf[4096];

	ep = OK(epoll_create1(0));
	OK(pipe2(p, O_NONBLOCK));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	tell(p[1]);
	CHECK_EQ(wait_one(), EPOLLIN);
	CHECK_EQ(wait_one(), 0); /* unread, but not reported again */
	tell(p[1]);
	CHECK_EQ(wait_one(), EPOLLIN);
	CHECK_EQ(wait_one(), 0);
	CHECK_EQ(read(p[0], buf, 1), 1); /* a read is no edge */
	CHECK_EQ(wait_one(), 0);
	OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev));
	CHECK_EQ(wait_one(), EPOLLIN);
	CHECK_EQ(read(p[0], buf, 10), 1);

	/* Ready already when it is added. */
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	tell(p[1]);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	CHECK_EQ(wait_one(), EPOLLIN);
	CHECK_EQ(read(p[0], buf, 10), 1);

	ev.events = EPOLLOUT | EPOLLET;
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &ev));
	CHECK_EQ(wait_one(), EPOLLOUT);
	CHECK_EQ(wait_one(), 0);
	while (write(p[1], buf, sizeof buf) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	CHECK_EQ(wait_one(), 0);
	while (read(p[0], buf, sizeof buf) > 0)
		;
	CHECK_EQ(wait_one(), EPOLLOUT);
	CHECK_EQ(wait_one(), 0);
	close(p[0]);
	CHECK_EQ(wait_one(), EPOLLOUT | EPOLLERR);
	return guest_ok();
}
