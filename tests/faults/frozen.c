/* What gdb finds in tests/replay.sh: a round every 100 ms in one thread, another that sleeps; it may crash in the fifth. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rounds;
static __thread int mine;

static void *other(void *arg)
{
	mine = 77;
	for (;;)
		sleep(1);
	return arg;
}

int square(int n)
{
	return n * n;
}

static void inner(int depth, const char *how)
{
	rounds++;
	if (rounds == 5 && !strcmp(how, "crash"))
		*(volatile int *)0 = depth;
	if (rounds == 5 && !strcmp(how, "abort"))
		abort();
	usleep(100000);
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, other, NULL);
	mine = 11;
	for (int i = 0; i < 20; i++) {
		inner(i, argc > 1 ? argv[1] : "");
		printf("round %d\n", rounds);
		fflush(stdout);
	}
	return square(0);
}
