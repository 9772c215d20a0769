/* Socket calls that move data. */
#include "tracer/sys_net.h"

#include "base/mem.h"
#include "tracer/sim.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include <string.h>
#include <sys/socket.h>

/* Scratch words: bytes of the present message that are moved, messages done. [7] is the deadline. */
enum { S_MOVED, S_MESSAGES };

enum { CHUNK = 1 << 18, MESSAGE_MAX = 16 << 20 /* no send buffer is that large */, MMSG_MAX = 1024 };
/* What Linux knows or ignores, and we can ignore as well. */
enum { FLAGS_REFUSED = K_MSG_FASTOPEN };

/* One message to send or room to receive one. */
struct transfer {
	struct sock *s;
	const struct guest_iov *iov;
	size_t niov, total;
	uint32_t flags;
	struct sock_msg m;
	uint64_t control, controllen; /* in the guest; 0: none */
	struct cmsg_out out;          /* received */
};

static bool dont_wait(const struct transfer *t)
{
	return t->flags & K_MSG_DONTWAIT;
}

/* A blocking transfer has to wait, with some bytes moved. */
static struct verdict wait_more(struct call *c, struct transfer *t, bool write)
{
	struct sock *s = t->s;

	return net_wait(c, s, dont_wait(t), write ? s->sndtimeo_ns : s->rcvtimeo_ns, (int64_t)c->s[S_MOVED], EAGAIN,
			write ? "send on a socket" : "receive on a socket");
}

/* ---- sending ---- */

/* The next bytes of the guest that the socket would take; t->m describes them. 0 or -errno. */
static int fetch(struct call *c, struct transfer *t)
{
	size_t left = t->total - c->s[S_MOVED];
	bool stream = t->s->ops->room;
	int64_t n;

	if (!stream && left > MESSAGE_MAX)
		return -EMSGSIZE;
	if (stream)
		left = MIN(MIN(left, t->s->ops->room(t->s)), (size_t)CHUNK);
	t->m.data = call_scratch(c, left + 1);
	n = iov_copy_in(c, t->iov, t->niov, c->s[S_MOVED], t->m.data, left);
	if (n < 0 || (!stream && (size_t)n < left))
		return -EFAULT;
	/* A full stream is asked with the length that is left: it says EAGAIN, or why it never will take it. */
	t->m.len = stream && !left ? t->total - c->s[S_MOVED] : (size_t)n;
	return 0;
}

/* Moves what can be moved now. 0 when all is, or -errno. */
static int64_t send_some(struct call *c, struct transfer *t)
{
	for (;;) {
		int64_t n = fetch(c, t);
		if (!n)
			n = t->s->ops->send(t->s, &t->m);
		if (n < 0)
			return n;
		c->s[S_MOVED] += (uint64_t)n;
		if (c->s[S_MOVED] >= t->total || !t->s->ops->room)
			return 0;
	}
}

static struct verdict send_message(struct call *c, struct transfer *t)
{
	struct sock *s = t->s;
	struct scm scm;
	int64_t rc;

	if (t->flags & FLAGS_REFUSED)
		return call_refuse(c, EOPNOTSUPP, "flags 0x%x of %s", t->flags & FLAGS_REFUSED, c->row->name);
	if (!s->ops->send)
		return FAIL(EOPNOTSUPP);
	s->block_on = NULL;
	scm_init(&scm);
	t->m.flags = t->flags;
	t->m.scm = &scm;
	/* What travels along goes with the first byte. */
	rc = t->controllen && !c->s[S_MOVED] ? cmsg_read(c, s, t->control, t->controllen, &t->m) : 0;
	if (!rc)
		rc = send_some(c, t);
	scm_drop(c->k, &scm);
	if (rc == -EAGAIN)
		return wait_more(c, t, true);
	if (!c->s[S_MOVED]) {
		if (rc == -EPIPE && s->type == SOCK_STREAM && !(t->flags & K_MSG_NOSIGNAL))
			rw_sigpipe(c);
		return REPLY(rc);
	}
	/* Part of it went out: the error is for the next call. */
	if (rc < 0 && rc != -EPIPE && rc != -EFAULT)
		s->err = (int)-rc;
	return REPLY(c->s[S_MOVED]);
}

/* ---- receiving ---- */

static bool is_stream(const struct sock *s)
{
	return s->type == SOCK_STREAM;
}

/* One read of the socket, into the guest from c->s[S_MOVED] on. Bytes or -errno. */
static int64_t receive_once(struct call *c, struct transfer *t, struct scm *scm)
{
	struct sock *s = t->s;
	size_t len = t->total - c->s[S_MOVED];
	int64_t inq = s->ops->inq ? s->ops->inq(s) : MESSAGE_MAX, n, out;

	t->m.flags = t->flags | (s->file->flags & O_NONBLOCK ? K_MSG_DONTWAIT : 0);
	t->m.scm = s->family == AF_UNIX ? scm : NULL;
	/* No more than there is, so that a large buffer costs nothing. */
	t->m.len = MIN(len, (size_t)MAX(inq, 1));
	t->m.data = call_scratch(c, t->m.len);
	n = s->ops->recv(s, &t->m);
	if (n <= 0 || (is_stream(s) && (t->flags & K_MSG_TRUNC) && s->family != AF_UNIX))
		return n;
	out = iov_copy_out(c, t->iov, t->niov, c->s[S_MOVED], t->m.data, MIN((size_t)n, t->m.len));
	if (out < 0 || (!is_stream(s) && (size_t)out < MIN((size_t)n, t->m.len)))
		return -EFAULT;
	return is_stream(s) ? out : n;
}

/* MSG_WAITALL goes on until the buffer is full; everybody else takes what there is. 0 or -errno. */
static int64_t receive_some(struct call *c, struct transfer *t, struct scm *scm)
{
	bool all = (t->flags & K_MSG_WAITALL) && !(t->flags & K_MSG_PEEK) && is_stream(t->s);

	for (;;) {
		int64_t n = receive_once(c, t, scm);
		if (n < 0)
			return n;
		c->s[S_MOVED] += (uint64_t)n;
		if (!n || !all || c->s[S_MOVED] >= t->total || scm->nfiles)
			return 0;
	}
}

static struct verdict receive_message(struct call *c, struct transfer *t)
{
	struct sock *s = t->s;
	struct scm scm;
	int64_t rc;
	int bad = 0;

	if (t->flags & K_MSG_ERRQUEUE)
		return FAIL(EAGAIN); /* nothing is ever queued there */
	if (!s->ops->recv)
		return FAIL(EOPNOTSUPP);
	s->block_on = NULL;
	scm_init(&scm);
	rc = receive_some(c, t, &scm);
	if (rc == -EAGAIN)
		return wait_more(c, t, false);
	if (rc < 0 && c->s[S_MOVED] && rc != -ENOTCONN && rc != -EFAULT)
		s->err = (int)-rc; /* for the next call */
	if (rc >= 0 || c->s[S_MOVED]) {
		t->m.scm = &scm;
		bad = cmsg_write(c, s, &t->m, &t->out);
	}
	scm_drop(c->k, &scm);
	if (bad)
		return REPLY(bad);
	return REPLY(c->s[S_MOVED] ? (int64_t)c->s[S_MOVED] : rc);
}

/* The address of a received message, when there is one to tell. */
static bool has_source(const struct transfer *t)
{
	const struct netaddr *a = &t->m.name;

	return a->family && !(a->family == AF_UNIX && !a->pathlen);
}

/* ---- sendto, recvfrom ---- */

static struct verdict one_iov(struct call *c, struct transfer *t, struct guest_iov *iov)
{
	struct verdict v;

	*iov = (struct guest_iov){c->arg[1], MIN(c->arg[2], (uint64_t)RW_COUNT_MAX)};
	t->s = net_sock(c, c->arg[0], &v);
	t->iov = iov;
	t->niov = 1;
	t->total = call_cap(c, iov->len);
	t->flags = (uint32_t)c->arg[3];
	return v;
}

struct verdict sys_sendto(struct call *c)
{
	struct guest_iov iov;
	struct transfer t = {0};
	struct verdict v = one_iov(c, &t, &iov);
	int rc;

	if (!t.s)
		return v;
	if (c->arg[4]) {
		rc = net_address(c, t.s, c->arg[4], (uint32_t)c->arg[5], &t.m.name);
		if (rc)
			return REPLY(rc);
		t.m.has_name = true;
	}
	return send_message(c, &t);
}

struct verdict sys_recvfrom(struct call *c)
{
	struct guest_iov iov;
	struct transfer t = {0};
	struct verdict v = one_iov(c, &t, &iov);
	int rc;

	if (!t.s)
		return v;
	v = receive_message(c, &t);
	if (v.kind != V_REPLY || v.value < 0 || !c->arg[4])
		return v;
	if (!has_source(&t))
		t.m.name = (struct netaddr){0}; /* length 0 */
	rc = sockaddr_write(c, &t.m.name, c->arg[4], c->arg[5]);
	return rc ? REPLY(rc) : v;
}

/* ---- sendmsg, recvmsg ---- */

/* struct msghdr of the ABI. */
struct guest_msghdr {
	uint64_t name;
	uint32_t namelen, pad;
	uint64_t iov, iovlen;
	uint64_t control, controllen;
	uint32_t flags, pad2;
};
struct guest_mmsghdr {
	struct guest_msghdr h;
	uint32_t len, pad;
};

static int read_msghdr(struct call *c, uint64_t addr, struct guest_msghdr *h, struct guest_iov *iov, struct transfer *t)
{
	int rc = copy_in_raw(c, h, addr, sizeof *h);

	if (rc)
		return rc;
	if (h->iovlen > GUEST_IOV_MAX)
		return -EMSGSIZE;
	/* "copy_msghdr_from_user": a length without a name is none; a negative one is an error, a long one is cut. */
	if (!h->name)
		h->namelen = 0;
	if ((int32_t)h->namelen < 0)
		return -EINVAL;
	h->namelen = MIN(h->namelen, (uint32_t)SOCKADDR_MAX);
	rc = iov_read(c, h->iov, h->iovlen, iov, &t->total);
	t->iov = iov;
	t->niov = h->iovlen;
	t->control = h->control;
	t->controllen = h->control ? h->controllen : 0;
	return rc;
}

static struct verdict send_msghdr(struct call *c, struct sock *s, uint64_t addr, uint32_t flags)
{
	struct guest_iov iov[GUEST_IOV_MAX];
	struct transfer t = {.s = s, .flags = flags};
	struct guest_msghdr h;
	int rc = read_msghdr(c, addr, &h, iov, &t);

	if (!rc && h.namelen) {
		rc = net_address(c, s, h.name, h.namelen, &t.m.name);
		t.m.has_name = true;
	}
	return rc ? REPLY(rc) : send_message(c, &t);
}

/* Lengths and flags go back to the header. */
static int write_msghdr(struct call *c, uint64_t addr, const struct guest_msghdr *h, struct transfer *t)
{
	uint8_t bytes[SOCKADDR_MAX];
	uint32_t len = 0, flags = (t->m.out_flags | t->out.flags) | (t->flags & K_MSG_CMSG_CLOEXEC);

	if (h->name) {
		len = has_source(t) ? sockaddr_bytes(&t->m.name, bytes) : 0;
		if (len && copy_out(c, h->name, bytes, MIN(len, h->namelen)))
			return -EFAULT;
		if (copy_out(c, addr + offsetof(struct guest_msghdr, namelen), &len, sizeof len))
			return -EFAULT;
	}
	if (copy_out(c, addr + offsetof(struct guest_msghdr, controllen), &t->out.used, sizeof t->out.used))
		return -EFAULT;
	return copy_out(c, addr + offsetof(struct guest_msghdr, flags), &flags, sizeof flags);
}

static struct verdict receive_msghdr(struct call *c, struct sock *s, uint64_t addr, uint32_t flags)
{
	struct guest_iov iov[GUEST_IOV_MAX];
	struct transfer t = {.s = s, .flags = flags};
	struct guest_msghdr h;
	struct verdict v;
	int rc = read_msghdr(c, addr, &h, iov, &t);

	if (rc)
		return REPLY(rc);
	t.out = (struct cmsg_out){.control = t.control, .room = t.controllen};
	v = receive_message(c, &t);
	if (v.kind != V_REPLY || v.value < 0)
		return v;
	rc = write_msghdr(c, addr, &h, &t);
	return rc ? REPLY(rc) : v;
}

struct verdict sys_sendmsg(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);

	return s ? send_msghdr(c, s, c->arg[1], (uint32_t)c->arg[2]) : v;
}

struct verdict sys_recvmsg(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);

	return s ? receive_msghdr(c, s, c->arg[1], (uint32_t)c->arg[2]) : v;
}

/* ---- several messages ---- */

typedef struct verdict (*msghdr_fn)(struct call *c, struct sock *s, uint64_t addr, uint32_t flags);

/* Message after message until vlen, an error, or `until` has passed; an error after the first message is kept for the next
 * call, as in __sys_recvmmsg(). */
static struct verdict many(struct call *c, struct sock *s, msghdr_fn one, uint32_t flags, int64_t until_ns)
{
	uint64_t vlen = MIN((uint64_t)(uint32_t)c->arg[2], (uint64_t)MMSG_MAX);

	while (c->s[S_MESSAGES] < vlen) {
		uint64_t at = c->arg[1] + c->s[S_MESSAGES] * sizeof(struct guest_mmsghdr);
		bool later = c->s[S_MESSAGES] && (flags & K_MSG_WAITFORONE);
		struct verdict v = one(c, s, at, later ? flags | K_MSG_DONTWAIT : flags);
		uint32_t len = (uint32_t)v.value;
		if (v.kind == V_BLOCK)
			return c->s[S_MESSAGES] ? BLOCK(c->s[S_MESSAGES]) : v;
		if (v.value >= 0 && copy_out(c, at + offsetof(struct guest_mmsghdr, len), &len, sizeof len))
			v.value = -EFAULT;
		if (v.value < 0) {
			if (!c->s[S_MESSAGES])
				return v;
			if (one == receive_msghdr && v.value != -EAGAIN)
				s->err = (int)-v.value;
			break;
		}
		c->s[S_MOVED] = c->s[7] = 0; /* each has its own time */
		c->s[S_MESSAGES]++;
		if (c->k->clock.now_ns >= until_ns)
			break;
	}
	return REPLY(c->s[S_MESSAGES]);
}

struct verdict sys_sendmmsg(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);

	return s ? many(c, s, send_msghdr, (uint32_t)c->arg[3], VCLOCK_NEVER) : v;
}

enum { S_UNTIL = 2 };

struct verdict sys_recvmmsg(struct call *c)
{
	struct abi_timespec ts;
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);

	if (!s)
		return v;
	if (c->arg[4] && !c->tries) {
		if (copy_in(c, &ts, c->arg[4], sizeof ts))
			return FAIL(EFAULT);
		if (!timespec_valid(&ts))
			return FAIL(EINVAL);
		c->s[S_UNTIL] = (uint64_t)vclock_add(c->k->clock.now_ns, timespec_ns(&ts));
	}
	v = many(c, s, receive_msghdr, (uint32_t)c->arg[3], c->arg[4] ? (int64_t)c->s[S_UNTIL] : VCLOCK_NEVER);
	if (v.kind == V_REPLY && v.value > 0 && c->arg[4]) {
		/* What is left of the time. */
		int64_t left = (int64_t)c->s[S_UNTIL] - c->k->clock.now_ns;
		ts = timespec_of(MAX(left, 0));
		if (copy_out(c, c->arg[4], &ts, sizeof ts))
			return FAIL(EFAULT);
	}
	return v;
}
