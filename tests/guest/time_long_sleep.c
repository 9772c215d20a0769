/* An hour of sleep moves every clock by an hour, and costs no real time under simrun. */
#include "guest.h"

#include <sys/time.h>

int main(void)
{
	unsigned s = native() ? 1 : 3600;
	struct timeval a, b;
	int64_t mono = mono_ns(), real = clock_ns(CLOCK_REALTIME), boot = clock_ns(CLOCK_BOOTTIME);

	OK(gettimeofday(&a, NULL));
	CHECK_EQ(sleep(s), 0);
	CHECK(mono_ns() - mono >= s * NS_PER_S);
	CHECK(clock_ns(CLOCK_REALTIME) - real >= s * NS_PER_S - NS_PER_MS);
	CHECK(clock_ns(CLOCK_BOOTTIME) - boot >= s * NS_PER_S);
	OK(gettimeofday(&b, NULL));
	CHECK(b.tv_sec - a.tv_sec >= (long)s - 1);
	if (!native()) {
		/* Nobody else runs: the clock jumps to the end of the sleep, not far beyond it. */
		CHECK(mono_ns() - mono < (s + 1) * NS_PER_S);
		CHECK_EQ(sleep(365 * 86400), 0);
		CHECK(mono_ns() - mono > 365 * 86400 * NS_PER_S);
	}
	return guest_ok();
}
