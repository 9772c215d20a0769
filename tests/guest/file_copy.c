/*
 * sendfile, copy_file_range, splice: file to file, to pipe and to socket; offsets; or they are refused as programs
 * expect.
 */
#include "guest.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

int main(void)
{
	char buf[64];
	off_t off = 3;
	int p[2], sv[2];

	workdir();
	int in = file_with("in", "0123456789"), out = file_with("out", "");
	OK(pipe(p));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));

	CHECK_EQ(sendfile(out, in, &off, 4), 4);
	CHECK_EQ(off, 7);
	CHECK_EQ(lseek(in, 0, SEEK_CUR), 0);
	CHECK_EQ(sendfile(out, in, NULL, 100), 10);
	CHECK_EQ(lseek(in, 0, SEEK_CUR), 10);
	CHECK_EQ(sendfile(out, in, NULL, 100), 0);
	CHECK_EQ(pread(out, buf, 64, 0), 14);
	CHECK(memcmp(buf, "34560123456789", 14) == 0);
	off = 0;
	CHECK_EQ(sendfile(sv[0], in, &off, 10), 10);
	CHECK_EQ(read(sv[1], buf, 64), 10);
	CHECK(memcmp(buf, "0123456789", 10) == 0);
	off = 2;
	CHECK_EQ(sendfile(p[1], in, &off, 3), 3);
	CHECK_EQ(read(p[0], buf, 64), 3);
	CHECK(memcmp(buf, "234", 3) == 0);
	CHECK_ERR(sendfile(out, p[0], NULL, 1), EINVAL);

	off_t a = 1, b = 20;
	CHECK_EQ(copy_file_range(in, &a, out, &b, 5, 0), 5);
	CHECK(a == 6 && b == 25);
	CHECK_EQ(pread(out, buf, 64, 0), 25);
	CHECK(memcmp(buf + 20, "12345", 5) == 0);
	CHECK_ERR(copy_file_range(in, NULL, p[1], NULL, 5, 0), EINVAL);
	CHECK_ERR(copy_file_range(in, NULL, out, NULL, 5, 1), EINVAL);

	/* splice may be refused with EINVAL: every caller falls back. */
	off = 0;
	ssize_t n = splice(in, &off, p[1], NULL, 5, 0);
	CHECK(n == 5 || (n == -1 && errno == EINVAL));
	return guest_ok();
}
