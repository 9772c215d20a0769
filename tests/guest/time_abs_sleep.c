/* clock_nanosleep with TIMER_ABSTIME ends at that time, at once if it has passed. */
#include "guest.h"

static void until(clockid_t id)
{
	for (int ms = 1; ms <= 20; ms += 6) {
		int64_t at = clock_ns(id) + ms * NS_PER_MS;
		struct timespec t = timespec_of(at);

		PT(clock_nanosleep(id, TIMER_ABSTIME, &t, NULL));
		CHECK(clock_ns(id) >= at);
	}
	struct timespec past = {.tv_sec = 1};
	PT(clock_nanosleep(id, TIMER_ABSTIME, &past, NULL));
}

int main(void)
{
	struct timespec rel = {.tv_nsec = 2 * NS_PER_MS};
	int64_t start = mono_ns();

	until(CLOCK_MONOTONIC);
	until(CLOCK_REALTIME);
	until(CLOCK_BOOTTIME);
	PT(clock_nanosleep(CLOCK_REALTIME, 0, &rel, NULL));
	CHECK(mono_ns() - start >= 2 * NS_PER_MS);

	PT_ERR(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &rel, NULL), EINVAL);
	PT_ERR(clock_nanosleep(99, 0, &rel, NULL), EINVAL);
	rel.tv_nsec = -1;
	PT_ERR(clock_nanosleep(CLOCK_MONOTONIC, 0, &rel, NULL), EINVAL);
	return guest_ok();
}
