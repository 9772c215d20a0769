/* readv and writev on a pipe; iovec limits; short reads end in the middle of a vector. */
#include "guest.h"

#include <sys/syscall.h>
#include <sys/uio.h>

int main(void)
{
	int p[2];
	char a[4], b[4], c[4];
	struct iovec out[3] = {{"abc", 3}, {"", 0}, {"defgh", 5}}, in[3] = {{a, 4}, {b, 2}, {c, 4}};

	OK(pipe(p));
	CHECK_EQ(writev(p[1], out, 3), 8);
	CHECK_EQ(readv(p[0], in, 3), 8);
	CHECK(memcmp(a, "abcd", 4) == 0 && memcmp(b, "ef", 2) == 0 && memcmp(c, "gh", 2) == 0);
	CHECK_EQ(writev(p[1], out, 0), 0);
	CHECK_ERR(syscall(SYS_writev, p[1], out, -1), EINVAL);
	CHECK_ERR(syscall(SYS_writev, p[1], out, 1025), EINVAL);
	out[0].iov_len = (size_t)-1;
	CHECK_ERR(writev(p[1], out, 1), EINVAL);
	out[0] = (struct iovec){(void *)8, 3};
	CHECK_ERR(writev(p[1], out, 1), EFAULT);
	return guest_ok();
}
