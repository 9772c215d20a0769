/* The same through a pointer, in short instructions only, answered back and forth. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct turn {
	atomic_int whose;
};

__attribute__((noinline)) static unsigned long wait_for(struct turn *t, int me)
{
	unsigned long n = 0;

	while (t->whose != me)
		n++;
	return n;
}

static void *other(void *arg)
{
	struct turn *t = arg;

	for (int i = 0; i < 20; i++) {
		if (wait_for(t, 1) == 1)
			usleep(1);
		t->whose = 0;
	}
	return NULL;
}

int main(void)
{
	struct turn *t = calloc(1, sizeof *t);
	pthread_t p;

	pthread_create(&p, NULL, other, t);
	for (int i = 0; i < 20; i++) {
		t->whose = 1;
		if (wait_for(t, 0) == 1)
			usleep(1);
	}
	pthread_join(p, NULL);
	puts("ok");
	return 0;
}
