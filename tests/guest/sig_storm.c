/* Many signals to threads in system calls, as Go preempts its goroutines with SIGURG: no call is lost or doubled. */
#include "guest.h"

enum { WORKERS = 3, ROUNDS = 300 };

static volatile sig_atomic_t hits;
static int p[2], stop;
static pthread_t workers[WORKERS];

static void handler(int sig)
{
	hits++;
}

static void *writer(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		CHECK_EQ(write(p[1], "abcd", 4), 4);
	return NULL;
}

static void *preempter(void *arg)
{
	for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_SEQ_CST); i++) {
		PT(pthread_kill(workers[i % WORKERS], SIGURG));
		usleep(50);
	}
	return NULL;
}

int main(void)
{
	char buf[4];
	int total = 0;

	on_signal(SIGURG, handler, SA_RESTART | SA_ONSTACK);
	OK(pipe(p));
	/* The smallest pipe: writers and the reader block often. */
	OK(fcntl(p[1], F_SETPIPE_SZ, 4096));
	for (int i = 0; i < WORKERS; i++)
		workers[i] = thread(writer, NULL);
	pthread_t t = thread(preempter, NULL);
	while (total < WORKERS * ROUNDS * 4) {
		ssize_t n = OK(read(p[0], buf, 4));
		CHECK_EQ(n, 4);
		CHECK(memcmp(buf, "abcd", 4) == 0);
		total += (int)n;
		if (total % 400 == 0)
			usleep(100);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	join(t);
	for (int i = 0; i < WORKERS; i++)
		join(workers[i]);
	set_nonblock(p[0]);
	CHECK_ERR(read(p[0], buf, 1), EAGAIN);
	return guest_ok();
}
