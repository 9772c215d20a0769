/* A barrier: nobody enters round n+1 before all left round n; one thread of each round is the serial one. */
#include "guest.h"

enum { N = 5, ROUNDS = 20 };

static pthread_barrier_t barrier;
static int reached[ROUNDS], serial[ROUNDS];

static void *body(void *arg)
{
	for (int r = 0; r < ROUNDS; r++) {
		__atomic_add_fetch(&reached[r], 1, __ATOMIC_SEQ_CST);
		int e = pthread_barrier_wait(&barrier);
		CHECK(e == 0 || e == PTHREAD_BARRIER_SERIAL_THREAD);
		if (e)
			__atomic_add_fetch(&serial[r], 1, __ATOMIC_SEQ_CST);
		CHECK_EQ(__atomic_load_n(&reached[r], __ATOMIC_SEQ_CST), N);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	PT(pthread_barrier_init(&barrier, NULL, N));
	for (int i = 0; i < N; i++)
		t[i] = thread(body, NULL);
	for (int i = 0; i < N; i++)
		join(t[i]);
	for (int r = 0; r < ROUNDS; r++)
		CHECK_EQ(serial[r], 1);
	PT(pthread_barrier_destroy(&barrier));
	return guest_ok();
}
