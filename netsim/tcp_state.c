/* How TCP connections begin and end. The names of the kernel's functions are given where their order of checks is kept. */
#include "netsim/tcp.h"

#include "base/err.h"
#include "base/mem.h"
#include "netsim/port.h"

#include <string.h>

static void tcp_timer(struct timer *timer);

static struct kern *tcp_kern(const struct tcp *t)
{
	return t->sock.net->k;
}

static void arm(struct tcp *t, int64_t rel_ns)
{
	struct vclock *clock = &tcp_kern(t)->clock;

	timer_arm(clock, &t->timer, vclock_add(clock->now_ns, rel_ns), tcp_timer);
}

/* The program has closed it (or never had it): nobody will look at it again. */
static bool orphan(const struct tcp *t)
{
	return !t->sock.file && !t->listener;
}

static void count_open(struct tcp *t)
{
	t->sock.counted = true;
	net_count(t->sock.net, t->sock.node, NET_OPEN, 1);
}

static void count_end(struct tcp *t, enum net_count how)
{
	if (!t->sock.counted)
		return;
	t->sock.counted = false;
	net_count(t->sock.net, t->sock.node, NET_OPEN, -1);
	net_count(t->sock.net, t->sock.node, how, 1);
}

/* ---- ends ---- */

static void leave_listener(struct tcp *t)
{
	struct tcp *l = t->listener;

	if (!l)
		return;
	list_del(&t->in_listener);
	if (t->queued)
		l->nqueued--;
	else
		l->nembryos--;
	t->listener = NULL;
}

static void tcp_free(struct tcp *t)
{
	struct arena *a = sock_arena(&t->sock);

	ENSURE(!t->nqueued && !t->nembryos);
	count_end(t, NET_CLOSED);
	leave_listener(t);
	timer_cancel(&tcp_kern(t)->clock, &t->timer);
	conn_leave(t);
	sock_fini(&t->sock);
	arena_release_of(a, t);
}

void tcp_destroy(struct sock *s)
{
	struct tcp *t = tcp_of(s);

	list_each_safe(child, tmp, &t->queue, struct tcp, in_listener)
		leave_listener(child);
	list_each_safe(child, tmp, &t->embryos, struct tcp, in_listener)
		leave_listener(child);
	tcp_free(t);
}

void tcp_finish(struct tcp *t)
{
	timer_cancel(&tcp_kern(t)->clock, &t->timer);
	count_end(t, NET_CLOSED);
	t->state = TCP_CLOSE;
	t->sock.has_peer = false;
	t->sock.shut = SOCK_SHUT_BOTH;
	if (!t->sock.port_locked)
		port_release(&t->sock);
	if (orphan(t) || (t->listener && !t->queued)) {
		tcp_free(t);
		return;
	}
	sock_notify(&t->sock, 0);
}

/* tcp_need_reset() of net/ipv4/tcp.c. */
static bool other_end_knows(const struct tcp *t)
{
	return t->state == TCP_ESTABLISHED || t->state == TCP_CLOSE_WAIT || t->state == TCP_FIN_WAIT1 ||
	       t->state == TCP_FIN_WAIT2 || t->state == TCP_SYN_RECV;
}

/* Tells the other end that this one is gone. The caller decides what becomes of t. */
static void send_reset(struct tcp *t)
{
	count_end(t, NET_RESET);
	tcp_drop_unsent(t);
	tcp_send_reset(t->conn, t->side);
}

void tcp_reset_both(struct tcp *t)
{
	t->sock.err = ECONNRESET;
	send_reset(t);
	tcp_finish(t);
}

static void abort_child(struct tcp *child)
{
	if (other_end_knows(child))
		send_reset(child);
	tcp_free(child);
}

void tcp_stop_listening(struct tcp *t)
{
	t->sock.listening = false;
	while (!list_empty(&t->queue))
		abort_child(list_first(&t->queue, struct tcp, in_listener));
	while (!list_empty(&t->embryos))
		abort_child(list_first(&t->embryos, struct tcp, in_listener));
}

/* The connection has ended, here first: what remains holds the port for a while, in an object of its own, since the
 * program's socket is free for something else (tcp_time_wait() of net/ipv4/tcp_minisocks.c). */
static void time_wait(struct tcp *t)
{
	struct sock *s = &t->sock;
	struct tcp *rest;

	if (s->port) {
		rest = tcp_alloc(s->net, s->node, &s->cred, s->family);
		memcpy(rest->sock.opt, s->opt, sizeof s->opt);
		rest->sock.local = s->local;
		rest->sock.remote = s->remote;
		rest->sock.time_wait_ns = tcp_kern(t)->clock.now_ns;
		rest->state = TCP_TIME_WAIT;
		port_inherit(&rest->sock, s);
		arm(rest, TCP_TIME_WAIT_NS);
	}
	tcp_finish(t);
}

static void send_fin(struct tcp *t)
{
	if (t->state == TCP_ESTABLISHED || t->state == TCP_SYN_RECV)
		t->state = TCP_FIN_WAIT1;
	else if (t->state == TCP_CLOSE_WAIT)
		t->state = TCP_LAST_ACK;
	else
		return;
	tcp_out(t)->fin_queued = true;
	tcp_push(t);
}

/* ---- beginning ---- */

static int listens_at(const struct sock *s, const void *dst)
{
	return s->listening ? port_address_score(s, dst) : 0;
}

static struct tcp *find_listener(struct tcp *client)
{
	const struct netaddr *to = &client->sock.remote;
	struct sock *s = port_lookup(client->sock.net, K_IPPROTO_TCP, to->port, listens_at, &to->ip);

	return s ? tcp_of(s) : NULL;
}

static void send_syn(struct tcp *t)
{
	struct tcp *l = find_listener(t);

	/* When nobody listens, this machine's own loopback says so. */
	tcp_send_syn(t, l ? l->sock.node : t->sock.node);
}

void tcp_start_connect(struct tcp *t)
{
	t->conn = conn_new(t->sock.net, t);
	t->side = 0;
	t->state = TCP_SYN_SENT;
	t->sock.has_peer = true;
	t->syn_retries = 0;
	t->sock.err = 0; /* tcp_connect_init() */
	t->done = false;
	t->connect_started_ns = tcp_kern(t)->clock.now_ns;
	send_syn(t);
	arm(t, TCP_SYN_RTO_NS);
}

static void syn_timeout(struct tcp *t)
{
	unsigned limit = (unsigned)t->sock.opt[OPT_TCP_SYNCNT];
	int64_t user_ns = t->sock.opt[OPT_TCP_USER_TIMEOUT] * NS_PER_MS;
	int64_t waited_ns = tcp_kern(t)->clock.now_ns - t->connect_started_ns;

	if (t->syn_retries >= limit || (user_ns && waited_ns >= user_ns)) {
		t->sock.err = ETIMEDOUT;
		tcp_finish(t);
		return;
	}
	t->syn_retries++;
	send_syn(t);
	arm(t, TCP_SYN_RTO_NS << t->syn_retries);
}

static struct tcp *new_embryo(struct tcp *l, struct conn *c)
{
	const struct sock *client = &c->end[0]->sock;
	struct tcp *t = tcp_alloc(l->sock.net, l->sock.node, &l->sock.cred, l->sock.family);
	struct sock *s = &t->sock;

	memcpy(s->opt, l->sock.opt, sizeof s->opt);
	s->sndbuf_locked = l->sock.sndbuf_locked;
	s->rcvbuf_locked = l->sock.rcvbuf_locked;
	s->rcvtimeo_ns = l->sock.rcvtimeo_ns;
	s->sndtimeo_ns = l->sock.sndtimeo_ns;
	s->shut = l->sock.shut; /* shut down before it listened */
	s->local = client->remote;
	s->remote = client->local;
	s->has_peer = true;
	s->local.family = s->remote.family = s->family;
	t->addr_chosen = l->addr_chosen;
	t->attempt = ATTEMPT_CONNECTED;
	port_join(s, &l->sock);
	t->conn = c;
	t->side = 1;
	c->end[1] = t;
	t->state = TCP_SYN_RECV;
	t->listener = l;
	list_add_tail(&l->embryos, &t->in_listener);
	l->nembryos++;
	return t;
}

void tcp_on_syn(struct conn *c)
{
	struct tcp *l = find_listener(c->end[0]);

	if (c->end[0]->state != TCP_SYN_SENT)
		return;
	if (!l) {
		tcp_send_reset(c, 1);
		return;
	}
	/* sk_acceptq_is_full(): dropped, the client tries again. A handshake under way has its place already. */
	if (l->nqueued + l->nembryos > (unsigned)l->backlog)
		return;
	tcp_send_syn_ack(new_embryo(l, c));
}

void tcp_on_syn_ack(struct tcp *t)
{
	if (t->state != TCP_SYN_SENT)
		return;
	timer_cancel(&tcp_kern(t)->clock, &t->timer);
	t->state = TCP_ESTABLISHED;
	tcp_set_buffers(t);
	count_open(t);
	tcp_send_handshake_ack(t);
	sock_notify(&t->sock, 0);
}

static void enqueue(struct tcp *t)
{
	struct tcp *l = t->listener;

	list_del(&t->in_listener);
	l->nembryos--;
	t->queued = true;
	list_add_tail(&l->queue, &t->in_listener);
	l->nqueued++;
	sock_notify(&l->sock, K_EPOLLIN | K_EPOLLRDNORM);
}

void tcp_on_handshake_ack(struct tcp *t)
{
	int defer_s = t->sock.opt[OPT_TCP_DEFER_ACCEPT];

	if (t->state != TCP_SYN_RECV)
		return;
	t->state = TCP_ESTABLISHED;
	tcp_set_buffers(t);
	count_open(t);
	if (defer_s)
		arm(t, defer_s * NS_PER_S);
	else
		enqueue(t);
	if (t->sock.shut & SOCK_SHUT_SND)
		send_fin(t);
}

void tcp_on_data(struct tcp *t)
{
	if (t->listener && !t->queued) {
		timer_cancel(&tcp_kern(t)->clock, &t->timer);
		enqueue(t);
	}
	sock_notify(&t->sock, K_EPOLLIN | K_EPOLLRDNORM);
}

/* ---- ending ---- */

/* tcp_fin() of net/ipv4/tcp_input.c. */
void tcp_on_fin(struct tcp *t)
{
	t->sock.shut |= SOCK_SHUT_RCV;
	t->done = true;
	if (t->listener && !t->queued)
		tcp_on_data(t);
	switch (t->state) {
	case TCP_ESTABLISHED:
		t->state = TCP_CLOSE_WAIT;
		break;
	case TCP_FIN_WAIT1:
		t->state = TCP_CLOSING;
		break;
	case TCP_FIN_WAIT2:
		time_wait(t);
		return;
	default:
		break;
	}
	sock_notify(&t->sock, 0);
}

void tcp_on_fin_acked(struct tcp *t)
{
	switch (t->state) {
	case TCP_FIN_WAIT1:
		t->state = TCP_FIN_WAIT2;
		if (orphan(t))
			arm(t, TCP_FIN_TIMEOUT_NS);
		else
			sock_notify(&t->sock, 0);
		break;
	case TCP_CLOSING:
		time_wait(t);
		break;
	case TCP_LAST_ACK:
		tcp_finish(t);
		break;
	default:
		break;
	}
}

/* tcp_reset() of net/ipv4/tcp_input.c. */
void tcp_on_reset(struct tcp *t)
{
	switch (t->state) {
	case TCP_CLOSE:
		return;
	case TCP_SYN_SENT:
		t->sock.err = ECONNREFUSED;
		break;
	case TCP_CLOSE_WAIT:
		t->sock.err = EPIPE;
		break;
	default:
		t->sock.err = ECONNRESET;
	}
	count_end(t, NET_RESET);
	tcp_finish(t);
}

/* tcp_write_err() of net/ipv4/tcp_timer.c. */
void tcp_on_timeout(struct tcp *t)
{
	t->sock.err = ETIMEDOUT;
	count_end(t, NET_RESET);
	tcp_finish(t);
}

void tcp_break(struct conn *c)
{
	bool outer = !c->delivering;

	c->delivering = true;
	for (int i = 0; i < 2; i++)
		if (c->end[i])
			tcp_on_reset(c->end[i]);
	if (outer)
		conn_delivered(c);
}

bool tcp_refuses_data(const struct tcp *t)
{
	return (t->sock.shut & SOCK_SHUT_RCV) && (t->state == TCP_FIN_WAIT1 || t->state == TCP_FIN_WAIT2);
}

void tcp_disconnect(struct tcp *t)
{
	struct sock *s = &t->sock;

	timer_cancel(&tcp_kern(t)->clock, &t->timer);
	if (t->state == TCP_LISTEN) {
		tcp_stop_listening(t);
	} else if (other_end_knows(t)) {
		send_reset(t);
		s->err = ECONNRESET;
	} else if (t->state == TCP_SYN_SENT) {
		s->err = ECONNRESET;
	}
	count_end(t, NET_CLOSED);
	conn_leave(t);
	if (!s->port_locked && t->state != TCP_CLOSE)
		port_release(s);
	if (!t->addr_chosen)
		s->local.ip = s->family == K_AF_INET ? ip4(0) : ip_none;
	s->remote = (struct netaddr){0};
	s->has_peer = false;
	s->shut = 0;
	t->state = TCP_CLOSE;
	t->done = t->nospace = false;
	sock_notify(s, 0);
}

/* inet_shutdown() of net/ipv4/af_inet.c. */
int tcp_shutdown(struct sock *s, int how)
{
	struct tcp *t = tcp_of(s);
	unsigned bits = (unsigned)how + 1; /* SHUT_RD, SHUT_WR, SHUT_RDWR become the bits of SOCK_SHUT_* */
	int rc = 0;

	if (t->attempt == ATTEMPT_UNDER_WAY)
		t->attempt = t->state == TCP_SYN_SENT || t->state == TCP_CLOSE ? ATTEMPT_BROKEN : ATTEMPT_CONNECTED;
	switch (t->state) {
	case TCP_LISTEN:
		if (!(bits & SOCK_SHUT_RCV))
			break;
		/* fall through */
	case TCP_SYN_SENT:
		tcp_disconnect(t);
		t->attempt = ATTEMPT_NONE;
		break;
	case TCP_CLOSE:
		rc = -ENOTCONN;
		/* fall through */
	default:
		s->shut |= bits;
		if (bits & SOCK_SHUT_SND)
			send_fin(t);
		break;
	}
	sock_notify(s, 0);
	return rc;
}

/* __tcp_close() of net/ipv4/tcp.c. */
void tcp_close(struct sock *s)
{
	struct tcp *t = tcp_of(s);

	s->shut = SOCK_SHUT_BOTH;
	if (t->state == TCP_LISTEN) {
		tcp_stop_listening(t);
		tcp_free(t);
		return;
	}
	if (t->state == TCP_CLOSE || t->state == TCP_SYN_SENT) {
		tcp_free(t);
		return;
	}
	/* Data that nobody will read, or SO_LINGER with no time: the other end gets a reset. */
	if (tcp_in(t)->arrived > tcp_in(t)->read || (s->opt[OPT_LINGER] && !s->opt[OPT_LINGER_S])) {
		if (other_end_knows(t) || tcp_in(t)->arrived > tcp_in(t)->read)
			send_reset(t);
		tcp_free(t);
		return;
	}
	send_fin(t);
	if (t->state == TCP_FIN_WAIT2)
		arm(t, TCP_FIN_TIMEOUT_NS);
}

void tcp_vanish(struct sock *s)
{
	struct tcp *t = tcp_of(s);

	if (t->listener)
		return; /* goes with its listener */
	while (!list_empty(&t->queue))
		tcp_free(list_first(&t->queue, struct tcp, in_listener));
	while (!list_empty(&t->embryos))
		tcp_free(list_first(&t->embryos, struct tcp, in_listener));
	if (t->conn)
		tcp_drop_unsent(t);
	count_end(t, NET_RESET);
	if (!s->file) {
		tcp_free(t);
		return;
	}
	s->listening = false;
	timer_cancel(&tcp_kern(t)->clock, &t->timer);
	conn_leave(t);
	t->state = TCP_CLOSE;
	s->has_peer = false;
	s->shut = SOCK_SHUT_BOTH;
	port_release(s);
}

static void tcp_timer(struct timer *timer)
{
	struct tcp *t = container_of(timer, struct tcp, timer);

	switch (t->state) {
	case TCP_SYN_SENT:
		syn_timeout(t);
		break;
	case TCP_ESTABLISHED: /* TCP_DEFER_ACCEPT has waited long enough */
		if (t->listener && !t->queued)
			enqueue(t);
		break;
	case TCP_FIN_WAIT2:
		tcp_finish(t);
		break;
	case TCP_TIME_WAIT:
		tcp_free(t);
		break;
	default:
		BUG("timer of a TCP socket in state %d", t->state);
	}
}
