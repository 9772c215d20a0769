/* UDP: datagrams that cross links, and the port-unreachable answers that connected sockets hear of. */
#ifndef NETSIM_UDP_H
#define NETSIM_UDP_H

#include "netsim/net.h"

struct node;

/* Drops the datagrams on their way from `from`, or all with net_clear (all == true). */
void udp_drop_in_flight(struct net *n, const struct node *from, bool all);

#endif
