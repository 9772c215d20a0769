/*
 * getsockopt and setsockopt. Options that are an integer stand in one table: level, name, for which sockets, how a value
 * is checked, where it is kept. The others have functions below. What is in neither is refused by name.
 */
#include "tracer/sys_net.h"

#include "base/mem.h"
#include "netsim/tcp.h"
#include "tracer/syscalls.h"

#include <linux/in6.h>
#include <linux/netlink.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* Which sockets have an option. */
enum { ANY = 1, INET = 2, INET6 = 4, TCP = 8, UDP = 16, UNIX = 32, NETLINK = 64 };
/* What becomes of a value. */
enum kind {
	BOOL,    /* 0 or 1 */
	INT,     /* lo..hi, else EINVAL */
	CLAMP,   /* brought into lo..hi */
	PRIV,    /* lo..hi, else EPERM: needs CAP_NET_ADMIN */
	READ,    /* cannot be set: ENOPROTOOPT */
};

struct optrow {
	int level, name;
	unsigned who;
	enum kind kind;
	int lo, hi;
	enum sock_opt opt;
};

#define MAXINT INT32_MAX
static const struct optrow rows[] = {
	{SOL_SOCKET, SO_REUSEADDR, ANY, BOOL, 0, 0, OPT_REUSEADDR},
	{SOL_SOCKET, SO_REUSEPORT, INET | INET6, BOOL, 0, 0, OPT_REUSEPORT},
	{SOL_SOCKET, SO_BROADCAST, ANY, BOOL, 0, 0, OPT_BROADCAST},
	{SOL_SOCKET, SO_KEEPALIVE, ANY, BOOL, 0, 0, OPT_KEEPALIVE},
	{SOL_SOCKET, SO_OOBINLINE, ANY, BOOL, 0, 0, OPT_OOBINLINE},
	{SOL_SOCKET, SO_DEBUG, ANY, PRIV, 0, 0, OPT_DEBUG},
	{SOL_SOCKET, SO_DONTROUTE, ANY, BOOL, 0, 0, OPT_DONTROUTE},
	{SOL_SOCKET, SO_NO_CHECK, ANY, BOOL, 0, 0, OPT_NO_CHECK},
	{SOL_SOCKET, SO_PRIORITY, ANY, PRIV, 0, 6, OPT_PRIORITY},
	{SOL_SOCKET, SO_MARK, ANY, PRIV, 0, 0, OPT_MARK},
	{SOL_SOCKET, SO_RCVLOWAT, ANY, CLAMP, 1, MAXINT, OPT_RCVLOWAT},
	{SOL_SOCKET, SO_PASSCRED, UNIX | NETLINK, BOOL, 0, 0, OPT_PASSCRED},
	{SOL_SOCKET, SO_PASSSEC, UNIX | NETLINK, BOOL, 0, 0, OPT_PASSSEC},
	{SOL_SOCKET, SO_RXQ_OVFL, ANY, BOOL, 0, 0, OPT_RXQ_OVFL},
	{SOL_SOCKET, SO_BUSY_POLL, ANY, PRIV, 0, 0, OPT_BUSY_POLL},
	{SOL_SOCKET, SO_INCOMING_CPU, ANY, INT, -1, MAXINT, OPT_INCOMING_CPU},
	{SOL_SOCKET, SO_PEEK_OFF, UNIX, INT, -1, -1, OPT_PEEK_OFF},
	{IPPROTO_IP, IP_TOS, INET | INET6, CLAMP, 0, 255, OPT_IP_TOS},
	{IPPROTO_IP, IP_TTL, INET | INET6, INT, 1, 255, OPT_IP_TTL},
	{IPPROTO_IP, IP_MTU_DISCOVER, INET | INET6, INT, 0, 5, OPT_IP_MTU_DISCOVER},
	{IPPROTO_IP, IP_RECVERR, INET | INET6, BOOL, 0, 0, OPT_IP_RECVERR},
	{IPPROTO_IP, IP_PKTINFO, INET | INET6, BOOL, 0, 0, OPT_IP_PKTINFO},
	{IPPROTO_IP, IP_RECVTOS, INET | INET6, BOOL, 0, 0, OPT_IP_RECVTOS},
	{IPPROTO_IP, IP_RECVTTL, INET | INET6, BOOL, 0, 0, OPT_IP_RECVTTL},
	{IPPROTO_IP, IP_FREEBIND, INET | INET6, BOOL, 0, 0, OPT_IP_FREEBIND},
	{IPPROTO_IP, IP_TRANSPARENT, INET | INET6, PRIV, 0, 0, OPT_IP_TRANSPARENT},
	{IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, INET | INET6, BOOL, 0, 0, OPT_IP_BIND_NO_PORT},
	{IPPROTO_IP, IP_MULTICAST_TTL, INET | INET6, INT, -1, 255, OPT_IP_MULTICAST_TTL},
	{IPPROTO_IP, IP_MULTICAST_LOOP, INET | INET6, BOOL, 0, 0, OPT_IP_MULTICAST_LOOP},
	{IPPROTO_IPV6, IPV6_V6ONLY, INET6, BOOL, 0, 0, OPT_V6_ONLY},
	{IPPROTO_IPV6, IPV6_TCLASS, INET6, INT, -1, 255, OPT_V6_TCLASS},
	{IPPROTO_IPV6, IPV6_UNICAST_HOPS, INET6, INT, -1, 255, OPT_V6_HOPS},
	{IPPROTO_IPV6, IPV6_MTU_DISCOVER, INET6, INT, 0, 5, OPT_V6_MTU_DISCOVER},
	{IPPROTO_IPV6, IPV6_RECVERR, INET6, BOOL, 0, 0, OPT_V6_RECVERR},
	{IPPROTO_IPV6, IPV6_RECVPKTINFO, INET6, BOOL, 0, 0, OPT_V6_RECVPKTINFO},
	{IPPROTO_IPV6, IPV6_RECVTCLASS, INET6, BOOL, 0, 0, OPT_V6_RECVTCLASS},
	{IPPROTO_IPV6, IPV6_RECVHOPLIMIT, INET6, BOOL, 0, 0, OPT_V6_RECVHOPLIMIT},
	{IPPROTO_IPV6, IPV6_MULTICAST_HOPS, INET6, INT, -1, 255, OPT_V6_MULTICAST_HOPS},
	{IPPROTO_IPV6, IPV6_MULTICAST_LOOP, INET6, INT, 0, 1, OPT_V6_MULTICAST_LOOP},
	{IPPROTO_IPV6, IPV6_FREEBIND, INET6, BOOL, 0, 0, OPT_V6_FREEBIND},
	{IPPROTO_IPV6, IPV6_AUTOFLOWLABEL, INET6, BOOL, 0, 0, OPT_V6_AUTOFLOWLABEL},
	{IPPROTO_IPV6, IPV6_FLOWINFO_SEND, INET6, BOOL, 0, 0, OPT_V6_FLOWINFO_SEND},
	{IPPROTO_TCP, TCP_NODELAY, TCP, BOOL, 0, 0, OPT_TCP_NODELAY},
	{IPPROTO_TCP, TCP_CORK, TCP, BOOL, 0, 0, OPT_TCP_CORK},
	{IPPROTO_TCP, TCP_QUICKACK, TCP, BOOL, 0, 0, OPT_TCP_QUICKACK},
	{IPPROTO_TCP, TCP_MAXSEG, TCP, INT, 88, 32767, OPT_TCP_MAXSEG},
	{IPPROTO_TCP, TCP_KEEPIDLE, TCP, INT, 1, 32767, OPT_TCP_KEEPIDLE},
	{IPPROTO_TCP, TCP_KEEPINTVL, TCP, INT, 1, 32767, OPT_TCP_KEEPINTVL},
	{IPPROTO_TCP, TCP_KEEPCNT, TCP, INT, 1, 127, OPT_TCP_KEEPCNT},
	{IPPROTO_TCP, TCP_SYNCNT, TCP, INT, 1, 127, OPT_TCP_SYNCNT},
	{IPPROTO_TCP, TCP_LINGER2, TCP, CLAMP, -1, 120, OPT_TCP_LINGER2},
	{IPPROTO_TCP, TCP_DEFER_ACCEPT, TCP, CLAMP, 0, MAXINT, OPT_TCP_DEFER_ACCEPT},
	{IPPROTO_TCP, TCP_WINDOW_CLAMP, TCP, INT, 0, MAXINT, OPT_TCP_WINDOW_CLAMP},
	{IPPROTO_TCP, TCP_USER_TIMEOUT, TCP, INT, 0, MAXINT, OPT_TCP_USER_TIMEOUT},
	{IPPROTO_TCP, TCP_NOTSENT_LOWAT, TCP, INT, INT32_MIN, MAXINT, OPT_TCP_NOTSENT_LOWAT},
	{IPPROTO_TCP, TCP_FASTOPEN, TCP, INT, 0, MAXINT, OPT_TCP_FASTOPEN},
	{IPPROTO_TCP, TCP_SAVE_SYN, TCP, INT, 0, 2, OPT_TCP_SAVE_SYN},
	{IPPROTO_UDP, UDP_CORK, UDP, INT, 0, 0, OPT_UDP_CORK},
	{SOL_NETLINK, NETLINK_EXT_ACK, NETLINK, BOOL, 0, 0, OPT_NL_EXT_ACK},
	{SOL_NETLINK, NETLINK_CAP_ACK, NETLINK, BOOL, 0, 0, OPT_NL_CAP_ACK},
	{SOL_NETLINK, NETLINK_GET_STRICT_CHK, NETLINK, BOOL, 0, 0, OPT_NL_STRICT},
	{SOL_NETLINK, NETLINK_PKTINFO, NETLINK, BOOL, 0, 0, OPT_NL_PKTINFO},
	{SOL_NETLINK, NETLINK_NO_ENOBUFS, NETLINK, BOOL, 0, 0, OPT_NL_NO_ENOBUFS},
};

/* One call's socket and option. */
struct optcall {
	struct call *c;
	struct sock *s;
	int level, name;
	uint64_t val, len; /* set: the length; get: where the length is */
};

static unsigned kinds_of(const struct sock *s)
{
	switch (s->family) {
	case AF_INET:
		return ANY | INET | (s->type == SOCK_STREAM ? TCP : UDP);
	case AF_INET6:
		return ANY | INET6 | (s->type == SOCK_STREAM ? TCP : UDP);
	case AF_UNIX:
		return ANY | UNIX;
	default:
		return ANY | NETLINK;
	}
}

static const struct optrow *row_of(const struct optcall *o)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].level == o->level && rows[i].name == o->name)
			return &rows[i];
	return NULL;
}

/* Does the protocol know options of this level at all? */
static bool level_applies(const struct optcall *o)
{
	unsigned who = kinds_of(o->s);

	switch (o->level) {
	case SOL_SOCKET:
		return true;
	case IPPROTO_IP:
		return who & (INET | INET6);
	case IPPROTO_IPV6:
		return who & INET6;
	case IPPROTO_TCP:
		return who & TCP;
	case IPPROTO_UDP:
		return who & UDP;
	case SOL_NETLINK:
		return who & NETLINK;
	default:
		return false;
	}
}

static struct verdict unknown(const struct optcall *o, const char *call)
{
	/* Unix sockets have no options but SOL_SOCKET's: sock_no_setsockopt(). */
	if (o->s->family == AF_UNIX && o->level != SOL_SOCKET)
		return FAIL(EOPNOTSUPP);
	if (!level_applies(o))
		return FAIL(ENOPROTOOPT);
	return call_refuse(o->c, ENOPROTOOPT, "%s level %d option %d on %s", call, o->level, o->name, o->s->file->ops->kind);
}

/* ---- setting ---- */

/* Options of the IP level may be one byte long (ip_setsockopt()). */
static int read_int(const struct optcall *o, int *out)
{
	uint8_t byte;

	if (o->len >= sizeof *out)
		return copy_in(o->c, out, o->val, sizeof *out);
	if (o->level != IPPROTO_IP || !o->len)
		return -EINVAL;
	if (copy_in(o->c, &byte, o->val, 1))
		return -EFAULT;
	*out = byte;
	return 0;
}

static struct verdict set_row(const struct optcall *o, const struct optrow *r)
{
	int v, rc = read_int(o, &v);

	if (rc)
		return REPLY(rc);
	switch (r->kind) {
	case BOOL:
		v = !!v;
		break;
	case CLAMP:
		v = MAX(MIN(v, r->hi), r->lo);
		break;
	case INT:
		if (v < r->lo || v > r->hi)
			return FAIL(EINVAL);
		break;
	case PRIV:
		if (v < r->lo || v > r->hi)
			return FAIL(r->opt == OPT_DEBUG ? EACCES : EPERM);
		break;
	case READ:
		return FAIL(ENOPROTOOPT);
	}
	/* IPV6_V6ONLY after bind: __ipv6_setsockopt(). */
	if (r->opt == OPT_V6_ONLY && o->s->port)
		return FAIL(EINVAL);
	o->s->opt[r->opt] = v;
	return REPLY(0);
}

/* sock_setsockopt(): what is asked for, at most net.core.[rw]mem_max, doubled, and not below a minimum. */
static struct verdict set_buffer(const struct optcall *o)
{
	enum { MEM_MAX = 212992, SNDBUF_MIN = 4608, RCVBUF_MIN = 2304 };
	bool send = o->name == SO_SNDBUF;
	int v, rc = read_int(o, &v);

	if (rc)
		return REPLY(rc);
	v = (int)MIN((unsigned)v, (unsigned)MEM_MAX);
	if (send) {
		o->s->opt[OPT_SNDBUF] = MAX(v * 2, SNDBUF_MIN);
		o->s->sndbuf_locked = true;
	} else {
		o->s->opt[OPT_RCVBUF] = MAX(v * 2, RCVBUF_MIN);
		o->s->rcvbuf_locked = true;
	}
	return REPLY(0);
}

static struct verdict set_linger(const struct optcall *o)
{
	struct linger l;

	if (o->len < sizeof l)
		return FAIL(EINVAL);
	if (copy_in(o->c, &l, o->val, sizeof l))
		return FAIL(EFAULT);
	o->s->opt[OPT_LINGER] = !!l.l_onoff;
	if (l.l_onoff)
		o->s->opt[OPT_LINGER_S] = l.l_linger;
	return REPLY(0);
}

/* sock_set_timeout(): 0 means none, negative means at once. */
static struct verdict set_timeout(const struct optcall *o)
{
	bool rcv = o->name == SO_RCVTIMEO || o->name == SO_RCVTIMEO_NEW;
	int64_t tv[2], ns; /* struct timeval and the 64-bit form are alike on x86-64 */

	if (o->len < sizeof tv)
		return FAIL(EINVAL);
	if (copy_in(o->c, tv, o->val, sizeof tv))
		return FAIL(EFAULT);
	if (tv[1] < 0 || tv[1] >= 1000000)
		return FAIL(EDOM);
	if (tv[0] < 0)
		ns = 1;
	else if ((!tv[0] && !tv[1]) || tv[0] > VCLOCK_NEVER / NS_PER_S - 1)
		ns = VCLOCK_NEVER;
	else
		ns = tv[0] * NS_PER_S + tv[1] * NS_PER_US;
	*(rcv ? &o->s->rcvtimeo_ns : &o->s->sndtimeo_ns) = ns;
	return REPLY(0);
}

static struct verdict set_device(const struct optcall *o)
{
	char name[16] = {0};

	if (copy_in(o->c, name, o->val, MIN(o->len, sizeof name - 1)))
		return FAIL(EFAULT);
	return !name[0] || !strcmp(name, "lo") ? REPLY(0) : FAIL(ENODEV);
}

static struct verdict set_congestion(const struct optcall *o)
{
	char name[16] = {0};

	if (!o->len)
		return FAIL(EINVAL);
	if (copy_in(o->c, name, o->val, MIN(o->len, sizeof name - 1)))
		return FAIL(EFAULT);
	/* One algorithm is named; which one makes no difference here. */
	return !strcmp(name, "cubic") || !strcmp(name, "reno") ? REPLY(0) : FAIL(ENOENT);
}

static bool set_special(const struct optcall *o, struct verdict *v)
{
	switch (o->level == SOL_SOCKET ? o->name : -1) {
	case SO_SNDBUF:
	case SO_RCVBUF:
		*v = set_buffer(o);
		return true;
	case SO_SNDBUFFORCE:
	case SO_RCVBUFFORCE:
		*v = FAIL(EPERM); /* needs CAP_NET_ADMIN */
		return true;
	case SO_LINGER:
		*v = set_linger(o);
		return true;
	case SO_RCVTIMEO:
	case SO_SNDTIMEO:
	case SO_RCVTIMEO_NEW:
	case SO_SNDTIMEO_NEW:
		*v = set_timeout(o);
		return true;
	case SO_BINDTODEVICE:
		*v = set_device(o);
		return true;
	case SO_TYPE:
	case SO_PROTOCOL:
	case SO_DOMAIN:
	case SO_ERROR:
	case SO_ACCEPTCONN:
	case SO_PEERCRED:
		*v = FAIL(ENOPROTOOPT);
		return true;
	}
	if (o->level == IPPROTO_TCP && o->name == TCP_CONGESTION && level_applies(o)) {
		*v = set_congestion(o);
		return true;
	}
	return false;
}

struct verdict sys_setsockopt(struct call *c)
{
	struct optcall o = {.c = c, .level = (int)c->arg[1], .name = (int)c->arg[2], .val = c->arg[3], .len = (uint32_t)c->arg[4]};
	const struct optrow *r;
	struct verdict v;

	o.s = net_sock(c, c->arg[0], &v);
	if (!o.s)
		return v;
	if ((int32_t)o.len < 0)
		return FAIL(EINVAL);
	if (set_special(&o, &v))
		return v;
	r = row_of(&o);
	if (r && level_applies(&o) && (r->who & kinds_of(o.s)))
		return set_row(&o, r);
	if (r && o.level == SOL_SOCKET)
		return FAIL(EOPNOTSUPP);
	return unknown(&o, "setsockopt");
}

/* ---- getting ---- */

/* The answer, cut to the room there is; the length goes back. */
static struct verdict give(const struct optcall *o, const void *p, size_t n)
{
	int32_t room;

	if (copy_in(o->c, &room, o->len, sizeof room))
		return FAIL(EFAULT);
	if (room < 0)
		return FAIL(EINVAL);
	room = (int32_t)MIN((size_t)room, n);
	if (copy_out(o->c, o->val, p, (size_t)room))
		return FAIL(EFAULT);
	return REPLY(copy_out(o->c, o->len, &room, sizeof room));
}

static struct verdict give_int(const struct optcall *o, int v)
{
	int32_t room;
	uint8_t byte = (uint8_t)v;

	/* do_ip_getsockopt(): a short buffer gets one byte. */
	if (o->level == IPPROTO_IP && !copy_in(o->c, &room, o->len, sizeof room) && room > 0 && room < (int)sizeof v && v >= 0 &&
	    v <= 255)
		return give(o, &byte, 1);
	return give(o, &v, sizeof v);
}

static struct verdict get_timeout(const struct optcall *o, int64_t ns)
{
	int64_t tv[2] = {0, 0};

	if (ns != VCLOCK_NEVER) {
		tv[0] = ns / NS_PER_S;
		tv[1] = ns % NS_PER_S / NS_PER_US;
	}
	return give(o, tv, sizeof tv);
}

static struct verdict get_peercred(const struct optcall *o)
{
	struct ucred u = {o->s->peercred.pid, o->s->peercred.uid, o->s->peercred.gid};

	return give(o, &u, sizeof u);
}

static bool get_socket_level(const struct optcall *o, struct verdict *v)
{
	struct sock *s = o->s;
	struct linger l = {s->opt[OPT_LINGER], s->opt[OPT_LINGER_S]};

	switch (o->name) {
	case SO_TYPE:
		*v = give_int(o, s->type);
		return true;
	case SO_PROTOCOL:
		*v = give_int(o, s->protocol);
		return true;
	case SO_DOMAIN:
		*v = give_int(o, s->family);
		return true;
	case SO_ERROR:
		*v = give_int(o, -sock_take_error(s));
		return true;
	case SO_ACCEPTCONN:
		*v = give_int(o, s->listening);
		return true;
	case SO_SNDBUF:
		*v = give_int(o, s->opt[OPT_SNDBUF]);
		return true;
	case SO_RCVBUF:
		*v = give_int(o, s->opt[OPT_RCVBUF]);
		return true;
	case SO_SNDLOWAT:
		*v = give_int(o, 1);
		return true;
	case SO_LINGER:
		*v = give(o, &l, sizeof l);
		return true;
	case SO_RCVTIMEO:
	case SO_RCVTIMEO_NEW:
		*v = get_timeout(o, s->rcvtimeo_ns);
		return true;
	case SO_SNDTIMEO:
	case SO_SNDTIMEO_NEW:
		*v = get_timeout(o, s->sndtimeo_ns);
		return true;
	case SO_PEERCRED:
		*v = get_peercred(o);
		return true;
	case SO_COOKIE:
		*v = give(o, &s->id, sizeof s->id);
		return true;
	case SO_BINDTODEVICE:
		*v = give(o, "", 0);
		return true;
	default:
		return false;
	}
}

static struct verdict get_tcp_info(const struct optcall *o)
{
	struct tcp_info i = {0};
	struct tcp_facts f;

	tcp_facts(o->s, &f);
	i.tcpi_state = (uint8_t)f.state;
	i.tcpi_options = 7; /* timestamps, SACK, window scale */
	i.tcpi_snd_wscale = i.tcpi_rcv_wscale = 7;
	i.tcpi_rto = 200000 + (uint32_t)(f.rtt_ns / 1000);
	i.tcpi_ato = 40000;
	i.tcpi_snd_mss = TCP_MSS;
	i.tcpi_rcv_mss = 536;
	i.tcpi_unacked = f.state == TCP_LISTEN ? f.nqueued : (uint32_t)((f.unacked + TCP_MSS - 1) / TCP_MSS);
	i.tcpi_sacked = f.state == TCP_LISTEN ? f.backlog : 0;
	i.tcpi_pmtu = 65535;
	i.tcpi_rcv_ssthresh = 65495;
	i.tcpi_rtt = (uint32_t)(f.rtt_ns / 1000);
	i.tcpi_rttvar = i.tcpi_rtt / 2;
	i.tcpi_snd_ssthresh = INT32_MAX;
	i.tcpi_snd_cwnd = 10;
	i.tcpi_advmss = TCP_MSS;
	i.tcpi_reordering = 3;
	i.tcpi_rcv_space = 65495;
	i.tcpi_bytes_acked = f.bytes_out - f.unacked;
	i.tcpi_bytes_received = f.bytes_in;
	i.tcpi_bytes_sent = f.bytes_out;
	i.tcpi_notsent_bytes = (uint32_t)f.notsent;
	return give(o, &i, sizeof i);
}

static bool get_special(const struct optcall *o, struct verdict *v)
{
	char name[16] = "cubic";

	if (o->level == SOL_SOCKET)
		return get_socket_level(o, v);
	if (!level_applies(o))
		return false;
	if (o->level == IPPROTO_TCP && o->name == TCP_INFO)
		*v = get_tcp_info(o);
	else if (o->level == IPPROTO_TCP && o->name == TCP_CONGESTION)
		*v = give(o, name, sizeof name);
	else if (o->level == IPPROTO_TCP && o->name == TCP_MAXSEG)
		*v = give_int(o, tcp_of(o->s)->state == TCP_CLOSE ? 536 : TCP_MSS);
	else if (o->level == IPPROTO_IP && o->name == IP_OPTIONS)
		*v = give(o, "", 0);
	else if (o->level == IPPROTO_IP && o->name == IP_MTU)
		*v = o->s->remote.family ? give_int(o, 65535) : FAIL(ENOTCONN);
	else
		return false;
	return true;
}

struct verdict sys_getsockopt(struct call *c)
{
	struct optcall o = {.c = c, .level = (int)c->arg[1], .name = (int)c->arg[2], .val = c->arg[3], .len = c->arg[4]};
	const struct optrow *r;
	struct verdict v;

	o.s = net_sock(c, c->arg[0], &v);
	if (!o.s)
		return v;
	if (get_special(&o, &v))
		return v;
	r = row_of(&o);
	if (r && level_applies(&o) && (r->who & kinds_of(o.s)))
		return give_int(&o, o.s->opt[r->opt]);
	if (r && o.level == SOL_SOCKET)
		return FAIL(EOPNOTSUPP);
	return unknown(&o, "getsockopt");
}
