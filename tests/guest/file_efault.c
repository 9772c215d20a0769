/* Bad buffers: EFAULT, and what was transferred before the bad page counts. */
#include "guest.h"

#include <sys/mman.h>

int main(void)
{
	workdir();
	int fd = file_with("f", "0123456789abcdef");
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *volatile bad = (char *)8;
	int q[2];

	CHECK(p != MAP_FAILED);
	OK(munmap(p + 4096, 4096));
	CHECK_ERR(read(fd, bad, 4), EFAULT);
	CHECK_ERR(read(fd, p + 4096, 4), EFAULT);
	CHECK_ERR(write(fd, p + 4096, 4), EFAULT);
	OK(mprotect(p, 4096, PROT_READ));
	CHECK_ERR(read(fd, p, 4), EFAULT); /* a read-only page */
	OK(mprotect(p, 4096, PROT_NONE));
	CHECK_ERR(write(fd, p, 4), EFAULT);
	OK(pipe(q));
	CHECK_ERR(write(q[1], p, 4), EFAULT);
	tell(q[1]);
	CHECK_ERR(read(q[0], p, 4), EFAULT);
	struct stat st;
	CHECK_ERR(open(bad, O_RDONLY), EFAULT);
	CHECK_ERR(stat(bad, &st), EFAULT);
	return guest_ok();
}
