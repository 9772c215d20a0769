/* Many threads wait for one descriptor in poll: all wake; in read: one takes it. */
#include "guest.h"

#include <poll.h>

enum { N = 6 };

static int p[2], woken, took;

static void *polls(void *arg)
{
	struct pollfd pf = {.fd = p[0], .events = POLLIN};

	CHECK_EQ(poll(&pf, 1, -1), 1);
	CHECK_EQ(pf.revents, POLLIN);
	__atomic_add_fetch(&woken, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *reads(void *arg)
{
	char c;

	if (OK(read(p[0], &c, 1)) == 1)
		__atomic_add_fetch(&took, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	OK(pipe(p));
	for (int i = 0; i < N; i++)
		t[i] = thread(polls, NULL);
	nap_ms(20);
	CHECK_EQ(woken, 0);
	tell(p[1]);
	for (int i = 0; i < N; i++)
		join(t[i]);
	CHECK_EQ(woken, N);
	await(p[0]);

	for (int i = 0; i < N; i++)
		t[i] = thread(reads, NULL);
	nap_ms(20);
	CHECK_EQ(write(p[1], "abc", 3), 3);
	nap_ms(20);
	OK(close(p[1])); /* the others see the end */
	for (int i = 0; i < N; i++)
		join(t[i]);
	CHECK_EQ(took, 3);
	return guest_ok();
}
