/* Control messages: descriptors and credentials over unix sockets, packet information of datagrams. See cmsg(3). */
#include "tracer/sys_net.h"

#include "base/mem.h"
#include "kernel/cred.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { CMSG_HEAD = sizeof(struct cmsghdr), CONTROL_MAX = 20480 /* net.core.optmem_max */ };

static size_t aligned(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* ---- sending ---- */

/* scm_fp_copy() of net/core/scm.c. */
static int read_rights(struct call *c, const void *data, size_t len, struct scm *scm)
{
	size_t n = len / sizeof(int);

	if (n > K_SCM_MAX_FD - scm->nfiles)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		struct file *f;
		int fd;
		memcpy(&fd, (const char *)data + i * sizeof fd, sizeof fd);
		f = call_file(c, (uint64_t)fd);
		if (!f)
			return -EBADF;
		scm->files[scm->nfiles++] = file_ref(f);
	}
	return 0;
}

/* scm_check_creds(): one's own, unless privileged. */
static int read_creds(struct call *c, const void *data, size_t len, struct scm *scm)
{
	const struct proc *p = c->proc;
	struct ucred u;

	if (len != sizeof u)
		return -EINVAL;
	memcpy(&u, data, sizeof u);
	if (u.pid != p->pid && p->euid)
		return -EPERM;
	if (u.uid != p->uid && u.uid != p->euid && u.uid != p->suid && !cred_capable(c->k, c->proc, CRED_CAP_SETUID))
		return -EPERM;
	if (u.gid != p->gid && u.gid != p->egid && u.gid != p->sgid && !cred_capable(c->k, c->proc, CRED_CAP_SETGID))
		return -EPERM;
	scm->has_cred = true;
	scm->cred = (struct sock_cred){u.pid, u.uid, u.gid};
	return 0;
}

/* An int of the header, within -1..255; -1: the default. */
static int read_header_int(const void *data, size_t len, bool *has, int *out)
{
	if (len != sizeof *out)
		return -EINVAL;
	memcpy(out, data, sizeof *out);
	if (*out < -1 || *out > 255)
		return -EINVAL;
	*has = true;
	return 0;
}

/* ip_cmsg_send() and ip6_datagram_send_ctl(). */
static int read_inet(const struct cmsghdr *h, const void *data, size_t len, struct sock_msg *m)
{
	bool v4 = h->cmsg_level == IPPROTO_IP;

	if (h->cmsg_type == (v4 ? IP_TTL : IPV6_HOPLIMIT))
		return read_header_int(data, len, &m->has_hops, &m->hops);
	if (v4 && h->cmsg_type == IP_TOS && len == 1) {
		m->has_tclass = true;
		m->tclass = *(const uint8_t *)data;
		return 0;
	}
	if (h->cmsg_type == (v4 ? IP_TOS : IPV6_TCLASS))
		return read_header_int(data, len, &m->has_tclass, &m->tclass);
	/* There is one interface, and a source address other than the socket's own would make no difference. */
	return h->cmsg_type == (v4 ? IP_PKTINFO : IPV6_PKTINFO) ? 0 : -ENOPROTOOPT;
}

static int read_one(struct call *c, const struct sock *s, const struct cmsghdr *h, const void *data, size_t len, struct sock_msg *m)
{
	bool inet = s->family == AF_INET || s->family == AF_INET6;
	int rc = -ENOPROTOOPT;

	if (h->cmsg_level == SOL_SOCKET) {
		if (h->cmsg_type == SCM_RIGHTS && s->family == AF_UNIX)
			return read_rights(c, data, len, m->scm);
		if (h->cmsg_type == SCM_CREDENTIALS && (s->family == AF_UNIX || s->family == AF_NETLINK))
			return read_creds(c, data, len, m->scm);
		return -EINVAL;
	}
	if (!inet)
		return 0; /* __scm_send(): other levels are not looked at */
	if (h->cmsg_level == IPPROTO_IP || (h->cmsg_level == IPPROTO_IPV6 && s->family == AF_INET6))
		rc = read_inet(h, data, len, m);
	if (rc != -ENOPROTOOPT)
		return rc;
	return (int)call_refuse(c, EINVAL, "control message level %d type %d on %s", h->cmsg_level, h->cmsg_type,
				s->file->ops->kind).value;
}

int cmsg_read(struct call *c, const struct sock *s, uint64_t control, uint64_t len, struct sock_msg *m)
{
	char bytes[CONTROL_MAX];
	int rc = 0;

	if (len > sizeof bytes)
		return -ENOBUFS;
	/* Not hashed as a whole: the padding may hold anything. */
	if (copy_in_raw(c, bytes, control, len))
		return -EFAULT;
	for (size_t at = 0; at + CMSG_HEAD <= len && !rc;) {
		struct cmsghdr h;
		memcpy(&h, bytes + at, sizeof h);
		if (h.cmsg_len < CMSG_HEAD || h.cmsg_len > len - at)
			return -EINVAL;
		rc = read_one(c, s, &h, bytes + at + CMSG_HEAD, h.cmsg_len - CMSG_HEAD, m);
		at += aligned(h.cmsg_len);
	}
	return rc;
}

/* ---- receiving ---- */

/* put_cmsg() of net/core/scm.c. */
static int put(struct call *c, struct cmsg_out *out, int level, int type, const void *data, size_t len)
{
	size_t room = out->room - out->used, whole = CMSG_HEAD + len;
	struct cmsghdr h = {.cmsg_len = whole, .cmsg_level = level, .cmsg_type = type};

	if (room < CMSG_HEAD) {
		out->flags |= K_MSG_CTRUNC;
		return 0;
	}
	if (room < whole) {
		out->flags |= K_MSG_CTRUNC;
		h.cmsg_len = whole = room;
	}
	if (copy_out(c, out->control + out->used, &h, sizeof h))
		return -EFAULT;
	if (whole > CMSG_HEAD && copy_out(c, out->control + out->used + CMSG_HEAD, data, whole - CMSG_HEAD))
		return -EFAULT;
	out->used += MIN(aligned(CMSG_HEAD + len), room);
	return 0;
}

/* scm_detach_fds() of net/core/scm.c: as many as fit; the others are closed. */
static int put_rights(struct call *c, struct cmsg_out *out, struct scm *scm, bool cloexec)
{
	size_t room = out->room - out->used;
	unsigned fit = room > CMSG_HEAD ? (unsigned)MIN((room - CMSG_HEAD) / sizeof(int), (size_t)scm->nfiles) : 0;
	unsigned n = 0, left = scm->nfiles;
	int fds[K_SCM_MAX_FD], rc = 0;

	while (n < fit) {
		int fd = call_install(c, file_ref(scm->files[n]), cloexec);
		if (fd < 0)
			break;
		fds[n++] = fd;
	}
	if (n < left)
		out->flags |= K_MSG_CTRUNC;
	if (n)
		rc = put(c, out, SOL_SOCKET, SCM_RIGHTS, fds, n * sizeof *fds);
	scm_drop(c->k, scm);
	return rc;
}

static int put_unix(struct call *c, const struct sock *s, struct sock_msg *m, struct cmsg_out *out)
{
	struct scm *scm = m->scm;
	struct ucred u = {scm->cred.pid, scm->cred.uid, scm->cred.gid};
	int rc = 0;

	if (!out->control && (scm->nfiles || s->opt[OPT_PASSCRED]))
		out->flags |= K_MSG_CTRUNC;
	if (!out->control)
		return 0;
	if (s->opt[OPT_PASSCRED] && scm->has_cred)
		rc = put(c, out, SOL_SOCKET, SCM_CREDENTIALS, &u, sizeof u);
	if (!rc && scm->nfiles)
		rc = put_rights(c, out, scm, m->flags & K_MSG_CMSG_CLOEXEC);
	return rc;
}

static int put_ip4(struct call *c, const struct sock *s, const struct sock_msg *m, struct cmsg_out *out)
{
	struct in_pktinfo info = {.ipi_ifindex = 1};
	int ttl = m->hops, rc = 0;
	uint8_t tos = (uint8_t)m->tclass;

	memcpy(&info.ipi_addr, m->to.ip.b + 12, 4);
	memcpy(&info.ipi_spec_dst, m->to.ip.b + 12, 4);
	if (s->opt[OPT_IP_PKTINFO])
		rc = put(c, out, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
	if (!rc && s->opt[OPT_IP_RECVTTL])
		rc = put(c, out, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl);
	if (!rc && s->opt[OPT_IP_RECVTOS])
		rc = put(c, out, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
	return rc;
}

static int put_ip6(struct call *c, const struct sock *s, const struct sock_msg *m, struct cmsg_out *out)
{
	struct in6_pktinfo info = {.ipi6_ifindex = 1};
	int hops = m->hops, tclass = m->tclass, rc = 0;

	memcpy(&info.ipi6_addr, m->to.ip.b, 16);
	if (s->opt[OPT_V6_RECVPKTINFO])
		rc = put(c, out, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
	if (!rc && s->opt[OPT_V6_RECVHOPLIMIT])
		rc = put(c, out, IPPROTO_IPV6, IPV6_HOPLIMIT, &hops, sizeof hops);
	if (!rc && s->opt[OPT_V6_RECVTCLASS])
		rc = put(c, out, IPPROTO_IPV6, IPV6_TCLASS, &tclass, sizeof tclass);
	return rc;
}

int cmsg_write(struct call *c, const struct sock *s, struct sock_msg *m, struct cmsg_out *out)
{
	int rc = 0;

	if (s->family == AF_UNIX)
		return put_unix(c, s, m, out);
	if (s->type != SOCK_DGRAM || !m->to.family || !out->control)
		return 0;
	/* ip_cmsg_recv() also serves IPv6 sockets that got an IPv4 packet. */
	if (ip_is_v4(&m->to.ip))
		rc = put_ip4(c, s, m, out);
	if (!rc && s->family == AF_INET6)
		rc = put_ip6(c, s, m, out);
	return rc;
}
