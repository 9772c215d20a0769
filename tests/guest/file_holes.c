/* Sparse files: SEEK_DATA, SEEK_HOLE, fallocate with its flags. */
#include "guest.h"

int main(void)
{
	static char buf[65536];
	struct stat st;

	workdir();
	int fd = OK(open("f", O_RDWR | O_CREAT, 0600));
	OK(ftruncate(fd, 1 << 20));
	CHECK_EQ(lseek(fd, 0, SEEK_HOLE), 0);
	CHECK_ERR(lseek(fd, 0, SEEK_DATA), ENXIO);
	memset(buf, 'd', sizeof buf);
	CHECK_EQ(pwrite(fd, buf, sizeof buf, 262144), (ssize_t)sizeof buf);
	OK(fsync(fd));
	off_t data = OK(lseek(fd, 0, SEEK_DATA));
	CHECK(data > 0 && data <= 262144);
	off_t hole = OK(lseek(fd, 262144, SEEK_HOLE));
	CHECK(hole >= 262144 + 65536 && hole <= 1 << 20);
	CHECK_EQ(lseek(fd, (1 << 20) - 1, SEEK_HOLE), (1 << 20) - 1);
	CHECK_ERR(lseek(fd, 1 << 20, SEEK_HOLE), ENXIO);

	OK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 262144, 4096));
	CHECK_EQ(pread(fd, buf, 8192, 262144), 8192);
	CHECK(buf[0] == 0 && buf[4095] == 0 && buf[4096] == 'd');
	OK(fallocate(fd, 0, 0, 2 << 20));
	OK(fstat(fd, &st));
	CHECK_EQ(st.st_size, 2 << 20);
	OK(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 3 << 20));
	OK(fstat(fd, &st));
	CHECK_EQ(st.st_size, 2 << 20);
	PT(posix_fallocate(fd, 0, 1000));
	CHECK_ERR(fallocate(fd, 0, 0, 0), EINVAL);
	CHECK_ERR(fallocate(fd, 0, -1, 10), EINVAL);
	CHECK_ERR(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 4096), EOPNOTSUPP); /* needs KEEP_SIZE */
	int p[2];
	OK(pipe(p));
	CHECK_ERR(fallocate(p[1], 0, 0, 10), ESPIPE);
	return guest_ok();
}
