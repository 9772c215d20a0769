/* sendfile and copy_file_range: whole transfers to a slow reader, positions, and what they refuse. */
#include "guest.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

enum { SIZE = 300000 };

static int p[2];

static void *reader(void *arg)
{
	static char buf[7000];
	char *want = arg;
	size_t at = 0;
	ssize_t n;

	nap_ms(5);
	while ((n = OK(read(p[0], buf, sizeof buf))) > 0) {
		CHECK(!memcmp(buf, want + at, (size_t)n));
		at += (size_t)n;
	}
	return (void *)at;
}

int main(void)
{
	static char data[SIZE], back[SIZE];
	off_t off = 0;
	loff_t from = 100, to = 7;

	workdir();
	for (int i = 0; i < SIZE; i++)
		data[i] = (char)(i * 7 + i / 251);
	int in = OK(open("in", O_RDWR | O_CREAT, 0644));
	CHECK_EQ(write(in, data, SIZE), SIZE);
	OK(lseek(in, 0, SEEK_SET));

	/* a blocking pipe takes everything; the file's position moves */
	OK(pipe(p));
	pthread_t t = thread(reader, data);
	size_t sent = 0;
	while (sent < SIZE)
		sent += (size_t)OK(sendfile(p[1], in, NULL, SIZE - sent));
	close(p[1]);
	CHECK_EQ((size_t)join(t), SIZE);
	CHECK_EQ(lseek(in, 0, SEEK_CUR), SIZE);
	CHECK_EQ(sendfile(p[0], in, NULL, 5), -1); /* not writable */
	CHECK_EQ(errno, EBADF);
	close(p[0]);

	/* with an offset of its own the position stays */
	OK(pipe(p));
	off = SIZE - 10;
	CHECK_EQ(sendfile(p[1], in, &off, 100), 10);
	CHECK_EQ(off, SIZE);
	CHECK_EQ(lseek(in, 0, SEEK_CUR), SIZE);
	CHECK_EQ(sendfile(p[1], in, &off, 100), 0);
	CHECK_ERR(sendfile(p[1], p[0], &off, 1), ESPIPE);
	CHECK_ERR(sendfile(p[1], in, (off_t *)8, 1), EFAULT);
	off = -1;
	CHECK_ERR(sendfile(p[1], in, &off, 1), EINVAL);

	/* a pipe that does not block takes what it holds */
	set_nonblock(p[1]);
	off = 0;
	ssize_t n = OK(sendfile(p[1], in, &off, SIZE));
	CHECK(n > 0 && n <= 65536);
	CHECK_EQ(off, n);
	while (sendfile(p[1], in, &off, SIZE) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	CHECK_ERR(sendfile(p[1], in, &off, 1), EPIPE);
	close(p[1]);

	/* to a file */
	int out = OK(open("out", O_RDWR | O_CREAT, 0644));
	off = 1000;
	CHECK_EQ(sendfile(out, in, &off, 5000), 5000);
	CHECK_EQ(lseek(out, 0, SEEK_CUR), 5000);
	CHECK_EQ(pread(out, back, SIZE, 0), 5000);
	CHECK(!memcmp(back, data + 1000, 5000));

	/* copy_file_range */
	CHECK_EQ(copy_file_range(in, &from, out, &to, SIZE, 0), SIZE - 100);
	CHECK_EQ(from, SIZE);
	CHECK_EQ(to, SIZE - 93);
	CHECK_EQ(pread(out, back, SIZE, 7), SIZE - 100);
	CHECK(!memcmp(back, data + 100, SIZE - 100));
	CHECK_EQ(copy_file_range(in, &from, out, NULL, 10, 0), 0);
	CHECK_ERR(copy_file_range(in, &from, out, NULL, 10, 1), EINVAL);
	from = 0;
	to = 5;
	CHECK_ERR(copy_file_range(in, &from, in, &to, 10, 0), EINVAL); /* overlapping */
	to = 10;
	CHECK_EQ(copy_file_range(in, &from, in, &to, 10, 0), 10);
	int dir = OK(open(".", O_RDONLY));
	CHECK_ERR(copy_file_range(dir, NULL, out, NULL, 10, 0), EISDIR);
	int app = OK(open("out", O_WRONLY | O_APPEND));
	CHECK_ERR(copy_file_range(in, NULL, app, NULL, 10, 0), EBADF);
	CHECK_ERR(copy_file_range(out, NULL, dir, NULL, 10, 0), EISDIR);
	return guest_ok();
}
