/* eventfd: counter, semaphore mode, blocking, overflow, poll, errors. */
#include "guest.h"

#include <poll.h>
#include <sys/eventfd.h>

static int fd;

static uint64_t take(int f)
{
	uint64_t v;

	CHECK_EQ(read(f, &v, sizeof v), 8);
	return v;
}

static void put(int f, uint64_t v)
{
	CHECK_EQ(write(f, &v, sizeof v), 8);
}

static void *puts_later(void *arg)
{
	nap_ms(20);
	put(fd, 5);
	return NULL;
}

static void *takes_later(void *arg)
{
	nap_ms(20);
	CHECK_EQ(take(fd), UINT64_MAX - 1);
	return NULL;
}

int main(void)
{
	uint64_t v;
	struct pollfd pf;

	fd = OK(eventfd(3, EFD_NONBLOCK));
	CHECK_EQ(take(fd), 3);
	CHECK_ERR(read(fd, &v, 8), EAGAIN);
	put(fd, 1);
	put(fd, 10);
	pf = (struct pollfd){.fd = fd, .events = POLLIN | POLLOUT};
	CHECK_EQ(poll(&pf, 1, 0), 1);
	CHECK_EQ(pf.revents, POLLIN | POLLOUT);
	CHECK_EQ(take(fd), 11);
	CHECK_EQ(poll(&pf, 1, 0), 1);
	CHECK_EQ(pf.revents, POLLOUT);
	put(fd, UINT64_MAX - 1);
	v = 1;
	CHECK_ERR(write(fd, &v, 8), EAGAIN);
	v = UINT64_MAX;
	CHECK_ERR(write(fd, &v, 8), EINVAL);
	CHECK_ERR(write(fd, &v, 4), EINVAL);
	CHECK_ERR(read(fd, &v, 4), EINVAL);
	pf.events = POLLOUT;
	CHECK_EQ(poll(&pf, 1, 0), 0);

	OK(fcntl(fd, F_SETFL, 0));
	pthread_t t = thread(takes_later, NULL);
	put(fd, 7); /* waits for room */
	join(t);
	CHECK_EQ(take(fd), 7);
	t = thread(puts_later, NULL);
	CHECK_EQ(take(fd), 5); /* waits for a value */
	join(t);

	int sem = OK(eventfd(3, EFD_SEMAPHORE | EFD_CLOEXEC));
	CHECK_EQ(fcntl(sem, F_GETFD), FD_CLOEXEC);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(take(sem), 1);
	set_nonblock(sem);
	CHECK_ERR(read(sem, &v, 8), EAGAIN);
	CHECK_ERR(eventfd(0, 0x40), EINVAL);
	return guest_ok();
}
