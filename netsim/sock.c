#include "netsim/sock.h"

#include "base/err.h"
#include "netsim/port.h"

static int64_t sock_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct sock *s = f->obj;
	struct sock_msg m = {.data = buf, .len = len, .flags = f->flags & O_NONBLOCK ? K_MSG_DONTWAIT : 0};

	(void)k;
	return s->ops->recv ? s->ops->recv(s, &m) : -EOPNOTSUPP;
}

static int64_t sock_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	struct sock *s = f->obj;
	struct sock_msg m = {.data = (void *)(uintptr_t)buf, .len = len};

	(void)k;
	return s->ops->send ? s->ops->send(s, &m) : -EOPNOTSUPP;
}

static uint32_t sock_poll(struct kern *k, struct file *f)
{
	struct sock *s = f->obj;

	(void)k;
	return s->ops->poll(s);
}

static void sock_release(struct kern *k, struct file *f)
{
	struct sock *s = f->obj;

	(void)k;
	if (!s)
		return; /* the network was cleared before */
	s->file = NULL;
	s->ops->close(s);
}

static int64_t sock_bytes_readable(struct kern *k, struct file *f)
{
	struct sock *s = f->obj;

	(void)k;
	return s->ops->inq ? s->ops->inq(s) : -ENOTTY;
}

static int64_t sock_timeout(struct kern *k, struct file *f, bool write)
{
	const struct sock *s = f->obj;
	int64_t ns = write ? s->sndtimeo_ns : s->rcvtimeo_ns;

	(void)k;
	return ns == VCLOCK_NEVER ? 0 : ns;
}

#define SOCK_FILE_OPS(name, whole)                                                                                 \
	{                                                                                                          \
		.kind = (name), .read = sock_read, .write = sock_write, .poll = sock_poll, .release = sock_release, \
		.bytes_readable = sock_bytes_readable, .timeout = sock_timeout, .messages = (whole)                \
	}
static const struct file_ops tcp_file_ops = SOCK_FILE_OPS("tcp", false);
static const struct file_ops udp_file_ops = SOCK_FILE_OPS("udp", true);
static const struct file_ops unix_file_ops = SOCK_FILE_OPS("unix", false);
static const struct file_ops unix_message_file_ops = SOCK_FILE_OPS("unix", true);
static const struct file_ops netlink_file_ops = SOCK_FILE_OPS("netlink", true);

static const struct file_ops *file_ops_of(const struct sock *s)
{
	if (s->family == K_AF_UNIX)
		return s->type == K_SOCK_STREAM ? &unix_file_ops : &unix_message_file_ops;
	if (s->family == K_AF_NETLINK)
		return &netlink_file_ops;
	return s->type == K_SOCK_STREAM ? &tcp_file_ops : &udp_file_ops;
}

struct sock *sock_of(const struct file *f)
{
	return f->ops->release == sock_release ? f->obj : NULL;
}

struct file *sock_make_file(struct sock *s, uint32_t flags)
{
	struct file *f = file_new(s->net->k, file_ops_of(s), s, O_RDWR | flags);

	f->node = s->node;
	s->file = f;
	return f;
}

static int inet_create(struct net *n, struct node *node, const struct sock_cred *cred, int family, int type, int protocol,
		       struct sock **out)
{
	/* UDP-Lite differs in what its checksum covers: here in nothing but its ports. */
	int want = type == K_SOCK_STREAM ? K_IPPROTO_TCP : protocol == K_IPPROTO_UDPLITE ? K_IPPROTO_UDPLITE : K_IPPROTO_UDP;

	if (type != K_SOCK_STREAM && type != K_SOCK_DGRAM)
		return type == K_SOCK_RAW ? -EPERM : -ESOCKTNOSUPPORT; /* raw sockets need CAP_NET_RAW */
	if (protocol && protocol != want)
		return -EPROTONOSUPPORT;
	*out = type == K_SOCK_STREAM ? tcp_new(n, node, cred, family) : udp_new(n, node, cred, family);
	(*out)->protocol = (uint16_t)want;
	return 0;
}

int sock_create(struct net *n, struct node *node, const struct sock_cred *cred, int family, int type, int protocol,
		uint32_t file_flags, struct file **out)
{
	struct sock *s = NULL;
	int rc = 0;

	if (family == K_AF_INET || family == K_AF_INET6) {
		rc = inet_create(n, node, cred, family, type, protocol, &s);
	} else if (family == K_AF_UNIX) {
		if (protocol && protocol != K_AF_UNIX)
			return -EPROTONOSUPPORT;
		/* unix_create() of net/unix/af_unix.c: "believe it or not BSD has AF_UNIX, SOCK_RAW though nothing uses it" */
		if (type == K_SOCK_RAW)
			type = K_SOCK_DGRAM;
		if (type != K_SOCK_STREAM && type != K_SOCK_DGRAM && type != K_SOCK_SEQPACKET)
			return -ESOCKTNOSUPPORT;
		s = unix_new(n, node, cred, type);
	} else if (family == K_AF_NETLINK) {
		if (type != K_SOCK_RAW && type != K_SOCK_DGRAM)
			return -ESOCKTNOSUPPORT;
		if (protocol != 0 /* NETLINK_ROUTE */)
			return -EPROTONOSUPPORT;
		s = netlink_new(n, node, cred, type, protocol);
	} else {
		return -EAFNOSUPPORT;
	}
	if (rc)
		return rc;
	*out = sock_make_file(s, file_flags);
	return 0;
}

void sock_init(struct sock *s, struct net *n, const struct sock_ops *ops, struct node *node, const struct sock_cred *cred)
{
	s->ops = ops;
	s->net = n;
	s->node = node;
	s->cred = *cred;
	s->peercred = (struct sock_cred){0, UINT32_MAX, UINT32_MAX};
	s->id = ++n->next_id;
	s->rcvtimeo_ns = s->sndtimeo_ns = VCLOCK_NEVER;
	s->opt[OPT_RCVLOWAT] = 1;
	s->opt[OPT_SNDBUF] = s->opt[OPT_RCVBUF] = 212992; /* net.core.wmem_default, rmem_default */
	s->opt[OPT_PEEK_OFF] = -1;
	s->opt[OPT_INCOMING_CPU] = -1;
	s->opt[OPT_IP_TTL] = s->opt[OPT_V6_HOPS] = 64;
	s->opt[OPT_IP_MTU_DISCOVER] = s->opt[OPT_V6_MTU_DISCOVER] = 1; /* IP_PMTUDISC_WANT */
	s->opt[OPT_IP_MULTICAST_TTL] = s->opt[OPT_V6_MULTICAST_HOPS] = 1;
	s->opt[OPT_IP_MULTICAST_LOOP] = s->opt[OPT_V6_MULTICAST_LOOP] = 1;
	waitq_init(&s->room_wq);
	list_init(&s->in_port);
	list_add_tail(&n->socks, &s->in_net);
}

void sock_fini(struct sock *s)
{
	port_release(s);
	list_del(&s->in_net);
	waitq_wake(&s->room_wq, 0);
}

void sock_set_node(struct sock *s, struct node *node)
{
	if (s->counted) {
		net_count(s->net, s->node, NET_OPEN, -1);
		net_count(s->net, node, NET_OPEN, 1);
	}
	s->node = node;
}

int sock_take_error(struct sock *s)
{
	int e = s->err;

	s->err = 0;
	return -e;
}

void sock_notify(struct sock *s, uint32_t events)
{
	if (s->file)
		file_notify(s->file, events);
}

void scm_drop(struct kern *k, struct scm *scm)
{
	for (unsigned i = 0; i < scm->nfiles; i++)
		file_unref(k, scm->files[i]);
	scm->nfiles = 0;
	scm->has_cred = false;
}
