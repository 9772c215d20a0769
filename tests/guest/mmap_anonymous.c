/* Anonymous memory: zeroed, protections, partial unmap, mremap, madvise, MAP_FIXED, brk; fork copies it. */
#include "guest.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

int main(void)
{
	char *p = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	for (int i = 0; i < 10 * PAGE; i += 512)
		CHECK_EQ(p[i], 0);
	memset(p, 'm', 10 * PAGE);
	OK(munmap(p + 4 * PAGE, PAGE));
	char *q = mmap(p + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(q == p + 4 * PAGE);
	CHECK_EQ(*q, 0);
	CHECK(mmap(q, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
	CHECK_EQ(errno, EEXIST);
	OK(madvise(p, PAGE, MADV_DONTNEED));
	CHECK_EQ(p[0], 0);
	CHECK_EQ(p[PAGE], 'm');

	char *r = mremap(p, 3 * PAGE, 30 * PAGE, MREMAP_MAYMOVE);
	CHECK(r != MAP_FAILED);
	CHECK_EQ(r[PAGE], 'm');
	CHECK_EQ(r[29 * PAGE], 0);
	CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CHECK_EQ(errno, EINVAL);
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 999, 0) == MAP_FAILED);
	CHECK_EQ(errno, EBADF);
	CHECK_ERR(munmap(p + 1, PAGE), EINVAL);
	CHECK_ERR(mprotect(p + 1, PAGE, PROT_READ), EINVAL);

	r[0] = 'a';
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK_EQ(r[0], 'a');
		r[0] = 'b';
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(r[0], 'a');

	char *end = sbrk(0);
	CHECK(sbrk(100000) == end);
	memset(end, 1, 100000);
	CHECK(sbrk(-100000) == end + 100000);
	char *big = malloc(64 << 20);
	CHECK(big);
	for (size_t i = 0; i < 64 << 20; i += 1 << 20)
		big[i] = 1;
	free(big);
	OK(mlock(r, PAGE));
	OK(munlock(r, PAGE));
	return guest_ok();
}
