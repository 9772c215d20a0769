/* What threads race for is unordered, but under one seed always the same: the order is printed. */
#include "guest.h"

enum { N = 4, ROUNDS = 10 };

static char log_[N * ROUNDS + 1];
static int at;

static void *body(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		log_[__atomic_fetch_add(&at, 1, __ATOMIC_SEQ_CST)] = (char)('a' + (intptr_t)arg);
		if (i % 3 == 0)
			sched_yield();
		else
			usleep(1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (intptr_t i = 0; i < N; i++)
		t[i] = thread(body, (void *)i);
	for (int i = 0; i < N; i++)
		join(t[i]);
	CHECK_EQ(strlen(log_), N * ROUNDS);
	puts(log_);
	return guest_ok();
}
