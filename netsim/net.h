/*
 * The simulated network of one run: its sockets, the links between nodes, and who listens where.
 *
 * Links are between nodes, not addresses: an unmodified script in which everything talks over 127.0.0.1 still crosses
 * links, because every socket knows the node whose process made it. Loopback addresses belong to all nodes together.
 * Nothing here is an address, a port or a timer of the host.
 */
#ifndef NETSIM_NET_H
#define NETSIM_NET_H

#include "kernel/kern.h"
#include "kernel/node.h"
#include "netsim/addr.h"

#include <stdint.h>

struct fdtab;

/* One direction between two nodes. */
struct link {
	int64_t latency_ns;
};

enum net_count {
	NET_OPEN,   /* connections that stand now, both ends counted */
	NET_CLOSED, /* that ended with FINs, or after their data was delivered */
	NET_RESET,  /* that ended with a reset */
	NET_COUNTS,
};

struct net {
	struct kern *k;
	uint64_t seed;
	struct rng rng;       /* choices between equal receivers */
	struct rng port_rng;  /* ephemeral ports, unix autobind names */
	struct map links;     /* from << 32 | to -> struct link */
	struct map ports;     /* see port.c */
	struct map names;     /* unix sockets by bound name, see unix_name.c */
	struct map counts;    /* 1 + node's index -> uint64_t[NET_COUNTS] */
	struct list socks;    /* every socket in order of creation, also those without a descriptor */
	struct list dgrams;   /* on their way */
	uint64_t next_id;
	unsigned unix_in_flight; /* unix sockets whose descriptors stand in queues of others; see unix_gc.c */
	struct list link_faults; /* struct link_fault, in the order they began; see link.h */
	struct list link_held;   /* struct link_waiter: what clogged links hold back */
};

void net_init(struct net *n, struct kern *k, uint64_t seed);
/* Frees every socket, also those that files still refer to: the descriptor tables go first. */
void net_clear(struct net *n);

/*
 * The node loses its machine (power): its connections vanish without a word, what it had not yet sent with them. Peers
 * find out when they send: they are answered with a reset. For a crash of the processes nothing need be called: their
 * descriptors are closed, and the node's kernel goes on.
 */
void net_reset_node(struct net *n, const struct node *node);
uint64_t net_count_node_connections(const struct net *n, const struct node *node, enum net_count what);
/* A tree of processes became a node: sockets in this table that belonged to `from` are `to`'s from now on. */
void net_adopt(struct fdtab *t, const struct node *from, struct node *to);

/* --- for the protocols --- */

static inline uint32_t node_index(const struct node *n)
{
	return n ? n->index : 0;
}
void net_count(struct net *n, const struct node *node, enum net_count what, int64_t by);
const struct link *net_link(struct net *n, const struct node *from, const struct node *to);
/* When something of `bytes` bytes that is sent now arrives. */
int64_t net_arrival(struct net *n, const struct node *from, const struct node *to, size_t bytes);
/* May a socket of `node` be bound to this address? */
bool net_address_is_local(const struct net *n, const struct node *node, const struct ip *ip);
/* Where packets for dst go, and the source address they get. 0 or -ENETUNREACH. */
int net_route(const struct net *n, const struct node *node, const struct ip *dst, struct ip *src);

#endif
