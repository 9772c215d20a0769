/* TCP as the socket calls see it. */
#include "netsim/tcp.h"

#include "base/err.h"
#include "base/mem.h"
#include "netsim/inet.h"
#include "netsim/port.h"

static const struct sock_ops tcp_ops;

struct tcp *tcp_from_sock(struct sock *s)
{
	return s->ops == &tcp_ops ? tcp_of(s) : NULL;
}

struct tcp *tcp_alloc(struct net *n, struct node *node, const struct sock_cred *cred, int family)
{
	struct tcp *t = arena_new_of(n->k->arena, struct tcp);
	struct sock *s = &t->sock;

	sock_init(s, n, &tcp_ops, node, cred);
	s->family = (uint16_t)family;
	s->type = K_SOCK_STREAM;
	s->protocol = K_IPPROTO_TCP;
	s->local.family = (uint16_t)family;
	s->local.ip = family == K_AF_INET ? ip4(0) : ip_none;
	s->opt[OPT_SNDBUF] = TCP_SNDBUF;
	s->opt[OPT_RCVBUF] = TCP_RCVBUF;
	s->opt[OPT_TCP_SYNCNT] = TCP_SYN_RETRIES;
	s->opt[OPT_TCP_QUICKACK] = 1;
	s->opt[OPT_TCP_KEEPIDLE] = 7200;
	s->opt[OPT_TCP_KEEPINTVL] = 75;
	s->opt[OPT_TCP_KEEPCNT] = 9;
	s->opt[OPT_TCP_LINGER2] = 60;
	t->state = TCP_CLOSE;
	list_init(&t->queue);
	list_init(&t->embryos);
	list_init(&t->in_listener);
	return t;
}

struct sock *tcp_new(struct net *n, struct node *node, const struct sock_cred *cred, int family)
{
	return &tcp_alloc(n, node, cred, family)->sock;
}

void tcp_set_buffers(struct tcp *t)
{
	if (!t->sock.sndbuf_locked)
		t->sock.opt[OPT_SNDBUF] = TCP_SNDBUF_CONNECTED;
}

static int tcp_bind(struct sock *s, const struct netaddr *a)
{
	struct tcp *t = tcp_of(s);
	int rc = inet_bind_check(s, a);

	if (rc)
		return rc;
	if (t->state != TCP_CLOSE || s->port)
		return -EINVAL;
	rc = inet_bind_address(s, a);
	if (rc)
		return rc;
	t->addr_chosen = !ip_is_any(&a->ip);
	return 0;
}

static int tcp_listen(struct sock *s, int backlog)
{
	struct tcp *t = tcp_of(s);
	int rc;

	/* inet_listen(): not while connecting or connected. */
	if (t->attempt != ATTEMPT_NONE || (t->state != TCP_CLOSE && t->state != TCP_LISTEN))
		return -EINVAL;
	t->backlog = (unsigned)backlog > K_SOMAXCONN ? K_SOMAXCONN : backlog;
	if (t->state == TCP_LISTEN)
		return 0;
	rc = s->port ? port_check_listen(s) : port_bind(s, 0);
	if (rc)
		return rc;
	t->state = TCP_LISTEN;
	s->listening = true;
	return 0;
}

/* The first steps of a connect: addresses, route, port. */
static int tcp_begin(struct tcp *t, const struct netaddr *a)
{
	struct sock *s = &t->sock;
	struct netaddr old_remote = s->remote;
	struct ip old_local = s->local.ip;
	int rc = inet_set_remote(s, a);

	if (rc)
		return rc;
	rc = s->port ? port_check_connect(s) : port_bind_connecting(s);
	if (rc) {
		s->remote = old_remote;
		s->local.ip = old_local;
		return rc;
	}
	tcp_start_connect(t);
	t->attempt = ATTEMPT_UNDER_WAY;
	return -EINPROGRESS;
}

/* __inet_stream_connect() of net/ipv4/af_inet.c; the caller waits and asks again. */
static int tcp_connect(struct sock *s, const struct netaddr *a)
{
	struct tcp *t = tcp_of(s);
	int rc;

	if (a->family == K_AF_UNSPEC) {
		tcp_disconnect(t);
		t->attempt = ATTEMPT_NONE;
		return 0;
	}
	switch (t->attempt) {
	case ATTEMPT_CONNECTED:
		return -EISCONN;
	case ATTEMPT_BROKEN:
		return -EINVAL;
	case ATTEMPT_NONE:
		if (t->state != TCP_CLOSE)
			return -EISCONN;
		return tcp_begin(t, a);
	case ATTEMPT_UNDER_WAY:
		break;
	}
	if (t->state == TCP_SYN_SENT)
		return -EALREADY;
	if (t->state != TCP_CLOSE) {
		t->attempt = ATTEMPT_CONNECTED;
		return 0;
	}
	rc = sock_take_error(s);
	t->attempt = ATTEMPT_NONE;
	tcp_disconnect(t);
	return rc ? rc : -ECONNABORTED;
}

static int tcp_accept(struct sock *s, struct sock **child)
{
	struct tcp *t = tcp_of(s), *c;

	if (t->state != TCP_LISTEN)
		return -EINVAL;
	c = list_first(&t->queue, struct tcp, in_listener);
	if (!c)
		return -EAGAIN;
	list_del(&c->in_listener);
	t->nqueued--;
	c->listener = NULL;
	*child = &c->sock;
	return 0;
}

static int64_t tcp_send(struct sock *s, struct sock_msg *m)
{
	struct tcp *t = tcp_of(s);
	size_t n;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (t->state == TCP_SYN_SENT && !s->err)
		return -EAGAIN;
	if (s->err)
		return sock_take_error(s);
	if ((s->shut & SOCK_SHUT_SND) || (t->state != TCP_ESTABLISHED && t->state != TCP_CLOSE_WAIT))
		return -EPIPE;
	if (!m->len)
		return 0;
	n = MIN(m->len, tcp_room(t));
	if (!n) {
		t->nospace = true;
		return -EAGAIN;
	}
	bytes_put(sock_arena(s), &tcp_out(t)->buf, m->data, n);
	tcp_out(t)->written += n;
	tcp_push(t);
	return (int64_t)n;
}

static int64_t readable(struct tcp *t)
{
	return t->conn ? (int64_t)(tcp_in(t)->arrived - tcp_in(t)->read) : 0;
}

/* tcp_recvmsg_locked() of net/ipv4/tcp.c, when there is nothing to read. */
static int64_t nothing_to_read(struct tcp *t)
{
	if (t->done)
		return 0;
	if (t->sock.err)
		return sock_take_error(&t->sock);
	if (t->sock.shut & SOCK_SHUT_RCV)
		return 0;
	return t->state == TCP_CLOSE ? -ENOTCONN : -EAGAIN;
}

static int64_t tcp_recv(struct sock *s, struct sock_msg *m)
{
	struct tcp *t = tcp_of(s);
	size_t n;

	if (t->state == TCP_LISTEN)
		return -ENOTCONN;
	if (m->flags & K_MSG_OOB)
		return -EINVAL; /* there never is urgent data */
	n = MIN(m->len, (size_t)readable(t));
	if (!n)
		return m->len ? nothing_to_read(t) : 0;
	if (!(m->flags & K_MSG_TRUNC)) /* tcp(7): MSG_TRUNC discards */
		bytes_peek(&tcp_in(t)->buf, m->data, n);
	if (!(m->flags & K_MSG_PEEK)) {
		bytes_drop(sock_arena(s), &tcp_in(t)->buf, n);
		tcp_in(t)->read += n;
		tcp_window_update(t);
	}
	return (int64_t)n;
}

static int tcp_name(struct sock *s, bool peer, struct netaddr *out)
{
	struct tcp *t = tcp_of(s);

	if (peer && (t->state == TCP_CLOSE || t->state == TCP_SYN_SENT || t->state == TCP_LISTEN))
		return -ENOTCONN;
	*out = peer ? s->remote : s->local;
	return 0;
}

/* tcp_poll() of net/ipv4/tcp.c. */
static uint32_t tcp_poll(struct sock *s)
{
	struct tcp *t = tcp_of(s);
	uint32_t ev = 0;

	if (t->state == TCP_LISTEN)
		return t->nqueued ? K_EPOLLIN | K_EPOLLRDNORM : 0;
	if (s->shut == SOCK_SHUT_BOTH || t->state == TCP_CLOSE)
		ev |= K_EPOLLHUP;
	if (s->shut & SOCK_SHUT_RCV)
		ev |= K_EPOLLIN | K_EPOLLRDNORM | K_EPOLLRDHUP;
	if (t->state != TCP_SYN_SENT && t->state != TCP_SYN_RECV) {
		if (readable(t) >= MAX(s->opt[OPT_RCVLOWAT], 1))
			ev |= K_EPOLLIN | K_EPOLLRDNORM;
		if ((s->shut & SOCK_SHUT_SND) || !t->conn || tcp_writeable(t))
			ev |= K_EPOLLOUT | K_EPOLLWRNORM;
		else
			t->nospace = true;
	}
	if (s->err)
		ev |= K_EPOLLERR;
	return ev;
}

static size_t tcp_room_op(struct sock *s)
{
	struct tcp *t = tcp_of(s);

	return t->conn ? tcp_room(t) : 0;
}

static int64_t tcp_inq(struct sock *s)
{
	return tcp_of(s)->state == TCP_LISTEN ? -EINVAL : readable(tcp_of(s));
}

static int64_t tcp_outq(struct sock *s)
{
	struct tcp *t = tcp_of(s);

	if (t->state == TCP_LISTEN)
		return -EINVAL;
	return t->conn ? (int64_t)(tcp_out(t)->written - tcp_out(t)->acked) : 0;
}

void tcp_facts(struct sock *s, struct tcp_facts *out)
{
	struct tcp *t = tcp_of(s);

	*out = (struct tcp_facts){.state = t->state,
				  .bytes_in = t->bytes_in,
				  .bytes_out = t->bytes_out,
				  .nqueued = t->nqueued,
				  .backlog = (unsigned)t->backlog};
	if (!t->conn)
		return;
	out->unacked = tcp_out(t)->sent - tcp_out(t)->acked;
	out->notsent = tcp_out(t)->written - tcp_out(t)->sent;
	out->rtt_ns = 2 * net_link(s->net, s->node, conn_node(t->conn, !t->side))->latency_ns;
}

static const struct sock_ops tcp_ops = {
	.bind = tcp_bind,
	.connect = tcp_connect,
	.listen = tcp_listen,
	.accept = tcp_accept,
	.shutdown = tcp_shutdown,
	.send = tcp_send,
	.recv = tcp_recv,
	.name = tcp_name,
	.poll = tcp_poll,
	.close = tcp_close,
	.destroy = tcp_destroy,
	.vanish = tcp_vanish,
	.room = tcp_room_op,
	.inq = tcp_inq,
	.outq = tcp_outq,
};
