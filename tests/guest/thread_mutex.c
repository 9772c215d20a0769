/* A contended mutex: no increment is lost, also when the holder sleeps with it. */
#include "guest.h"

enum { THREADS = 6, ROUNDS = 300 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, inside;

static void *body(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		PT(pthread_mutex_lock(&lock));
		CHECK_EQ(inside++, 0);
		int seen = counter;
		if (i % 100 == 0)
			nap_ms(1);
		else if (i % 10 == 0)
			sched_yield();
		counter = seen + 1;
		inside--;
		PT(pthread_mutex_unlock(&lock));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		t[i] = thread(body, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK_EQ(counter, THREADS * ROUNDS);
	PT(pthread_mutex_trylock(&lock));
	PT_ERR(pthread_mutex_trylock(&lock), EBUSY);
	PT(pthread_mutex_unlock(&lock));
	return guest_ok();
}
