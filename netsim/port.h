/* Which sockets hold which TCP and UDP ports, and Linux's rules on who may share one. */
#ifndef NETSIM_PORT_H
#define NETSIM_PORT_H

#include "netsim/sock.h"

struct port {
	uint64_t key;
	uint16_t number;
	struct list socks; /* in order of binding */
	struct list conns; /* connections that a listener accepted: never looked up, but they hold the port */
};

enum { PORT_EPHEMERAL_FIRST = 32768, PORT_EPHEMERAL_LAST = 60999 }; /* net.ipv4.ip_local_port_range */

/* bind(): s->local.ip is set; number 0 asks for an ephemeral one. 0 or -EADDRINUSE. Sets s->local.port. */
int port_bind(struct sock *s, uint16_t number);
/* connect() or the first send of a socket without a port: local and remote addresses are set. 0 or -EADDRNOTAVAIL. */
int port_bind_connecting(struct sock *s);
/* connect() of a TCP socket that has a port: no other connection may be alike. 0 or -EADDRNOTAVAIL. */
int port_check_connect(const struct sock *s);
/* The same port as the listener's, for a connection that it accepted. */
void port_join(struct sock *child, struct sock *listener);
/* The same port as s's, for what remains of it in TIME_WAIT. */
void port_inherit(struct sock *rest, struct sock *s);
void port_release(struct sock *s); /* harmless without a port */
/* listen(): the rules are stricter among listeners. 0 or -EADDRINUSE. */
int port_check_listen(struct sock *s);
/* The bound socket that a packet for dst:number goes to; `match` says how well one fits: 0 not at all. Among the best ones
 * that share the port (SO_REUSEPORT) one is drawn, else the latest wins. */
typedef int (*port_match)(const struct sock *s, const void *ctx);
struct sock *port_lookup(struct net *n, uint16_t protocol, uint16_t number, port_match match, const void *ctx);
/* Does a socket bound to s's address take packets for dst? 0: no; more: the more exact. */
int port_address_score(const struct sock *s, const struct ip *dst);

#endif
