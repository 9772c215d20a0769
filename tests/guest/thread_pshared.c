/* Process-shared mutex, condition and barrier in MAP_SHARED memory, across fork. */
#include "guest.h"

#include <sys/mman.h>

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	int counter, turn;
};

static struct shared *s;

static void body(void *arg)
{
	int me = (int)(intptr_t)arg;

	pthread_barrier_wait(&s->barrier);
	for (int i = 0; i < 100; i++) {
		PT(pthread_mutex_lock(&s->lock));
		int c = s->counter;
		if (i % 10 == 0)
			sched_yield();
		s->counter = c + 1;
		PT(pthread_mutex_unlock(&s->lock));
	}
	for (int i = 0; i < 20; i++) {
		PT(pthread_mutex_lock(&s->lock));
		while (s->turn % 3 != me)
			PT(pthread_cond_wait(&s->cond, &s->lock));
		s->turn++;
		PT(pthread_cond_broadcast(&s->cond));
		PT(pthread_mutex_unlock(&s->lock));
	}
}

int main(void)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pthread_barrierattr_t ba;
	pid_t pid[3];

	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(s != MAP_FAILED);
	PT(pthread_mutexattr_init(&ma));
	PT(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	PT(pthread_mutex_init(&s->lock, &ma));
	PT(pthread_condattr_init(&ca));
	PT(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	PT(pthread_cond_init(&s->cond, &ca));
	PT(pthread_barrierattr_init(&ba));
	PT(pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED));
	PT(pthread_barrier_init(&s->barrier, &ba, 3));
	for (intptr_t i = 0; i < 3; i++)
		pid[i] = child(body, (void *)i);
	for (int i = 0; i < 3; i++)
		CHECK_EXIT(pid[i], 0);
	CHECK_EQ(s->counter, 300);
	CHECK_EQ(s->turn, 60);
	return guest_ok();
}
