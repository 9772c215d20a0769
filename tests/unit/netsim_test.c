/* UDP, unix sockets and netlink of netsim, and what sockets of all kinds share. TCP has tcp_test.c. */
#include "tests/unit/net_fixture.h"

static char back[1 << 18];

/* ---- UDP ---- */

static struct file *udp_at(struct netfix *x, unsigned node, uint16_t port)
{
	struct file *f = open_sock(x, node, K_AF_INET, K_SOCK_DGRAM);

	assert_int_equal(s_bind(f, lo4(port)), 0);
	return f;
}

static void test_udp_datagrams(void **state)
{
	struct netfix *x = *state;
	struct file *a = udp_at(x, 0, 1000), *b = udp_at(x, 1, 2000);
	int64_t one_way = net_link(&x->n, &x->node[0], &x->node[1])->latency_ns;
	struct sock_msg m = {0};

	assert_int_equal(s_sendto(a, "first", 5, lo4(2000)), 5);
	assert_int_equal(s_sendto(a, "", 0, lo4(2000)), 0);
	assert_int_equal(s_sendto(a, "third one", 9, lo4(2000)), 9);
	pass(x, one_way - 1);
	assert_int_equal(s_poll(x, b), POLLOUT);
	pass(x, 1);
	assert_int_equal(s_poll(x, b), POLLIN | POLLOUT);
	assert_int_equal(sock_of(b)->ops->inq(sock_of(b)), 5);
	assert_int_equal(s_recv_flags(b, back, 100, K_MSG_PEEK, &m), 5);
	assert_int_equal(m.name.port, 1000);
	assert_int_equal(s_recv_flags(b, back, 100, 0, &m), 5);
	assert_memory_equal(back, "first", 5);
	assert_int_equal(s_recv_flags(b, back, 100, 0, &m), 0);
	assert_int_equal(m.name.port, 1000);
	assert_int_equal(s_recv_flags(b, back, 5, 0, &m), 5);
	assert_int_equal(m.out_flags, K_MSG_TRUNC);
	assert_int_equal(s_recv_flags(b, back, 5, 0, &m), -EAGAIN);
	s_sendto(a, "123456789", 9, lo4(2000));
	settle(x);
	assert_int_equal(s_recv_flags(b, back, 2, K_MSG_TRUNC, &m), 9);
	s_close(x, a);
	s_close(x, b);
}

static void test_udp_errors(void **state)
{
	struct netfix *x = *state;
	struct file *a = open_sock(x, 0, K_AF_INET, K_SOCK_DGRAM);

	assert_int_equal(s_send(x, a, "x", 1), -EDESTADDRREQ);
	assert_int_equal(s_sendto(a, back, 65508, lo4(5)), -EMSGSIZE);
	assert_int_equal(s_sendto(a, "x", 1, lo4(0)), -EINVAL);
	assert_int_equal(s_sendto(a, "x", 1, v4(0xffffffff, 5)), -EACCES);
	assert_int_equal(s_sendto(a, "x", 1, v4(0x08080808, 53)), -ENETUNREACH);
	assert_int_equal(s_connect(a, v4(0x08080808, 53)), -ENETUNREACH);
	assert_int_equal(s_shutdown(a, K_SHUT_RD), -ENOTCONN);
	/* Nobody there: an unconnected socket never learns of it. */
	assert_int_equal(s_sendto(a, "x", 1, lo4(5)), 1);
	settle(x);
	assert_int_equal(s_poll(x, a) & POLLERR, 0);
	s_close(x, a);
	a = open_sock(x, 0, K_AF_INET, K_SOCK_DGRAM);
	assert_int_equal(s_connect(a, lo4(5)), 0);
	assert_int_equal(s_send(x, a, "x", 1), 1);
	settle(x);
	assert_int_equal(s_poll(x, a), POLLOUT | POLLERR);
	assert_int_equal(s_recv(x, a, back, 1), -ECONNREFUSED);
	assert_int_equal(s_recv(x, a, back, 1), -EAGAIN);
	assert_int_equal(s_send(x, a, "x", 1), 1);
	settle(x);
	assert_int_equal(s_send(x, a, "x", 1), -ECONNREFUSED);
	s_close(x, a);
}

static void test_udp_connected_takes_from_its_peer_only(void **state)
{
	struct netfix *x = *state;
	struct file *a = udp_at(x, 0, 1000), *b = udp_at(x, 1, 2000), *c = udp_at(x, 1, 3000);

	assert_int_equal(s_connect(a, lo4(2000)), 0);
	s_sendto(c, "no", 2, lo4(1000));
	settle(x);
	assert_int_equal(s_recv(x, a, back, 10), -EAGAIN);
	s_sendto(b, "yes", 3, lo4(1000));
	settle(x);
	assert_int_equal(s_recv(x, a, back, 10), 3);
	/* Disconnected, it takes from all again, and still has its port. */
	assert_int_equal(s_connect(a, (struct netaddr){0}), 0);
	s_sendto(c, "now", 3, lo4(1000));
	settle(x);
	assert_int_equal(s_recv(x, a, back, 10), 3);
	s_close(x, a);
	s_close(x, b);
	s_close(x, c);
}

static void test_udp_receive_buffer(void **state)
{
	struct netfix *x = *state;
	struct file *a = udp_at(x, 0, 1000), *b = udp_at(x, 1, 2000);
	int got = 0;

	sock_of(b)->opt[OPT_RCVBUF] = 20000;
	for (int i = 0; i < 50; i++)
		assert_int_equal(s_sendto(a, back, 1000, lo4(2000)), 1000);
	settle(x);
	while (s_recv(x, b, back, 2000) == 1000)
		got++;
	assert_int_equal(got, 20000 / 1768); /* the others were dropped */
	s_close(x, a);
	s_close(x, b);
}

static void test_udp_ipv6(void **state)
{
	struct netfix *x = *state;
	struct file *six = open_sock(x, 0, K_AF_INET6, K_SOCK_DGRAM), *a = udp_at(x, 1, 1000);
	struct netaddr any = any6(2000);
	struct sock_msg m = {0};

	assert_int_equal(s_bind(six, any), 0);
	s_sendto(a, "four", 4, lo4(2000));
	settle(x);
	assert_int_equal(s_recv_flags(six, back, 10, 0, &m), 4);
	assert_int_equal(m.name.family, K_AF_INET6);
	assert_true(ip_is_v4(&m.name.ip));
	assert_int_equal(s_sendto(six, "back", 4, m.name), 4);
	settle(x);
	assert_int_equal(s_recv_flags(a, back, 10, 0, &m), 4);
	assert_int_equal(m.name.family, K_AF_INET);
	assert_int_equal(m.name.port, 2000);
	assert_int_equal(s_sendto(six, "self", 4, lo6(2000)), 4);
	settle(x);
	assert_int_equal(s_recv_flags(six, back, 10, 0, &m), 4);
	assert_true(ip_is_loopback(&m.name.ip) && !ip_is_v4(&m.name.ip));
	s_close(x, six);
	s_close(x, a);
}

static void test_udp_ports(void **state)
{
	struct netfix *x = *state;
	struct file *a = udp_at(x, 0, 1000), *b = open_sock(x, 0, K_AF_INET, K_SOCK_DGRAM), *c;

	assert_int_equal(s_bind(b, lo4(1000)), -EADDRINUSE);
	sock_of(a)->opt[OPT_REUSEADDR] = sock_of(b)->opt[OPT_REUSEADDR] = 1;
	assert_int_equal(s_bind(b, lo4(1000)), 0);
	/* The latest one gets it. */
	s_sendto(a, "x", 1, lo4(1000));
	settle(x);
	assert_int_equal(s_recv(x, a, back, 1), -EAGAIN);
	assert_int_equal(s_recv(x, b, back, 1), 1);
	/* Unless one is connected to the sender: it is the better one. */
	assert_int_equal(s_connect(a, lo4(77)), 0);
	s_close(x, b);
	b = open_sock(x, 0, K_AF_INET, K_SOCK_DGRAM);
	sock_of(b)->opt[OPT_REUSEADDR] = 1;
	assert_int_equal(s_bind(b, lo4(1000)), 0);
	c = udp_at(x, 0, 77);
	s_sendto(c, "x", 1, lo4(1000));
	settle(x);
	assert_int_equal(s_recv(x, a, back, 1), 1);
	assert_int_equal(s_recv(x, b, back, 1), -EAGAIN);
	s_close(x, a);
	s_close(x, b);
	s_close(x, c);
	/* The first send chooses a port. */
	a = open_sock(x, 0, K_AF_INET, K_SOCK_DGRAM);
	s_sendto(a, "x", 1, lo4(9));
	assert_in_range(s_port(a), PORT_EPHEMERAL_FIRST, PORT_EPHEMERAL_LAST);
	s_close(x, a);
}

static void test_power_loss_drops_datagrams(void **state)
{
	struct netfix *x = *state;
	struct file *a = udp_at(x, 0, 1000), *b = udp_at(x, 1, 2000), *c = udp_at(x, 2, 3000);

	s_sendto(a, "lost", 4, lo4(2000));
	s_sendto(c, "kept", 4, lo4(2000));
	net_reset_node(&x->n, &x->node[0]);
	settle(x);
	assert_int_equal(s_recv(x, b, back, 10), 4);
	assert_memory_equal(back, "kept", 4);
	assert_int_equal(s_recv(x, b, back, 10), -EAGAIN);
	s_close(x, a);
	s_close(x, b);
	s_close(x, c);
}

/* ---- unix ---- */

static struct file *unix_listener(struct netfix *x, int type, struct netaddr name, int backlog)
{
	struct file *l = open_sock(x, 0, K_AF_UNIX, type);

	assert_int_equal(s_bind(l, name), 0);
	assert_int_equal(s_listen(l, backlog), 0);
	return l;
}

static void pair(struct netfix *x, int type, struct file *out[2])
{
	for (int i = 0; i < 2; i++)
		out[i] = open_sock(x, 0, K_AF_UNIX, type);
	unix_pair(sock_of(out[0]), sock_of(out[1]));
}

static void test_unix_stream_is_immediate(void **state)
{
	struct netfix *x = *state;
	struct file *l = unix_listener(x, K_SOCK_STREAM, unpath("/run/s", 5), 5), *c = open_sock(x, 1, K_AF_UNIX, K_SOCK_STREAM), *s;
	struct netaddr name;
	int rc;

	assert_int_equal(s_connect(c, unpath("/run/s", 5)), 0);
	assert_int_equal(s_send(x, c, "before accept", 13), 13);
	assert_int_equal(s_poll(x, l), POLLIN);
	s = s_accept(l, &rc);
	assert_int_equal(s_recv(x, s, back, 100), 13);
	assert_int_equal(sock_of(c)->ops->name(sock_of(c), true, &name), 0);
	assert_int_equal(name.pathlen, 6);
	assert_int_equal(sock_of(s)->ops->name(sock_of(s), true, &name), 0);
	assert_int_equal(name.pathlen, 0);
	assert_int_equal(s_connect(c, unpath("/run/s", 5)), -EISCONN);
	s_close(x, c);
	assert_int_equal(s_poll(x, s), POLLIN | POLLOUT | POLLHUP | POLLRDHUP);
	assert_int_equal(s_recv(x, s, back, 1), 0);
	assert_int_equal(s_send(x, s, "x", 1), -EPIPE);
	s_close(x, s);
	s_close(x, l);
}

static void test_unix_names(void **state)
{
	struct netfix *x = *state;
	struct file *a = open_sock(x, 0, K_AF_UNIX, K_SOCK_STREAM), *b = open_sock(x, 0, K_AF_UNIX, K_SOCK_DGRAM);
	struct netaddr none = {.family = K_AF_UNIX}, name;

	assert_int_equal(s_connect(a, unpath("/nobody", 9)), -ECONNREFUSED);
	assert_int_equal(s_bind(b, abstract("here")), 0);
	assert_int_equal(s_connect(a, abstract("here")), -ECONNREFUSED); /* abstract names are per type */
	assert_int_equal(s_bind(a, unpath("/p", 3)), 0);
	assert_int_equal(s_connect(b, unpath("/p", 3)), -EPROTOTYPE);
	assert_int_equal(s_listen(b, 1), -EOPNOTSUPP);
	s_close(x, b);
	b = open_sock(x, 0, K_AF_UNIX, K_SOCK_STREAM);
	assert_int_equal(s_connect(b, unpath("/p", 3)), -ECONNREFUSED); /* bound, but not listening */
	assert_int_equal(s_listen(b, 1), -EINVAL);                      /* not bound */
	/* Another path to the same inode. */
	s_listen(a, 1);
	assert_int_equal(s_connect(b, unpath("/link-to-p", 3)), 0);
	s_close(x, b);
	/* Autobind: five hexadecimal digits. */
	b = open_sock(x, 0, K_AF_UNIX, K_SOCK_STREAM);
	assert_int_equal(s_bind(b, none), 0);
	assert_int_equal(sock_of(b)->ops->name(sock_of(b), false, &name), 0);
	assert_int_equal(name.pathlen, 6);
	assert_int_equal(name.path[0], 0);
	assert_int_equal(strspn(name.path + 1, "0123456789abcdef"), 5);
	s_close(x, a);
	s_close(x, b);
}

static void test_unix_backlog(void **state)
{
	struct netfix *x = *state;
	struct file *l = unix_listener(x, K_SOCK_STREAM, abstract("l"), 1), *c[3], *s;
	struct probe p = {0};
	int rc;

	for (int i = 0; i < 3; i++) {
		c[i] = open_sock(x, 0, K_AF_UNIX, K_SOCK_STREAM);
		assert_int_equal(s_connect(c[i], abstract("l")), i < 2 ? 0 : -EAGAIN);
	}
	/* Who waits for a place waits on the listener's own queue. */
	assert_ptr_equal(sock_of(c[2])->block_on, &sock_of(l)->room_wq);
	waitq_add(sock_of(c[2])->block_on, &p.w, probe_fn);
	s = s_accept(l, &rc);
	assert_int_equal(p.woken, 1);
	list_del(&p.w.link);
	assert_int_equal(s_connect(c[2], abstract("l")), 0);
	/* Whoever was not accepted is reset. */
	s_close(x, l);
	assert_int_equal(s_recv(x, c[1], back, 1), -ECONNRESET);
	assert_int_equal(s_recv(x, c[1], back, 1), 0);
	assert_int_equal(s_recv(x, c[0], back, 1), -EAGAIN);
	for (int i = 0; i < 3; i++)
		s_close(x, c[i]);
	s_close(x, s);
}

static void test_unix_back_pressure(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];
	int64_t n, sent = 0;
	struct probe p;

	pair(x, K_SOCK_STREAM, c);
	while ((n = s_send(x, c[0], back, 10000)) > 0)
		sent += n;
	assert_int_equal(n, -EAGAIN);
	assert_in_range(sent, 150000, 212992);
	assert_int_equal(s_poll(x, c[0]), 0);
	probe_on(&p, c[0]);
	for (int64_t got = 0; got < sent; got += n) {
		n = s_recv(x, c[1], back, 10000);
		assert_true(n > 0);
		/* Writable when only a quarter of the buffer is in use (unix_writable()). */
		assert_int_equal(p.woken > 0, s_poll(x, c[0]) == POLLOUT);
	}
	list_del(&p.w.link);
	assert_int_equal(s_poll(x, c[0]), POLLOUT);
	s_close(x, c[0]);
	s_close(x, c[1]);
}

static void test_unix_reset_when_closed_with_unread_data(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];

	pair(x, K_SOCK_STREAM, c);
	s_send(x, c[0], "unread", 6);
	s_send(x, c[1], "read", 4);
	s_close(x, c[1]);
	assert_int_equal(s_recv(x, c[0], back, 10), 4);
	assert_int_equal(s_recv(x, c[0], back, 10), -ECONNRESET);
	assert_int_equal(s_recv(x, c[0], back, 10), 0);
	s_close(x, c[0]);
}

static void test_unix_datagrams(void **state)
{
	struct netfix *x = *state;
	struct file *r = open_sock(x, 0, K_AF_UNIX, K_SOCK_DGRAM), *s = open_sock(x, 0, K_AF_UNIX, K_SOCK_DGRAM);
	struct sock_msg m = {0};
	struct probe p;
	int n = 0;

	assert_int_equal(s_send(x, s, "x", 1), -ENOTCONN);
	assert_int_equal(s_bind(r, abstract("r")), 0);
	assert_int_equal(s_bind(s, abstract("s")), 0);
	assert_int_equal(s_connect(s, abstract("r")), 0);
	assert_int_equal(s_send(x, s, "hello", 5), 5);
	assert_int_equal(s_recv_flags(r, back, 3, 0, &m), 3);
	assert_int_equal(m.out_flags, K_MSG_TRUNC);
	assert_int_equal(m.name.pathlen, 2);
	/* net.unix.max_dgram_qlen + 1 stand in the queue, then the sender waits. */
	while (s_send(x, s, "x", 1) == 1)
		n++;
	assert_int_equal(n, 11);
	assert_int_equal(s_poll(x, s), 0);
	probe_on(&p, s);
	assert_int_equal(s_recv(x, r, back, 10), 1);
	assert_true(p.woken > 0);
	list_del(&p.w.link);
	assert_int_equal(s_poll(x, s), POLLOUT);
	s_close(x, r);
	assert_int_equal(s_send(x, s, "x", 1), -ECONNREFUSED);
	assert_int_equal(s_send(x, s, "x", 1), -ENOTCONN);
	assert_int_equal(s_sendto(s, "x", 1, abstract("r")), -ECONNREFUSED);
	s_close(x, s);
}

static void test_seqpacket(void **state)
{
	struct netfix *x = *state;
	struct file *c[2];
	struct sock_msg m = {0};

	pair(x, K_SOCK_SEQPACKET, c);
	s_send(x, c[0], "one", 3);
	s_send(x, c[0], "second", 6);
	assert_int_equal(s_recv(x, c[1], back, 10), 3);
	assert_int_equal(s_recv_flags(c[1], back, 4, 0, &m), 4);
	assert_int_equal(m.out_flags, K_MSG_TRUNC);
	assert_int_equal(s_recv(x, c[1], back, 10), -EAGAIN);
	s_close(x, c[0]);
	assert_int_equal(s_recv(x, c[1], back, 10), 0);
	assert_int_equal(s_send(x, c[1], "x", 1), -EPIPE);
	s_close(x, c[1]);
}

/* ---- descriptors and credentials ---- */

static int64_t send_file(struct file *via, struct file *f)
{
	struct scm scm = {.nfiles = 1, .files = {file_ref(f)}};
	struct sock_msg m = {.data = "f", .len = 1, .scm = &scm};
	int64_t n = sock_of(via)->ops->send(sock_of(via), &m);

	assert_int_equal(scm.nfiles, n > 0 ? 0 : 1);
	scm_drop(sock_of(via)->net->k, &scm);
	return n;
}

static void test_descriptors_travel(void **state)
{
	struct netfix *x = *state;
	struct file *c[2], *got, *sent = udp_at(x, 0, 77);
	struct scm scm = {0};
	struct sock_msg m = {.scm = &scm};

	pair(x, K_SOCK_STREAM, c);
	assert_int_equal(s_send(x, c[0], "ab", 2), 2);
	assert_int_equal(send_file(c[0], sent), 1);
	assert_int_equal(s_send(x, c[0], "cd", 2), 2);
	assert_int_equal(sent->refs, 2);
	/* A read ends behind the byte that carries it. */
	assert_int_equal(s_recv_flags(c[1], back, 100, K_MSG_PEEK, &m), 3);
	assert_int_equal(scm.nfiles, 1);
	assert_int_equal(sent->refs, 3);
	scm_drop(&x->k, &scm);
	assert_int_equal(s_recv_flags(c[1], back, 100, 0, &m), 3);
	assert_int_equal(scm.nfiles, 1);
	got = scm.files[0];
	assert_ptr_equal(got, sent);
	assert_int_equal(sent->refs, 2);
	assert_int_equal(s_recv(x, c[1], back, 100), 2);
	scm_drop(&x->k, &scm);
	/* One that nobody reads is closed with the socket; one that is read without being asked for, at once. */
	assert_int_equal(send_file(c[0], sent), 1);
	assert_int_equal(s_recv(x, c[1], back, 100), 1);
	assert_int_equal(sent->refs, 1);
	assert_int_equal(send_file(c[0], sent), 1);
	s_close(x, c[1]);
	assert_int_equal(sent->refs, 1);
	s_close(x, c[0]);
	s_close(x, sent);
}

static void test_the_last_reference_travels(void **state)
{
	struct netfix *x = *state;
	struct file *c[2], *d[2];

	/* The only reference to d[1], whose queue holds the only one to c[0], stands in the queue of c[1]. */
	pair(x, K_SOCK_STREAM, c);
	pair(x, K_SOCK_STREAM, d);
	assert_int_equal(send_file(c[0], d[1]), 1);
	s_close(x, d[1]);
	assert_int_equal(send_file(d[0], c[0]), 1);
	s_close(x, c[0]);
	assert_int_equal(s_poll(x, d[0]), POLLOUT);
	s_close(x, c[1]);
	assert_int_equal(s_poll(x, d[0]) & POLLHUP, POLLHUP);
	s_close(x, d[0]);
	assert_true(list_empty(&x->n.socks));
}

/* Circles are found when a unix socket is closed, as in the kernel. */
static void assert_all_collected(struct netfix *x)
{
	s_close(x, open_sock(x, 0, K_AF_UNIX, K_SOCK_STREAM));
	assert_true(list_empty(&x->n.socks));
}

static void test_circles_are_collected(void **state)
{
	struct netfix *x = *state;
	struct file *c[2], *d[2], *l, *keep;

	/* Each stands in the other's queue. */
	pair(x, K_SOCK_STREAM, c);
	pair(x, K_SOCK_STREAM, d);
	send_file(c[0], d[0]);
	send_file(d[1], c[1]);
	keep = file_ref(c[1]);
	for (int i = 0; i < 2; i++) {
		s_close(x, c[i]);
		s_close(x, d[i]);
	}
	assert_int_equal(x->n.unix_in_flight, 2);
	s_close(x, keep);
	assert_all_collected(x);
	/* One in its own queue. */
	pair(x, K_SOCK_DGRAM, c);
	send_file(c[0], c[1]);
	send_file(c[1], c[0]);
	s_close(x, c[0]);
	s_close(x, c[1]);
	assert_all_collected(x);
	/* A listener in the queue of a connection that it has not accepted. */
	l = unix_listener(x, K_SOCK_STREAM, abstract("l"), 5);
	c[0] = open_sock(x, 0, K_AF_UNIX, K_SOCK_STREAM);
	s_connect(c[0], abstract("l"));
	send_file(c[0], l);
	s_close(x, l);
	s_close(x, c[0]);
	assert_all_collected(x);
	assert_int_equal(x->n.unix_in_flight, 0);
}

static void test_credentials(void **state)
{
	struct netfix *x = *state;
	struct file *l, *c, *s;
	struct scm scm = {0};
	struct sock_msg m = {.scm = &scm};
	struct sock_cred u = {77, 1000, 1001};
	int rc;

	l = unix_listener(x, K_SOCK_STREAM, abstract("l"), 5);
	assert_int_equal(sock_create(&x->n, NULL, &u, K_AF_UNIX, K_SOCK_STREAM, 0, 0, &c), 0);
	assert_int_equal(sock_of(c)->peercred.uid, UINT32_MAX);
	assert_int_equal(s_connect(c, abstract("l")), 0);
	s = s_accept(l, &rc);
	assert_int_equal(sock_of(s)->peercred.pid, 77);
	assert_int_equal(sock_of(s)->peercred.uid, 1000);
	assert_int_equal(sock_of(s)->peercred.gid, 1001);
	assert_int_equal(sock_of(c)->peercred.pid, root_cred.pid);
	s_send(x, c, "x", 1);
	assert_int_equal(s_recv_flags(s, back, 10, 0, &m), 1);
	assert_true(scm.has_cred);
	assert_int_equal(scm.cred.pid, 77);
	s_close(x, s);
	s_close(x, c);
	s_close(x, l);
}

/* ---- netlink ---- */

struct nlreq {
	uint32_t len;
	uint16_t type, flags;
	uint32_t seq, pid;
	uint8_t family, pad[3];
};

/* The types of the messages that come back for one request. */
static unsigned ask(struct netfix *x, struct file *f, uint16_t type, uint16_t flags, uint16_t types[], size_t *bytes)
{
	struct nlreq q = {.len = sizeof q, .type = type, .flags = flags, .seq = 42};
	unsigned n = 0;
	int64_t len;

	*bytes = 0;
	assert_int_equal(s_send(x, f, &q, sizeof q), sizeof q);
	while ((len = s_recv(x, f, back, sizeof back)) > 0) {
		struct nlreq h;
		memcpy(&h, back, 16);
		assert_int_equal(h.len, len);
		assert_int_equal(h.seq, 42);
		types[n++] = h.type;
		*bytes += (size_t)len;
	}
	assert_int_equal(len, -EAGAIN);
	return n;
}

static void test_netlink_lists_one_interface(void **state)
{
	struct netfix *x = *state;
	struct file *f = open_sock(x, 0, K_AF_NETLINK, K_SOCK_RAW);
	uint16_t types[8];
	size_t bytes;

	assert_int_equal(s_bind(f, (struct netaddr){.family = K_AF_NETLINK}), 0);
	assert_int_equal(ask(x, f, 18, 0x301, types, &bytes), 2);
	assert_int_equal(types[0], 16);
	assert_int_equal(types[1], 3);
	assert_int_equal(ask(x, f, 22, 0x301, types, &bytes), 3);
	assert_int_equal(types[0], 20);
	assert_int_equal(types[1], 20);
	assert_int_equal(types[2], 3);
	assert_int_equal(ask(x, f, 26, 0x301, types, &bytes), 1); /* no routes */
	assert_int_equal(types[0], 3);
	assert_int_equal(ask(x, f, 16, 5, types, &bytes), 1); /* cannot be changed */
	assert_int_equal(types[0], 2);
	s_close(x, f);
}

/* ---- all of them ---- */

static int create(struct netfix *x, int family, int type, int protocol)
{
	struct file *f = NULL;
	int rc = sock_create(&x->n, NULL, &root_cred, family, type, protocol, 0, &f);

	if (!rc)
		s_close(x, f);
	return rc;
}

static void test_what_can_be_created(void **state)
{
	struct netfix *x = *state;

	assert_int_equal(create(x, K_AF_INET, K_SOCK_STREAM, K_IPPROTO_TCP), 0);
	assert_int_equal(create(x, K_AF_INET6, K_SOCK_DGRAM, K_IPPROTO_UDP), 0);
	assert_int_equal(create(x, K_AF_INET, K_SOCK_STREAM, K_IPPROTO_UDP), -EPROTONOSUPPORT);
	assert_int_equal(create(x, K_AF_INET, K_SOCK_RAW, K_IPPROTO_ICMP), -EPERM);
	assert_int_equal(create(x, K_AF_INET, K_SOCK_SEQPACKET, 0), -ESOCKTNOSUPPORT);
	assert_int_equal(create(x, K_AF_PACKET, K_SOCK_RAW, 0), -EAFNOSUPPORT);
	assert_int_equal(create(x, K_AF_UNIX, K_SOCK_STREAM, 5), -EPROTONOSUPPORT);
	assert_int_equal(create(x, K_AF_NETLINK, K_SOCK_RAW, 9), -EPROTONOSUPPORT);
}

static void test_links_do_not_depend_on_order(void **state)
{
	struct netfix *x = *state, other;
	int64_t a = net_link(&x->n, &x->node[0], &x->node[1])->latency_ns;
	int64_t b = net_link(&x->n, &x->node[2], &x->node[1])->latency_ns;

	netfix_init(&other, 7);
	assert_int_equal(net_link(&other.n, &other.node[1], &other.node[2])->latency_ns, b);
	assert_int_equal(net_link(&other.n, &other.node[1], &other.node[0])->latency_ns, a);
	assert_int_not_equal(a, b);
	net_clear(&other.n);
	kern_clear(&other.k);
}

static void test_printing_addresses(void **state)
{
	char out[160];
	struct netaddr a = {.family = K_AF_INET6, .port = 80, .ip = {{0x20, 1, 0xd, 0xb8, [15] = 1}}};

	(void)state;
	assert_string_equal(netaddr_print(&a, out, sizeof out), "[2001:db8::1]:80");
	a.ip = ip6_loopback();
	assert_string_equal(netaddr_print(&a, out, sizeof out), "[::1]:80");
	a.ip = ip_none;
	assert_string_equal(netaddr_print(&a, out, sizeof out), "[::]:80");
	a = lo4(443);
	assert_string_equal(netaddr_print(&a, out, sizeof out), "127.0.0.1:443");
	a = abstract("name");
	assert_string_equal(netaddr_print(&a, out, sizeof out), "unix @name");
	a = unpath("/a/b", 1);
	assert_string_equal(netaddr_print(&a, out, sizeof out), "unix /a/b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NETUNIT(test_udp_datagrams),
		NETUNIT(test_udp_errors),
		NETUNIT(test_udp_connected_takes_from_its_peer_only),
		NETUNIT(test_udp_receive_buffer),
		NETUNIT(test_udp_ipv6),
		NETUNIT(test_udp_ports),
		NETUNIT(test_power_loss_drops_datagrams),
		NETUNIT(test_unix_stream_is_immediate),
		NETUNIT(test_unix_names),
		NETUNIT(test_unix_backlog),
		NETUNIT(test_unix_back_pressure),
		NETUNIT(test_unix_reset_when_closed_with_unread_data),
		NETUNIT(test_unix_datagrams),
		NETUNIT(test_seqpacket),
		NETUNIT(test_descriptors_travel),
		NETUNIT(test_the_last_reference_travels),
		NETUNIT(test_circles_are_collected),
		NETUNIT(test_credentials),
		NETUNIT(test_netlink_lists_one_interface),
		NETUNIT(test_what_can_be_created),
		NETUNIT(test_links_do_not_depend_on_order),
		NETUNIT(test_printing_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
