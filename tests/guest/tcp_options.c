/* Socket options that programs set and read back; unknown ones are refused. */
#include "sock.h"

int main(void)
{
	int sv[2];
	uint16_t port;

	tcp_pair(sv);
	CHECK_EQ(get_int(sv[0], SOL_SOCKET, SO_TYPE), SOCK_STREAM);
	CHECK_EQ(get_int(sv[0], SOL_SOCKET, SO_DOMAIN), AF_INET);
	CHECK_EQ(get_int(sv[0], SOL_SOCKET, SO_PROTOCOL), IPPROTO_TCP);
	CHECK_EQ(get_int(sv[0], IPPROTO_TCP, TCP_NODELAY), 0);
	set_int(sv[0], IPPROTO_TCP, TCP_NODELAY, 1);
	CHECK_EQ(get_int(sv[0], IPPROTO_TCP, TCP_NODELAY), 1);
	set_int(sv[0], SOL_SOCKET, SO_KEEPALIVE, 1);
	CHECK_EQ(get_int(sv[0], SOL_SOCKET, SO_KEEPALIVE), 1);
	set_int(sv[0], IPPROTO_TCP, TCP_KEEPIDLE, 33);
	set_int(sv[0], IPPROTO_TCP, TCP_KEEPINTVL, 5);
	set_int(sv[0], IPPROTO_TCP, TCP_KEEPCNT, 3);
	CHECK_EQ(get_int(sv[0], IPPROTO_TCP, TCP_KEEPIDLE), 33);
	set_int(sv[0], IPPROTO_TCP, TCP_USER_TIMEOUT, 1000);
	CHECK_EQ(get_int(sv[0], IPPROTO_TCP, TCP_USER_TIMEOUT), 1000);
	set_int(sv[0], SOL_SOCKET, SO_RCVBUF, 20000);
	CHECK_EQ(get_int(sv[0], SOL_SOCKET, SO_RCVBUF), 40000); /* Linux doubles it */
	set_int(sv[0], SOL_SOCKET, SO_SNDBUF, 20000);
	CHECK_EQ(get_int(sv[0], SOL_SOCKET, SO_SNDBUF), 40000);
	set_int(sv[0], IPPROTO_IP, IP_TOS, 0x10);
	struct linger lg;
	socklen_t len = sizeof lg;
	OK(getsockopt(sv[0], SOL_SOCKET, SO_LINGER, &lg, &len));
	CHECK_EQ(lg.l_onoff, 0);
	struct tcp_info ti;
	len = sizeof ti;
	OK(getsockopt(sv[0], IPPROTO_TCP, TCP_INFO, &ti, &len));
	CHECK_EQ(ti.tcpi_state, TCP_ESTABLISHED);

	int l = tcp_listener(1, &port);
	CHECK_EQ(get_int(l, SOL_SOCKET, SO_ACCEPTCONN), 1);
	set_int(l, SOL_SOCKET, SO_REUSEPORT, 1);
	int v = 0;
	CHECK_ERR(getsockopt(l, SOL_SOCKET, 9999, &v, &(socklen_t){4}), ENOPROTOOPT);
	CHECK_ERR(setsockopt(l, SOL_SOCKET, 9999, &v, 4), ENOPROTOOPT);
	CHECK_ERR(setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &v, 2), EINVAL);
	CHECK_ERR(setsockopt(0, SOL_SOCKET, SO_REUSEADDR, &v, 4), ENOTSOCK);

	CHECK_ERR(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT);
	CHECK_ERR(socket(AF_INET, 99, 0), EINVAL);
	CHECK_ERR(socket(250, SOCK_STREAM, 0), EAFNOSUPPORT);
	return guest_ok();
}
