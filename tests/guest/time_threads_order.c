/* Sleepers wake in the order of their deadlines. */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[5], n;

static void *sleeper(void *arg)
{
	int i = (int)(intptr_t)arg;

	nap_ms((5 - i) * 200);
	pthread_mutex_lock(&lock);
	order[n++] = i;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[5];
	int64_t start = mono_ns();

	for (intptr_t i = 0; i < 5; i++)
		t[i] = thread(sleeper, (void *)i);
	for (int i = 0; i < 5; i++)
		join(t[i]);
	CHECK(mono_ns() - start >= NS_PER_S);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(order[i], 4 - i);
	return guest_ok();
}
