/* An eventfd shared across fork carries wake-ups between processes; each value is taken once. */
#include "guest.h"

#include <sys/eventfd.h>

static int fd, back;

static void takes(void *arg)
{
	uint64_t v, sum = 0;

	for (int i = 0; i < 50; i++) {
		CHECK_EQ(read(fd, &v, 8), 8);
		sum += v;
	}
	CHECK_EQ(write(back, &sum, 8), 8);
}

int main(void)
{
	pid_t pid[4];
	uint64_t v = 1, sum;

	fd = OK(eventfd(0, EFD_SEMAPHORE));
	back = OK(eventfd(0, 0));
	for (int i = 0; i < 4; i++)
		pid[i] = child(takes, NULL);
	for (int i = 0; i < 100; i++) {
		v = 2;
		CHECK_EQ(write(fd, &v, 8), 8);
	}
	for (int i = 0; i < 4; i++)
		CHECK_EXIT(pid[i], 0);
	CHECK_EQ(read(back, &sum, 8), 8);
	CHECK_EQ(sum, 200);
	return guest_ok();
}
