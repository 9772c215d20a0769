/* Mapped files: shared ones write through both ways, private ones do not; msync; mapping outlives close and unlink. */
#include "guest.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

int main(void)
{
	char buf[16];

	workdir();
	int fd = file_with("f", "abcdefgh");
	OK(ftruncate(fd, 3 * PAGE));
	char *shared = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *private = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	CHECK(shared != MAP_FAILED && private != MAP_FAILED);
	CHECK(memcmp(shared, "abcdefgh", 8) == 0);
	shared[0] = 'S';
	CHECK_EQ(pread(fd, buf, 1, 0), 1);
	CHECK_EQ(buf[0], 'S');
	CHECK_EQ(pwrite(fd, "W", 1, 1), 1);
	CHECK_EQ(shared[1], 'W');
	CHECK_EQ(private[1], 'W'); /* not yet copied */
	private[2] = 'P';
	CHECK_EQ(shared[2], 'c');
	CHECK_EQ(pread(fd, buf, 1, 2), 1);
	CHECK_EQ(buf[0], 'c');
	OK(msync(shared, 3 * PAGE, MS_SYNC));
	OK(msync(shared, PAGE, MS_ASYNC));
	CHECK_ERR(msync(shared + 1, PAGE, MS_SYNC), EINVAL);

	char *third = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 2 * PAGE);
	CHECK(third != MAP_FAILED);
	shared[2 * PAGE + 5] = 'T';
	CHECK_EQ(third[5], 'T');

	OK(close(fd));
	OK(unlink("f"));
	shared[100] = 'Z';
	CHECK_EQ(shared[100], 'Z');
	OK(munmap(shared, 3 * PAGE));

	fd = OK(open("ro", O_RDONLY | O_CREAT, 0600));
	CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK_EQ(errno, EACCES);
	CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 100) == MAP_FAILED);
	CHECK_EQ(errno, EINVAL);
	int p[2];
	OK(pipe(p));
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, p[0], 0) == MAP_FAILED);
	CHECK_EQ(errno, ENODEV);
	return guest_ok();
}
