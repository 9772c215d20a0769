/* truncate and ftruncate: shrink, grow with zeros, errors; O_TRUNC through a second descriptor. */
#include "guest.h"

int main(void)
{
	char buf[16];
	struct stat st;

	workdir();
	int fd = file_with("f", "0123456789");
	OK(ftruncate(fd, 4));
	CHECK_EQ(read(fd, buf, 16), 4);
	OK(ftruncate(fd, 8));
	CHECK_EQ(pread(fd, buf, 16, 0), 8);
	CHECK(memcmp(buf, "0123\0\0\0\0", 8) == 0);
	OK(truncate("f", 100000));
	OK(fstat(fd, &st));
	CHECK_EQ(st.st_size, 100000);
	CHECK_EQ(pread(fd, buf, 1, 99999), 1);
	CHECK_EQ(buf[0], 0);
	int w = OK(open("f", O_WRONLY | O_TRUNC));
	CHECK_EQ(pread(fd, buf, 16, 0), 0);
	CHECK_ERR(ftruncate(fd, -1), EINVAL);
	CHECK_ERR(truncate("none", 0), ENOENT);
	CHECK_ERR(truncate(".", 0), EISDIR);
	int r = OK(open("f", O_RDONLY));
	CHECK_ERR(ftruncate(r, 0), EINVAL);
	/* A write behind the end after a truncate leaves a hole. */
	OK(lseek(w, 10, SEEK_SET));
	CHECK_EQ(write(w, "z", 1), 1);
	CHECK_EQ(pread(fd, buf, 16, 0), 11);
	CHECK(buf[9] == 0 && buf[10] == 'z');
	return guest_ok();
}
