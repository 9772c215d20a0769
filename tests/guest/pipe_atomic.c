/* Writes of up to PIPE_BUF bytes by several processes do not mix. */
#include "guest.h"

enum { WRITERS = 4, RECORDS = 50, SIZE = 3000 };

static int p[2];

static void writer(void *arg)
{
	char rec[SIZE];

	close(p[0]);
	memset(rec, 'a' + (int)(intptr_t)arg, SIZE);
	for (int i = 0; i < RECORDS; i++)
		CHECK_EQ(write(p[1], rec, SIZE), SIZE);
}

int main(void)
{
	int counts[WRITERS] = {0};
	char rec[SIZE];
	pid_t pid[WRITERS];

	OK(pipe(p));
	for (intptr_t i = 0; i < WRITERS; i++)
		pid[i] = child(writer, (void *)i);
	close(p[1]);
	for (;;) {
		size_t have = 0;
		ssize_t n;

		while (have < SIZE && (n = OK(read(p[0], rec + have, SIZE - have))) > 0)
			have += (size_t)n;
		if (have == 0)
			break;
		CHECK_EQ(have, SIZE);
		for (int i = 1; i < SIZE; i++)
			CHECK_EQ(rec[i], rec[0]);
		counts[rec[0] - 'a']++;
	}
	for (int i = 0; i < WRITERS; i++) {
		CHECK_EQ(counts[i], RECORDS);
		CHECK_EXIT(pid[i], 0);
	}
	return guest_ok();
}
