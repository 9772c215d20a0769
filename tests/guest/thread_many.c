/* Two hundred threads alive at once, and a queue that they work off. */
#include "guest.h"

enum { THREADS = 200, JOBS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queued, taken[JOBS], next_job, closed;

static void *worker(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (next_job == queued && !closed)
			pthread_cond_wait(&more, &lock);
		if (next_job == queued) {
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		int job = next_job++;
		pthread_mutex_unlock(&lock);
		__atomic_add_fetch(&taken[job], 1, __ATOMIC_SEQ_CST);
	}
}

int main(void)
{
	static pthread_t t[THREADS];
	pthread_attr_t a;

	PT(pthread_attr_init(&a));
	PT(pthread_attr_setstacksize(&a, 64 * 1024));
	for (int i = 0; i < THREADS; i++)
		PT(pthread_create(&t[i], &a, worker, NULL));
	for (int i = 0; i < JOBS; i++) {
		pthread_mutex_lock(&lock);
		queued++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	for (int i = 0; i < JOBS; i++)
		CHECK_EQ(taken[i], 1);
	return guest_ok();
}
