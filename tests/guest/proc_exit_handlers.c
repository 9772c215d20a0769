/* exit runs atexit handlers in reverse and flushes; _exit does neither; a destructor runs. */
#include "guest.h"

static int fd;

static void first(void)
{
	CHECK_EQ(write(fd, "1", 1), 1);
}

static void second(void)
{
	CHECK_EQ(write(fd, "2", 1), 1);
}

__attribute__((destructor)) static void destructor(void)
{
	if (fd)
		CHECK_EQ(write(fd, "d", 1), 1);
}

static int run(int how, char *got, size_t size)
{
	int p[2];

	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		fd = p[1];
		FILE *f = fdopen(dup(fd), "w");
		fputs("b", f);
		atexit(first);
		atexit(second);
		if (how == 0)
			exit(1);
		if (how == 1)
			_exit(1);
		quick_exit(1);
	}
	close(p[1]);
	CHECK_EXIT(pid, 1);
	ssize_t n = OK(read(p[0], got, size - 1));
	got[n] = 0;
	close(p[0]);
	return (int)n;
}

int main(void)
{
	char got[16];

	run(0, got, sizeof got);
	CHECK(strcmp(got, "21db") == 0);
	CHECK_EQ(run(1, got, sizeof got), 0);
	CHECK_EQ(run(2, got, sizeof got), 0);
	return guest_ok();
}
