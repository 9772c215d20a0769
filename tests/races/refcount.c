/* A reference count that is read, then dropped: the last two holders both think they are not the last, or both that they are. */
#include "race.h"

static volatile int refs = 4;
static atomic_int freed;

static void *drop(void *arg)
{
	int left;

	if (fixed) {
		left = __atomic_sub_fetch(&refs, 1, __ATOMIC_SEQ_CST);
	} else {
		left = refs;
		__asm__ volatile("" : "+r"(left)); /* as a compiler may: loads, then stores */
		refs = --left;
	}
	if (!left)
		freed++;
	return arg;
}

int main(void)
{
	run(drop, drop, 2);
	return show(freed != 1, "freed not exactly once");
}
