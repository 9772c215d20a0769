/* The socket calls that do not move data. */
#include "tracer/sys_net.h"

#include "base/mem.h"
#include "netsim/net.h"
#include "netsim/tcp.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <sys/resource.h>
#include <sys/socket.h>

enum { SOCKET_FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK };

struct sock_cred net_cred(const struct call *c)
{
	return (struct sock_cred){c->proc->pid, c->proc->euid, c->proc->egid};
}

struct sock *net_sock(struct call *c, uint64_t fd, struct verdict *v)
{
	struct file *f = call_hold(c, fd);
	struct sock *s;

	if (!f || (f->flags & O_PATH)) {
		*v = FAIL(EBADF);
		return NULL;
	}
	s = sock_of(f);
	*v = FAIL(ENOTSOCK);
	return s;
}

struct verdict net_wait(struct call *c, struct sock *s, bool nonblock, int64_t timeo_ns, int64_t moved, int err, const char *what)
{
	int64_t intr = timeo_ns == VCLOCK_NEVER ? -K_ERESTARTSYS : -EINTR; /* sock_intr_errno() */

	if (nonblock || (s->file->flags & O_NONBLOCK) || c->thread->timed_out)
		return moved ? REPLY(moved) : FAIL(err);
	if (s->block_on) {
		c->thread->wait_what = what;
		c->thread->wait_detail = s->file->id;
		thread_wait_on(c->k, c->thread, s->block_on);
	}
	call_wait_file(c, s->file, what);
	if (timeo_ns != VCLOCK_NEVER)
		call_wait_rel(c, timeo_ns);
	call_keep(c, s->file);
	return BLOCK(moved ? moved : intr);
}

/* ---- creation ---- */

static int create(struct call *c, int family, int type, int protocol, struct file **out)
{
	struct sock_cred cred = net_cred(c);

	if (type & ~(SOCKET_FLAGS | K_SOCK_TYPE_MASK))
		return -EINVAL;
	if (family < 0 || family >= K_AF_MAX)
		return -EAFNOSUPPORT;
	if ((type & K_SOCK_TYPE_MASK) >= K_SOCK_MAX)
		return -EINVAL;
	return sock_create(c->sim->net, c->proc->node, &cred, family, type & K_SOCK_TYPE_MASK, protocol,
			   type & SOCK_NONBLOCK ? O_NONBLOCK : 0, out);
}

struct verdict sys_socket(struct call *c)
{
	int family = (int)c->arg[0], type = (int)c->arg[1], protocol = (int)c->arg[2];
	struct file *f;
	int rc = create(c, family, type, protocol, &f);

	if (rc == -EAFNOSUPPORT || rc == -ESOCKTNOSUPPORT || rc == -EPROTONOSUPPORT || rc == -EPERM)
		return call_refuse(c, -rc, "socket family %d type %d protocol %d", family, type & K_SOCK_TYPE_MASK, protocol);
	if (rc)
		return REPLY(rc);
	call_note(c, "%s", f->ops->kind);
	return REPLY(call_install(c, f, type & SOCK_CLOEXEC));
}

struct verdict sys_socketpair(struct call *c)
{
	int type = (int)c->arg[1];
	struct file *f[2];
	int fd[2], rc;

	if ((int)c->arg[0] != AF_UNIX) {
		/* Only unix sockets come in pairs. */
		rc = create(c, (int)c->arg[0], type, (int)c->arg[2], &f[0]);
		if (!rc)
			file_unref(c->k, f[0]);
		return REPLY(rc ? rc : -EOPNOTSUPP);
	}
	for (int i = 0; i < 2; i++) {
		rc = create(c, AF_UNIX, type, (int)c->arg[2], &f[i]);
		if (rc)
			return REPLY(rc); /* the first one fails or none */
	}
	unix_pair(sock_of(f[0]), sock_of(f[1]));
	fd[0] = call_install(c, f[0], type & SOCK_CLOEXEC);
	fd[1] = fd[0] < 0 ? fd[0] : call_install(c, f[1], type & SOCK_CLOEXEC);
	if (fd[0] < 0)
		file_unref(c->k, f[1]);
	rc = fd[1] < 0 ? fd[1] : copy_out(c, c->arg[3], fd, sizeof fd);
	if (rc && fd[0] >= 0)
		fdtab_close(c->k, c->proc->fds, c->proc, fd[0]);
	if (rc && fd[1] >= 0)
		fdtab_close(c->k, c->proc->fds, c->proc, fd[1]);
	return REPLY(rc);
}

/* ---- addresses ---- */

int net_address(struct call *c, const struct sock *s, uint64_t addr, uint32_t len, struct netaddr *out)
{
	struct rawaddr raw;
	char path[UNIX_PATH_MAX + 1], text[160];
	int rc = rawaddr_read(c, &raw, addr, len);

	if (!rc)
		rc = sockaddr_parse(s->family, &raw, out);
	if (rc)
		return rc;
	call_note(c, "%s", netaddr_print(out, text, sizeof text));
	if (s->family != AF_UNIX)
		return 0;
	/* unix_validate_addr() */
	if (out->family != AF_UNIX || !out->pathlen)
		return out->family == AF_UNSPEC && s->type == SOCK_DGRAM ? 0 : -EINVAL;
	return sockaddr_path(out, path) ? vfs_find_socket(c, path, out->key) : 0;
}

static int bind_address(struct call *c, const struct sock *s, struct netaddr *out)
{
	struct rawaddr raw;
	char path[UNIX_PATH_MAX + 1], text[160];
	int rc = rawaddr_read(c, &raw, c->arg[1], (uint32_t)c->arg[2]);

	if (!rc)
		rc = sockaddr_parse(s->family, &raw, out);
	if (rc)
		return rc;
	call_note(c, "%s", netaddr_print(out, text, sizeof text));
	if (!sockaddr_path(out, path))
		return 0;
	if (s->local.pathlen)
		return -EINVAL;
	rc = vfs_bind_socket(c, path, S_IRWXU | S_IRWXG | S_IRWXO, out->key);
	return rc == -EEXIST ? -EADDRINUSE : rc;
}

struct verdict sys_bind(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);
	struct netaddr a;
	int rc;

	if (!s)
		return v;
	sock_set_node(s, c->proc->node);
	rc = bind_address(c, s, &a);
	if (rc)
		return REPLY(rc);
	return REPLY(s->ops->bind ? s->ops->bind(s, &a) : -EOPNOTSUPP);
}

static struct verdict name(struct call *c, bool peer)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);
	struct netaddr a;
	int rc;

	if (!s)
		return v;
	rc = s->ops->name(s, peer, &a);
	if (rc)
		return REPLY(rc);
	if (!a.family)
		a.family = s->family;
	return REPLY(sockaddr_write(c, &a, c->arg[1], c->arg[2]));
}

struct verdict sys_getsockname(struct call *c)
{
	return name(c, false);
}

struct verdict sys_getpeername(struct call *c)
{
	return name(c, true);
}

/* ---- connections ---- */

struct verdict sys_listen(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);
	const struct node *before = c->proc->node;
	char text[160];
	int rc;

	if (!s)
		return v;
	rc = s->ops->listen ? s->ops->listen(s, (int)c->arg[1]) : -EOPNOTSUPP;
	if (rc)
		return REPLY(rc);
	call_note(c, "%s", netaddr_print(&s->local, text, sizeof text));
	/* A process that listens makes its tree a node: what it has opened so far is that node's. */
	sim_listens(c->sim, c->proc);
	net_adopt(c->proc->fds, before, c->proc->node);
	sock_set_node(s, c->proc->node);
	return REPLY(0);
}

/* The descriptor is found before the connection is taken: without one it stays in the queue. */
static bool has_free_descriptor(const struct call *c)
{
	const struct fdtab *t = c->proc->fds;
	uint64_t limit = c->proc->rlim[RLIMIT_NOFILE][0];

	for (unsigned fd = t->lowest; fd < limit; fd++)
		if (!fdtab_get(t, (int)fd))
			return true;
	return false;
}

static struct verdict accepted(struct call *c, struct sock *child, int flags)
{
	struct netaddr peer;
	struct file *f;
	int fd, rc = 0;

	sock_set_node(child, c->proc->node);
	f = sock_make_file(child, flags & SOCK_NONBLOCK ? O_NONBLOCK : 0);
	if (c->arg[1]) {
		if (child->ops->name(child, true, &peer))
			peer = child->remote;
		if (!peer.family)
			peer.family = child->family;
		rc = sockaddr_write(c, &peer, c->arg[1], c->arg[2]);
	}
	if (rc) {
		file_unref(c->k, f);
		return REPLY(rc);
	}
	fd = call_install(c, f, flags & SOCK_CLOEXEC);
	return REPLY(fd);
}

static struct verdict do_accept(struct call *c, int flags)
{
	struct verdict v;
	struct sock *s, *child;
	int rc;

	if (flags & ~SOCKET_FLAGS)
		return FAIL(EINVAL);
	s = net_sock(c, c->arg[0], &v);
	if (!s)
		return v;
	if (!s->ops->accept)
		return FAIL(EOPNOTSUPP);
	if (!has_free_descriptor(c))
		return FAIL(EMFILE);
	s->block_on = NULL;
	rc = s->ops->accept(s, &child);
	if (rc == -EAGAIN)
		return net_wait(c, s, false, s->rcvtimeo_ns, 0, EAGAIN, "accept of a connection");
	return rc ? REPLY(rc) : accepted(c, child, flags);
}

struct verdict sys_accept(struct call *c)
{
	return do_accept(c, 0);
}

struct verdict sys_accept4(struct call *c)
{
	return do_accept(c, (int)c->arg[3]);
}

struct verdict sys_connect(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);
	struct netaddr a;
	int rc;

	if (!s)
		return v;
	if (!c->tries)
		sock_set_node(s, c->proc->node);
	rc = net_address(c, s, c->arg[1], (uint32_t)c->arg[2], &a);
	if (rc)
		return REPLY(rc);
	if (!s->ops->connect)
		return FAIL(EOPNOTSUPP);
	rc = s->ops->connect(s, &a);
	if (rc == -EINPROGRESS || rc == -EALREADY)
		return net_wait(c, s, false, s->sndtimeo_ns, 0, c->tries ? EINPROGRESS : -rc, "connect");
	if (rc == -EAGAIN && s->block_on)
		return net_wait(c, s, false, s->sndtimeo_ns, 0, EAGAIN, "connect to a full queue");
	return REPLY(rc);
}

struct verdict sys_shutdown(struct call *c)
{
	struct verdict v;
	struct sock *s = net_sock(c, c->arg[0], &v);
	int how = (int)c->arg[1];

	if (!s)
		return v;
	if (!s->ops->shutdown)
		return FAIL(EOPNOTSUPP);
	if (how < SHUT_RD || how > SHUT_RDWR)
		return FAIL(EINVAL);
	return REPLY(s->ops->shutdown(s, how));
}
