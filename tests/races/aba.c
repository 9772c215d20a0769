/* A lock-free stack whose pop compares the head only: ABA. The fixed one counts pops in the upper bits. */
#include "race.h"

#include <sched.h>

enum { NODES = 4 };
static struct {
	_Atomic int next;
} node[NODES + 1];
static _Atomic unsigned long head; /* index, and with FIXED a count above it */
static atomic_int taken[NODES + 1], bad;

static unsigned long link_to(unsigned long old, int n)
{
	return fixed ? ((old >> 16) + 1) << 16 | (unsigned long)n : (unsigned long)n;
}

static int pop(void)
{
	for (;;) {
		unsigned long old = head;
		int n = (int)(old & 0xffff), next;
		if (!n)
			return 0;
		next = node[n].next;
		if (atomic_compare_exchange_strong(&head, &old, link_to(old, next)))
			return n;
	}
}

static void push(int n)
{
	unsigned long old = head;

	do
		node[n].next = (int)(old & 0xffff);
	while (!atomic_compare_exchange_strong(&head, &old, link_to(old, n)));
}

static void *work(void *arg)
{
	for (int i = 0; i < 60; i++) {
		int a = pop(), b = pop();
		if ((a && atomic_fetch_add(&taken[a], 1)) || (b && atomic_fetch_add(&taken[b], 1)))
			bad = 1; /* two threads hold the same node */
		if (a) {
			taken[a]--;
			push(a);
		}
		if (b) {
			taken[b]--;
			push(b);
		}
		sched_yield();
	}
	return arg;
}

int main(void)
{
	for (int i = 1; i <= NODES; i++)
		push(i);
	run(work, work, 2);
	return show(bad, "two threads held the same node");
}
