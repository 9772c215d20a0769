/* MSG_PEEK, MSG_WAITALL, MSG_DONTWAIT, MSG_TRUNC on a stream, MSG_MORE, FIONREAD, SIOCOUTQ. */
#include "sock.h"

#include <sys/ioctl.h>

static int fd;

static void *sends_later(void *arg)
{
	nap_ms(10);
	send_all(fd, "def", 3);
	nap_ms(10);
	send_all(fd, "ghi", 3);
	return NULL;
}

int main(void)
{
	int sv[2], n;
	char buf[32] = "";

	tcp_pair(sv);
	fd = sv[1];
	send_all(sv[1], "abc", 3);
	CHECK_EQ(recv(sv[0], buf, 2, MSG_PEEK), 2);
	CHECK(memcmp(buf, "ab", 2) == 0);
	while (OK(ioctl(sv[0], FIONREAD, &n)), n < 3)
		nap_ms(1);
	CHECK_EQ(n, 3);
	CHECK_EQ(recv(sv[0], buf, 32, MSG_PEEK), 3);
	pthread_t t = thread(sends_later, NULL);
	CHECK_EQ(recv(sv[0], buf, 9, MSG_WAITALL), 9);
	CHECK(memcmp(buf, "abcdefghi", 9) == 0);
	join(t);
	CHECK_ERR(recv(sv[0], buf, 1, MSG_DONTWAIT), EAGAIN);

	CHECK_EQ(send(sv[1], "1", 1, MSG_MORE), 1);
	CHECK_EQ(send(sv[1], "2", 1, 0), 1);
	CHECK_EQ(recv(sv[0], buf, 2, MSG_WAITALL), 2);
	CHECK(memcmp(buf, "12", 2) == 0);
	CHECK_EQ(read(sv[0], buf, 0), 0);
	send_all(sv[1], "z", 1);
	CHECK_EQ(recv(sv[0], buf, 1, MSG_TRUNC), 1);
	CHECK_ERR(recv(sv[0], buf, 1, MSG_OOB), EINVAL);
	int enabled = 1;
	OK(ioctl(sv[0], FIONBIO, &enabled));
	CHECK_ERR(read(sv[0], buf, 1), EAGAIN);
	return guest_ok();
}
