/* /dev/urandom and /dev/random give bytes, through read, readv, stdio and dup; they are character devices. */
#include "guest.h"

#include <sys/sysmacros.h>
#include <sys/uio.h>

static void device(const char *path, unsigned minor_number)
{
	int fd = OK(open(path, O_RDONLY | O_CLOEXEC)), two = OK(dup(fd));
	unsigned char a[16], b[16], c[5000];
	struct iovec v[2] = {{a, 8}, {a + 8, 8}};
	struct stat st;

	CHECK_EQ(readv(fd, v, 2), 16);
	CHECK_EQ(read(two, b, 16), 16);
	CHECK(memcmp(a, b, 16) != 0);
	CHECK_EQ(read(fd, c, sizeof c), (ssize_t)sizeof c);
	CHECK(memcmp(c, c + 2500, 2500) != 0);
	OK(fstat(fd, &st));
	CHECK(S_ISCHR(st.st_mode));
	CHECK_EQ(major(st.st_rdev), 1);
	CHECK_EQ(minor(st.st_rdev), minor_number);
	OK(close(fd));
	CHECK_EQ(read(two, a, 16), 16);
	OK(close(two));
}

int main(void)
{
	device("/dev/urandom", 9);
	device("/dev/random", 8);

	FILE *f = fopen("/dev/urandom", "r");
	CHECK(f);
	int c = getc(f);
	CHECK(c >= 0 && c < 256);
	fclose(f);

	char uuid[2][64] = {{0}};
	for (int i = 0; i < 2; i++) {
		int fd = OK(open("/proc/sys/kernel/random/uuid", O_RDONLY));
		CHECK_EQ(read(fd, uuid[i], 63), 37);
		OK(close(fd));
		CHECK(uuid[i][8] == '-' && uuid[i][13] == '-' && uuid[i][14] == '4' && uuid[i][36] == '\n');
	}
	CHECK(strcmp(uuid[0], uuid[1]) != 0);

	/* boot_id is one for all. */
	for (int i = 0; i < 2; i++) {
		int fd = OK(open("/proc/sys/kernel/random/boot_id", O_RDONLY));
		CHECK_EQ(read(fd, uuid[i], 63), 37);
		OK(close(fd));
	}
	CHECK(strcmp(uuid[0], uuid[1]) == 0);
	return guest_ok();
}
