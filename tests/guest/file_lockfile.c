/* O_EXCL as a lock between processes, and a counter in a file under it: nothing is lost. */
#include "guest.h"

enum { WORKERS = 4, ROUNDS = 20 };

static void works(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		int l, n = 0;

		while ((l = open("lock", O_WRONLY | O_CREAT | O_EXCL, 0600)) == -1) {
			CHECK_EQ(errno, EEXIST);
			usleep(200);
		}
		FILE *f = fopen("counter", "r+");
		CHECK(f && fscanf(f, "%d", &n) == 1);
		rewind(f);
		fprintf(f, "%d\n", n + 1);
		CHECK_EQ(fclose(f), 0);
		OK(unlink("lock"));
		OK(close(l));
	}
}

int main(void)
{
	pid_t pid[WORKERS];
	int n;

	workdir();
	close(file_with("counter", "0\n"));
	for (int i = 0; i < WORKERS; i++)
		pid[i] = child(works, NULL);
	for (int i = 0; i < WORKERS; i++)
		CHECK_EXIT(pid[i], 0);
	FILE *f = fopen("counter", "r");
	CHECK(f && fscanf(f, "%d", &n) == 1);
	fclose(f);
	CHECK_EQ(n, WORKERS * ROUNDS);
	return guest_ok();
}
