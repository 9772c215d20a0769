/* fork: both return, memory is copied, pids and parents are as they should be, stdio buffers are duplicated. */
#include "guest.h"

int main(void)
{
	int value = 1, p[2];
	pid_t me = getpid();

	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK_EQ(getppid(), me);
		CHECK(getpid() != me);
		CHECK_EQ(value, 1);
		value = 2;
		pid_t self = getpid();
		CHECK_EQ(write(p[1], &self, sizeof self), (ssize_t)sizeof self);
		nap_ms(10);
		_exit(value);
	}
	value = 3;
	pid_t told;
	CHECK_EQ(read(p[0], &told, sizeof told), (ssize_t)sizeof told);
	CHECK_EQ(told, pid);
	CHECK_EXIT(pid, 2);
	CHECK_EQ(value, 3);
	CHECK_ERR(kill(pid, 0), ESRCH);
	CHECK_ERR(waitpid(pid, NULL, 0), ECHILD);

	/* What is in the stdio buffer at fork is written twice. */
	FILE *f = fdopen(p[1], "w");
	fputs("twice", f);
	pid = OK(fork());
	if (pid == 0) {
		fflush(f);
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	fclose(f);
	char buf[32];
	CHECK_EQ(read(p[0], buf, sizeof buf), 10);
	CHECK(memcmp(buf, "twicetwice", 10) == 0);
	return guest_ok();
}
