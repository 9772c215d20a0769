/*
 * Spin locks and flags in memory, without any call in the loop: the one that waits does not keep the other from
 * running.
 */
#include "guest.h"

static pthread_spinlock_t lock;
static volatile int flag, answer;
static int counter;

static void *body(void *arg)
{
	for (int i = 0; i < 20; i++) {
		PT(pthread_spin_lock(&lock));
		int c = counter;
		if (i % 5 == 0)
			usleep(1);
		counter = c + 1;
		PT(pthread_spin_unlock(&lock));
	}
	return NULL;
}

static void *answers(void *arg)
{
	while (!flag)
		;
	usleep(10);
	answer = 1;
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	PT(pthread_spin_init(&lock, 0));
	for (int i = 0; i < 3; i++)
		t[i] = thread(body, NULL);
	for (int i = 0; i < 3; i++)
		join(t[i]);
	CHECK_EQ(counter, 60);

	t[0] = thread(answers, NULL);
	usleep(10);
	flag = 1;
	while (!answer)
		;
	join(t[0]);
	return guest_ok();
}
