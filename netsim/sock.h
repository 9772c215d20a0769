/*
 * What all sockets have in common, and their face towards descriptors (struct file_ops).
 *
 * A socket outlives its descriptor: after the last close, TCP still delivers what was written and the closing handshake.
 * Then file is NULL, and the protocol frees the socket when it is done with it.
 *
 * No operation blocks. -EAGAIN: wait, on block_on when that is set (somebody else has to move first), else on the file's
 * queue. Errors are negative errnos, in Linux's order of checks.
 */
#ifndef NETSIM_SOCK_H
#define NETSIM_SOCK_H

#include "kernel/file.h"
#include "netsim/addr.h"
#include "netsim/net.h"

/* Integer options; the tracer's table (sys_sockopt.c) maps levels and names to them. Those that no protocol looks at are
 * only stored, as their effect cannot be seen in the simulation. */
enum sock_opt {
	OPT_REUSEADDR,
	OPT_REUSEPORT,
	OPT_BROADCAST,
	OPT_SNDBUF,
	OPT_RCVBUF,
	OPT_KEEPALIVE,
	OPT_OOBINLINE,
	OPT_DEBUG,
	OPT_DONTROUTE,
	OPT_NO_CHECK,
	OPT_PRIORITY,
	OPT_MARK,
	OPT_LINGER, /* on or off; OPT_LINGER_S holds the time */
	OPT_LINGER_S,
	OPT_RCVLOWAT,
	OPT_PASSCRED,
	OPT_PASSSEC,
	OPT_PASSPIDFD,
	OPT_TIMESTAMP,
	OPT_TIMESTAMPNS,
	OPT_RXQ_OVFL,
	OPT_BUSY_POLL,
	OPT_ZEROCOPY,
	OPT_INCOMING_CPU,
	OPT_PEEK_OFF,
	OPT_IP_TOS,
	OPT_IP_TTL,
	OPT_IP_MTU_DISCOVER,
	OPT_IP_RECVERR,
	OPT_IP_PKTINFO,
	OPT_IP_RECVTOS,
	OPT_IP_RECVTTL,
	OPT_IP_FREEBIND,
	OPT_IP_TRANSPARENT,
	OPT_IP_BIND_NO_PORT,
	OPT_IP_MULTICAST_TTL,
	OPT_IP_MULTICAST_LOOP,
	OPT_IP_LOCAL_PORT_RANGE,
	OPT_V6_ONLY,
	OPT_V6_TCLASS,
	OPT_V6_HOPS,
	OPT_V6_MTU_DISCOVER,
	OPT_V6_RECVERR,
	OPT_V6_RECVPKTINFO,
	OPT_V6_RECVTCLASS,
	OPT_V6_RECVHOPLIMIT,
	OPT_V6_MULTICAST_HOPS,
	OPT_V6_MULTICAST_LOOP,
	OPT_V6_FREEBIND,
	OPT_V6_AUTOFLOWLABEL,
	OPT_V6_FLOWINFO_SEND,
	OPT_TCP_NODELAY,
	OPT_TCP_CORK,
	OPT_TCP_QUICKACK,
	OPT_TCP_MAXSEG,
	OPT_TCP_KEEPIDLE,
	OPT_TCP_KEEPINTVL,
	OPT_TCP_KEEPCNT,
	OPT_TCP_SYNCNT,
	OPT_TCP_LINGER2,
	OPT_TCP_DEFER_ACCEPT,
	OPT_TCP_WINDOW_CLAMP,
	OPT_TCP_USER_TIMEOUT,
	OPT_TCP_NOTSENT_LOWAT,
	OPT_TCP_FASTOPEN,
	OPT_TCP_FASTOPEN_CONNECT,
	OPT_TCP_SAVE_SYN,
	OPT_TCP_TIMESTAMP,
	OPT_TCP_INQ,
	OPT_UDP_CORK,
	OPT_UDP_SEGMENT,
	OPT_UDP_GRO,
	OPT_NL_EXT_ACK,
	OPT_NL_CAP_ACK,
	OPT_NL_STRICT,
	OPT_NL_PKTINFO,
	OPT_NL_NO_ENOBUFS,
	OPT_COUNT,
};

struct sock_cred {
	int pid;
	uint32_t uid, gid;
};

/* What travels beside the bytes over unix sockets. Each file is one reference. */
struct scm {
	bool has_cred;
	struct sock_cred cred;
	unsigned nfiles;
	struct file *files[K_SCM_MAX_FD];
};

/* One transfer. Data is in the supervisor's memory. */
struct sock_msg {
	void *data;          /* sent from here, or received to here */
	size_t len;
	uint32_t flags;      /* K_MSG_*; recv: DONTWAIT also when the descriptor does not block, since at the end of
	                      * datagrams that makes a difference. What it found (TRUNC) goes to out_flags */
	uint32_t out_flags;
	bool has_name;       /* send: there is a destination */
	struct netaddr name; /* send: the destination; recv: the source, family 0 when there is none */
	struct netaddr to;   /* recv of a datagram: the address it was sent to (IP_PKTINFO) */
	bool has_hops, has_tclass; /* send of a datagram: other than the socket's own */
	int hops, tclass;    /* TTL or hop limit, type of service or traffic class; recv: as they were sent */
	struct scm *scm;     /* send: what goes along, or NULL; the references are taken over with success. recv: filled
	                      * in when not NULL */
};

struct sock;

/* Operations of a protocol. NULL: -EOPNOTSUPP. */
struct sock_ops {
	int (*bind)(struct sock *s, const struct netaddr *a);
	int (*connect)(struct sock *s, const struct netaddr *a); /* 0, -EINPROGRESS, -EALREADY, -EAGAIN … */
	int (*listen)(struct sock *s, int backlog);
	int (*accept)(struct sock *s, struct sock **child);
	int (*shutdown)(struct sock *s, int how);
	int64_t (*send)(struct sock *s, struct sock_msg *m);
	int64_t (*recv)(struct sock *s, struct sock_msg *m);
	int (*name)(struct sock *s, bool peer, struct netaddr *out);
	uint32_t (*poll)(struct sock *s);
	void (*close)(struct sock *s);      /* the descriptor is gone; frees s now or later */
	void (*destroy)(struct sock *s);    /* frees s at once, telling nobody */
	void (*vanish)(struct sock *s);     /* its machine lost power; may free s when it has no file */
	size_t (*room)(struct sock *s);     /* streams: bytes that send() would take now */
	int64_t (*inq)(struct sock *s);     /* FIONREAD */
	int64_t (*outq)(struct sock *s);    /* SIOCOUTQ */
};

enum { SOCK_SHUT_RCV = 1, SOCK_SHUT_SND = 2, SOCK_SHUT_BOTH = 3 };

struct sock {
	const struct sock_ops *ops;
	struct net *net;
	struct file *file; /* NULL: not accepted yet, or closed */
	struct node *node;
	uint64_t id;
	struct list in_net;
	uint16_t family, type, protocol;
	bool listening;
	int err;           /* SO_ERROR: positive, or 0 */
	unsigned shut;     /* SOCK_SHUT_* */
	int32_t opt[OPT_COUNT];
	bool sndbuf_locked, rcvbuf_locked; /* set by the program: no automatic size */
	int64_t rcvtimeo_ns, sndtimeo_ns;  /* VCLOCK_NEVER: none */
	struct sock_cred cred;             /* of the process that made it */
	struct sock_cred peercred;         /* SO_PEERCRED; pid 0, uid and gid -1 when there is none */
	struct netaddr local, remote;
	struct waitq room_wq;  /* others that wait until this one can take more */
	struct waitq *block_on; /* set with -EAGAIN: whose queue to wait on instead of the file's */

	/* The table of ports (port.c). */
	struct port *port;
	struct list in_port;
	bool port_locked; /* a number given to bind(): kept until close, else until the connection ends */
	bool port_accepted; /* the listener's, of a connection that it accepted */
	bool port_shared; /* chosen by connect(): others that connect may have it too */
	bool has_peer;    /* TCP: connected, or about to be; remote is not just a memory */
	bool counted;     /* as NET_OPEN of its node */
	int64_t time_wait_ns; /* of what remains of a connection in TIME_WAIT: since when; else 0 */
};

/* A new socket with its file, one reference. type without flags. 0 or -errno. */
int sock_create(struct net *n, struct node *node, const struct sock_cred *cred, int family, int type, int protocol,
		uint32_t file_flags, struct file **out);
/* Gives an accepted socket its file. */
struct file *sock_make_file(struct sock *s, uint32_t flags);
struct sock *sock_of(const struct file *f); /* NULL: not a socket */

/* The node whose process uses it now. */
void sock_set_node(struct sock *s, struct node *node);

/* --- for the protocols --- */
void sock_init(struct sock *s, struct net *n, const struct sock_ops *ops, struct node *node, const struct sock_cred *cred);
void sock_fini(struct sock *s); /* before the memory goes */
int sock_take_error(struct sock *s); /* 0 or -errno; cleared */
void sock_notify(struct sock *s, uint32_t events);
static inline struct arena *sock_arena(const struct sock *s)
{
	return s->net->k->arena;
}
/* Empty, without touching the array: it is large. */
static inline void scm_init(struct scm *scm)
{
	scm->has_cred = false;
	scm->nfiles = 0;
}
void scm_drop(struct kern *k, struct scm *scm); /* releases the references, empties it */

/* Constructors (tcp.c, udp.c, unix.c, netlink.c). */
struct sock *tcp_new(struct net *n, struct node *node, const struct sock_cred *cred, int family);
struct sock *udp_new(struct net *n, struct node *node, const struct sock_cred *cred, int family);
struct sock *unix_new(struct net *n, struct node *node, const struct sock_cred *cred, int type);
struct sock *netlink_new(struct net *n, struct node *node, const struct sock_cred *cred, int type, int protocol);
void unix_pair(struct sock *a, struct sock *b);

#endif
