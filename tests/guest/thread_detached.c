/* Detached threads end by themselves; their stacks are reused. */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int done;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_attr_t a;

	PT(pthread_attr_init(&a));
	PT(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	PT(pthread_attr_setstacksize(&a, 256 * 1024));
	for (int i = 1; i <= 50; i++) {
		pthread_t t;

		PT(pthread_create(&t, i % 2 ? &a : NULL, body, NULL));
		if (i % 2 == 0)
			PT(pthread_detach(t));
		pthread_mutex_lock(&lock);
		while (done < i)
			pthread_cond_wait(&cond, &lock);
		pthread_mutex_unlock(&lock);
	}
	CHECK_EQ(done, 50);
	return guest_ok();
}
