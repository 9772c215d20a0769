/* Every clock id works, none goes backwards, and ids that mean the same clock agree. */
#include "guest.h"

static void near(clockid_t a, clockid_t b)
{
	int64_t before = clock_ns(a), middle = clock_ns(b), after = clock_ns(a);

	/*
	 * The coarse clocks lag by up to a tick (10 ms at HZ=100), and under simrun many reads in a row cost up to 1 ms
	 * each.
	 */
	CHECK(middle >= before - 20 * NS_PER_MS);
	CHECK(middle <= after + 20 * NS_PER_MS);
}

int main(void)
{
	const clockid_t ids[] = {
		CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
		CLOCK_BOOTTIME, CLOCK_TAI, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
	};

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		int64_t last = clock_ns(ids[i]);

		CHECK(last >= 0);
		for (int n = 0; n < 200; n++) {
			int64_t t = clock_ns(ids[i]);

			CHECK(t >= last);
			last = t;
		}
	}
	near(CLOCK_REALTIME, CLOCK_REALTIME_COARSE);
	near(CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE);
	near(CLOCK_MONOTONIC, CLOCK_BOOTTIME);
	CHECK(clock_ns(CLOCK_REALTIME) > INT64_C(1700000000) * NS_PER_S);

	struct timespec t;
	CHECK_ERR(clock_gettime(99, &t), EINVAL);
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		printf("clock %d: %lld\n", (int)ids[i], (long long)clock_ns(ids[i]));
	return guest_ok();
}
