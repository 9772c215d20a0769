/* nanosleep, usleep, sleep, select and poll sleep at least what they were asked. */
#include "guest.h"

#include <poll.h>
#include <sys/select.h>

int main(void)
{
	for (int64_t ns = 1; ns <= 100 * NS_PER_MS; ns *= 10) {
		struct timespec t = timespec_of(ns);
		int64_t start = mono_ns();

		OK(nanosleep(&t, NULL));
		CHECK(mono_ns() - start >= ns);
	}

	int64_t start = mono_ns();
	OK(usleep(3000));
	CHECK(mono_ns() - start >= 3 * NS_PER_MS);

	start = mono_ns();
	CHECK_EQ(sleep(1), 0);
	CHECK(mono_ns() - start >= NS_PER_S);

	struct timeval tv = {.tv_usec = 5000};
	start = mono_ns();
	CHECK_EQ(select(0, NULL, NULL, NULL, &tv), 0);
	CHECK(mono_ns() - start >= 5 * NS_PER_MS);
	CHECK_EQ(tv.tv_sec, 0); /* Linux writes the time left */
	CHECK_EQ(tv.tv_usec, 0);

	start = mono_ns();
	CHECK_EQ(poll(NULL, 0, 7), 0);
	CHECK(mono_ns() - start >= 7 * NS_PER_MS);

	struct timespec bad = {.tv_nsec = NS_PER_S};
	CHECK_ERR(nanosleep(&bad, NULL), EINVAL);
	bad = (struct timespec){.tv_sec = -1};
	CHECK_ERR(nanosleep(&bad, NULL), EINVAL);
	return guest_ok();
}
