/* read, write, pread, pwrite, lseek, readv, writev, preadv: offsets move or stay as they must; holes read as zero. */
#include "guest.h"

#include <sys/uio.h>

int main(void)
{
	char buf[32], a[3], b[5];

	workdir();
	int fd = file_with("f", "0123456789");
	CHECK_EQ(read(fd, buf, 4), 4);
	CHECK_EQ(pread(fd, buf, 3, 7), 3);
	CHECK(memcmp(buf, "789", 3) == 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 4);
	CHECK_EQ(pwrite(fd, "AB", 2, 0), 2);
	CHECK_EQ(write(fd, "xy", 2), 2);
	CHECK_EQ(lseek(fd, -2, SEEK_END), 8);
	CHECK_EQ(read(fd, buf, 32), 2);
	CHECK_EQ(pread(fd, buf, 32, 0), 10);
	CHECK(memcmp(buf, "AB23xy6789", 10) == 0);
	CHECK_EQ(pread(fd, buf, 32, 100), 0);

	struct iovec v[2] = {{a, 3}, {b, 5}};
	OK(lseek(fd, 1, SEEK_SET));
	CHECK_EQ(readv(fd, v, 2), 8);
	CHECK(memcmp(a, "B23", 3) == 0 && memcmp(b, "xy678", 5) == 0);
	CHECK_EQ(preadv(fd, v, 2, 8), 2);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 9);
	CHECK_EQ(pwritev(fd, v, 2, 20), 8);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 28);
	memset(buf, 1, sizeof buf);
	CHECK_EQ(pread(fd, buf, 10, 10), 10);
	for (int i = 0; i < 10; i++)
		CHECK_EQ(buf[i], 0);

	CHECK_ERR(lseek(fd, -1, SEEK_SET), EINVAL);
	CHECK_ERR(lseek(fd, 0, 99), EINVAL);
	CHECK_ERR(lseek(999, 0, SEEK_SET), EBADF);
	CHECK_ERR(pread(fd, buf, 1, -1), EINVAL);
	CHECK_EQ(lseek(fd, 1000, SEEK_SET), 1000);
	CHECK_EQ(write(fd, "", 0), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 28); /* a seek alone does not grow it */

	/* A shared description after fork: the child's read moves the parent's offset. */
	OK(lseek(fd, 0, SEEK_SET));
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK_EQ(read(fd, buf, 5), 5);
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 5);
	/* Opened again: an own offset. */
	int other = OK(open("f", O_RDONLY));
	CHECK_EQ(lseek(other, 0, SEEK_CUR), 0);
	return guest_ok();
}
