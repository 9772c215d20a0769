/* A hundred timers with mixed deadlines in one epoll: they come in the order of their deadlines. */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

enum { N = 100 };

int main(void)
{
	int64_t due[N], base = mono_ns() + 20 * NS_PER_MS, last = 0;
	int fd[N], ep = OK(epoll_create1(0)), got = 0;

	for (int i = 0; i < N; i++) {
		struct epoll_event ev = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = (uint32_t)i};

		due[i] = base + (i * 37 % N) * NS_PER_MS;
		fd[i] = OK(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
		struct itimerspec it = {.it_value = timespec_of(due[i])};
		OK(timerfd_settime(fd[i], TFD_TIMER_ABSTIME, &it, NULL));
		OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd[i], &ev));
	}
	while (got < N) {
		struct epoll_event ev;

		CHECK_EQ(OK(epoll_wait(ep, &ev, 1, 60000)), 1);
		int i = (int)ev.data.u32;
		uint64_t n;
		CHECK_EQ(read(fd[i], &n, 8), 8);
		CHECK(mono_ns() >= due[i]);
		if (!native())
			CHECK(due[i] >= last); /* a busy machine may find several due at once */
		last = due[i];
		got++;
	}
	return guest_ok();
}
