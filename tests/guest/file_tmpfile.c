/* O_TMPFILE and memfd: files without a name, given one later; seals. */
#include "guest.h"

#include <sys/mman.h>

int main(void)
{
	char path[64], buf[16];

	workdir();
	int fd = open(".", O_RDWR | O_TMPFILE, 0600);
	if (fd == -1) {
		CHECK(errno == EOPNOTSUPP || errno == EISDIR); /* not every file system can */
	} else {
		CHECK_EQ(write(fd, "anonymous", 9), 9);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		OK(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW));
		int g = OK(open("named", O_RDONLY));
		CHECK_EQ(read(g, buf, 16), 9);
	}

	int m = OK(memfd_create("name", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	CHECK_EQ(fcntl(m, F_GETFD), FD_CLOEXEC);
	OK(ftruncate(m, 4096));
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, m, 0);
	CHECK(p != MAP_FAILED);
	strcpy(p, "mapped");
	CHECK_EQ(pread(m, buf, 6, 0), 6);
	CHECK(memcmp(buf, "mapped", 6) == 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", m);
	ssize_t n = OK(readlink(path, buf, sizeof buf));
	CHECK(memcmp(buf, "/memfd:name", n < 11 ? (size_t)n : 11) == 0);
	OK(munmap(p, 4096));
	OK(fcntl(m, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE));
	CHECK_EQ(fcntl(m, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_WRITE);
	CHECK_ERR(ftruncate(m, 0), EPERM);
	CHECK_ERR(write(m, "x", 1), EPERM);
	return guest_ok();
}
