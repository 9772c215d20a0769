/*
 * What faults do to packets between nodes. A fault is put into the network by whoever decides on it, says by a function which
 * directions it is about, and has what it does counted. Nothing here decides when.
 *
 * Packets within a node are never touched.
 */
#ifndef NETSIM_LINK_H
#define NETSIM_LINK_H

#include "base/rng.h"
#include "netsim/net.h"

#include <stdbool.h>
#include <stdint.h>

struct sock;

enum link_does {
	LINK_CUTS,       /* nothing arrives */
	LINK_CLOGS,      /* nothing arrives before the fault ends; then all of it does, in order */
	LINK_LOSES,      /* `chance`: not this one. TCP sends it again */
	LINK_LOSES_SYN,  /* only those that open a connection */
	LINK_DELAYS,     /* delay_ns, up to jitter_ns more, and what bytes_per_s makes of its size */
	LINK_DUPLICATES, /* datagrams; `chance` */
	LINK_REORDERS,   /* datagrams: `chance` to come later by up to delay_ns */
	LINK_CORRUPTS,   /* datagrams: `chance` of a flipped bit */
	LINK_RESETS,     /* the first `left` connections whose data reach byte `bytes` are reset there */
};

struct link_fault {
	struct list in_net;
	enum link_does does;
	bool (*covers)(const struct link_fault *lf, const struct node *from, const struct node *to);
	void *ctx;          /* of covers() */
	uint32_t chance;    /* millionths */
	int64_t delay_ns, jitter_ns;
	uint64_t bytes_per_s; /* 0: no bound */
	uint64_t bytes, left;
	int64_t busy_until_ns;
	struct rng *rng;
	uint64_t *count;    /* packets, or connections */
	bool datagrams_only;
};

void link_fault_add(struct net *n, struct link_fault *lf);
/* What it held goes on. */
void link_fault_remove(struct net *n, struct link_fault *lf);

/* At most `max` connections between nodes that covers() says yes to are reset at once, the eldest first; how many. */
unsigned link_reset_connections(struct net *n, const struct link_fault *lf, unsigned max);

/* The node at the other end of a socket, or the one that would be reached at `a` (NULL: where it is connected to). NULL:
 * nobody. Draws nothing. */
struct node *net_peer_node(struct sock *s, const struct netaddr *a);

/* --- for the protocols --- */

/* Something that waits for a clog to end. */
struct link_waiter {
	struct list in_net;
	void (*go)(struct link_waiter *w);
	uint64_t *count; /* of the fault that held it: for what waited behind it */
};

enum link_fate { LINK_PASSES, LINK_LOST, LINK_HELD };
enum link_packet { PACKET_SYN, PACKET_TCP, PACKET_DATAGRAM };
/* A packet arrives: does it? HELD: `w` waits, and go() is called when it is worth another look. */
enum link_fate link_arrives(struct net *n, const struct node *from, const struct node *to, enum link_packet kind,
			    struct link_waiter *w);
/* How much later something of so many bytes, sent now, arrives. */
int64_t link_delay(struct net *n, const struct node *from, const struct node *to, size_t bytes);
/* A datagram is sent: what happens to it on its way besides. */
struct link_datagram {
	bool twice;
	int64_t later_ns;
	int64_t flip_bit; /* < 0: none */
};
struct link_datagram link_datagram(struct net *n, const struct node *from, const struct node *to, size_t len);
/* Data up to `upto` arrive in a connection: the byte at which it is to be reset, or UINT64_MAX. */
uint64_t link_reset_at(struct net *n, const struct node *from, const struct node *to, uint64_t upto);

#endif
