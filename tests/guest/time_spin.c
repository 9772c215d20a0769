/* A loop that only reads the clock ends: with each way to read it. */
#include "guest.h"

#include <sys/time.h>
#include <x86intrin.h>

int main(void)
{
	int64_t end = mono_ns() + 20 * NS_PER_MS;
	while (mono_ns() < end)
		;

	end = clock_ns(CLOCK_REALTIME) / 1000 + 20000;
	for (;;) {
		struct timeval tv;
		gettimeofday(&tv, NULL);
		if (tv.tv_sec * INT64_C(1000000) + tv.tv_usec >= end)
			break;
	}

	time_t t = time(NULL);
	while (time(NULL) < t + 1)
		;

	/* By the time stamp counter: about 10 ms of any processor's cycles. */
	uint64_t c = __rdtsc();
	while (__rdtsc() - c < 20000000)
		;
	return guest_ok();
}
