/* EPOLLONESHOT: disabled after one report until MOD; one event to one of several waiting threads. */
#include "guest.h"

#include <sys/epoll.h>

static int ep, p[2], handled;

static void *worker(void *arg)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLONESHOT}, got;

	for (;;) {
		CHECK_EQ(OK(epoll_wait(ep, &got, 1, -1)), 1);
		char c;
		CHECK_EQ(read(p[0], &c, 1), 1); /* nobody else has it in between */
		if (c == 'x')
			__atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
		OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev));
		if (c == 'q')
			return NULL;
	}
}

int main(void)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLONESHOT}, got;
	pthread_t t[3];

	ep = OK(epoll_create1(0));
	OK(pipe(p));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	tell(p[1]);
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 1);
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 0);
	tell(p[1]);
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 0);
	OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev));
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 1);
	await(p[0]);
	await(p[0]);
	OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev));

	for (int i = 0; i < 3; i++)
		t[i] = thread(worker, NULL);
	for (int i = 0; i < 60; i++)
		tell(p[1]);
	CHECK_EQ(write(p[1], "qqq", 3), 3);
	for (int i = 0; i < 3; i++)
		join(t[i]);
	CHECK_EQ(handled, 60);
	return guest_ok();
}
