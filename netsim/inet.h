/* What TCP and UDP share: the rules of bind() and connect() on addresses. */
#ifndef NETSIM_INET_H
#define NETSIM_INET_H

#include "netsim/sock.h"

/* The checks of bind() that come before the socket's own state: family, local address. 0 or -errno. */
int inet_bind_check(const struct sock *s, const struct netaddr *a);
/* Binds s, which has no port, to a. 0 or -EADDRINUSE. */
int inet_bind_address(struct sock *s, const struct netaddr *a);
/* Is `a` something that a socket of s's family can talk to? 0 or -errno. */
int inet_remote_check(const struct sock *s, const struct netaddr *a);
/* connect(): sets s->remote, and s->local.ip when that is a wildcard. 0 or -errno. */
int inet_set_remote(struct sock *s, const struct netaddr *a);
/* 0.0.0.0 and :: as destinations mean this machine. */
struct ip inet_destination(const struct sock *s, const struct netaddr *a);

#endif
