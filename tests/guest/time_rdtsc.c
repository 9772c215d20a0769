/* The time stamp counter never goes backwards and runs at one rate with the clock. */
#include "guest.h"

#include <x86intrin.h>

static double cycles_per_ns(int64_t ms)
{
	int64_t t0 = mono_ns();
	uint64_t c0 = __rdtsc();

	nap_ms(ms);
	int64_t t1 = mono_ns();
	uint64_t c1 = __rdtsc();

	return (double)(c1 - c0) / (double)(t1 - t0);
}

int main(void)
{
	uint64_t last = __rdtsc();
	unsigned aux;

	for (int i = 0; i < 200; i++) {
		uint64_t c = i % 2 ? __rdtsc() : __rdtscp(&aux);

		CHECK(c >= last);
		last = c;
	}
	double a = cycles_per_ns(100), b = cycles_per_ns(400);
	CHECK(a > 0.1 && a < 20);
	CHECK(a / b > 0.5 && a / b < 2);
	printf("%.3f cycles per ns, now %llu\n", b, (unsigned long long)__rdtsc());
	return guest_ok();
}
