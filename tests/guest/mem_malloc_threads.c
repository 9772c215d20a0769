/* Threads allocate and free in each other's arenas; what is in the blocks stays. */
#include "guest.h"

enum { THREADS = 4, SLOTS = 64, ROUNDS = 2000 };

static unsigned char *slot[SLOTS];
static pthread_mutex_t lock[SLOTS];

static void *body(void *arg)
{
	uint32_t r = (uint32_t)(intptr_t)arg * 2654435761u + 1;

	for (int i = 0; i < ROUNDS; i++) {
		r = r * 1664525 + 1013904223;
		int s = (int)(r >> 16) % SLOTS;
		size_t n = 1 + (r >> 8) % 3000;

		if (i % 100 == 0)
			n = 200000; /* a mapping of its own */
		PT(pthread_mutex_lock(&lock[s]));
		if (slot[s]) {
			CHECK_EQ(slot[s][0], s);
			slot[s] = realloc(slot[s], n);
		} else {
			slot[s] = malloc(n);
		}
		CHECK(slot[s]);
		memset(slot[s], s, n);
		if (r % 3 == 0) {
			free(slot[s]);
			slot[s] = NULL;
		}
		PT(pthread_mutex_unlock(&lock[s]));
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < SLOTS; i++)
		PT(pthread_mutex_init(&lock[i], NULL));
	for (intptr_t i = 0; i < THREADS; i++)
		t[i] = thread(body, (void *)i);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	return guest_ok();
}
