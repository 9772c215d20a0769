/* Resolutions: 1 ns of the fine clocks, a tick of the coarse ones. */
#include "guest.h"

int main(void)
{
	struct timespec r;

	OK(clock_getres(CLOCK_MONOTONIC, &r));
	CHECK_EQ(r.tv_sec, 0);
	CHECK_EQ(r.tv_nsec, 1);
	OK(clock_getres(CLOCK_REALTIME, &r));
	CHECK_EQ(r.tv_nsec, 1);
	OK(clock_getres(CLOCK_MONOTONIC_COARSE, &r));
	CHECK(r.tv_nsec >= 1000000 && r.tv_nsec <= 10000000);
	OK(clock_getres(CLOCK_PROCESS_CPUTIME_ID, &r));
	CHECK_EQ(r.tv_nsec, 1);
	OK(clock_getres(CLOCK_MONOTONIC, NULL));
	CHECK_ERR(clock_getres(99, &r), EINVAL);
	return guest_ok();
}
