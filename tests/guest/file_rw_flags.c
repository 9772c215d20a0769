/* preadv2 and pwritev2: the position -1, RWF_APPEND, RWF_DSYNC, RWF_NOWAIT, unknown flags; 1024 pieces in one call. */
#include "guest.h"

#include <sys/uio.h>

int main(void)
{
	static struct iovec many[1024];
	static char byte[1024];
	char buf[16];
	struct iovec v = {buf, 4};

	workdir();
	int fd = file_with("f", "0123456789");
	CHECK_EQ(preadv2(fd, &v, 1, 2, 0), 4);
	CHECK(memcmp(buf, "2345", 4) == 0);
	CHECK_EQ(preadv2(fd, &v, 1, -1, 0), 4); /* by the file's own position */
	CHECK_EQ(preadv2(fd, &v, 1, -1, 0), 4);
	CHECK(memcmp(buf, "4567", 4) == 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 8);
	memcpy(buf, "wxyz", 4);
	CHECK_EQ(pwritev2(fd, &v, 1, 0, RWF_APPEND), 4);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 14);
	CHECK_EQ(pread(fd, buf, 4, 10), 4);
	CHECK(memcmp(buf, "wxyz", 4) == 0);
	CHECK_EQ(pwritev2(fd, &v, 1, 0, RWF_DSYNC), 4);
	CHECK_ERR(preadv2(fd, &v, 1, 0, 0x8000), EOPNOTSUPP);

	for (int i = 0; i < 1024; i++) {
		byte[i] = (char)i;
		many[i] = (struct iovec){&byte[i], 1};
	}
	CHECK_EQ(pwritev(fd, many, 1024, 0), 1024);
	memset(byte, 0, sizeof byte);
	CHECK_EQ(preadv(fd, many, 1024, 0), 1024);
	for (int i = 0; i < 1024; i++)
		CHECK_EQ(byte[i], (char)i);
	return guest_ok();
}
