#include "netsim/inet.h"

#include "netsim/port.h"

/* inet_bind() and inet6_bind(). */
int inet_bind_check(const struct sock *s, const struct netaddr *a)
{
	if (s->family == K_AF_INET) {
		/* "Compatibility games: accept AF_UNSPEC (mapped to AF_INET) only if s_addr is INADDR_ANY." */
		if (a->family != K_AF_INET && !(a->family == K_AF_UNSPEC && ip_is_any(&a->ip)))
			return -EAFNOSUPPORT;
	} else if (a->family != K_AF_INET6) {
		return -EAFNOSUPPORT;
	} else if (ip_is_v4(&a->ip) && s->opt[OPT_V6_ONLY]) {
		return -EINVAL;
	}
	if (s->opt[OPT_IP_FREEBIND] || s->opt[OPT_IP_TRANSPARENT])
		return 0;
	if (ip_is_multicast(&a->ip) || ip_is_broadcast(&a->ip))
		return s->type == K_SOCK_DGRAM ? 0 : -EADDRNOTAVAIL;
	return net_address_is_local(s->net, s->node, &a->ip) ? 0 : -EADDRNOTAVAIL;
}

int inet_bind_address(struct sock *s, const struct netaddr *a)
{
	struct ip old = s->local.ip;
	int rc;

	s->local.ip = a->ip;
	rc = port_bind(s, a->port);
	if (rc) {
		s->local.ip = old;
		return rc;
	}
	s->port_locked = a->port;
	/* __inet6_bind(): an IPv6 address that is no wildcard leaves IPv4 out for good. */
	if (!ip_is_any(&a->ip) && !ip_is_v4(&a->ip))
		s->opt[OPT_V6_ONLY] = 1;
	return 0;
}

int inet_remote_check(const struct sock *s, const struct netaddr *a)
{
	if (s->family == K_AF_INET6 && ip_is_v4(&a->ip) && s->opt[OPT_V6_ONLY])
		return -ENETUNREACH;
	/* Datagram sockets of IPv6 take plain IPv4 addresses as well (udpv6_sendmsg()). */
	if (s->type == K_SOCK_DGRAM && s->family == K_AF_INET6 && a->family == K_AF_INET)
		return 0;
	return a->family == s->family ? 0 : -EAFNOSUPPORT;
}

struct ip inet_destination(const struct sock *s, const struct netaddr *a)
{
	if (!ip_is_any(&a->ip))
		return a->ip;
	/* :: from a socket that is bound to an IPv4 address means 127.0.0.1 (tcp_v6_connect()). */
	if (ip_is_v4(&a->ip) || (ip_is_v4(&s->local.ip) && !ip_is_any(&s->local.ip)))
		return ip4(0x7f000001);
	return ip6_loopback();
}

int inet_set_remote(struct sock *s, const struct netaddr *a)
{
	struct ip dst = inet_destination(s, a), src;
	int rc = inet_remote_check(s, a);

	if (rc)
		return rc;
	rc = net_route(s->net, s->node, &dst, &src);
	if (rc)
		return rc;
	/* A bound address must be of the same kind as the destination. */
	if (!ip_is_any(&s->local.ip) && ip_is_v4(&s->local.ip) != ip_is_v4(&dst))
		return -ENETUNREACH;
	s->remote = *a;
	s->remote.family = s->family;
	s->remote.ip = dst;
	if (ip_is_any(&s->local.ip))
		s->local.ip = src;
	return 0;
}
