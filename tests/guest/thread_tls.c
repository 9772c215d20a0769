/* Thread-local variables are each thread's own, initialised, aligned, also in threads made later and after fork. */
#include "guest.h"

static __thread int small = 7;
static __thread char big[3000];
static __thread __attribute__((aligned(64))) long aligned = 5;

static void *body(void *arg)
{
	int i = (int)(intptr_t)arg;

	CHECK_EQ(small, 7);
	CHECK_EQ(big[2999], 0);
	CHECK_EQ((uintptr_t)&aligned % 64, 0);
	small = i;
	memset(big, i, sizeof big);
	for (int n = 0; n < 20; n++) {
		sched_yield();
		CHECK_EQ(small, i);
		CHECK_EQ(big[n * 100], i);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[5];

	small = 99;
	for (intptr_t i = 0; i < 5; i++)
		t[i] = thread(body, (void *)(i + 1));
	for (int i = 0; i < 5; i++)
		join(t[i]);
	CHECK_EQ(small, 99);
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK_EQ(small, 99);
		small = 1;
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(small, 99);
	return guest_ok();
}
