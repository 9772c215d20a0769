/* ioctl requests of sockets: queue sizes, and what netdevice(7) tells about the one interface there is. */
#include "tracer/sys_net.h"

#include "base/mem.h"

#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>

enum { LO_INDEX = 1, LO_MTU = 65536, LO_QLEN = 1000, ARPHRD_LO = 772 };

static void put_in(struct ifreq *r, uint32_t addr)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(addr)};

	memcpy(&r->ifr_addr, &in, sizeof in);
}

/* Fills in what was asked about lo. 0 or -errno. */
static int ask_lo(uint32_t cmd, struct ifreq *r)
{
	memset(&r->ifr_ifru, 0, sizeof r->ifr_ifru);
	switch (cmd) {
	case SIOCGIFFLAGS:
		r->ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
		return 0;
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
		put_in(r, INADDR_LOOPBACK);
		return 0;
	case SIOCGIFBRDADDR:
		put_in(r, 0);
		return 0;
	case SIOCGIFNETMASK:
		put_in(r, 0xff000000);
		return 0;
	case SIOCGIFMETRIC:
	case SIOCGIFMAP:
		return 0;
	case SIOCGIFMTU:
		r->ifr_mtu = LO_MTU;
		return 0;
	case SIOCGIFHWADDR:
		r->ifr_hwaddr.sa_family = ARPHRD_LO;
		return 0;
	case SIOCGIFINDEX:
		r->ifr_ifindex = LO_INDEX;
		return 0;
	case SIOCGIFTXQLEN:
		r->ifr_qlen = LO_QLEN;
		return 0;
	default:
		return -EOPNOTSUPP; /* SIOCETHTOOL and its like */
	}
}

static struct verdict interface(struct call *c, uint32_t cmd, uint64_t arg)
{
	struct ifreq r;
	int rc;

	/* The union behind the name may hold anything: not hashed. */
	if (copy_in_raw(c, &r, arg, sizeof r))
		return FAIL(EFAULT);
	if (cmd == SIOCGIFNAME) {
		if (r.ifr_ifindex != LO_INDEX)
			return FAIL(ENODEV);
		memset(r.ifr_name, 0, sizeof r.ifr_name);
		memcpy(r.ifr_name, "lo", 2);
		return REPLY(copy_out(c, arg, r.ifr_name, sizeof r.ifr_name));
	}
	r.ifr_name[IFNAMSIZ - 1] = 0;
	call_note(c, "%s", r.ifr_name);
	if (strcmp(r.ifr_name, "lo"))
		return FAIL(ENODEV);
	rc = ask_lo(cmd, &r);
	return rc ? REPLY(rc) : REPLY(copy_out(c, arg + offsetof(struct ifreq, ifr_ifru), &r.ifr_ifru, sizeof r.ifr_ifru));
}

/* SIOCGIFCONF: the interfaces that have an IPv4 address. Without a buffer only the length. */
static struct verdict list(struct call *c, uint64_t arg)
{
	struct ifreq lo = {.ifr_name = "lo"};
	struct {
		int32_t len, pad;
		uint64_t buf;
	} conf;

	if (copy_in_raw(c, &conf, arg, sizeof conf))
		return FAIL(EFAULT);
	put_in(&lo, INADDR_LOOPBACK);
	if (conf.buf && conf.len >= (int32_t)sizeof lo) {
		if (copy_out(c, conf.buf, &lo, sizeof lo))
			return FAIL(EFAULT);
	}
	conf.len = !conf.buf || conf.len >= (int32_t)sizeof lo ? (int32_t)sizeof lo : 0;
	return REPLY(copy_out(c, arg, &conf.len, sizeof conf.len));
}

static struct verdict give_int(struct call *c, uint64_t arg, int64_t v)
{
	int32_t n = (int32_t)v;

	return v < 0 ? REPLY(v) : REPLY(copy_out(c, arg, &n, sizeof n));
}

static struct verdict set_owner(struct call *c, struct file *f, uint64_t arg)
{
	int32_t pid;

	if (copy_in(c, &pid, arg, sizeof pid))
		return FAIL(EFAULT);
	f->owner = pid;
	return REPLY(0);
}

struct verdict net_ioctl(struct call *c, struct file *f, uint32_t cmd, uint64_t arg)
{
	struct sock *s = sock_of(f);

	if (!s)
		return FAIL(ENOTTY);
	switch (cmd) {
	case SIOCOUTQ:
		return s->ops->outq ? give_int(c, arg, s->ops->outq(s)) : FAIL(ENOTTY);
	case SIOCATMARK:
		return s->type == SOCK_STREAM ? give_int(c, arg, 0) : FAIL(ENOTTY);
	case FIOSETOWN:
	case SIOCSPGRP:
		return set_owner(c, f, arg);
	case FIOGETOWN:
	case SIOCGPGRP:
		return give_int(c, arg, (uint32_t)f->owner);
	case SIOCGSTAMP_OLD:
	case SIOCGSTAMPNS_OLD:
		return FAIL(ENOENT); /* no packet was stamped */
	case SIOCGIFCONF:
		return list(c, arg);
	case SIOCGIFNAME:
	case SIOCGIFFLAGS:
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
	case SIOCGIFBRDADDR:
	case SIOCGIFNETMASK:
	case SIOCGIFMETRIC:
	case SIOCGIFMTU:
	case SIOCGIFHWADDR:
	case SIOCGIFINDEX:
	case SIOCGIFTXQLEN:
	case SIOCGIFMAP:
	case SIOCETHTOOL:
		return interface(c, cmd, arg);
	case SIOCSIFFLAGS:
	case SIOCSIFADDR:
	case SIOCSIFNETMASK:
	case SIOCSIFMTU:
	case SIOCADDRT:
	case SIOCDELRT:
		return FAIL(EPERM); /* needs CAP_NET_ADMIN */
	default:
		return call_refuse(c, ENOTTY, "ioctl 0x%x on %s", cmd, f->ops->kind);
	}
}
