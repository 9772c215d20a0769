/* fork while other threads are inside the allocator and stdio: the child can use both. */
#include "guest.h"

static int stop;

static void *allocates(void *arg)
{
	char *keep[50] = {0};

	for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_SEQ_CST); i++) {
		free(keep[i % 50]);
		keep[i % 50] = malloc(1 + i * 37 % 5000);
		if (i % 64 == 0)
			usleep(1);
	}
	for (int i = 0; i < 50; i++)
		free(keep[i]);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = thread(allocates, NULL);
	for (int i = 0; i < 30; i++) {
		pid_t pid = OK(fork());
		if (pid == 0) {
			for (int n = 0; n < 100; n++) {
				char *p = malloc(10 + (size_t)n * 100);
				CHECK(p);
				memset(p, n, 10);
				free(p);
			}
			FILE *f = fopen("/dev/null", "w");
			CHECK(f);
			fprintf(f, "%d\n", i);
			fclose(f);
			_exit(0);
		}
		CHECK_EXIT(pid, 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 3; i++)
		join(t[i]);
	return guest_ok();
}
