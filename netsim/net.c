#include "netsim/net.h"

#include "base/err.h"
#include "netsim/link.h"
#include "netsim/sock.h"
#include "netsim/udp.h"

#include <stdio.h>

/* One way. Nodes are thought of as machines of one data centre; within a node packets cross its loopback device. */
/* Within a node nothing lies between: Linux delivers on the loopback before the sender's call returns, and programs that
 * look right afterwards rely on it. */
static const int64_t latency_same_ns[2] = {0, 0};
static const int64_t latency_other_ns[2] = {100 * NS_PER_US, 1000 * NS_PER_US};

void net_init(struct net *n, struct kern *k, uint64_t seed)
{
	*n = (struct net){.k = k, .seed = seed};
	rng_init(&n->rng, seed, "network");
	rng_init(&n->port_rng, seed, "network ports");
	list_init(&n->socks);
	list_init(&n->dgrams);
	list_init(&n->link_faults);
	list_init(&n->link_held);
}

void net_clear(struct net *n)
{
	while (!list_empty(&n->socks)) {
		struct sock *s = list_first(&n->socks, struct sock, in_net);
		if (s->file)
			s->file->obj = NULL;
		s->ops->destroy(s);
	}
	udp_drop_in_flight(n, NULL, true);
	map_each(&n->links, i)
		arena_release_of(n->k->arena, (struct link *)n->links.vals[i]);
	map_each(&n->counts, i)
		arena_release(n->k->arena, n->counts.vals[i], NET_COUNTS * sizeof(uint64_t));
	ENSURE(n->ports.len == 0 && n->names.len == 0);
	map_clear(&n->links);
	map_clear(&n->counts);
	map_clear(&n->ports);
	map_clear(&n->names);
}

void net_reset_node(struct net *n, const struct node *node)
{
	udp_drop_in_flight(n, node, false);
	list_each_safe(s, tmp, &n->socks, struct sock, in_net) {
		/* Sockets that still have a descriptor are closed with their process; by then nobody is left to tell. */
		if (node_index(s->node) != node_index(node) || s->family == K_AF_UNIX)
			continue;
		if (s->ops->vanish)
			s->ops->vanish(s);
	}
}

static uint64_t *counts_of(const struct net *n, const struct node *node)
{
	return map_get(&n->counts, 1 + (uint64_t)node_index(node));
}

void net_count(struct net *n, const struct node *node, enum net_count what, int64_t by)
{
	uint64_t *c = counts_of(n, node);

	if (!c) {
		c = arena_alloc(n->k->arena, NET_COUNTS * sizeof *c);
		map_put(&n->counts, 1 + (uint64_t)node_index(node), c);
	}
	c[what] += (uint64_t)by;
}

uint64_t net_count_node_connections(const struct net *n, const struct node *node, enum net_count what)
{
	const uint64_t *c = counts_of(n, node);

	return c ? c[what] : 0;
}

void net_adopt(struct fdtab *t, const struct node *from, struct node *to)
{
	for (unsigned fd = 0; fd < t->cap; fd++) {
		struct sock *s = t->ent[fd].file ? sock_of(t->ent[fd].file) : NULL;
		if (s && node_index(s->node) == node_index(from))
			sock_set_node(s, to);
	}
}

const struct link *net_link(struct net *n, const struct node *from, const struct node *to)
{
	uint32_t a = node_index(from), b = node_index(to);
	uint64_t key = (uint64_t)a << 32 | b;
	struct link *l = map_get(&n->links, key + 1);
	const int64_t *range = a == b ? latency_same_ns : latency_other_ns;
	struct rng r;
	char stream[64];

	if (l)
		return l;
	/* A stream per pair: what one pair gets does not depend on which pairs talked before. Both directions are alike. */
	snprintf(stream, sizeof stream, "network link %u %u", a < b ? a : b, a < b ? b : a);
	rng_init(&r, n->seed, stream);
	l = arena_new_of(n->k->arena, struct link);
	l->latency_ns = rng_range(&r, range[0], range[1]);
	map_put(&n->links, key + 1, l);
	return l;
}

int64_t net_arrival(struct net *n, const struct node *from, const struct node *to, size_t bytes)
{
	int64_t at = vclock_add(n->k->clock.now_ns, net_link(n, from, to)->latency_ns);

	/* Links themselves have no bandwidth yet. */
	return list_empty(&n->link_faults) ? at : vclock_add(at, link_delay(n, from, to, bytes));
}

bool net_address_is_local(const struct net *n, const struct node *node, const struct ip *ip)
{
	(void)n;
	(void)node;
	return ip_is_any(ip) || ip_is_loopback(ip);
}

int net_route(const struct net *n, const struct node *node, const struct ip *dst, struct ip *src)
{
	(void)n;
	(void)node;
	if (!ip_is_loopback(dst))
		return -ENETUNREACH;
	/* The local table's preferred source: 127.0.0.1 for all of 127.0.0.0/8. */
	*src = ip_is_v4(dst) ? ip4(0x7f000001) : ip6_loopback();
	return 0;
}
