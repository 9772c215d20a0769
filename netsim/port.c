#include "netsim/port.h"

#include "base/err.h"

/* All nodes share one loopback, so there is one space of ports per protocol. Nodes with addresses of their own will get
 * a number here. */
static uint64_t port_key(const struct sock *s, uint16_t number)
{
	return (uint64_t)s->protocol << 48 | (uint64_t)number << 1 | 1;
}

static struct port *port_get(struct sock *s, uint16_t number)
{
	uint64_t key = port_key(s, number);
	struct port *p = map_get(&s->net->ports, key);

	if (p)
		return p;
	p = arena_new_of(sock_arena(s), struct port);
	p->key = key;
	p->number = number;
	list_init(&p->socks);
	list_init(&p->conns);
	map_put(&s->net->ports, key, p);
	return p;
}

static void port_enter(struct sock *s, struct port *p, struct list *where)
{
	ENSURE(!s->port);
	s->port = p;
	s->local.port = p->number;
	list_add_tail(where, &s->in_port);
}

void port_release(struct sock *s)
{
	struct port *p = s->port;

	if (!p)
		return;
	s->port = NULL;
	s->port_accepted = s->port_shared = false;
	list_del(&s->in_port);
	if (list_empty(&p->socks) && list_empty(&p->conns)) {
		map_del(&s->net->ports, p->key);
		arena_release_of(sock_arena(s), p);
	}
}

/* inet_rcv_saddr_equal() of net/ipv4/inet_connection_sock.c, with wildcards. Not quite symmetric: a is to be bound. */
static bool overlaps(const struct sock *a, const struct sock *b)
{
	const struct ip *x = &a->local.ip, *y = &b->local.ip;

	if (a->family == K_AF_INET && ip_is_any(x) && !b->opt[OPT_V6_ONLY])
		return true;
	if (ip_equal(x, &ip_none))
		return !ip_is_v4(y) || !a->opt[OPT_V6_ONLY];
	if (ip_equal(y, &ip_none))
		return !ip_is_v4(x) || !b->opt[OPT_V6_ONLY];
	if (ip_is_v4(x) && ip_is_v4(y) && (ip_is_any(x) || ip_is_any(y)))
		return true;
	return ip_equal(x, y);
}

/* inet_bind_conflict() of net/ipv4/inet_connection_sock.c. */
static bool conflict(const struct sock *s, const struct sock *held)
{
	if (held == s || !overlaps(s, held))
		return false;
	if (s->opt[OPT_REUSEADDR] && held->opt[OPT_REUSEADDR] && !held->listening)
		return false;
	if (s->opt[OPT_REUSEPORT] && held->opt[OPT_REUSEPORT] && s->cred.uid == held->cred.uid)
		return false;
	return true;
}

static bool conflicts(const struct sock *s, const struct port *p)
{
	list_each(held, &p->socks, struct sock, in_port)
		if (conflict(s, held))
			return true;
	list_each(held, &p->conns, struct sock, in_port)
		if (conflict(s, held))
			return true;
	return false;
}

/* No two connections of a port may be alike (__inet_check_established() of net/ipv4/inet_hashtables.c). After a second,
 * TIME_WAIT does not count over loopback (net.ipv4.tcp_tw_reuse = 2). */
static bool alike(const struct sock *s, const struct sock *held)
{
	bool waits = held->time_wait_ns && s->net->k->clock.now_ns - held->time_wait_ns < NS_PER_S;

	return held != s && (held->has_peer || waits) && held->remote.port == s->remote.port && ip_equal(&held->remote.ip, &s->remote.ip) &&
	       ip_equal(&held->local.ip, &s->local.ip);
}

/* A new connection may share the port of others that never called bind(). */
static bool can_share(const struct sock *s, const struct port *p)
{
	if (!list_empty(&p->conns))
		return false;
	list_each(held, &p->socks, struct sock, in_port)
		if (!held->port_shared || alike(s, held))
			return false;
	return true;
}

int port_check_connect(const struct sock *s)
{
	list_each(held, &s->port->socks, struct sock, in_port)
		if (alike(s, held))
			return -EADDRNOTAVAIL;
	list_each(held, &s->port->conns, struct sock, in_port)
		if (alike(s, held))
			return -EADDRNOTAVAIL;
	return 0;
}

/* From a drawn place on, the first port nobody has; then, for connections, the first one that can be shared. */
static int bind_ephemeral(struct sock *s, bool connecting)
{
	uint32_t count = PORT_EPHEMERAL_LAST - PORT_EPHEMERAL_FIRST + 1;
	uint32_t start = (uint32_t)rng_below(&s->net->port_rng, count);

	for (int shared = 0; shared <= (connecting ? 1 : 0); shared++)
		for (uint32_t i = 0; i < count; i++) {
			uint16_t number = (uint16_t)(PORT_EPHEMERAL_FIRST + (start + i) % count);
			struct port *p = map_get(&s->net->ports, port_key(s, number));
			/* Never the port it wants to reach: Linux would connect the socket to itself. */
			if (connecting && number == s->remote.port)
				continue;
			if (p && (!shared || !can_share(s, p)))
				continue;
			p = port_get(s, number);
			port_enter(s, p, &p->socks);
			s->port_shared = connecting;
			return 0;
		}
	return connecting ? -EADDRNOTAVAIL : -EADDRINUSE;
}

int port_bind(struct sock *s, uint16_t number)
{
	struct port *p;

	s->port_shared = false;
	if (!number)
		return bind_ephemeral(s, false);
	p = map_get(&s->net->ports, port_key(s, number));
	if (p && conflicts(s, p))
		return -EADDRINUSE;
	p = port_get(s, number);
	port_enter(s, p, &p->socks);
	return 0;
}

int port_bind_connecting(struct sock *s)
{
	return bind_ephemeral(s, true);
}

void port_join(struct sock *child, struct sock *listener)
{
	port_enter(child, listener->port, &listener->port->conns);
	child->port_accepted = true;
}

void port_inherit(struct sock *rest, struct sock *s)
{
	rest->port_accepted = s->port_accepted;
	rest->port_shared = s->port_shared;
	port_enter(rest, s->port, s->port_accepted ? &s->port->conns : &s->port->socks);
}

int port_check_listen(struct sock *s)
{
	return conflicts(s, s->port) ? -EADDRINUSE : 0;
}

int port_address_score(const struct sock *s, const struct ip *dst)
{
	if (ip_equal(&s->local.ip, dst))
		return 4;
	if (ip_equal(&s->local.ip, &ip_none))
		return !ip_is_v4(dst) ? 2 : s->opt[OPT_V6_ONLY] ? 0 : 1;
	return ip_is_any(&s->local.ip) && ip_is_v4(dst) ? 2 : 0;
}

struct sock *port_lookup(struct net *n, uint16_t protocol, uint16_t number, port_match match, const void *ctx)
{
	struct sock like = {.net = n, .protocol = protocol};
	struct port *p = map_get(&n->ports, port_key(&like, number));
	struct sock *best = NULL;
	int best_score = 0;
	uint64_t equals = 0;

	if (!p)
		return NULL;
	list_each(s, &p->socks, struct sock, in_port) {
		int score = match(s, ctx);
		if (!score || score < best_score)
			continue;
		equals = score > best_score ? 1 : equals + 1;
		/* Each of the equals is as likely as the others; without SO_REUSEPORT the latest one hides them. */
		if (score > best_score || !s->opt[OPT_REUSEPORT] || !best->opt[OPT_REUSEPORT] || !rng_below(&n->rng, equals))
			best = s;
		best_score = score;
	}
	return best;
}
