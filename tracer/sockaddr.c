#include "tracer/sockaddr.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { SIN6_LEN_RFC2133 = 24, SUN_PATH_AT = offsetof(struct sockaddr_un, sun_path) };

int rawaddr_read(struct call *c, struct rawaddr *r, uint64_t addr, uint32_t len)
{
	r->len = len;
	memset(r->b, 0, sizeof r->b);
	if (len > sizeof r->b)
		return -EINVAL;
	return len ? copy_in(c, r->b, addr, len) : 0;
}

static uint16_t family_of(const struct rawaddr *r)
{
	uint16_t family;

	memcpy(&family, r->b, sizeof family);
	return r->len >= sizeof family ? family : AF_UNSPEC;
}

static void parse_in(const struct rawaddr *r, struct netaddr *out)
{
	struct sockaddr_in in;

	memcpy(&in, r->b, sizeof in);
	out->port = ntohs(in.sin_port);
	out->ip = ip4(ntohl(in.sin_addr.s_addr));
}

static void parse_in6(const struct rawaddr *r, struct netaddr *out)
{
	struct sockaddr_in6 in6;

	memcpy(&in6, r->b, sizeof in6);
	out->port = ntohs(in6.sin6_port);
	memcpy(out->ip.b, &in6.sin6_addr, sizeof out->ip.b);
	out->scope = r->len >= sizeof in6 ? in6.sin6_scope_id : 0;
	out->flowinfo = in6.sin6_flowinfo;
}

/* A path ends at its first NUL; an abstract name has every byte that was given. */
static int parse_un(const struct rawaddr *r, struct netaddr *out)
{
	size_t n = r->len - SUN_PATH_AT;

	if (r->len < SUN_PATH_AT || r->len > SUN_LEN_MAX)
		return -EINVAL;
	memcpy(out->path, r->b + SUN_PATH_AT, n);
	out->pathlen = (uint16_t)(n && out->path[0] ? strnlen(out->path, n) : n);
	memset(out->path + out->pathlen, 0, sizeof out->path - out->pathlen);
	return 0;
}

int sockaddr_parse(int family, const struct rawaddr *r, struct netaddr *out)
{
	*out = (struct netaddr){.family = family_of(r)};
	if (r->len < sizeof out->family)
		return -EINVAL;
	switch (family) {
	case AF_INET:
		if (r->len < sizeof(struct sockaddr_in))
			return out->family == AF_UNSPEC ? 0 : -EINVAL;
		parse_in(r, out);
		return 0;
	case AF_INET6:
		if (out->family == AF_INET && r->len >= sizeof(struct sockaddr_in)) {
			parse_in(r, out);
			return 0;
		}
		if (r->len < SIN6_LEN_RFC2133)
			return out->family == AF_UNSPEC ? 0 : -EINVAL;
		parse_in6(r, out);
		return 0;
	case AF_UNIX:
		return out->family == AF_UNIX ? parse_un(r, out) : 0;
	case AF_NETLINK:
		if (r->len < sizeof(struct sockaddr_nl))
			return -EINVAL;
		memcpy(&out->scope, r->b + offsetof(struct sockaddr_nl, nl_pid), sizeof out->scope);
		return 0;
	default:
		return 0;
	}
}

uint32_t sockaddr_bytes(const struct netaddr *a, uint8_t out[SOCKADDR_MAX])
{
	memset(out, 0, SOCKADDR_MAX);
	memcpy(out, &a->family, sizeof a->family);
	switch (a->family) {
	case AF_INET: {
		struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(a->port)};
		memcpy(&in.sin_addr, a->ip.b + 12, 4);
		memcpy(out, &in, sizeof in);
		return sizeof in;
	}
	case AF_INET6: {
		struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(a->port), .sin6_scope_id = a->scope};
		memcpy(&in6.sin6_addr, a->ip.b, 16);
		memcpy(out, &in6, sizeof in6);
		return sizeof in6;
	}
	case AF_UNIX:
		memcpy(out + SUN_PATH_AT, a->path, a->pathlen);
		/* A path is followed by a NUL that counts. */
		return SUN_PATH_AT + a->pathlen + (a->pathlen && a->path[0] ? 1 : 0);
	case AF_NETLINK:
		memcpy(out + offsetof(struct sockaddr_nl, nl_pid), &a->scope, sizeof a->scope);
		return sizeof(struct sockaddr_nl);
	default:
		return 0;
	}
}

int sockaddr_write(struct call *c, const struct netaddr *a, uint64_t addr, uint64_t lenp)
{
	uint8_t bytes[SOCKADDR_MAX];
	int32_t room, len = (int32_t)sockaddr_bytes(a, bytes);

	if (copy_in(c, &room, lenp, sizeof room))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if (room && copy_out(c, addr, bytes, (size_t)MIN(room, len)))
		return -EFAULT;
	return copy_out(c, lenp, &len, sizeof len);
}

bool sockaddr_path(const struct netaddr *a, char out[UNIX_PATH_MAX + 1])
{
	if (a->family != AF_UNIX || !a->pathlen || !a->path[0])
		return false;
	memcpy(out, a->path, a->pathlen);
	out[a->pathlen] = 0;
	return true;
}
