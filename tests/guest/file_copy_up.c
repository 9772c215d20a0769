/*
 * A file that was there before the run (tests/run.sh makes lower.txt in the working directory): what is written is seen
 * through every descriptor and mapping, also those made before, and the file keeps its identity. Under simrun the write
 * stays in the run's view; tests/run.sh looks afterwards.
 */
#include "guest.h"

#include <sys/mman.h>

int main(void)
{
	char buf[64];
	struct stat a, b;

	int r = open("lower.txt", O_RDONLY);
	if (r == -1) {
		close(file_with("lower.txt", "lower content\n"));
		r = OK(open("lower.txt", O_RDONLY));
	}
	OK(fstat(r, &a));
	CHECK_EQ(a.st_size, 14);
	char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, r, 0);
	char *private = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, r, 0);
	CHECK(shared != MAP_FAILED && private != MAP_FAILED);
	CHECK_EQ(shared[0], 'l');
	private[1] = 'P';

	int w = OK(open("lower.txt", O_RDWR));
	CHECK_EQ(pwrite(w, "L", 1, 0), 1);
	CHECK_EQ(pread(r, buf, 64, 0), 14);
	CHECK_EQ(buf[0], 'L');
	CHECK_EQ(shared[0], 'L');
	CHECK_EQ(private[1], 'P');
	OK(fstat(w, &b));
	CHECK_EQ(a.st_ino, b.st_ino);
	CHECK_EQ(a.st_dev, b.st_dev);
	OK(stat("lower.txt", &b));
	CHECK_EQ(a.st_ino, b.st_ino);
	OK(fstat(r, &b));
	CHECK_EQ(a.st_ino, b.st_ino);

	CHECK_EQ(pwrite(w, "more\n", 5, 14), 5);
	CHECK_EQ(lseek(r, 0, SEEK_END), 19);
	OK(rename("lower.txt", "renamed.txt"));
	CHECK_ERR(access("lower.txt", F_OK), ENOENT);
	CHECK_EQ(pread(r, buf, 64, 0), 19);
	OK(unlink("renamed.txt"));
	CHECK_EQ(pread(r, buf, 64, 0), 19);
	CHECK(memcmp(buf, "Lower content\nmore\n", 19) == 0);
	return guest_ok();
}
