/* A priority-inheriting mutex (FUTEX_LOCK_PI): exclusion, timeout, unlock by others refused. */
#include "guest.h"

static pthread_mutex_t m;
static int counter;

static void *body(void *arg)
{
	for (int i = 0; i < 100; i++) {
		PT(pthread_mutex_lock(&m));
		int c = counter;
		if (i % 10 == 0)
			sched_yield();
		counter = c + 1;
		PT(pthread_mutex_unlock(&m));
	}
	return NULL;
}

static void *timed(void *arg)
{
	struct timespec at = timespec_of(clock_ns(CLOCK_REALTIME) + 20 * NS_PER_MS);

	PT_ERR(pthread_mutex_timedlock(&m, &at), ETIMEDOUT);
	CHECK(clock_ns(CLOCK_REALTIME) >= at.tv_sec * NS_PER_S + at.tv_nsec);
	PT_ERR(pthread_mutex_trylock(&m), EBUSY);
	PT_ERR(pthread_mutex_unlock(&m), EPERM);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[4];

	PT(pthread_mutexattr_init(&a));
	PT(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	PT(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	PT(pthread_mutex_init(&m, &a));
	for (int i = 0; i < 4; i++)
		t[i] = thread(body, NULL);
	for (int i = 0; i < 4; i++)
		join(t[i]);
	CHECK_EQ(counter, 400);

	PT(pthread_mutex_lock(&m));
	PT_ERR(pthread_mutex_lock(&m), EDEADLK);
	join(thread(timed, NULL));
	PT(pthread_mutex_unlock(&m));
	return guest_ok();
}
