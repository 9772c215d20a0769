/* Large files: eight megabytes written and read in odd pieces; offsets beyond 4 GiB in a sparse file. */
#include "guest.h"

int main(void)
{
	enum { SIZE = 8 << 20 };
	static unsigned char buf[70000];
	uint32_t at = 0;

	workdir();
	int fd = OK(open("f", O_RDWR | O_CREAT, 0600));
	while (at < SIZE) {
		size_t n = 1 + at % 65537;

		if (n > SIZE - at)
			n = SIZE - at;
		for (size_t i = 0; i < n; i++)
			buf[i] = (unsigned char)((at + i) * 2654435761u >> 24);
		CHECK_EQ(write(fd, buf, n), (ssize_t)n);
		at += (uint32_t)n;
	}
	OK(lseek(fd, 0, SEEK_SET));
	ssize_t n;
	for (at = 0; (n = OK(read(fd, buf, 65000))) > 0;)
		for (ssize_t i = 0; i < n; i++, at++)
			CHECK_EQ(buf[i], (unsigned char)(at * 2654435761u >> 24));
	CHECK_EQ(at, SIZE);

	off_t far = 5LL << 30;
	CHECK_EQ(pwrite(fd, "far", 3, far), 3);
	CHECK_EQ(lseek(fd, 0, SEEK_END), far + 3);
	CHECK_EQ(pread(fd, buf, 8, far - 2), 5);
	CHECK(memcmp(buf, "\0\0far", 5) == 0);
	struct stat st;
	OK(fstat(fd, &st));
	CHECK_EQ(st.st_size, far + 3);
	return guest_ok();
}
