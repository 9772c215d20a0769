/* pthread_cond_timedwait times out on both clocks, not before the time; a past time at once. */
#include "guest.h"

static void wait_on(clockid_t id)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond;
	pthread_condattr_t a;

	PT(pthread_condattr_init(&a));
	PT(pthread_condattr_setclock(&a, id));
	PT(pthread_cond_init(&cond, &a));
	PT(pthread_mutex_lock(&lock));

	for (int ms = 1; ms < 200; ms *= 5) {
		int64_t at = clock_ns(id) + ms * NS_PER_MS;
		struct timespec t = timespec_of(at);
		int e;

		while ((e = pthread_cond_timedwait(&cond, &lock, &t)) == 0)
			;
		CHECK_EQ(e, ETIMEDOUT);
		CHECK(clock_ns(id) >= at);
	}
	struct timespec past = {.tv_sec = 1};
	PT_ERR(pthread_cond_timedwait(&cond, &lock, &past), ETIMEDOUT);
	struct timespec bad = {.tv_nsec = -1};
	PT_ERR(pthread_cond_timedwait(&cond, &lock, &bad), EINVAL);
	struct timespec t = timespec_of(mono_ns() + 5 * NS_PER_MS);
	PT_ERR(pthread_cond_clockwait(&cond, &lock, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	PT(pthread_mutex_unlock(&lock));
	PT(pthread_cond_destroy(&cond));
}

int main(void)
{
	wait_on(CLOCK_REALTIME);
	wait_on(CLOCK_MONOTONIC);
	return guest_ok();
}
