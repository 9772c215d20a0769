/*
 * NETLINK_ROUTE, as far as programs that list interfaces and addresses need it (getifaddrs(3), Go's net.Interfaces): one
 * loopback interface. Layouts: rtnetlink(7), include/uapi/linux/netlink.h and rtnetlink.h.
 */
#include "netsim/sock.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

enum { NLMSG_ERROR = 2, NLMSG_DONE = 3, RTM_NEWLINK = 16, RTM_GETLINK = 18, RTM_NEWADDR = 20, RTM_GETADDR = 22 };
enum { NLM_F_REQUEST = 1, NLM_F_MULTI = 2, NLM_F_ACK = 4, NLM_F_DUMP = 0x300 };
enum { IFLA_ADDRESS = 1, IFLA_BROADCAST = 2, IFLA_IFNAME = 3, IFLA_MTU = 4, IFLA_QDISC = 6, IFLA_TXQLEN = 13, IFLA_OPERSTATE = 16 };
enum { IFA_ADDRESS = 1, IFA_LOCAL = 2, IFA_LABEL = 3, IFA_FLAGS = 8 };
enum { ARPHRD_LOOPBACK = 772, IFF_UP_LOOPBACK_RUNNING_LOWER_UP = 0x10049, IFA_F_PERMANENT = 0x80, RT_SCOPE_HOST = 254 };
enum { LO_INDEX = 1, LO_MTU = 65536, NL_REPLY_MAX = 1024 };

struct nlmsghdr {
	uint32_t len;
	uint16_t type, flags;
	uint32_t seq, pid;
};

struct ifinfomsg {
	uint8_t family, pad;
	uint16_t type;
	int32_t index;
	uint32_t flags, change;
};

struct ifaddrmsg {
	uint8_t family, prefixlen, flags, scope;
	uint32_t index;
};

/* One datagram that waits to be read. */
struct nl_msg {
	struct list link;
	size_t len;
	char data[NL_REPLY_MAX];
};

struct netlink {
	struct sock sock;
	uint32_t portid; /* 0: not bound */
	struct list queue;
};

static const struct sock_ops netlink_ops;

static struct netlink *netlink_of(struct sock *s)
{
	return container_of(s, struct netlink, sock);
}

/* ---- replies ---- */

static void put(struct nl_msg *g, const void *p, size_t n)
{
	ENSURE(g->len + n + 4 <= sizeof g->data);
	memcpy(g->data + g->len, p, n);
	g->len += (n + 3) & ~(size_t)3;
}

static void put_attr(struct nl_msg *g, uint16_t type, const void *p, size_t n)
{
	uint16_t head[2] = {(uint16_t)(n + 4), type};

	put(g, head, sizeof head);
	put(g, p, n);
}

/* Begins a message in g; its length is filled in by end_message(). */
static size_t begin_message(struct nl_msg *g, const struct nlmsghdr *req, uint32_t pid, uint16_t type, uint16_t flags)
{
	struct nlmsghdr h = {.type = type, .flags = flags, .seq = req->seq, .pid = pid};
	size_t at = g->len;

	put(g, &h, sizeof h);
	return at;
}

static void end_message(struct nl_msg *g, size_t at)
{
	uint32_t len = (uint32_t)(g->len - at);

	memcpy(g->data + at, &len, sizeof len);
}

static struct nl_msg *new_reply(struct netlink *nl)
{
	struct nl_msg *g = arena_new_of(sock_arena(&nl->sock), struct nl_msg);

	list_add_tail(&nl->queue, &g->link);
	return g;
}

static void put_link(struct nl_msg *g, const struct nlmsghdr *req, uint32_t pid, uint16_t flags)
{
	size_t at = begin_message(g, req, pid, RTM_NEWLINK, flags);
	struct ifinfomsg i = {.type = ARPHRD_LOOPBACK, .index = LO_INDEX, .flags = IFF_UP_LOOPBACK_RUNNING_LOWER_UP};
	static const uint8_t mac[6];
	uint32_t mtu = LO_MTU, qlen = 1000;
	uint8_t state = 0; /* IF_OPER_UNKNOWN */

	put(g, &i, sizeof i);
	put_attr(g, IFLA_IFNAME, "lo", 3);
	put_attr(g, IFLA_TXQLEN, &qlen, sizeof qlen);
	put_attr(g, IFLA_OPERSTATE, &state, sizeof state);
	put_attr(g, IFLA_MTU, &mtu, sizeof mtu);
	put_attr(g, IFLA_QDISC, "noqueue", 8);
	put_attr(g, IFLA_ADDRESS, mac, sizeof mac);
	put_attr(g, IFLA_BROADCAST, mac, sizeof mac);
	end_message(g, at);
}

static void put_addr(struct nl_msg *g, const struct nlmsghdr *req, uint32_t pid, int family)
{
	size_t at = begin_message(g, req, pid, RTM_NEWADDR, NLM_F_MULTI);
	bool v4 = family == K_AF_INET;
	struct ifaddrmsg a = {.family = (uint8_t)family,
			      .prefixlen = v4 ? 8 : 128,
			      .flags = IFA_F_PERMANENT,
			      .scope = RT_SCOPE_HOST,
			      .index = LO_INDEX};
	struct ip ip = v4 ? ip4(0x7f000001) : ip6_loopback();
	uint32_t flags = IFA_F_PERMANENT;

	put(g, &a, sizeof a);
	put_attr(g, IFA_ADDRESS, v4 ? ip.b + 12 : ip.b, v4 ? 4 : 16);
	if (v4) {
		put_attr(g, IFA_LOCAL, ip.b + 12, 4);
		put_attr(g, IFA_LABEL, "lo", 3);
	}
	put_attr(g, IFA_FLAGS, &flags, sizeof flags);
	end_message(g, at);
}

static void put_error(struct nl_msg *g, const struct nlmsghdr *req, uint32_t pid, int error)
{
	size_t at = begin_message(g, req, pid, NLMSG_ERROR, 0);
	int32_t e = -error;

	put(g, &e, sizeof e);
	put(g, req, sizeof *req);
	end_message(g, at);
}

static void put_done(struct netlink *nl, const struct nlmsghdr *req)
{
	struct nl_msg *g = new_reply(nl);
	size_t at = begin_message(g, req, nl->portid, NLMSG_DONE, NLM_F_MULTI);
	int32_t zero = 0;

	put(g, &zero, sizeof zero);
	end_message(g, at);
}

/* One request; family: the first byte of its body, 0 when there is none. */
static void serve(struct netlink *nl, const struct nlmsghdr *req, uint8_t family)
{
	bool dump = (req->flags & NLM_F_DUMP) == NLM_F_DUMP;
	/* The get requests: every fourth number, the third of its group (rtnl kinds). */
	bool get = req->type >= RTM_NEWLINK && req->type % 4 == RTM_GETLINK % 4;

	if (req->type == RTM_GETLINK && !dump) {
		put_link(new_reply(nl), req, nl->portid, 0);
	} else if (get && dump) {
		if (req->type == RTM_GETLINK)
			put_link(new_reply(nl), req, nl->portid, NLM_F_MULTI);
		if (req->type == RTM_GETADDR && (!family || family == K_AF_INET))
			put_addr(new_reply(nl), req, nl->portid, K_AF_INET);
		if (req->type == RTM_GETADDR && (!family || family == K_AF_INET6))
			put_addr(new_reply(nl), req, nl->portid, K_AF_INET6);
		put_done(nl, req); /* no routes, neighbours, rules … */
	} else {
		/* Changing the network needs CAP_NET_ADMIN. */
		put_error(new_reply(nl), req, nl->portid, get ? EOPNOTSUPP : EPERM);
	}
}

/* ---- the calls ---- */

static void autobind(struct netlink *nl)
{
	if (!nl->portid)
		nl->portid = (uint32_t)(nl->sock.cred.pid ? nl->sock.cred.pid : 1);
}

static int netlink_bind(struct sock *s, const struct netaddr *a)
{
	struct netlink *nl = netlink_of(s);

	if (a->family != K_AF_NETLINK || (nl->portid && a->scope && nl->portid != a->scope))
		return -EINVAL;
	if (a->scope)
		nl->portid = a->scope;
	autobind(nl);
	return 0;
}

static int netlink_connect(struct sock *s, const struct netaddr *a)
{
	(void)a;
	autobind(netlink_of(s));
	return 0;
}

static int64_t netlink_send(struct sock *s, struct sock_msg *m)
{
	struct netlink *nl = netlink_of(s);
	size_t at = 0;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	autobind(nl);
	while (m->len - at >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr h;
		memcpy(&h, (char *)m->data + at, sizeof h);
		if (h.len < sizeof h || h.len > m->len - at)
			break;
		if ((h.flags & NLM_F_REQUEST) && h.type >= RTM_NEWLINK)
			serve(nl, &h, h.len > sizeof h ? *((uint8_t *)m->data + at + sizeof h) : 0);
		at += MIN(((size_t)h.len + 3) & ~(size_t)3, m->len - at);
	}
	if (!list_empty(&nl->queue))
		sock_notify(s, K_EPOLLIN | K_EPOLLRDNORM);
	return (int64_t)m->len;
}

static int64_t netlink_recv(struct sock *s, struct sock_msg *m)
{
	struct netlink *nl = netlink_of(s);
	struct nl_msg *g = list_first(&nl->queue, struct nl_msg, link);
	size_t n, len;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (!g)
		return -EAGAIN;
	len = g->len;
	n = MIN(m->len, len);
	memcpy(m->data, g->data, n);
	if (n < len)
		m->out_flags |= K_MSG_TRUNC;
	m->name = (struct netaddr){.family = K_AF_NETLINK}; /* the kernel: port 0 */
	if (!(m->flags & K_MSG_PEEK)) {
		list_del(&g->link);
		arena_release_of(sock_arena(s), g);
	}
	return (int64_t)(m->flags & K_MSG_TRUNC ? len : n);
}

static int netlink_name(struct sock *s, bool peer, struct netaddr *out)
{
	*out = (struct netaddr){.family = K_AF_NETLINK, .scope = peer ? 0 : netlink_of(s)->portid};
	return 0;
}

static uint32_t netlink_poll(struct sock *s)
{
	uint32_t ev = K_EPOLLOUT | K_EPOLLWRNORM | K_EPOLLWRBAND;

	return list_empty(&netlink_of(s)->queue) ? ev : ev | K_EPOLLIN | K_EPOLLRDNORM;
}

static void netlink_close(struct sock *s)
{
	struct netlink *nl = netlink_of(s);
	struct arena *a = sock_arena(s);

	while (!list_empty(&nl->queue)) {
		struct nl_msg *g = list_first(&nl->queue, struct nl_msg, link);
		list_del(&g->link);
		arena_release_of(a, g);
	}
	sock_fini(s);
	arena_release_of(a, nl);
}

static const struct sock_ops netlink_ops = {
	.bind = netlink_bind,
	.connect = netlink_connect,
	.send = netlink_send,
	.recv = netlink_recv,
	.name = netlink_name,
	.poll = netlink_poll,
	.close = netlink_close,
	.destroy = netlink_close,
};

struct sock *netlink_new(struct net *n, struct node *node, const struct sock_cred *cred, int type, int protocol)
{
	struct netlink *nl = arena_new_of(n->k->arena, struct netlink);

	sock_init(&nl->sock, n, &netlink_ops, node, cred);
	nl->sock.family = K_AF_NETLINK;
	nl->sock.type = (uint16_t)type;
	nl->sock.protocol = (uint16_t)protocol;
	list_init(&nl->queue);
	return &nl->sock;
}
