#include "netsim/udp.h"

#include "base/err.h"
#include "base/mem.h"
#include "netsim/inet.h"
#include "netsim/link.h"
#include "netsim/port.h"

#include <string.h>

enum { UDP_PAYLOAD_MAX = 65507, UDP_OVERHEAD = 768 /* what a small packet costs a receive buffer (SKB_TRUESIZE) */,
       DEFAULT_HOPS = 64 };

/* A datagram on its way or in a receive queue; or the answer that nobody took one, on its way back. */
struct dgram {
	struct list link;
	struct timer timer;
	struct net *net;
	struct node *from_node, *to_node;
	struct netaddr from, to;
	uint16_t protocol;
	int hops, tclass;
	struct link_waiter held;
	bool refused; /* an ICMP port unreachable about a datagram from `from` to `to` */
	size_t len;
	char data[];
};

struct udp {
	struct sock sock;
	bool connected, addr_chosen;
	struct list queue;
	size_t queued; /* bytes, with overhead */
};

static const struct sock_ops udp_ops;

static struct udp *udp_of(struct sock *s)
{
	return container_of(s, struct udp, sock);
}

static void dgram_free(struct dgram *d)
{
	list_del(&d->link);
	list_del(&d->held.in_net);
	timer_cancel(&d->net->k->clock, &d->timer);
	arena_release(d->net->k->arena, d, sizeof *d + d->len);
}

void udp_drop_in_flight(struct net *n, const struct node *from, bool all)
{
	list_each_safe(d, tmp, &n->dgrams, struct dgram, link)
		if (all || node_index(d->from_node) == node_index(from))
			dgram_free(d);
}

/* ---- arrival ---- */

static int takes(const struct sock *s, const void *ctx)
{
	const struct dgram *d = ctx;
	const struct udp *u = container_of(s, struct udp, sock);
	int score = port_address_score(s, &d->to.ip);

	if (!score || !u->connected)
		return score;
	return s->remote.port == d->from.port && ip_equal(&s->remote.ip, &d->from.ip) ? score + 8 : 0;
}

static void dgram_fire(struct timer *timer);

/* A clog is over. */
static void dgram_goes_on(struct link_waiter *w)
{
	struct dgram *d = container_of(w, struct dgram, held);

	timer_arm(&d->net->k->clock, &d->timer, d->net->k->clock.now_ns, dgram_fire);
}

static void dgram_send_later(struct dgram *d, int64_t later_ns)
{
	int64_t at = vclock_add(net_arrival(d->net, d->from_node, d->to_node, d->len), later_ns);

	list_init(&d->held.in_net);
	d->held.go = dgram_goes_on;
	list_add_tail(&d->net->dgrams, &d->link);
	timer_arm(&d->net->k->clock, &d->timer, at, dgram_fire);
}

static struct dgram *dgram_copy(const struct dgram *d)
{
	struct dgram *c = arena_alloc(d->net->k->arena, sizeof *c + d->len);

	memcpy(c, d, sizeof *c + d->len);
	c->timer = (struct timer){0};
	list_init(&c->link);
	return c;
}

static void dgram_send(struct dgram *d)
{
	struct link_datagram fate = {.flip_bit = -1};

	if (!list_empty(&d->net->link_faults) && !d->refused)
		fate = link_datagram(d->net, d->from_node, d->to_node, d->len);
	if (fate.twice)
		dgram_send_later(dgram_copy(d), 0);
	if (fate.flip_bit >= 0)
		d->data[fate.flip_bit / 8] = (char)(d->data[fate.flip_bit / 8] ^ 1 << fate.flip_bit % 8);
	dgram_send_later(d, fate.later_ns);
}

/* Nobody has the port: the sender's kernel is told, and tells the socket if that is connected. */
static void answer_refused(const struct dgram *d)
{
	struct dgram *r = arena_new_of(d->net->k->arena, struct dgram);

	list_init(&r->link);
	r->net = d->net;
	r->protocol = d->protocol;
	r->from = d->to;
	r->to = d->from;
	r->from_node = d->to_node;
	r->to_node = d->from_node;
	r->refused = true;
	dgram_send(r);
}

static void on_refused(const struct dgram *d)
{
	struct sock *s = port_lookup(d->net, d->protocol, d->to.port, takes, d);
	struct udp *u = s ? udp_of(s) : NULL;

	if (!u || !(u->connected || s->opt[OPT_IP_RECVERR] || s->opt[OPT_V6_RECVERR]))
		return;
	s->err = ECONNREFUSED;
	sock_notify(s, K_EPOLLERR);
}

static void dgram_fire(struct timer *timer)
{
	struct dgram *d = container_of(timer, struct dgram, timer);
	enum link_fate fate = LINK_PASSES;
	struct sock *s;

	if (!list_empty(&d->net->link_faults))
		fate = link_arrives(d->net, d->from_node, d->to_node, PACKET_DATAGRAM, &d->held);
	if (fate == LINK_HELD)
		return;
	if (fate == LINK_LOST) {
		dgram_free(d);
		return;
	}
	if (d->refused) {
		on_refused(d);
		dgram_free(d);
		return;
	}
	s = port_lookup(d->net, d->protocol, d->to.port, takes, d);
	if (!s)
		answer_refused(d);
	if (!s || udp_of(s)->queued + d->len + UDP_OVERHEAD > (size_t)s->opt[OPT_RCVBUF]) {
		dgram_free(d);
		return;
	}
	list_del(&d->link);
	list_add_tail(&udp_of(s)->queue, &d->link);
	udp_of(s)->queued += d->len + UDP_OVERHEAD;
	sock_notify(s, K_EPOLLIN | K_EPOLLRDNORM);
}

/* ---- the calls ---- */

static int autobind(struct sock *s)
{
	/* inet_autobind(): EAGAIN when there is no port left. */
	return s->port || !port_bind(s, 0) ? 0 : -EAGAIN;
}

static int udp_bind(struct sock *s, const struct netaddr *a)
{
	int rc = inet_bind_check(s, a);

	if (rc)
		return rc;
	if (s->port || udp_of(s)->connected)
		return -EINVAL;
	rc = inet_bind_address(s, a);
	if (!rc)
		udp_of(s)->addr_chosen = !ip_is_any(&a->ip);
	return rc;
}

/* __udp_disconnect() of net/ipv4/udp.c. */
static void disconnect(struct udp *u)
{
	struct sock *s = &u->sock;

	u->connected = false;
	s->remote = (struct netaddr){0};
	if (!u->addr_chosen)
		s->local.ip = s->family == K_AF_INET ? ip4(0) : ip_none;
	if (!s->port_locked) {
		port_release(s);
		s->local.port = 0;
	}
}

static int udp_connect(struct sock *s, const struct netaddr *a)
{
	struct udp *u = udp_of(s);
	int rc;

	if (a->family == K_AF_UNSPEC) {
		disconnect(u);
		return 0;
	}
	rc = autobind(s);
	if (rc)
		return rc;
	if (ip_is_broadcast(&a->ip) && !s->opt[OPT_BROADCAST])
		return -EACCES;
	rc = inet_set_remote(s, a);
	if (!rc)
		u->connected = true;
	return rc;
}

/* Fills in where a datagram goes and comes from. */
static int address(struct sock *s, const struct sock_msg *m, struct netaddr *from, struct netaddr *to)
{
	struct ip src;
	int rc;

	*to = m->has_name ? m->name : s->remote;
	/* "Some programs leave the family at zero" (udp_sendmsg()). */
	if (to->family == K_AF_UNSPEC && s->family == K_AF_INET)
		to->family = K_AF_INET;
	rc = inet_remote_check(s, to);
	if (rc)
		return rc;
	if (!to->port)
		return -EINVAL;
	if (ip_is_broadcast(&to->ip) && !s->opt[OPT_BROADCAST])
		return -EACCES;
	to->ip = inet_destination(s, to);
	rc = net_route(s->net, s->node, &to->ip, &src);
	if (rc)
		return rc;
	rc = autobind(s);
	if (rc)
		return rc;
	*from = s->local;
	if (ip_is_any(&from->ip))
		from->ip = src;
	return ip_is_v4(&from->ip) == ip_is_v4(&to->ip) ? 0 : -ENETUNREACH;
}

/* -1 in an option means the default. */
static void set_header(const struct sock *s, const struct sock_msg *m, struct dgram *d)
{
	bool v4 = ip_is_v4(&d->to.ip);
	int hops = s->opt[v4 ? OPT_IP_TTL : OPT_V6_HOPS], tclass = s->opt[v4 ? OPT_IP_TOS : OPT_V6_TCLASS];

	if (m->has_hops)
		hops = m->hops;
	if (m->has_tclass)
		tclass = m->tclass;
	d->hops = hops < 0 ? DEFAULT_HOPS : hops;
	d->tclass = MAX(tclass, 0);
}

static int64_t udp_send(struct sock *s, struct sock_msg *m)
{
	struct dgram *d, probe = {0};
	struct sock *receiver;
	int rc;

	if (m->len > UDP_PAYLOAD_MAX)
		return -EMSGSIZE;
	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (!m->has_name && !udp_of(s)->connected)
		return -EDESTADDRREQ;
	rc = address(s, m, &probe.from, &probe.to);
	if (rc)
		return rc;
	if (s->err)
		return sock_take_error(s);
	if (s->shut & SOCK_SHUT_SND)
		return -EPIPE;
	d = arena_alloc(sock_arena(s), sizeof *d + m->len);
	*d = probe;
	list_init(&d->link);
	d->net = s->net;
	d->len = m->len;
	d->protocol = s->protocol;
	set_header(s, m, d);
	memcpy(d->data, m->data, m->len);
	/* The link is to whoever has the port now; who gets it is decided on arrival. */
	receiver = port_lookup(s->net, d->protocol, d->to.port, takes, d);
	d->from_node = s->node;
	d->to_node = receiver ? receiver->node : s->node;
	dgram_send(d);
	return (int64_t)m->len;
}

static int64_t udp_recv(struct sock *s, struct sock_msg *m)
{
	struct udp *u = udp_of(s);
	struct dgram *d;
	size_t n, len;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	/* Before what is queued: __skb_try_recv_datagram(). */
	if (s->err)
		return sock_take_error(s);
	d = list_first(&u->queue, struct dgram, link);
	if (!d)
		return (s->shut & SOCK_SHUT_RCV) && !(m->flags & K_MSG_DONTWAIT) ? 0 : -EAGAIN;
	len = d->len;
	n = MIN(m->len, len);
	memcpy(m->data, d->data, n);
	if (n < len)
		m->out_flags |= K_MSG_TRUNC;
	m->name = d->from;
	m->name.family = s->family;
	m->to = d->to;
	m->hops = d->hops;
	m->tclass = d->tclass;
	if (!(m->flags & K_MSG_PEEK)) {
		u->queued -= len + UDP_OVERHEAD;
		dgram_free(d);
	}
	return (int64_t)(m->flags & K_MSG_TRUNC ? len : n);
}

/* inet_shutdown(): an unconnected socket is shut down as well, but the caller hears of it. */
static int udp_shutdown(struct sock *s, int how)
{
	s->shut |= (unsigned)how + 1;
	sock_notify(s, 0);
	return udp_of(s)->connected ? 0 : -ENOTCONN;
}

static int udp_name(struct sock *s, bool peer, struct netaddr *out)
{
	if (peer && !udp_of(s)->connected)
		return -ENOTCONN;
	*out = peer ? s->remote : s->local;
	return 0;
}

/* datagram_poll() of net/core/datagram.c. */
static uint32_t udp_poll(struct sock *s)
{
	uint32_t ev = K_EPOLLOUT | K_EPOLLWRNORM | K_EPOLLWRBAND;

	if (s->err)
		ev |= K_EPOLLERR;
	if (s->shut & SOCK_SHUT_RCV)
		ev |= K_EPOLLRDHUP | K_EPOLLIN | K_EPOLLRDNORM;
	if (s->shut == SOCK_SHUT_BOTH)
		ev |= K_EPOLLHUP;
	if (!list_empty(&udp_of(s)->queue))
		ev |= K_EPOLLIN | K_EPOLLRDNORM;
	return ev;
}

static void udp_close(struct sock *s)
{
	struct udp *u = udp_of(s);
	struct arena *a = sock_arena(s);

	while (!list_empty(&u->queue))
		dgram_free(list_first(&u->queue, struct dgram, link));
	sock_fini(s);
	arena_release_of(a, u);
}

static int64_t udp_inq(struct sock *s)
{
	struct dgram *d = list_first(&udp_of(s)->queue, struct dgram, link);

	return d ? (int64_t)d->len : 0;
}

static int64_t udp_outq(struct sock *s)
{
	(void)s;
	return 0;
}

static const struct sock_ops udp_ops = {
	.bind = udp_bind,
	.connect = udp_connect,
	.shutdown = udp_shutdown,
	.send = udp_send,
	.recv = udp_recv,
	.name = udp_name,
	.poll = udp_poll,
	.close = udp_close,
	.destroy = udp_close,
	.inq = udp_inq,
	.outq = udp_outq,
};

struct sock *udp_new(struct net *n, struct node *node, const struct sock_cred *cred, int family)
{
	struct udp *u = arena_new_of(n->k->arena, struct udp);

	sock_init(&u->sock, n, &udp_ops, node, cred);
	u->sock.family = (uint16_t)family;
	u->sock.type = K_SOCK_DGRAM;
	u->sock.protocol = K_IPPROTO_UDP;
	u->sock.local.family = (uint16_t)family;
	u->sock.local.ip = family == K_AF_INET ? ip4(0) : ip_none;
	list_init(&u->queue);
	return &u->sock;
}
