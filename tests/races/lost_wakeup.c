/* A condition that is set and signalled without the lock: the waiter may look, then miss the signal, then wait. */
#include "race.h"

static volatile bool ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *setter(void *arg)
{
	if (fixed)
		pthread_mutex_lock(&lock);
	ready = true;
	pthread_cond_signal(&cond);
	if (fixed)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&cond, &lock); /* for ever: simrun calls it a deadlock */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	run(waiter, setter, 1);
	return 0;
}
