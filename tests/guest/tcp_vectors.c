/* sendmsg, recvmsg, readv, writev on a connection; sendmmsg and recvmmsg. */
#include "sock.h"

#include <sys/uio.h>

int main(void)
{
	int sv[2];
	char a[4], b[8], c[64];
	struct iovec out[3] = {{"one", 3}, {"", 0}, {"three", 5}}, in[2] = {{a, 4}, {b, 8}};
	struct msghdr mo = {.msg_iov = out, .msg_iovlen = 3}, mi = {.msg_iov = in, .msg_iovlen = 2};

	tcp_pair(sv);
	CHECK_EQ(sendmsg(sv[0], &mo, 0), 8);
	CHECK_EQ(recvmsg(sv[1], &mi, MSG_PEEK), 8);
	mi.msg_flags = 77;
	CHECK_EQ(recvmsg(sv[1], &mi, 0), 8);
	CHECK_EQ(mi.msg_flags, 0);
	CHECK_EQ(mi.msg_controllen, 0);
	CHECK(memcmp(a, "onet", 4) == 0 && memcmp(b, "hree", 4) == 0);
	CHECK_EQ(writev(sv[0], out, 3), 8);
	CHECK_EQ(readv(sv[1], in, 2), 8);
	CHECK_EQ(sendto(sv[0], "xyz", 3, 0, NULL, 0), 3);
	struct sockaddr_in from;
	socklen_t len = sizeof from;
	CHECK_EQ(recvfrom(sv[1], c, 64, 0, (struct sockaddr *)&from, &len), 3);
	CHECK_EQ(len, 0); /* a stream gives no address */

	struct mmsghdr many[2] = {{.msg_hdr = mo}, {.msg_hdr = mo}};
	CHECK_EQ(sendmmsg(sv[0], many, 2, 0), 2);
	CHECK_EQ(many[1].msg_len, 8);
	recv_all(sv[1], c, 16);
	CHECK(memcmp(c, "onethreeonethree", 16) == 0);
	return guest_ok();
}
