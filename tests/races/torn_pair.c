/* A reader of two words that must agree: a seqlock without the retry. */
#include "race.h"

static atomic_uint seq;
static volatile long a, b;
static atomic_int bad;

static void *writer(void *arg)
{
	for (int i = 1; i <= 200; i++) {
		seq++;
		a = i;
		b = -i;
		seq++;
	}
	return arg;
}

static void *reader(void *arg)
{
	for (int i = 0; i < 200; i++) {
		unsigned s;
		long x, y;
		int tries = 0;
		do {
			s = seq;
			x = a;
			y = b;
		} while (fixed && (s % 2 || s != seq) && ++tries < 1000);
		if (x != -y && tries < 1000)
			bad = 1;
	}
	return arg;
}

int main(void)
{
	run(writer, reader, 1);
	return show(bad, "the two words did not agree");
}
