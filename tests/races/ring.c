/* A ring buffer whose producer moves the index before it has stored the value. */
#include "race.h"

enum { SIZE = 8, COUNT = 300 };
static volatile int slot[SIZE];
static atomic_uint head, tail;
static atomic_int bad;

static void *producer(void *arg)
{
	for (int i = 1; i <= COUNT; i++) {
		while (head - tail == SIZE)
			usleep(1);
		if (fixed) {
			slot[head % SIZE] = i;
			head++;
		} else {
			unsigned h = head++;
			slot[h % SIZE] = i;
		}
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 1; i <= COUNT; i++) {
		while (head == tail)
			usleep(1);
		if (slot[tail % SIZE] != i)
			bad = 1;
		tail++;
	}
	return arg;
}

int main(void)
{
	run(producer, consumer, 1);
	return show(bad, "a slot was read before it was written");
}
