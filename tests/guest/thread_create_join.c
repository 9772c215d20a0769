/* Threads get their argument, return a value, have their own tid and share the pid. */
#include "guest.h"

#include <sys/syscall.h>

enum { N = 20 };

static pid_t tids[N];

static void *body(void *arg)
{
	intptr_t i = (intptr_t)arg;

	tids[i] = gettid();
	CHECK_EQ(getpid(), syscall(SYS_getpid));
	if (i % 2)
		pthread_exit((void *)(i * 3));
	return (void *)(i * 3);
}

int main(void)
{
	pthread_t t[N];

	for (intptr_t i = 0; i < N; i++)
		t[i] = thread(body, (void *)i);
	for (intptr_t i = 0; i < N; i++)
		CHECK_EQ((intptr_t)join(t[i]), i * 3);
	for (int i = 0; i < N; i++) {
		CHECK(tids[i] > 0 && tids[i] != getpid());
		for (int j = 0; j < i; j++)
			CHECK(tids[i] != tids[j]);
		printf("%d ", tids[i] - getpid());
	}
	CHECK_EQ(gettid(), getpid());
	puts("");
	PT_ERR(pthread_join(pthread_self(), NULL), EDEADLK);
	return guest_ok();
}
