/* Check, then act: two threads take the last ticket. */
#include "race.h"

static volatile int tickets = 1, sold;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *buy(void *arg)
{
	if (fixed)
		pthread_mutex_lock(&lock);
	if (tickets > 0) {
		for (volatile int i = 0; i < 40; i++)
			; /* prints it */
		tickets--;
		__atomic_add_fetch(&sold, 1, __ATOMIC_SEQ_CST);
	}
	if (fixed)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	run(buy, buy, 2);
	return show(sold != 1, "one ticket was sold twice");
}
