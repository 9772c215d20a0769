/* A loop that counts while it waits for a store, with nothing in it that a thread could be told by. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int flag;

static void *later(void *arg)
{
	usleep(1000);
	flag = 1;
	return arg;
}

int main(void)
{
	volatile unsigned long n = 0;
	pthread_t t;

	pthread_create(&t, NULL, later, NULL);
	while (!flag)
		n++;
	pthread_join(t, NULL);
	puts(n ? "ok" : "no waiting");
	return 0;
}
