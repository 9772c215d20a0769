/* Positions and access modes: read, pread, append, vectors with and without flags, lseek on files and on others. */
#include "guest.h"

#include <sys/socket.h>
#include <sys/uio.h>

static char buf[100];
/* Unknown to the compiler, which would warn. */
static void *volatile nowhere = (void *)8;
static volatile int too_many = 1025, negative = -1;

static void text_is(int fd, const char *want)
{
	ssize_t n = OK(pread(fd, buf, sizeof buf, 0));

	CHECK_EQ(n, strlen(want));
	CHECK(!memcmp(buf, want, (size_t)n));
}

static void modes(void)
{
	int rd = OK(open("f", O_RDONLY)), wr = OK(open("f", O_WRONLY)), path = OK(open("f", O_PATH)),
	    dir = OK(open(".", O_RDONLY));

	CHECK_ERR(write(rd, "x", 1), EBADF);
	CHECK_ERR(read(wr, buf, 1), EBADF);
	CHECK_ERR(pread(wr, buf, 1, 0), EBADF);
	CHECK_ERR(read(path, buf, 1), EBADF);
	CHECK_ERR(lseek(path, 0, SEEK_SET), EBADF);
	CHECK_ERR(read(dir, buf, 1), EISDIR);
	CHECK_ERR(read(99, buf, 1), EBADF);
	CHECK_ERR(pread(rd, buf, 1, -1), EINVAL);
	CHECK_ERR(read(rd, nowhere, 1), EFAULT);
	CHECK_EQ(read(rd, nowhere, 0), 0);
	close(rd);
	close(wr);
	close(path);
	close(dir);
}

static void vectors(int fd)
{
	struct iovec v[3] = {{buf, 2}, {buf + 50, 0}, {buf + 10, 3}};

	OK(lseek(fd, 1, SEEK_SET));
	CHECK_EQ(readv(fd, v, 3), 5);
	CHECK(!memcmp(buf, "bc", 2) && !memcmp(buf + 10, "def", 3));
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 6);
	CHECK_EQ(preadv(fd, v, 3, 4), 5);
	CHECK(!memcmp(buf, "ef", 2) && !memcmp(buf + 10, "ghi", 3));
	CHECK_EQ(preadv2(fd, v, 3, -1, 0), 4); /* at the file's position */
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 10);
	CHECK_EQ(preadv2(fd, v, 1, 0, RWF_HIPRI), 2);
	CHECK_ERR(preadv2(fd, v, 1, 0, 1 << 30), EOPNOTSUPP);
	CHECK_ERR(readv(fd, v, too_many), EINVAL);
	CHECK_ERR(readv(fd, v, negative), EINVAL);
	CHECK_EQ(readv(fd, v, 0), 0);
	CHECK_ERR(readv(fd, nowhere, 1), EFAULT);
	v[0].iov_len = (size_t)-1;
	CHECK_ERR(readv(fd, v, 1), EINVAL);
}

static void append(void)
{
	int fd = file_with("a", "0123456789"), app = OK(open("a", O_WRONLY | O_APPEND));
	struct iovec v = {"xy", 2};

	CHECK_EQ(write(app, "ab", 2), 2);
	CHECK_EQ(lseek(app, 0, SEEK_CUR), 12);
	CHECK_EQ(pwrite(app, "cd", 2, 0), 2); /* Linux appends here too: pwrite(2), BUGS */
	text_is(fd, "0123456789abcd");
	CHECK_EQ(lseek(app, 0, SEEK_CUR), 12);
	OK(fcntl(app, F_SETFL, 0));
	CHECK_EQ(pwrite(app, "Z", 1, 0), 1);
	text_is(fd, "Z123456789abcd");
	CHECK_EQ(pwritev2(fd, &v, 1, 0, RWF_APPEND), 2);
	text_is(fd, "Z123456789abcdxy");
	CHECK_EQ(write(fd, "-", 1), 1); /* which did not move the position */
	text_is(fd, "-123456789abcdxy");
	close(fd);
	close(app);
}

static void seeks(int fd)
{
	int p[2], s[2], null = OK(open("/dev/null", O_RDWR));

	OK(lseek(fd, 0, SEEK_SET));
	CHECK_EQ(lseek(fd, 5, SEEK_END), 15);
	CHECK_EQ(read(fd, buf, 1), 0);
	CHECK_ERR(lseek(fd, -1, SEEK_SET), EINVAL);
	CHECK_ERR(lseek(fd, -16, SEEK_CUR), EINVAL);
	CHECK_ERR(lseek(fd, 0, 99), EINVAL);
	CHECK_EQ(lseek(fd, 3, SEEK_DATA), 3);
	CHECK_EQ(lseek(fd, 3, SEEK_HOLE), 10);
	CHECK_ERR(lseek(fd, 10, SEEK_DATA), ENXIO);
	OK(pipe(p));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	CHECK_ERR(lseek(p[0], 0, SEEK_CUR), ESPIPE);
	CHECK_ERR(lseek(s[0], 0, SEEK_CUR), ESPIPE);
	CHECK_ERR(pread(p[0], buf, 1, 0), ESPIPE);
	CHECK_ERR(pwrite(p[1], buf, 1, 0), ESPIPE);
	CHECK_EQ(lseek(null, 100, SEEK_SET), 0);
	CHECK_EQ(pread(null, buf, 5, 3), 0);
	CHECK_EQ(pwrite(null, buf, 5, 3), 5);
}

int main(void)
{
	workdir();
	int fd = file_with("f", "abcdefghij"), again = dup(fd), other = OK(open("f", O_RDONLY));

	CHECK_EQ(read(fd, buf, 3), 3);
	CHECK_EQ(lseek(again, 0, SEEK_CUR), 3); /* a duplicate shares the position, another open does not */
	CHECK_EQ(lseek(other, 0, SEEK_CUR), 0);
	CHECK_EQ(pread(fd, buf, 2, 8), 2);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 3);
	CHECK_EQ(read(fd, buf, 100), 7);
	CHECK_EQ(read(fd, buf, 100), 0);
	modes();
	vectors(fd);
	append();
	seeks(fd);
	return guest_ok();
}
