/* Many descriptors: each report is of a ready one, maxevents is kept, all come in turn. */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

enum { N = 200 };

int main(void)
{
	int fd[N], seen[N] = {0};
	int ep = OK(epoll_create1(0));
	struct epoll_event ev[16];
	uint64_t v = 1;

	for (int i = 0; i < N; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.u32 = (uint32_t)i};

		fd[i] = OK(eventfd(0, EFD_NONBLOCK));
		OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd[i], &e));
	}
	for (int i = 0; i < N; i += 2)
		CHECK_EQ(write(fd[i], &v, 8), 8);
	int total = 0, n;
	while ((n = (int)OK(epoll_wait(ep, ev, 16, 0))) > 0) {
		CHECK(n <= 16);
		for (int i = 0; i < n; i++) {
			CHECK_EQ(ev[i].data.u32 % 2, 0);
			CHECK_EQ(read(fd[ev[i].data.u32], &v, 8), 8);
			seen[ev[i].data.u32]++;
			total++;
		}
	}
	CHECK_EQ(total, N / 2);
	for (int i = 0; i < N; i += 2)
		CHECK_EQ(seen[i], 1);

	/* Unread and level triggered: the ready list goes round, nobody starves. */
	memset(seen, 0, sizeof seen);
	for (int i = 0; i < 40; i++)
		CHECK_EQ(write(fd[i], &v, 8), 8);
	for (int round = 0; round < 20; round++) {
		n = (int)OK(epoll_wait(ep, ev, 4, 0));
		CHECK_EQ(n, 4);
		for (int i = 0; i < n; i++)
			seen[ev[i].data.u32]++;
	}
	for (int i = 0; i < 40; i++)
		CHECK_EQ(seen[i], 2);
	return guest_ok();
}
