/* /dev/null, /dev/zero, /dev/full: reads, writes, mapping, stat. */
#include "guest.h"

#include <sys/mman.h>

int main(void)
{
	char buf[100];

	int null = OK(open("/dev/null", O_RDWR));
	CHECK_EQ(read(null, buf, 10), 0);
	CHECK_EQ(write(null, buf, 100), 100);
	CHECK_EQ(lseek(null, 50, SEEK_SET), 0);

	int zero = OK(open("/dev/zero", O_RDWR));
	memset(buf, 1, sizeof buf);
	CHECK_EQ(read(zero, buf, 100), 100);
	for (int i = 0; i < 100; i++)
		CHECK_EQ(buf[i], 0);
	CHECK_EQ(write(zero, buf, 100), 100);
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
	CHECK(p != MAP_FAILED);
	CHECK_EQ(p[17], 0);
	p[17] = 3;

	int full = OK(open("/dev/full", O_RDWR));
	CHECK_ERR(write(full, "x", 1), ENOSPC);
	CHECK_EQ(read(full, buf, 10), 10);
	CHECK_EQ(buf[3], 0);

	int cfg = open("/dev/nothing-here", O_RDONLY);
	CHECK_ERR(cfg, ENOENT);
	CHECK_ERR(ftruncate(null, 0), EINVAL);
	CHECK(!isatty(null));
	CHECK_EQ(errno, ENOTTY);
	return guest_ok();
}
