/* TCP of netsim: every rule that programs can see, one test each. What Linux does is in the comments of netsim/tcp*.c. */
#include "tests/unit/net_fixture.h"

static char data[4 << 20], back[4 << 20];

static void fill(void)
{
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (char)(i * 7 + i / 251);
}

/* ---- beginning ---- */

static void test_handshake_takes_the_links_latency(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 10), *c = open_sock(x, 2, K_AF_INET, K_SOCK_STREAM), *s;
	int64_t one_way = net_link(&x->n, &x->node[2], &x->node[1])->latency_ns;
	struct probe p;
	int rc;

	assert_in_range(one_way, 100 * NS_PER_US, 1000 * NS_PER_US);
	assert_int_equal(net_link(&x->n, &x->node[1], &x->node[1])->latency_ns, 0);
	assert_int_equal(s_poll(x, c), POLLOUT | POLLHUP);
	assert_int_equal(s_connect(c, lo4(s_port(l))), -EINPROGRESS);
	assert_int_equal(s_poll(x, c), 0);
	assert_int_equal(s_connect(c, lo4(s_port(l))), -EALREADY);
	probe_on(&p, c);
	pass(x, 2 * one_way - 1);
	assert_int_equal(p.woken, 0);
	pass(x, 1);
	assert_int_equal(p.woken, 1);
	list_del(&p.w.link);
	assert_int_equal(s_poll(x, c), POLLOUT);
	assert_null(s_accept(l, &rc)); /* its acknowledgement is still on its way */
	assert_int_equal(rc, -EAGAIN);
	pass(x, one_way);
	assert_int_equal(s_poll(x, l), POLLIN);
	s = s_accept(l, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(s_connect(c, lo4(s_port(l))), 0);
	assert_int_equal(s_connect(c, lo4(s_port(l))), -EISCONN);
	assert_int_equal(sock_of(s)->remote.port, s_port(c));
	assert_true(ip_equal(&sock_of(s)->remote.ip, &sock_of(c)->local.ip));
	assert_int_equal(s_port(s), s_port(l));
	s_close(x, c);
	s_close(x, s);
	s_close(x, l);
}

static void test_refused(void **state)
{
	struct netfix *x = *state;
	struct file *c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);

	assert_int_equal(s_connect(c, lo4(9)), -EINPROGRESS);
	settle(x);
	assert_int_equal(s_poll(x, c), POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP);
	assert_int_equal(s_connect(c, lo4(9)), -ECONNREFUSED);
	assert_int_equal(s_poll(x, c), POLLOUT | POLLHUP);
	/* The socket can be used again. Who asked SO_ERROR first is told something else. */
	assert_int_equal(s_connect(c, lo4(9)), -EINPROGRESS);
	settle(x);
	assert_int_equal(s_error(c), -ECONNREFUSED);
	assert_int_equal(s_connect(c, lo4(9)), -ECONNABORTED);
	assert_int_equal(s_connect(c, v4(0x08080808, 53)), -ENETUNREACH);
	s_close(x, c);
}

static void test_accept_queue_and_backlog(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 2), *c[5], *s;
	uint16_t port[5];
	int rc;

	for (int i = 0; i < 5; i++) {
		c[i] = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
		assert_int_equal(s_connect(c[i], lo4(s_port(l))), -EINPROGRESS);
		port[i] = s_port(c[i]);
		pass(x, NS_PER_US);
	}
	settle(x);
	/* backlog + 1 of them; the others' SYNs were dropped and come again after a second. */
	for (int i = 0; i < 5; i++)
		assert_int_equal(s_poll(x, c[i]), i < 3 ? POLLOUT : 0);
	for (int i = 0; i < 3; i++) {
		s = s_accept(l, &rc);
		assert_int_equal(rc, 0);
		assert_int_equal(sock_of(s)->remote.port, port[i]);
		s_close(x, s);
	}
	s_accept(l, &rc);
	assert_int_equal(rc, -EAGAIN);
	pass(x, NS_PER_S);
	for (int i = 3; i < 5; i++) {
		s = s_accept(l, &rc);
		assert_int_equal(rc, 0);
		assert_int_equal(sock_of(s)->remote.port, port[i]);
		s_close(x, s);
	}
	for (int i = 0; i < 5; i++)
		s_close(x, c[i]);
	s_close(x, l);
}

static void test_connect_times_out_when_the_queue_stays_full(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 0), *a = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM),
		    *b = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);

	s_connect(a, lo4(s_port(l)));
	settle(x);
	assert_int_equal(s_connect(b, lo4(s_port(l))), -EINPROGRESS);
	/* SYNs after 0, 1, 3, 7, 15, 31, 63 s; given up after 127 s. */
	pass(x, 127 * NS_PER_S - 1);
	assert_int_equal(s_poll(x, b), 0);
	pass(x, 1);
	assert_int_equal(s_error(b), -ETIMEDOUT);
	sock_of(b)->opt[OPT_TCP_SYNCNT] = 2;
	s_connect(b, lo4(s_port(l)));
	assert_int_equal(s_connect(b, lo4(s_port(l))), -EINPROGRESS);
	pass(x, 7 * NS_PER_S);
	assert_int_equal(s_connect(b, lo4(s_port(l))), -ETIMEDOUT);
	s_close(x, a);
	s_close(x, b);
	s_close(x, l);
}

static void test_listener_closes(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 10), *a = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM),
		    *b = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	char c;

	s_connect(a, lo4(s_port(l)));
	settle(x);
	s_connect(b, lo4(s_port(l)));
	s_close(x, l);
	settle(x);
	assert_int_equal(s_recv(x, a, &c, 1), -ECONNRESET);
	assert_int_equal(s_connect(b, lo4(1)), -ECONNREFUSED);
	s_close(x, a);
	s_close(x, b);
}

static void test_client_gives_up(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 10), *c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	int rc;

	/* The SYN has arrived, the answer has not. */
	s_connect(c, lo4(s_port(l)));
	pass(x, net_link(&x->n, &x->node[0], &x->node[1])->latency_ns);
	s_close(x, c);
	settle(x);
	s_accept(l, &rc);
	assert_int_equal(rc, -EAGAIN);
	assert_int_equal(tcp_file(l)->nembryos, 0);
	/* Established and reset before it was accepted: it is accepted all the same. */
	c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	s_connect(c, lo4(s_port(l)));
	settle(x);
	sock_of(c)->opt[OPT_LINGER] = 1;
	s_close(x, c);
	settle(x);
	c = s_accept(l, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(s_recv(x, c, back, 1), -ECONNRESET);
	s_close(x, c);
	s_close(x, l);
}

static void test_defer_accept(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 10), *a = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM),
		    *b = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM), *s;
	int rc;

	sock_of(l)->opt[OPT_TCP_DEFER_ACCEPT] = 5;
	s_connect(a, lo4(s_port(l)));
	s_connect(b, lo4(s_port(l)));
	settle(x);
	assert_int_equal(s_poll(x, l), 0);
	assert_int_equal(s_send(x, b, "x", 1), 1);
	settle(x);
	s = s_accept(l, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(sock_of(s)->remote.port, s_port(b));
	s_close(x, s);
	pass(x, 5 * NS_PER_S);
	s = s_accept(l, &rc);
	assert_int_equal(rc, 0);
	s_close(x, s);
	s_close(x, a);
	s_close(x, b);
	s_close(x, l);
}

/* ---- addresses and ports ---- */

static int try_bind(struct netfix *x, int family, struct netaddr a, int reuse, int reuseport, int listen, struct file **keep)
{
	struct file *f = open_sock(x, 0, family, K_SOCK_STREAM);
	int rc;

	sock_of(f)->opt[OPT_REUSEADDR] = reuse;
	sock_of(f)->opt[OPT_REUSEPORT] = reuseport;
	rc = s_bind(f, a);
	if (!rc && listen)
		rc = s_listen(f, 5);
	if (!rc && keep)
		*keep = f;
	else
		s_close(x, f);
	return rc;
}

static void test_bind_rules(void **state)
{
	struct netfix *x = *state;
	struct file *a, *b, *c;

	assert_int_equal(try_bind(x, K_AF_INET, v4(0x0a000001, 80), 0, 0, 0, NULL), -EADDRNOTAVAIL);
	assert_int_equal(try_bind(x, K_AF_INET, lo6(80), 0, 0, 0, NULL), -EAFNOSUPPORT);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 0, 1, &a), 0);
	assert_int_equal(s_bind(a, lo4(81)), -EINVAL);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 0, 0, NULL), -EADDRINUSE);
	assert_int_equal(try_bind(x, K_AF_INET, v4(0, 80), 0, 0, 0, NULL), -EADDRINUSE);
	assert_int_equal(try_bind(x, K_AF_INET, v4(0x7f000002, 80), 0, 0, 1, NULL), 0);
	/* SO_REUSEADDR does not help against a listener. */
	sock_of(a)->opt[OPT_REUSEADDR] = 1;
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 1, 0, 0, NULL), -EADDRINUSE);
	s_close(x, a);
	/* Both bound with it, not listening: only one of them may listen. */
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 1, 0, 0, &a), 0);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 1, 0, 0, &b), 0);
	assert_int_equal(s_listen(a, 1), 0);
	assert_int_equal(s_listen(b, 1), -EADDRINUSE);
	s_close(x, a);
	s_close(x, b);
	/* SO_REUSEPORT: all of them with it, all of one user. */
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 1, 1, &a), 0);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 0, 1, NULL), -EADDRINUSE);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 1, 1, &b), 0);
	c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	sock_of(c)->opt[OPT_REUSEPORT] = 1;
	sock_of(c)->cred.uid = 5;
	assert_int_equal(s_bind(c, lo4(80)), -EADDRINUSE);
	s_close(x, a);
	s_close(x, b);
	s_close(x, c);
}

static void test_dual_stack(void **state)
{
	struct netfix *x = *state;
	struct file *six, *s, *c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	struct netaddr mapped = {.family = K_AF_INET6, .ip = ip4(0x7f000001), .port = 90};
	int rc;

	assert_int_equal(try_bind(x, K_AF_INET6, any6(90), 0, 0, 1, &six), 0);
	assert_int_equal(try_bind(x, K_AF_INET, v4(0, 90), 0, 0, 0, NULL), -EADDRINUSE);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(90), 0, 0, 0, NULL), -EADDRINUSE);
	assert_int_equal(s_connect(c, lo4(90)), -EINPROGRESS);
	settle(x);
	s = s_accept(six, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(sock_of(s)->remote.family, K_AF_INET6);
	assert_true(ip_equal(&sock_of(s)->remote.ip, &mapped.ip));
	s_close(x, s);
	s_close(x, c);
	s_close(x, six);
	/* IPV6_V6ONLY: IPv4 is another matter. */
	six = open_sock(x, 0, K_AF_INET6, K_SOCK_STREAM);
	sock_of(six)->opt[OPT_V6_ONLY] = 1;
	assert_int_equal(s_bind(six, any6(91)), 0);
	assert_int_equal(s_listen(six, 1), 0);
	assert_int_equal(try_bind(x, K_AF_INET, v4(0, 91), 0, 0, 1, NULL), 0);
	c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	s_connect(c, lo4(91));
	settle(x);
	assert_int_equal(s_error(c), -ECONNREFUSED);
	s_close(x, c);
	c = open_sock(x, 0, K_AF_INET6, K_SOCK_STREAM);
	sock_of(c)->opt[OPT_V6_ONLY] = 1;
	mapped.port = 91;
	assert_int_equal(s_connect(c, mapped), -ENETUNREACH);
	assert_int_equal(s_connect(c, any6(91)), -EINPROGRESS); /* :: is ::1 */
	settle(x);
	assert_int_equal(s_connect(c, lo6(91)), 0);
	s_close(x, c);
	s_close(x, six);
}

static void test_ephemeral_ports_follow_the_seed(void **state)
{
	struct netfix other;
	uint16_t port[2][20];
	bool differs = false;

	for (int run = 0; run < 3; run++) {
		netfix_init(&other, run < 2 ? 11 : 12);
		for (int i = 0; i < 20; i++) {
			struct file *f = open_sock(&other, 0, K_AF_INET, K_SOCK_STREAM);
			uint16_t got;
			assert_int_equal(s_bind(f, lo4(0)), 0);
			got = s_port(f);
			assert_in_range(got, PORT_EPHEMERAL_FIRST, PORT_EPHEMERAL_LAST);
			if (run == 0)
				port[0][i] = got;
			else if (run == 1)
				assert_int_equal(got, port[0][i]);
			else
				differs |= got != port[0][i];
		}
		net_clear(&other.n);
		kern_clear(&other.k);
	}
	assert_true(differs);
	(void)state;
}

static void test_reuseport_shares_connections(void **state)
{
	struct netfix *x = *state;
	struct file *l[2], *c[40];
	unsigned got[2] = {0, 0};

	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 1, 1, &l[0]), 0);
	assert_int_equal(try_bind(x, K_AF_INET, lo4(80), 0, 1, 1, &l[1]), 0);
	sock_of(l[0])->ops->listen(sock_of(l[0]), 100);
	sock_of(l[1])->ops->listen(sock_of(l[1]), 100);
	for (int i = 0; i < 40; i++) {
		c[i] = open_sock(x, 1, K_AF_INET, K_SOCK_STREAM);
		s_connect(c[i], lo4(80));
	}
	settle(x);
	for (int i = 0; i < 2; i++)
		got[i] = tcp_file(l[i])->nqueued;
	assert_int_equal(got[0] + got[1], 40);
	assert_in_range(got[0], 8, 32);
	for (int i = 0; i < 40; i++)
		s_close(x, c[i]);
	s_close(x, l[0]);
	s_close(x, l[1]);
}

/* ---- bytes ---- */

static void test_bytes_cross_in_order(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];
	size_t sent = 0, got = 0;

	fill();
	connection(x, 0, 1, c);
	for (int i = 0; i < 100; i++) {
		size_t n = 1 + (size_t)i * 13;
		assert_int_equal(s_send(x, c[0], data + sent, n), n);
		sent += n;
		pass(x, NS_PER_US * (i % 7));
	}
	assert_int_equal(s_recv(x, c[1], back, 1), -EAGAIN);
	settle(x);
	assert_int_equal(sock_of(c[1])->ops->inq(sock_of(c[1])), sent);
	while (got < sent) {
		int64_t n = s_recv(x, c[1], back + got, 777);
		assert_true(n > 0);
		got += (size_t)n;
	}
	assert_memory_equal(data, back, sent);
	assert_int_equal(s_recv(x, c[1], back, 1), -EAGAIN);
	s_close(x, c[0]);
	s_close(x, c[1]);
}

static void test_back_pressure(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];
	int64_t sent = 0, n;
	struct probe p;

	fill();
	connection(x, 0, 1, c);
	while ((n = s_send(x, c[0], data + sent, 100000)) > 0) {
		sent += n;
		settle(x);
	}
	assert_int_equal(n, -EAGAIN);
	/* Its own buffer and the other's window are full. */
	assert_int_equal(sent, TCP_SNDBUF_CONNECTED + TCP_WINDOW);
	assert_int_equal(s_poll(x, c[0]), 0);
	assert_int_equal(sock_of(c[0])->ops->outq(sock_of(c[0])), TCP_SNDBUF_CONNECTED);
	probe_on(&p, c[0]);
	assert_int_equal(s_recv(x, c[1], back, 1000), 1000);
	settle(x);
	assert_int_equal(p.woken, 0); /* too little to tell */
	for (int64_t got = 1000; got < sent; got += n) {
		n = s_recv(x, c[1], back + got, 300000);
		assert_true(n > 0);
		settle(x);
	}
	assert_memory_equal(data, back, (size_t)sent);
	assert_int_equal(p.woken, 1); /* once a third was free */
	list_del(&p.w.link);
	assert_int_equal(s_poll(x, c[0]), POLLOUT);
	s_close(x, c[0]);
	s_close(x, c[1]);
}

static void test_buffer_sizes_of_the_program(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 1, 10), *c = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM), *s;
	int64_t sent = 0, n;
	int rc;

	sock_of(l)->opt[OPT_RCVBUF] = 20000;
	sock_of(l)->rcvbuf_locked = true;
	sock_of(c)->opt[OPT_SNDBUF] = 10000;
	sock_of(c)->sndbuf_locked = true;
	s_connect(c, lo4(s_port(l)));
	settle(x);
	s = s_accept(l, &rc);
	while ((n = s_send(x, c, data, 3000)) > 0) {
		sent += n;
		settle(x);
	}
	assert_int_equal(sent, 5000 + 10000);
	s_close(x, c);
	s_close(x, s);
	s_close(x, l);
}

static void test_peek_and_trunc(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];
	struct sock_msg m = {0};

	connection(x, 0, 0, c);
	s_send(x, c[0], "abcdef", 6);
	settle(x);
	assert_int_equal(s_recv_flags(c[1], back, 3, K_MSG_PEEK, &m), 3);
	assert_memory_equal(back, "abc", 3);
	back[0] = '?';
	assert_int_equal(s_recv_flags(c[1], back, 2, K_MSG_TRUNC, &m), 2); /* discards */
	assert_int_equal(back[0], '?');
	assert_int_equal(s_recv(x, c[1], back, 10), 4);
	assert_memory_equal(back, "cdef", 4);
	assert_int_equal(s_recv_flags(c[1], back, 3, K_MSG_OOB, &m), -EINVAL);
	s_close(x, c[0]);
	s_close(x, c[1]);
}

/* ---- ending ---- */

static void test_half_close(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	assert_int_equal(s_send(x, c[0], "last", 4), 4);
	assert_int_equal(s_shutdown(c[0], K_SHUT_WR), 0);
	assert_int_equal(s_send(x, c[0], "x", 1), -EPIPE);
	assert_int_equal(s_poll(x, c[1]), POLLOUT);
	settle(x);
	assert_int_equal(s_poll(x, c[1]), POLLIN | POLLOUT | POLLRDHUP);
	assert_int_equal(s_poll(x, c[0]), POLLOUT);
	assert_int_equal(s_recv(x, c[1], back, 10), 4);
	assert_int_equal(s_recv(x, c[1], back, 10), 0);
	assert_int_equal(s_send(x, c[1], "reply", 5), 5);
	settle(x);
	assert_int_equal(s_recv(x, c[0], back, 10), 5);
	s_close(x, c[1]);
	settle(x);
	assert_int_equal(s_recv(x, c[0], back, 10), 0);
	assert_int_equal(s_poll(x, c[0]), POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
	assert_int_equal(s_shutdown(c[0], K_SHUT_WR), -ENOTCONN);
	s_close(x, c[0]);
}

static void test_close_delivers_what_was_written(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];
	int64_t got = 0, n;
	const int64_t total = 2000000; /* more than a window */

	fill();
	connection(x, 0, 1, c);
	assert_int_equal(s_send(x, c[0], data, (size_t)total), total);
	s_close(x, c[0]);
	for (;;) {
		settle(x);
		n = s_recv(x, c[1], back + got, 1 << 20);
		if (n <= 0)
			break;
		got += n;
	}
	assert_int_equal(n, 0);
	assert_int_equal(got, total);
	assert_memory_equal(data, back, (size_t)total);
	s_close(x, c[1]);
}

static void test_reset_when_closed_with_unread_data(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	s_send(x, c[0], "abc", 3);
	s_send(x, c[1], "unread by node 0", 16);
	settle(x);
	s_close(x, c[0]);
	settle(x);
	assert_int_equal(s_poll(x, c[1]), POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP);
	/* What had arrived is read first, then the error, once. */
	assert_int_equal(s_recv(x, c[1], back, 10), 3);
	assert_int_equal(s_recv(x, c[1], back, 10), -ECONNRESET);
	assert_int_equal(s_recv(x, c[1], back, 10), 0);
	assert_int_equal(s_send(x, c[1], "x", 1), -EPIPE);
	s_close(x, c[1]);
}

static void test_data_to_a_closed_socket(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	s_close(x, c[0]);
	settle(x);
	assert_int_equal(s_send(x, c[1], "x", 1), 1); /* only now does it find out */
	settle(x);
	/* Reset in CLOSE_WAIT: EPIPE for the writer, the end for the reader. */
	assert_int_equal(s_recv(x, c[1], back, 1), 0);
	assert_int_equal(s_send(x, c[1], "x", 1), -EPIPE);
	s_close(x, c[1]);
	/* Data on its way when the other end closes: its FIN comes first, the reset one trip later. */
	connection(x, 0, 1, c);
	s_send(x, c[1], "x", 1);
	s_close(x, c[0]);
	settle(x);
	assert_int_equal(s_poll(x, c[1]) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
	assert_int_equal(s_error(c[1]), -EPIPE);
	s_close(x, c[1]);
}

static void test_linger_zero_resets(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	fill();
	connection(x, 0, 1, c);
	sock_of(c[0])->opt[OPT_LINGER] = 1;
	assert_int_equal(s_send(x, c[0], data, 2000000), 2000000);
	s_close(x, c[0]);
	settle(x);
	/* What was on its way arrives, what was not yet sent does not. */
	assert_int_equal(s_recv(x, c[1], back, sizeof back), TCP_WINDOW);
	assert_int_equal(s_recv(x, c[1], back, 10), -ECONNRESET);
	s_close(x, c[1]);
}

static void test_shutdown_both_and_data(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	assert_int_equal(s_shutdown(c[0], K_SHUT_RDWR), 0);
	assert_int_equal(s_poll(x, c[0]), POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
	assert_int_equal(s_recv(x, c[0], back, 1), 0);
	settle(x);
	s_send(x, c[1], "x", 1);
	settle(x);
	assert_int_equal(s_error(c[0]), -ECONNRESET);
	assert_int_equal(s_error(c[1]), -EPIPE);
	s_close(x, c[0]);
	s_close(x, c[1]);
	/* SHUT_RD alone changes nothing for the other end, and data still comes in. */
	connection(x, 0, 1, c);
	s_shutdown(c[0], K_SHUT_RD);
	assert_int_equal(s_recv(x, c[0], back, 1), 0);
	s_send(x, c[1], "xy", 2);
	settle(x);
	assert_int_equal(s_recv(x, c[0], back, 10), 2);
	s_close(x, c[0]);
	s_close(x, c[1]);
}

static void test_shutdown_of_a_listener(void **state)
{
	struct netfix *x = *state;
	struct file *l = listener(x, 0, 10);
	struct probe p;
	int rc;

	probe_on(&p, l);
	assert_int_equal(s_shutdown(l, K_SHUT_RDWR), 0);
	assert_true(p.woken > 0); /* accept() wakes up, and fails */
	list_del(&p.w.link);
	s_accept(l, &rc);
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(s_shutdown(l, K_SHUT_RDWR), -ENOTCONN);
	assert_int_equal(s_listen(l, 10), 0);
	s_close(x, l);
}

static void test_time_wait_holds_the_port(void **state)
{
	struct netfix *x = *state;
	struct file *c[2], *f = open_sock(x, 1, K_AF_INET, K_SOCK_STREAM);
	uint16_t port;

	connection(x, 0, 1, c);
	port = s_port(c[1]);
	s_close(x, c[1]); /* closes first: TIME_WAIT is on its side */
	settle(x);
	s_close(x, c[0]);
	settle(x);
	assert_int_equal(s_bind(f, lo4(port)), -EADDRINUSE);
	sock_of(f)->opt[OPT_REUSEADDR] = 1;
	assert_int_equal(s_bind(f, lo4(port)), -EADDRINUSE); /* the dead one had it not */
	pass(x, 60 * NS_PER_S);
	sock_of(f)->opt[OPT_REUSEADDR] = 0;
	assert_int_equal(s_bind(f, lo4(port)), 0);
	s_close(x, f);
	assert_true(list_empty(&x->n.socks));
}

static void test_fin_wait2_of_a_closed_socket_ends(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	s_close(x, c[0]);
	pass(x, 59 * NS_PER_S);
	assert_int_equal(x->n.socks.next != x->n.socks.prev, 1); /* both ends */
	pass(x, 2 * NS_PER_S);
	assert_ptr_equal(x->n.socks.next, x->n.socks.prev);
	s_send(x, c[1], "x", 1);
	settle(x);
	assert_int_equal(s_error(c[1]), -EPIPE);
	s_close(x, c[1]);
}

static void test_disconnect_and_connect_again(void **state)
{
	struct netfix *x = *state;
	struct file *c[2], *l = listener(x, 2, 10);
	struct netaddr none = {0}, name;

	connection(x, 0, 1, c);
	assert_int_equal(s_connect(c[0], none), 0);
	settle(x);
	assert_int_equal(s_recv(x, c[1], back, 1), -ECONNRESET);
	assert_int_equal(sock_of(c[0])->ops->name(sock_of(c[0]), true, &name), -ENOTCONN);
	assert_int_equal(s_connect(c[0], lo4(s_port(l))), -EINPROGRESS);
	settle(x);
	assert_int_equal(s_connect(c[0], none), 0);
	s_close(x, c[0]);
	s_close(x, c[1]);
	s_close(x, l);
}

static void test_fresh_socket(void **state)
{
	struct netfix *x = *state;
	struct file *f = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	struct netaddr a;
	int rc;

	assert_int_equal(s_recv(x, f, back, 1), -ENOTCONN);
	assert_int_equal(s_send(x, f, "x", 1), -EPIPE);
	assert_int_equal(s_shutdown(f, K_SHUT_WR), -ENOTCONN);
	s_accept(f, &rc);
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(sock_of(f)->ops->name(sock_of(f), false, &a), 0);
	assert_int_equal(a.port, 0);
	assert_true(ip_is_any(&a.ip));
	assert_int_equal(sock_of(f)->ops->name(sock_of(f), true, &a), -ENOTCONN);
	s_close(x, f);
	f = open_sock(x, 0, K_AF_INET, K_SOCK_STREAM);
	assert_int_equal(s_listen(f, 5), 0); /* chooses a port */
	assert_in_range(s_port(f), PORT_EPHEMERAL_FIRST, PORT_EPHEMERAL_LAST);
	assert_int_equal(s_recv(x, f, back, 1), -ENOTCONN);
	assert_int_equal(s_connect(f, lo4(1)), -EISCONN);
	s_close(x, f);
}

/* ---- nodes ---- */

static void test_counts(void **state)
{
	struct netfix *x = *state;
	struct file *c[2], *d[2];

	connection(x, 0, 1, c);
	connection(x, 2, 1, d);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[1], NET_OPEN), 2);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[2], NET_OPEN), 1);
	s_close(x, c[0]);
	settle(x);
	s_close(x, c[1]);
	sock_of(d[1])->opt[OPT_LINGER] = 1;
	s_close(x, d[1]);
	settle(x);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[1], NET_OPEN), 0);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[1], NET_CLOSED), 1);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[1], NET_RESET), 1);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[2], NET_RESET), 1);
	assert_int_equal(net_count_node_connections(&x->n, &x->node[0], NET_CLOSED), 1);
	s_close(x, d[0]);
}

static void test_power_loss_is_silent(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	s_send(x, c[1], "on its way", 10);
	net_reset_node(&x->n, &x->node[1]);
	s_close(x, c[1]);
	settle(x);
	assert_int_equal(s_recv(x, c[0], back, 20), 10);
	assert_int_equal(s_recv(x, c[0], back, 20), -EAGAIN); /* no FIN, no reset */
	s_send(x, c[0], "x", 1);
	settle(x);
	assert_int_equal(s_recv(x, c[0], back, 20), -ECONNRESET);
	s_close(x, c[0]);
}

static void test_nothing_is_left(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	connection(x, 0, 1, c);
	s_send(x, c[0], "x", 1);
	s_close(x, c[0]);
	s_close(x, c[1]);
	pass(x, 200 * NS_PER_S);
	assert_true(list_empty(&x->n.socks));
	assert_int_equal(x->n.ports.len, 0);
	net_clear(&x->n);
	assert_int_equal(arena_used(x->k.arena), x->arena_at_start);
	net_init(&x->n, &x->k, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NETUNIT(test_handshake_takes_the_links_latency),
		NETUNIT(test_refused),
		NETUNIT(test_accept_queue_and_backlog),
		NETUNIT(test_connect_times_out_when_the_queue_stays_full),
		NETUNIT(test_listener_closes),
		NETUNIT(test_client_gives_up),
		NETUNIT(test_defer_accept),
		NETUNIT(test_bind_rules),
		NETUNIT(test_dual_stack),
		NETUNIT(test_ephemeral_ports_follow_the_seed),
		NETUNIT(test_reuseport_shares_connections),
		NETUNIT(test_bytes_cross_in_order),
		NETUNIT(test_back_pressure),
		NETUNIT(test_buffer_sizes_of_the_program),
		NETUNIT(test_peek_and_trunc),
		NETUNIT(test_half_close),
		NETUNIT(test_close_delivers_what_was_written),
		NETUNIT(test_reset_when_closed_with_unread_data),
		NETUNIT(test_data_to_a_closed_socket),
		NETUNIT(test_linger_zero_resets),
		NETUNIT(test_shutdown_both_and_data),
		NETUNIT(test_shutdown_of_a_listener),
		NETUNIT(test_time_wait_holds_the_port),
		NETUNIT(test_fin_wait2_of_a_closed_socket_ends),
		NETUNIT(test_disconnect_and_connect_again),
		NETUNIT(test_fresh_socket),
		NETUNIT(test_counts),
		NETUNIT(test_power_loss_is_silent),
		NETUNIT(test_nothing_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
