#include "netsim/addr.h"

#include <stdio.h>
#include <string.h>

const struct ip ip_none;

static const uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct ip ip4(uint32_t a)
{
	struct ip ip;

	memcpy(ip.b, v4_prefix, sizeof v4_prefix);
	for (int i = 0; i < 4; i++)
		ip.b[12 + i] = (uint8_t)(a >> (24 - 8 * i));
	return ip;
}

struct ip ip6_loopback(void)
{
	return (struct ip){.b[15] = 1};
}

bool ip_equal(const struct ip *a, const struct ip *b)
{
	return !memcmp(a->b, b->b, sizeof a->b);
}

bool ip_is_v4(const struct ip *a)
{
	return !memcmp(a->b, v4_prefix, sizeof v4_prefix);
}

uint32_t ip_v4(const struct ip *a)
{
	return (uint32_t)a->b[12] << 24 | (uint32_t)a->b[13] << 16 | (uint32_t)a->b[14] << 8 | a->b[15];
}

bool ip_is_any(const struct ip *a)
{
	return ip_equal(a, &ip_none) || (ip_is_v4(a) && ip_v4(a) == 0);
}

bool ip_is_loopback(const struct ip *a)
{
	struct ip one = ip6_loopback();

	return ip_is_v4(a) ? a->b[12] == 127 : ip_equal(a, &one);
}

bool ip_is_multicast(const struct ip *a)
{
	return ip_is_v4(a) ? a->b[12] >= 224 && a->b[12] < 240 : a->b[0] == 0xff;
}

bool ip_is_broadcast(const struct ip *a)
{
	return ip_is_v4(a) && ip_v4(a) == UINT32_MAX;
}

static void print_ip6(const struct ip *a, char *out, size_t n)
{
	size_t at = 0;
	int zero_at = -1, zero_len = 0;

	/* The longest run of zero groups is written "::", as inet_ntop(3) does. */
	for (int i = 0; i < 8; i++) {
		int len = 0;
		while (i + len < 8 && !a->b[2 * (i + len)] && !a->b[2 * (i + len) + 1])
			len++;
		if (len > zero_len && len > 1) {
			zero_at = i;
			zero_len = len;
		}
	}
	out[0] = 0;
	for (int i = 0; i < 8 && at < n; i++) {
		if (i == zero_at) {
			at += (size_t)snprintf(out + at, n - at, "::");
			i += zero_len - 1;
			continue;
		}
		at += (size_t)snprintf(out + at, n - at, "%s%x", i && i != zero_at + zero_len ? ":" : "",
				       a->b[2 * i] << 8 | a->b[2 * i + 1]);
	}
}

char *netaddr_print(const struct netaddr *a, char *out, size_t n)
{
	char ip[48];

	if (a->family == K_AF_UNIX) {
		if (!a->pathlen)
			snprintf(out, n, "unix");
		else
			snprintf(out, n, "unix %s%.*s", a->path[0] ? "" : "@", a->pathlen - !a->path[0], a->path + !a->path[0]);
	} else if (a->family == K_AF_INET || (a->family == K_AF_INET6 && ip_is_v4(&a->ip))) {
		snprintf(out, n, "%u.%u.%u.%u:%u", a->ip.b[12], a->ip.b[13], a->ip.b[14], a->ip.b[15], a->port);
	} else if (a->family == K_AF_INET6) {
		print_ip6(&a->ip, ip, sizeof ip);
		snprintf(out, n, "[%s]:%u", ip, a->port);
	} else {
		snprintf(out, n, "-");
	}
	return out;
}
