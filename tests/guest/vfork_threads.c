/* vfork and posix_spawn stop only the calling thread: the others of the process run on. */
#include "guest.h"

static volatile int counter;

static void *counts(void *arg)
{
	for (int i = 0; i < 50; i++) {
		__atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
		usleep(1000);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = thread(counts, NULL);

	while (__atomic_load_n(&counter, __ATOMIC_SEQ_CST) < 2)
		usleep(100);
	int before = counter;
	pid_t pid = vfork();
	if (pid == 0) {
		struct timespec ts = {.tv_nsec = 500 * NS_PER_MS};

		nanosleep(&ts, NULL);
		_exit(0);
	}
	CHECK(counter > before); /* it went on while we waited */
	CHECK_EXIT(pid, 0);
	join(t);
	CHECK_EQ(counter, 50);
	return guest_ok();
}
