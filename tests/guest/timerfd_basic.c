/* timerfd: one shot, interval, absolute, disarm, gettime, poll, expirations counted. */
#include "guest.h"

#include <poll.h>
#include <sys/timerfd.h>

static uint64_t expired(int fd)
{
	uint64_t n;

	CHECK_EQ(read(fd, &n, 8), 8);
	return n;
}

int main(void)
{
	int fd = OK(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	struct itimerspec it = {.it_value.tv_nsec = 20 * NS_PER_MS}, cur;
	struct pollfd pf = {.fd = fd, .events = POLLIN};
	uint64_t n;
	int64_t start = mono_ns();

	OK(timerfd_gettime(fd, &cur));
	CHECK(cur.it_value.tv_sec == 0 && cur.it_value.tv_nsec == 0);
	OK(timerfd_settime(fd, 0, &it, NULL));
	CHECK_EQ(expired(fd), 1);
	CHECK(mono_ns() - start >= 20 * NS_PER_MS);

	it = (struct itimerspec){.it_value.tv_nsec = 5 * NS_PER_MS, .it_interval.tv_nsec = 5 * NS_PER_MS};
	start = mono_ns();
	OK(timerfd_settime(fd, 0, &it, NULL));
	nap_ms(52);
	CHECK(expired(fd) >= 10);
	uint64_t total = 10;
	while (total < 20)
		total += expired(fd);
	CHECK(mono_ns() - start >= 50 * NS_PER_MS);
	CHECK_EQ(poll(&pf, 1, -1), 1);
	OK(timerfd_gettime(fd, &cur));
	CHECK_EQ(cur.it_interval.tv_nsec, 5 * NS_PER_MS);

	/* Disarmed: what had expired is gone. */
	it = (struct itimerspec){0};
	OK(timerfd_settime(fd, 0, &it, &cur));
	CHECK_EQ(cur.it_interval.tv_nsec, 5 * NS_PER_MS);
	set_nonblock(fd);
	CHECK_ERR(read(fd, &n, 8), EAGAIN);
	CHECK_EQ(poll(&pf, 1, 20), 0);

	for (int i = 0; i < 2; i++) {
		clockid_t id = i ? CLOCK_REALTIME : CLOCK_MONOTONIC;
		int t = OK(timerfd_create(id, TFD_NONBLOCK));
		int64_t at = clock_ns(id) + 20 * NS_PER_MS;

		it = (struct itimerspec){.it_value = timespec_of(at)};
		OK(timerfd_settime(t, TFD_TIMER_ABSTIME, &it, NULL));
		CHECK_ERR(read(t, &n, 8), EAGAIN);
		pf.fd = t;
		CHECK_EQ(poll(&pf, 1, -1), 1);
		CHECK(clock_ns(id) >= at);
		CHECK_EQ(expired(t), 1);
		it.it_value = timespec_of(1); /* long past */
		OK(timerfd_settime(t, TFD_TIMER_ABSTIME, &it, NULL));
		CHECK_EQ(expired(t), 1);
	}
	CHECK_ERR(read(fd, &n, 4), EINVAL);
	CHECK_ERR(timerfd_create(99, 0), EINVAL);
	CHECK_ERR(timerfd_settime(1, 0, &it, NULL), EINVAL);
	it.it_value.tv_nsec = NS_PER_S;
	CHECK_ERR(timerfd_settime(fd, 0, &it, NULL), EINVAL);
	return guest_ok();
}
