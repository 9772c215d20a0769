/* Pipes: data in order, EOF when the last writer closes, EPIPE when the last reader does, FIONREAD, no seeking. */
#include "guest.h"

#include <sys/ioctl.h>

int main(void)
{
	int p[2], n;
	char buf[64];
	struct stat st;

	signal(SIGPIPE, SIG_IGN);
	OK(pipe(p));
	CHECK_EQ(write(p[1], "hello", 5), 5);
	CHECK_EQ(write(p[1], "world", 5), 5);
	OK(ioctl(p[0], FIONREAD, &n));
	CHECK_EQ(n, 10);
	CHECK_EQ(read(p[0], buf, 3), 3);
	CHECK_EQ(read(p[0], buf + 3, sizeof buf - 3), 7);
	CHECK(memcmp(buf, "helloworld", 10) == 0);
	CHECK_EQ(read(p[0], buf, 0), 0);

	CHECK_ERR(lseek(p[0], 0, SEEK_CUR), ESPIPE);
	CHECK_ERR(pread(p[0], buf, 1, 0), ESPIPE);
	CHECK_ERR(read(p[1], buf, 1), EBADF);
	CHECK_ERR(write(p[0], buf, 1), EBADF);
	CHECK_ERR(ftruncate(p[1], 0), EINVAL);
	CHECK_ERR(fsync(p[1]), EINVAL);
	OK(fstat(p[0], &st));
	CHECK(S_ISFIFO(st.st_mode));
	CHECK_EQ(fcntl(p[0], F_GETFL) & O_ACCMODE, O_RDONLY);
	CHECK_EQ(fcntl(p[1], F_GETFL) & O_ACCMODE, O_WRONLY);

	int w2 = OK(dup(p[1]));
	CHECK_EQ(write(p[1], "x", 1), 1);
	OK(close(p[1]));
	CHECK_EQ(write(w2, "y", 1), 1);
	OK(close(w2));
	CHECK_EQ(read(p[0], buf, sizeof buf), 2);
	CHECK_EQ(read(p[0], buf, sizeof buf), 0);
	CHECK_EQ(read(p[0], buf, sizeof buf), 0);
	OK(close(p[0]));

	OK(pipe2(p, O_NONBLOCK | O_CLOEXEC));
	CHECK_EQ(fcntl(p[0], F_GETFD), FD_CLOEXEC);
	CHECK(fcntl(p[1], F_GETFL) & O_NONBLOCK);
	CHECK_ERR(read(p[0], buf, 1), EAGAIN);
	OK(close(p[0]));
	CHECK_ERR(write(p[1], "x", 1), EPIPE);
	CHECK_ERR(pipe2(p, 0x1), EINVAL);
	return guest_ok();
}
