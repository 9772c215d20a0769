/* A spin that yields lets the others run. */
#include "guest.h"

#include <sched.h>

static int flag, answer;

static void *setter(void *arg)
{
	nap_ms(10);
	for (int i = 0; i < 50; i++)
		sched_yield();
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&answer, __ATOMIC_SEQ_CST))
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t = thread(setter, NULL);

	while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST))
		sched_yield();
	__atomic_store_n(&answer, 1, __ATOMIC_SEQ_CST);
	join(t);
	return guest_ok();
}
