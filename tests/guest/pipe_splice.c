/* splice, tee and vmsplice: between files, pipes and sockets; positions, waiting, errors. */
#include "guest.h"

#include <sys/socket.h>
#include <sys/uio.h>

static void expect(int fd, const char *s)
{
	char buf[200];

	CHECK_EQ(read(fd, buf, strlen(s)), (ssize_t)strlen(s));
	CHECK(!memcmp(buf, s, strlen(s)));
}

static void files(void)
{
	int f = file_with("in", "hello, world"), out = file_with("out", "............."), p[2];
	off64_t off = 7;

	OK(pipe(p));
	CHECK_EQ(splice(f, &off, p[1], NULL, 100, 0), 5);
	CHECK_EQ(off, 12);
	CHECK_EQ(lseek(f, 0, SEEK_CUR), 0);
	expect(p[0], "world");
	CHECK_EQ(splice(f, NULL, p[1], NULL, 5, SPLICE_F_MOVE), 5);
	CHECK_EQ(lseek(f, 0, SEEK_CUR), 5);
	off = 3;
	CHECK_EQ(splice(p[0], NULL, out, &off, 100, 0), 5);
	CHECK_EQ(off, 8);
	expect(out, "...hello.....");
	CHECK_EQ(splice(f, NULL, p[1], NULL, 100, 0), 7);
	CHECK_EQ(splice(f, NULL, p[1], NULL, 100, 0), 0); /* end of the file */
	OK(lseek(out, 0, SEEK_SET));
	CHECK_EQ(splice(p[0], NULL, out, NULL, 100, 0), 7);
	CHECK_EQ(lseek(out, 0, SEEK_CUR), 7);
	CHECK_ERR(splice(p[0], NULL, out, NULL, 100, SPLICE_F_NONBLOCK), EAGAIN);
	CHECK_ERR(splice(f, NULL, out, NULL, 1, 0), EINVAL);
	CHECK_ERR(splice(p[0], &off, out, NULL, 1, 0), ESPIPE);
	CHECK_ERR(splice(p[1], NULL, out, NULL, 1, 0), EBADF);
	CHECK_ERR(splice(99, NULL, p[1], NULL, 1, 0), EBADF);
	CHECK_ERR(splice(f, NULL, p[1], NULL, 1, 0x1000), EINVAL);
	CHECK_EQ(splice(f, NULL, p[1], NULL, 0, 0), 0);
	CHECK_ERR(splice(p[0], NULL, p[1], NULL, 1, 0), EINVAL); /* the same pipe */
	OK(fcntl(out, F_SETFL, O_APPEND));
	tell(p[1]);
	CHECK_ERR(splice(p[0], NULL, out, NULL, 1, 0), EINVAL);
	OK(close(p[1]));
	await(p[0]);
	CHECK_EQ(splice(p[0], NULL, out, &off, 1, 0), -1);
	CHECK_EQ(errno, EINVAL);
	OK(fcntl(out, F_SETFL, 0));
	CHECK_EQ(splice(p[0], NULL, out, NULL, 1, 0), 0); /* no writer */
}

static void tees(void)
{
	int a[2], b[2];
	char big[70000];

	OK(pipe(a));
	OK(pipe(b));
	CHECK_EQ(write(a[1], "both", 4), 4);
	CHECK_EQ(tee(a[0], b[1], 100, 0), 4);
	expect(a[0], "both");
	expect(b[0], "both");
	CHECK_ERR(tee(a[0], b[1], 1, SPLICE_F_NONBLOCK), EAGAIN);
	CHECK_ERR(tee(a[0], a[1], 1, 0), EINVAL);
	/* From pipe to pipe. */
	CHECK_EQ(write(a[1], "moved", 5), 5);
	CHECK_EQ(splice(a[0], NULL, b[1], NULL, 3, 0), 3);
	expect(b[0], "mov");
	expect(a[0], "ed");
	/* Memory to a pipe and back. */
	struct iovec v[2] = {{"one", 3}, {"two", 3}};
	CHECK_EQ(vmsplice(a[1], v, 2, 0), 6);
	v[0].iov_base = big;
	v[0].iov_len = 4;
	v[1].iov_base = big + 100;
	v[1].iov_len = 100;
	CHECK_EQ(vmsplice(a[0], v, 2, 0), 6);
	CHECK(!memcmp(big, "onet", 4) && !memcmp(big + 100, "wo", 2));
	CHECK_ERR(vmsplice(0, v, 1, 0), EBADF);
	memset(big, 'x', sizeof big);
	v[0].iov_base = big;
	v[0].iov_len = sizeof big;
	CHECK(vmsplice(a[1], v, 1, 0) > 60000); /* by pages */
	CHECK_ERR(vmsplice(a[1], v, 1, SPLICE_F_NONBLOCK), EAGAIN);
	signal(SIGPIPE, SIG_IGN);
	OK(close(a[0]));
	CHECK_ERR(vmsplice(a[1], v, 1, 0), EPIPE);
}

/* A proxy of 300000 bytes: socket to pipe to socket, everything waiting for everything. */
static void *feeds(void *arg)
{
	static char buf[300000];

	for (size_t i = 0; i < sizeof buf; i++)
		buf[i] = (char)(i * 7);
	CHECK_EQ(write(*(int *)arg, buf, sizeof buf), sizeof buf);
	OK(shutdown(*(int *)arg, SHUT_WR));
	return NULL;
}

static void *proxies(void *arg)
{
	int *fd = arg, p[2];
	ssize_t n;

	OK(pipe(p));
	while ((n = OK(splice(fd[0], NULL, p[1], NULL, 20000, SPLICE_F_MORE))) > 0)
		while (n > 0)
			n -= OK(splice(p[0], NULL, fd[1], NULL, (size_t)n, SPLICE_F_MORE));
	OK(shutdown(fd[1], SHUT_WR));
	return NULL;
}

static void sockets(void)
{
	int a[2], b[2], fd[2];
	size_t got = 0;
	char buf[5000];
	pthread_t t, u;
	ssize_t n;

	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, a));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, b));
	fd[0] = a[1];
	fd[1] = b[0];
	t = thread(feeds, &a[0]);
	u = thread(proxies, fd);
	while ((n = OK(read(b[1], buf, sizeof buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			CHECK_EQ(buf[i], (char)((got + (size_t)i) * 7));
		got += (size_t)n;
	}
	CHECK_EQ(got, 300000);
	join(t);
	join(u);
}

int main(void)
{
	workdir();
	files();
	tees();
	sockets();
	return guest_ok();
}
