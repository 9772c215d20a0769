/* gettimeofday, time and CLOCK_REALTIME are one clock. */
#include "guest.h"

#include <sys/time.h>

int main(void)
{
	for (int i = 0; i < 20; i++) {
		struct timeval tv;
		int64_t a = clock_ns(CLOCK_REALTIME);

		OK(gettimeofday(&tv, NULL));
		int64_t b = tv.tv_sec * NS_PER_S + tv.tv_usec * 1000;
		int64_t c = clock_ns(CLOCK_REALTIME);

		CHECK(b >= a - 1000); /* microseconds are cut off */
		CHECK(b <= c);

		/* time() reads the coarse clock: it may still show the second before. */
		time_t s, r = time(&s);
		int64_t d = clock_ns(CLOCK_REALTIME);

		CHECK_EQ(r, s);
		CHECK(r >= (c - 20 * NS_PER_MS) / NS_PER_S);
		CHECK(r <= d / NS_PER_S);
	}
	return guest_ok();
}
