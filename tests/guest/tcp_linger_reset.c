/* SO_LINGER with zero: close resets the connection at once; pending data of the peer is lost to it as an error. */
#include "sock.h"

int main(void)
{
	int sv[2];
	char buf[16];
	struct linger lg = {.l_onoff = 1, .l_linger = 0};

	tcp_pair(sv);
	OK(setsockopt(sv[0], SOL_SOCKET, SO_LINGER, &lg, sizeof lg));
	OK(close(sv[0]));
	CHECK_EQ(poll_one(sv[1], POLLIN, -1) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
	CHECK_ERR(read(sv[1], buf, 16), ECONNRESET);
	CHECK_EQ(read(sv[1], buf, 16), 0); /* the error is reported once */
	return guest_ok();
}
