/* Addresses of the simulated network, independent of the ABI's sockaddr layouts (tracer/sockaddr.h converts). */
#ifndef NETSIM_ADDR_H
#define NETSIM_ADDR_H

#include "netsim/abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An IPv4 address is kept in its IPv4-mapped IPv6 form (::ffff:a.b.c.d), so that there is one kind of comparison. */
struct ip {
	uint8_t b[16];
};

enum { UNIX_PATH_MAX = 108 };

/* The name of a socket. family K_AF_UNSPEC: none. */
struct netaddr {
	uint16_t family;
	uint16_t port; /* host byte order */
	uint32_t scope, flowinfo;
	struct ip ip;
	uint64_t key[2];    /* unix, bound to a path: device and inode of its node; 0, 0: abstract or unnamed */
	uint16_t pathlen;   /* unix: bytes in path, 0: unnamed. A leading NUL: abstract */
	char path[UNIX_PATH_MAX];
};

struct ip ip4(uint32_t host_order);
struct ip ip6_loopback(void);
extern const struct ip ip_none; /* :: */
bool ip_equal(const struct ip *a, const struct ip *b);
bool ip_is_v4(const struct ip *a);       /* IPv4-mapped */
uint32_t ip_v4(const struct ip *a);      /* host byte order; only when ip_is_v4() */
bool ip_is_any(const struct ip *a);      /* 0.0.0.0 or :: */
bool ip_is_loopback(const struct ip *a); /* 127.0.0.0/8 or ::1 */
bool ip_is_multicast(const struct ip *a);
bool ip_is_broadcast(const struct ip *a);
/* "127.0.0.1:80", "[::1]:80", "unix /path", "unix @name"; returns out. */
char *netaddr_print(const struct netaddr *a, char *out, size_t n);

#endif
