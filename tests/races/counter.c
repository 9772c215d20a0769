/* counter++ by four threads. */
#include "race.h"

static volatile int plain;
static atomic_int whole;

static void *add(void *arg)
{
	for (int i = 0; i < 500; i++) {
		if (fixed)
			whole++;
		else
			plain++;
	}
	return arg;
}

int main(void)
{
	run(add, add, 2);
	return show((fixed ? whole : plain) != 2000, "an increment was lost");
}
