/* Recursive and error-checking mutexes, and pthread_mutex_timedlock. */
#include "guest.h"

static pthread_mutex_t recursive, checking;

static void *other(void *arg)
{
	PT_ERR(pthread_mutex_trylock(&recursive), EBUSY);
	PT_ERR(pthread_mutex_unlock(&checking), EPERM);

	struct timespec at = timespec_of(clock_ns(CLOCK_REALTIME) + 30 * NS_PER_MS);
	int64_t start = mono_ns();
	PT_ERR(pthread_mutex_timedlock(&recursive, &at), ETIMEDOUT);
	CHECK(mono_ns() - start >= 29 * NS_PER_MS);

	at = timespec_of(mono_ns() + 30 * NS_PER_MS);
	PT_ERR(pthread_mutex_clocklock(&recursive, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	CHECK(mono_ns() >= at.tv_sec * NS_PER_S + at.tv_nsec);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	PT(pthread_mutexattr_init(&a));
	PT(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	PT(pthread_mutex_init(&recursive, &a));
	PT(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK));
	PT(pthread_mutex_init(&checking, &a));

	PT(pthread_mutex_lock(&recursive));
	PT(pthread_mutex_lock(&recursive));
	PT(pthread_mutex_lock(&checking));
	PT_ERR(pthread_mutex_lock(&checking), EDEADLK);
	join(thread(other, NULL));
	PT(pthread_mutex_unlock(&recursive));
	PT(pthread_mutex_unlock(&recursive));
	PT_ERR(pthread_mutex_unlock(&recursive), EPERM);
	PT(pthread_mutex_unlock(&checking));
	return guest_ok();
}
