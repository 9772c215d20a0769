/* Two threads hand a ball over with condition variables; a broadcast wakes all. */
#include "guest.h"

enum { ROUNDS = 500, CROWD = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, go, arrived;

static void play(int me)
{
	for (int i = 0; i < ROUNDS; i++) {
		PT(pthread_mutex_lock(&lock));
		while (turn % 2 != me)
			PT(pthread_cond_wait(&cond, &lock));
		turn++;
		PT(pthread_cond_signal(&cond));
		PT(pthread_mutex_unlock(&lock));
	}
}

static void *second(void *arg)
{
	play(1);
	return NULL;
}

static void *crowd(void *arg)
{
	PT(pthread_mutex_lock(&lock));
	arrived++;
	while (!go)
		PT(pthread_cond_wait(&cond, &lock));
	PT(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t t = thread(second, NULL), c[CROWD];

	play(0);
	join(t);
	CHECK_EQ(turn, 2 * ROUNDS);

	for (int i = 0; i < CROWD; i++)
		c[i] = thread(crowd, NULL);
	for (int all = 0; !all; nap_ms(1)) {
		PT(pthread_mutex_lock(&lock));
		all = arrived == CROWD;
		PT(pthread_mutex_unlock(&lock));
	}
	PT(pthread_mutex_lock(&lock));
	go = 1;
	PT(pthread_cond_broadcast(&cond));
	PT(pthread_mutex_unlock(&lock));
	for (int i = 0; i < CROWD; i++)
		join(c[i]);
	return guest_ok();
}
