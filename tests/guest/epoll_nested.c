/* An epoll instance in an epoll instance, in poll and in select; loops are refused. */
#include "guest.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

static void *later(void *arg)
{
	nap_ms(20);
	tell((int)(intptr_t)arg);
	return NULL;
}

int main(void)
{
	int p[2];
	struct epoll_event ev = {.events = EPOLLIN}, got;

	OK(pipe(p));
	int inner = OK(epoll_create1(0)), outer = OK(epoll_create1(0));
	ev.data.u32 = 1;
	OK(epoll_ctl(inner, EPOLL_CTL_ADD, p[0], &ev));
	ev.data.u32 = 2;
	OK(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &ev));
	CHECK_EQ(epoll_wait(outer, &got, 1, 0), 0);

	pthread_t t = thread(later, (void *)(intptr_t)p[1]);
	CHECK_EQ(epoll_wait(outer, &got, 1, -1), 1);
	CHECK_EQ(got.data.u32, 2);
	CHECK_EQ(epoll_wait(inner, &got, 1, 0), 1);
	CHECK_EQ(got.data.u32, 1);
	join(t);

	struct pollfd pf = {.fd = outer, .events = POLLIN};
	CHECK_EQ(poll(&pf, 1, 0), 1);
	CHECK_EQ(pf.revents, POLLIN);
	fd_set set;
	FD_ZERO(&set);
	FD_SET(inner, &set);
	struct timeval zero = {0};
	CHECK_EQ(select(inner + 1, &set, NULL, NULL, &zero), 1);
	await(p[0]);
	CHECK_EQ(poll(&pf, 1, 0), 0);
	CHECK_EQ(epoll_wait(outer, &got, 1, 0), 0);

	CHECK_ERR(epoll_ctl(inner, EPOLL_CTL_ADD, outer, &ev), ELOOP);
	return guest_ok();
}
