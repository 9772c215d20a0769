/* A reader of two words that must agree, which looks at the sequence number but does not try again when it has changed. */
#include "race.h"

static atomic_uint seq;
static volatile int a, b;
static atomic_int bad;

static void *writer(void *arg)
{
	for (int i = 1; i <= 300; i++) {
		seq++;
		a = i;
		b = i;
		seq++;
	}
	return arg;
}

static void *reader(void *arg)
{
	for (int i = 0; i < 300; i++) {
		unsigned before = seq;
		int x, y;
		if (before & 1)
			continue;
		x = a;
		y = b;
		if (fixed && seq != before)
			continue;
		bad |= x != y;
	}
	return arg;
}

int main(void)
{
	run(writer, reader, 1);
	return show(bad, "two words that belong together were read apart");
}
