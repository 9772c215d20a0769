/* Threads wait on one epoll instance while others add, change and remove: what becomes ready wakes a waiter. */
#include "guest.h"

#include <sys/epoll.h>

static int ep;

static void *waits(void *arg)
{
	struct epoll_event ev;

	CHECK_EQ(OK(epoll_wait(ep, &ev, 1, -1)), 1);
	return (void *)(intptr_t)ev.data.u32;
}

int main(void)
{
	int p[2];
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = 1};

	ep = OK(epoll_create1(0));
	OK(pipe(p));
	tell(p[1]);

	/* Added while it is ready. */
	pthread_t t = thread(waits, NULL);
	settle();
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	CHECK_EQ((intptr_t)join(t), 1);

	/* Changed to what is ready. */
	ev = (struct epoll_event){.events = EPOLLIN, .data.u32 = 2};
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &ev)); /* never readable */
	t = thread(waits, NULL);
	settle();
	ev = (struct epoll_event){.events = EPOLLOUT, .data.u32 = 3};
	OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[1], &ev));
	CHECK_EQ((intptr_t)join(t), 3);
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[1], NULL));

	/* Level triggered and several waiters: one event wakes all in turn while nobody reads. */
	await(p[0]);
	ev = (struct epoll_event){.events = EPOLLIN, .data.u32 = 4};
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	pthread_t w[4];
	for (int i = 0; i < 4; i++)
		w[i] = thread(waits, NULL);
	settle();
	tell(p[1]);
	for (int i = 0; i < 4; i++)
		CHECK_EQ((intptr_t)join(w[i]), 4);

	/* The instance is closed while a thread waits in it: the wait goes on with what it has. */
	await(p[0]);
	t = thread(waits, NULL);
	settle();
	int copy = OK(dup(ep));
	OK(close(ep));
	tell(p[1]);
	CHECK_EQ((intptr_t)join(t), 4);
	OK(close(copy));
	return guest_ok();
}
