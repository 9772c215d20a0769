/* The socket calls: what their files share, and what other families need of them. */
#ifndef TRACER_SYS_NET_H
#define TRACER_SYS_NET_H

#include "netsim/sock.h"
#include "tracer/call.h"
#include "tracer/sockaddr.h"

/* ioctl on a socket: the SIOC requests. */
struct verdict net_ioctl(struct call *c, struct file *f, uint32_t cmd, uint64_t arg);

/* --- among sys_net*.c --- */

/* The socket behind a descriptor; kept while the call waits. NULL: *v is the answer. */
struct sock *net_sock(struct call *c, uint64_t fd, struct verdict *v);
struct sock_cred net_cred(const struct call *c);
/* An address as the socket's calls get it, unix paths looked up. 0 or -errno. */
int net_address(struct call *c, const struct sock *s, uint64_t addr, uint32_t len, struct netaddr *out);
/* Waits for s, or answers EAGAIN when it must not or its time is over. `err`: the answer then. moved: bytes so far. */
struct verdict net_wait(struct call *c, struct sock *s, bool nonblock, int64_t timeo_ns, int64_t moved, int err, const char *what);

/* Control messages (net_cmsg.c). Guest addresses and lengths as in struct msghdr. */
int cmsg_read(struct call *c, const struct sock *s, uint64_t control, uint64_t len, struct sock_msg *m); /* 0 or -errno */
struct cmsg_out {
	uint64_t control, room; /* the guest's buffer */
	uint64_t used;
	uint32_t flags; /* MSG_CTRUNC */
};
/* Writes what came with m; installs descriptors. 0 or -EFAULT. */
int cmsg_write(struct call *c, const struct sock *s, struct sock_msg *m, struct cmsg_out *out);

#endif
