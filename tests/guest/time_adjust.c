/* Reading the state of clock discipline; setting the clock with bad values is refused. */
#include "guest.h"

#include <sys/time.h>
#include <sys/timex.h>

int main(void)
{
	struct timex tx = {0};
	int64_t now = clock_ns(CLOCK_REALTIME);

	int state = adjtimex(&tx);
	CHECK(state >= TIME_OK && state <= TIME_ERROR);
	CHECK(llabs(tx.time.tv_sec - now / NS_PER_S) <= 60);
	tx = (struct timex){0};
	CHECK(clock_adjtime(CLOCK_REALTIME, &tx) >= 0);
	struct timespec bad = {.tv_nsec = -1};
	CHECK_ERR(clock_settime(CLOCK_REALTIME, &bad), EINVAL);
	struct timespec t = {.tv_sec = 1};
	CHECK_ERR(clock_settime(CLOCK_MONOTONIC, &t), EINVAL);
	struct timeval tv = {.tv_usec = -1};
	CHECK_ERR(settimeofday(&tv, NULL), EINVAL);
	return guest_ok();
}
