/* Output by every way comes in order: stdio, write, writev, a duplicate, a child, /dev/stdout, standard error. */
#include "guest.h"

#include <sys/uio.h>

int main(void)
{
	char buf[8];

	printf("stdio\n");
	fflush(stdout);
	CHECK_EQ(write(1, "write\n", 6), 6);
	struct iovec v[2] = {{"wri", 3}, {"tev\n", 4}};
	CHECK_EQ(writev(1, v, 2), 7);
	int copy = OK(dup(1));
	CHECK_EQ(write(copy, "dup\n", 4), 4);
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK_EQ(write(1, "child\n", 6), 6);
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	int opened = open("/dev/stdout", O_WRONLY);
	if (opened >= 0)
		CHECK_EQ(write(opened, "opened\n", 7), 7);
	fprintf(stderr, "error\n");
	CHECK_EQ(write(1, "", 0), 0);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(write(1, &"parts"[i], 1), 1);
	CHECK_EQ(write(1, "\n", 1), 1);
	for (int i = 0; i < 200; i++)
		printf("line %d of many, long enough to fill the buffer of stdio now and then\n", i);
	fflush(stdout);
	CHECK_EQ(read(0, buf, sizeof buf), 0); /* tests/run.sh gives /dev/null */
	CHECK_EQ(getchar(), EOF);
	return guest_ok();
}
