/* A full pipe: EAGAIN non-blocking, partial writes, blocking until there is room, F_SETPIPE_SZ. */
#include "guest.h"

static int p[2];

static void *drains(void *arg)
{
	char buf[4096];
	size_t left = (size_t)(intptr_t)arg;

	nap_ms(20);
	while (left > 0) {
		ssize_t n = OK(read(p[0], buf, left < sizeof buf ? left : sizeof buf));
		for (ssize_t i = 0; i < n; i++)
			CHECK_EQ(buf[i], 'z');
		left -= (size_t)n;
	}
	return NULL;
}

int main(void)
{
	static char big[300000];
	char buf[8192];
	long total = 0;

	memset(big, 'z', sizeof big);
	OK(pipe2(p, O_NONBLOCK));
	CHECK_EQ(fcntl(p[0], F_GETPIPE_SZ), 65536);
	for (ssize_t n; (n = write(p[1], big, 1000)) > 0;)
		total += n;
	CHECK_EQ(errno, EAGAIN);
	CHECK(total > 60000 && total <= 65536);
	for (ssize_t n; (n = read(p[0], buf, sizeof buf)) > 0;)
		total -= n;
	CHECK_EQ(total, 0);

	/* More than PIPE_BUF: as much as fits. */
	CHECK_EQ(write(p[1], big, sizeof big), 65536);
	CHECK_ERR(write(p[1], big, 1), EAGAIN);
	/* Up to PIPE_BUF: all or nothing. */
	CHECK_EQ(read(p[0], buf, 4095), 4095);
	CHECK_ERR(write(p[1], big, 4096), EAGAIN);
	CHECK_EQ(read(p[0], buf, 1), 1);
	CHECK_EQ(write(p[1], big, 4096), 4096);

	/* A blocking write of everything, while another thread drains. */
	OK(fcntl(p[1], F_SETFL, 0));
	OK(fcntl(p[0], F_SETFL, 0));
	pthread_t t = thread(drains, (void *)(intptr_t)(65536 + sizeof big));
	CHECK_EQ(write(p[1], big, sizeof big), (ssize_t)sizeof big);
	join(t);

	CHECK_EQ(fcntl(p[1], F_SETPIPE_SZ, 5000), 8192);
	CHECK_EQ(fcntl(p[0], F_GETPIPE_SZ), 8192);
	set_nonblock(p[1]);
	CHECK_EQ(write(p[1], big, sizeof big), 8192);
	CHECK_ERR(fcntl(p[1], F_SETPIPE_SZ, 4096), EBUSY);
	OK(fcntl(p[1], F_SETPIPE_SZ, 16384));
	CHECK_EQ(write(p[1], big, sizeof big), 8192);
	return guest_ok();
}
