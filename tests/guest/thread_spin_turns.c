/* Two threads that take turns by a word in memory, without any call: each waits for something new each time. */
#include "guest.h"

static volatile int turn;

static void *other(void *arg)
{
	for (int i = 0; i < 40; i++) {
		while (turn != 1)
			;
		turn = 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t t = thread(other, NULL);

	for (int i = 0; i < 40; i++) {
		turn = 1;
		while (turn != 0)
			;
	}
	join(t);
	return guest_ok();
}
