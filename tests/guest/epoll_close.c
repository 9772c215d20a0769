/*
 * A closed descriptor leaves the set; with a duplicate it stays until the last one is closed; forked sets are shared.
 */
#include "guest.h"

#include <sys/epoll.h>

int main(void)
{
	int p[2], q[2];
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = 5}, got;
	int ep = OK(epoll_create1(0));

	OK(pipe(p));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	tell(p[1]);
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 1);
	int number = p[0];
	OK(close(p[0]));
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 0);

	/* The number is free for another one. */
	OK(pipe(q));
	CHECK_EQ(q[0], number);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, q[0], &ev));
	int copy = OK(dup(q[0]));
	OK(close(q[0]));
	tell(q[1]);
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 1); /* a well-known trap: the description is still open */
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_DEL, q[0], NULL), EBADF);
	OK(close(copy));
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 0);

	/* The same file under two numbers: two entries. */
	OK(pipe(p));
	copy = OK(dup(p[0]));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, copy, &ev));
	tell(p[1]);
	struct epoll_event two[2];
	CHECK_EQ(epoll_wait(ep, two, 2, 0), 2);

	/* A forked child changes the set of both. */
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(epoll_ctl(ep, EPOLL_CTL_DEL, copy, NULL));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(epoll_wait(ep, two, 2, 0), 1);
	return guest_ok();
}
