/* A read-write lock: readers together, a writer alone, the timed forms time out. */
#include "guest.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static int readers, value, copy;

static void *together(void *arg)
{
	PT(pthread_rwlock_rdlock(&lock));
	pthread_barrier_wait(&both); /* hangs if readers excluded each other */
	PT(pthread_rwlock_unlock(&lock));
	return NULL;
}

static void *reader(void *arg)
{
	for (int i = 0; i < 200; i++) {
		PT(pthread_rwlock_rdlock(&lock));
		__atomic_add_fetch(&readers, 1, __ATOMIC_SEQ_CST);
		CHECK_EQ(value, copy);
		if (i % 20 == 0)
			sched_yield();
		__atomic_sub_fetch(&readers, 1, __ATOMIC_SEQ_CST);
		PT(pthread_rwlock_unlock(&lock));
	}
	return NULL;
}

static void *writer(void *arg)
{
	for (int i = 0; i < 200; i++) {
		PT(pthread_rwlock_wrlock(&lock));
		CHECK_EQ(__atomic_load_n(&readers, __ATOMIC_SEQ_CST), 0);
		value++;
		if (i % 20 == 0)
			sched_yield();
		copy++;
		PT(pthread_rwlock_unlock(&lock));
	}
	return NULL;
}

static void *timed(void *arg)
{
	struct timespec at = timespec_of(clock_ns(CLOCK_REALTIME) + 20 * NS_PER_MS);

	PT_ERR(pthread_rwlock_tryrdlock(&lock), EBUSY);
	PT_ERR(pthread_rwlock_timedrdlock(&lock, &at), ETIMEDOUT);
	at = timespec_of(clock_ns(CLOCK_REALTIME) + 20 * NS_PER_MS);
	PT_ERR(pthread_rwlock_timedwrlock(&lock, &at), ETIMEDOUT);
	return NULL;
}

int main(void)
{
	pthread_t t[5];

	PT(pthread_barrier_init(&both, NULL, 2));
	t[0] = thread(together, NULL);
	t[1] = thread(together, NULL);
	join(t[0]);
	join(t[1]);

	for (int i = 0; i < 5; i++)
		t[i] = thread(i < 3 ? reader : writer, NULL);
	for (int i = 0; i < 5; i++)
		join(t[i]);
	CHECK_EQ(value, 400);

	PT(pthread_rwlock_wrlock(&lock));
	join(thread(timed, NULL));
	PT(pthread_rwlock_unlock(&lock));
	return guest_ok();
}
