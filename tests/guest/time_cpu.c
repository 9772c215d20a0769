/* CPU time: the clocks, clock(), times and getrusage are monotone and do not count sleep. */
#include "guest.h"

#include <sys/resource.h>
#include <sys/times.h>

static int64_t rusage_ns(int who)
{
	struct rusage ru;

	OK(getrusage(who, &ru));
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NS_PER_S +
	       (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
}

int main(void)
{
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), ru = rusage_ns(RUSAGE_SELF);
	struct tms tm;
	clock_t c = clock(), ticks = times(&tm);

	CHECK(cpu >= 0 && ru >= 0);
	CHECK(c != (clock_t)-1);
	CHECK(ticks != (clock_t)-1);
	for (int i = 0; i < 100; i++) {
		int64_t cpu2 = clock_ns(CLOCK_PROCESS_CPUTIME_ID), ru2 = rusage_ns(RUSAGE_SELF);
		clock_t c2 = clock();

		CHECK(cpu2 >= cpu && ru2 >= ru && c2 >= c);
		cpu = cpu2;
		ru = ru2;
		c = c2;
	}

	nap_ms(2000);
	CHECK(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu < NS_PER_S);
	CHECK(rusage_ns(RUSAGE_SELF) - ru < NS_PER_S);
	struct tms tm2;
	clock_t ticks2 = times(&tm2);
	CHECK(ticks2 - ticks >= 2 * sysconf(_SC_CLK_TCK) - 1);
	CHECK(tm2.tms_utime >= tm.tms_utime);
	CHECK(clock_ns(CLOCK_THREAD_CPUTIME_ID) >= 0);
	CHECK(rusage_ns(RUSAGE_CHILDREN) >= 0);
	CHECK(rusage_ns(RUSAGE_THREAD) >= 0);
	CHECK_ERR(getrusage(77, &(struct rusage){0}), EINVAL);
	printf("%lld %lld\n", (long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID), (long long)rusage_ns(RUSAGE_SELF));
	return guest_ok();
}
