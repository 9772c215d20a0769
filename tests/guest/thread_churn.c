/* Many short threads, several creators at once, some detached, some joined; tids of the ended are gone. */
#include "guest.h"

#include <dirent.h>

static int ran;

static void *shortly(void *arg)
{
	__atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *creates(void *arg)
{
	for (int i = 0; i < 60; i++) {
		pthread_t t = thread(shortly, (void *)(intptr_t)i);

		if (i % 3 == 0)
			PT(pthread_detach(t));
		else
			CHECK_EQ((intptr_t)join(t), i);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		t[i] = thread(creates, NULL);
	for (int i = 0; i < 4; i++)
		join(t[i]);
	while (__atomic_load_n(&ran, __ATOMIC_SEQ_CST) < 240)
		nap_ms(1);
	int n = 0;
	for (int tries = 0; tries < 1000; tries++) {
		DIR *d = opendir("/proc/self/task");

		n = 0;
		for (struct dirent *e; (e = readdir(d));)
			n += e->d_name[0] != '.';
		closedir(d);
		if (n == 1)
			break;
		nap_ms(5); /* detached ones may still be ending */
	}
	CHECK_EQ(n, 1);
	return guest_ok();
}
