/* SO_PEERCRED names the process that connected or listened; SCM_CREDENTIALS the one that sent. */
#include "sock.h"

static int sv[2];

static void connects(void *arg)
{
	int s = unix_connect("s", SOCK_STREAM);
	struct ucred uc;
	socklen_t len = sizeof uc;

	OK(getsockopt(s, SOL_SOCKET, SO_PEERCRED, &uc, &len));
	CHECK_EQ(uc.pid, getppid());
	tell(s);
	char c;
	CHECK_EQ(read(s, &c, 1), 0);
}

static void sends(void *arg)
{
	tell(sv[1]);
}

int main(void)
{
	struct ucred uc;
	socklen_t len = sizeof uc;

	workdir();
	int l = unix_listener("s", SOCK_STREAM);
	pid_t pid = child(connects, NULL);
	int c = OK(accept(l, NULL, NULL));
	OK(getsockopt(c, SOL_SOCKET, SO_PEERCRED, &uc, &len));
	CHECK_EQ(uc.pid, pid);
	CHECK_EQ(uc.uid, geteuid());
	CHECK_EQ(uc.gid, getegid());
	await(c);
	OK(close(c));
	CHECK_EXIT(pid, 0);

	OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, sv));
	OK(getsockopt(sv[0], SOL_SOCKET, SO_PEERCRED, &uc, &len));
	CHECK_EQ(uc.pid, getpid());
	set_int(sv[0], SOL_SOCKET, SO_PASSCRED, 1);
	pid = child(sends, NULL);
	union {
		char buf[CMSG_SPACE(sizeof uc)];
		struct cmsghdr align;
	} u;
	char ch;
	struct iovec v = {&ch, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof u.buf};
	CHECK_EQ(recvmsg(sv[0], &m, 0), 1);
	struct cmsghdr *cm = CMSG_FIRSTHDR(&m);
	CHECK(cm && cm->cmsg_level == SOL_SOCKET && cm->cmsg_type == SCM_CREDENTIALS);
	memcpy(&uc, CMSG_DATA(cm), sizeof uc);
	CHECK_EQ(uc.pid, pid);
	CHECK_EQ(uc.uid, getuid());
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
