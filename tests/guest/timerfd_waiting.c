/* A timer is set, moved and disarmed while another thread waits for it, by read and by epoll. */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

static int fd, ep;

static void *reads(void *arg)
{
	uint64_t n;

	CHECK_EQ(read(fd, &n, 8), 8);
	return NULL;
}

static void *waits(void *arg)
{
	struct epoll_event ev;

	CHECK_EQ(OK(epoll_wait(ep, &ev, 1, -1)), 1);
	return NULL;
}

static void set_in(int64_t ms)
{
	struct itimerspec it = {.it_value = timespec_of(ms * NS_PER_MS)};

	OK(timerfd_settime(fd, 0, &it, NULL));
}

int main(void)
{
	struct epoll_event ev = {.events = EPOLLIN};

	fd = OK(timerfd_create(CLOCK_MONOTONIC, 0));
	ep = OK(epoll_create1(0));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	set_in(1000000000); /* far away */
	for (int i = 0; i < 2; i++) {
		pthread_t t = thread(i ? waits : reads, NULL);

		nap_ms(20);
		int64_t start = mono_ns();
		set_in(0); /* disarmed */
		nap_ms(20);
		set_in(30);
		join(t);
		CHECK(mono_ns() - start >= 50 * NS_PER_MS);
	}
	return guest_ok();
}
