/* poll on both ends of a pipe: readable, writable, hang-up, error, and wake-up of a waiting poll by each. */
#include "guest.h"

#include <poll.h>

static int events(int fd, short want, int timeout)
{
	struct pollfd pf = {.fd = fd, .events = want};
	int n = (int)OK(poll(&pf, 1, timeout));

	CHECK_EQ(n, pf.revents != 0);
	return pf.revents;
}

static void *later(void *arg)
{
	int fd = (int)(intptr_t)arg;

	nap_ms(20);
	if (fd >= 0)
		tell(fd);
	else
		close(-fd);
	return NULL;
}

static void *reads_later(void *arg)
{
	char buf[65536];

	nap_ms(20);
	CHECK(read((int)(intptr_t)arg, buf, sizeof buf) > 0);
	return NULL;
}

int main(void)
{
	int p[2];
	static char big[65536];

	OK(pipe(p));
	CHECK_EQ(events(p[0], POLLIN, 0), 0);
	CHECK_EQ(events(p[1], POLLOUT, 0), POLLOUT);
	CHECK_EQ(events(p[0], POLLIN | POLLRDNORM, 0), 0);
	tell(p[1]);
	CHECK_EQ(events(p[0], POLLIN | POLLRDNORM, 0), POLLIN | POLLRDNORM);
	CHECK_EQ(events(p[0], 0, 0), 0);
	await(p[0]);

	pthread_t t = thread(later, (void *)(intptr_t)p[1]);
	CHECK_EQ(events(p[0], POLLIN, -1), POLLIN);
	join(t);
	await(p[0]);

	CHECK_EQ(write(p[1], big, sizeof big), 65536);
	CHECK_EQ(events(p[1], POLLOUT, 0), 0);
	t = thread(reads_later, (void *)(intptr_t)p[0]);
	CHECK_EQ(events(p[1], POLLOUT, -1), POLLOUT);
	join(t);

	t = thread(later, (void *)(intptr_t)-p[1]);
	CHECK_EQ(events(p[0], POLLIN, -1), POLLHUP);
	join(t);
	CHECK_EQ(events(p[0], 0, 0), POLLHUP);

	close(p[0]);
	OK(pipe(p));
	tell(p[1]);
	close(p[1]);
	CHECK_EQ(events(p[0], POLLIN, 0), POLLIN | POLLHUP);

	OK(pipe(p));
	close(p[0]);
	CHECK_EQ(events(p[1], POLLOUT, 0), POLLOUT | POLLERR);
	CHECK_EQ(events(p[1], 0, 0), POLLERR);
	return guest_ok();
}
