/*
 * Unix domain sockets: within one machine, so nothing takes time. What is sent stands in the receiver's queue at once,
 * and is charged to the sender until it is read.
 */
#ifndef NETSIM_UNIX_H
#define NETSIM_UNIX_H

#include "netsim/sock.h"

enum unix_state { UNIX_CLOSE, UNIX_LISTEN, UNIX_CONNECTED };

/* One write, or one datagram. */
struct unix_msg {
	struct list link;      /* in the receiver's queue */
	struct list of_sender; /* in the sender's `sent`, or unlinked when that is gone */
	struct unix_sock *sender;
	struct netaddr from;
	struct sock_cred cred;
	struct file **files;   /* one reference each; NULL: none */
	unsigned nfiles;
	size_t len, used; /* used: bytes of a stream that were read already */
	size_t charge;
	char data[];
};

struct unix_sock {
	struct sock sock;
	enum unix_state state;
	struct unix_sock *peer;   /* where it sends to; NULL also when that one is gone */
	bool peer_died;           /* a datagram socket's: the next send says so */
	struct list peers;        /* struct unix_sock.of_peer: those that have this one as peer */
	struct list of_peer;
	struct list in_name;      /* see unix_name.c */
	uint64_t name_hash;
	struct list queue;        /* struct unix_msg, to be read */
	unsigned nqueue;
	struct list sent;         /* struct unix_msg.of_sender */
	size_t wmem;              /* charges of those */
	/* Listening. */
	int backlog;
	struct list embryos;      /* struct unix_sock.in_listener, in order */
	unsigned nembryos;
	struct unix_sock *listener; /* not accepted yet */
	struct list in_listener;
	/* unix_gc.c, while it runs. */
	unsigned in_flight;       /* references to its file that stand in queues */
	bool reached;
	struct list todo;
};

enum { UNIX_DGRAM_QLEN = 10 }; /* net.unix.max_dgram_qlen */

static inline struct unix_sock *unix_of(struct sock *s)
{
	return container_of(s, struct unix_sock, sock);
}

/* unix_name.c: who is bound to which name. */
int unix_name_bind(struct unix_sock *u, const struct netaddr *a); /* pathlen 0: chooses an abstract one */
void unix_name_release(struct unix_sock *u);
/* 0, or -ECONNREFUSED: nobody, -EPROTOTYPE: somebody of another type. */
int unix_name_find(struct net *n, const struct netaddr *a, int type, struct unix_sock **out);

/* unix_io.c */
int64_t unix_send(struct sock *s, struct sock_msg *m);
int64_t unix_recv(struct sock *s, struct sock_msg *m);
void unix_drop_queue(struct unix_sock *u);   /* what was sent to it */
void unix_disown_sent(struct unix_sock *u);  /* what it sent stays with the receivers */
bool unix_writeable(const struct unix_sock *u);
bool unix_queue_full(const struct unix_sock *u);
size_t unix_room(struct sock *s);
int64_t unix_inq(struct sock *s);
int64_t unix_outq(struct sock *s);

/* unix_gc.c: sockets that only queues refer to which nobody can read any more. */
void unix_count_in_flight(struct net *n, struct file *const *files, unsigned nfiles, int by);
void unix_collect(struct net *n);

/* unix.c */
void unix_set_peer(struct unix_sock *u, struct unix_sock *peer); /* NULL: none */
bool unix_may_send(const struct unix_sock *u, const struct unix_sock *other);
void unix_dgram_disconnected(struct unix_sock *u, struct unix_sock *old);
struct sock_cred unix_current_cred(const struct unix_sock *u);

#endif
