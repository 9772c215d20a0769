/* SCM_RIGHTS: a file, a pipe and a socket travel; offsets are shared; CLOEXEC by flag; unreceived ones are closed. */
#include "sock.h"

static void send_fds(int s, const int *fds, size_t n)
{
	union {
		char buf[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} u = {0};
	struct iovec v = {"f", 1};
	struct msghdr m = {
		.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = u.buf,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	CHECK_EQ(sendmsg(s, &m, 0), 1);
}

static size_t recv_fds(int s, int *fds, int flags, int *msg_flags, size_t room)
{
	union {
		char buf[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} u = {0};
	char ch;
	struct iovec v = {&ch, 1};
	struct msghdr m = {
		.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = u.buf,
		.msg_controllen = CMSG_LEN(room * sizeof(int)),
	};

	CHECK_EQ(recvmsg(s, &m, flags), 1);
	*msg_flags = m.msg_flags;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (!c)
		return 0;
	CHECK_EQ(c->cmsg_level, SOL_SOCKET);
	CHECK_EQ(c->cmsg_type, SCM_RIGHTS);
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	return n;
}

int main(void)
{
	int sv[2], p[2], fds[8], fl;
	char buf[16];

	workdir();
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	int file = file_with("f", "abcdef");
	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(close(p[0]));
		OK(close(p[1]));
		OK(close(file));
		CHECK_EQ(recv_fds(sv[1], fds, MSG_CMSG_CLOEXEC, &fl, 8), 2);
		CHECK_EQ(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
		CHECK_EQ(read(fds[0], buf, 2), 2);
		CHECK_EQ(write(fds[1], buf, 2), 2);
		_exit(0);
	}
	send_fds(sv[0], (int[]){file, p[1]}, 2);
	OK(close(p[1])); /* alive in the message */
	CHECK_EQ(read(p[0], buf, 16), 2);
	CHECK(memcmp(buf, "ab", 2) == 0);
	CHECK_EXIT(pid, 0);
	CHECK_EQ(lseek(file, 0, SEEK_CUR), 2);
	CHECK_EQ(read(p[0], buf, 16), 0);

	/* A socket through itself; room for one of two; a plain read drops them. */
	OK(pipe(p));
	send_fds(sv[0], (int[]){sv[0], p[1]}, 2);
	CHECK_EQ(recv_fds(sv[1], fds, 0, &fl, 1), 1);
	CHECK(fl & MSG_CTRUNC);
	send_all(fds[0], "via", 3);
	recv_all(sv[1], buf, 3);
	send_fds(sv[0], (int[]){p[1]}, 1);
	OK(close(p[1]));
	CHECK_EQ(read(sv[1], buf, 1), 1);
	CHECK_EQ(read(p[0], buf, 1), 0); /* its last copy was dropped with the message */

	/* Closed with a message inside. */
	OK(pipe(p));
	send_fds(sv[0], (int[]){p[1]}, 1);
	OK(close(p[1]));
	OK(close(sv[1]));
	CHECK_EQ(read(p[0], buf, 1), 0);
	return guest_ok();
}
