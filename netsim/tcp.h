/*
 * TCP, as far as programs can see it: connections made by a handshake that takes the links' latency, bytes that arrive
 * once and in order, windows, half close, resets, TIME_WAIT.
 *
 * A connection is one object that both ends share. It has two flows, one per direction. A flow holds the bytes that its
 * sender wrote and its receiver has not read yet, once, however far they got; numbers say how far:
 *
 *     read <= arrived <= sent <= written,  acked <= arrived,  sent <= edge
 *
 * Segments on their way carry numbers only. A flow's segments arrive in the order they were sent.
 */
#ifndef NETSIM_TCP_H
#define NETSIM_TCP_H

#include "netsim/bytes.h"
#include "netsim/link.h"
#include "netsim/sock.h"

/* The numbers that TCP_INFO and /proc/net/tcp show (include/net/tcp_states.h). */
enum tcp_state {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
};

/* What connect(2) goes by, besides the state (enum socket_state of include/uapi/linux/net.h). */
enum tcp_attempt { ATTEMPT_NONE, ATTEMPT_UNDER_WAY, ATTEMPT_CONNECTED, ATTEMPT_BROKEN };

struct tcp;
struct conn;

struct flow {
	struct bytes buf;           /* [read, written) */
	uint64_t written, sent, arrived, read, acked;
	uint64_t edge;              /* the receiver's window, as the sender knows it: nothing is sent beyond */
	uint64_t edge_told;         /* as the receiver told it last */
	bool fin_queued, fin_sent, fin_arrived, fin_acked;
	struct list segments;       /* on their way, struct segment */
	struct timer timer;         /* the next arrival */
	struct conn *conn;
	struct link_waiter held;    /* while a clogged link holds what is on its way */
	unsigned lost;              /* times in a row that the first segment was lost */
	int64_t lost_since_ns;      /* when it was lost first */
};

struct conn {
	struct net *net;
	struct flow flow[2];  /* flow[i]: sent by end[i] */
	struct tcp *end[2];   /* [0] the one that connected; NULL: it is gone, or not there yet */
	struct node *node[2]; /* of an end that is not there; see conn_node() */
	bool delivering;      /* a flow is being delivered: not to be freed now */
};

struct tcp {
	struct sock sock;
	enum tcp_state state;
	enum tcp_attempt attempt;
	struct conn *conn;
	unsigned side;             /* conn->end[side] == this */
	bool addr_chosen;          /* by bind(): kept by a disconnect */
	bool done;                 /* the other end's FIN came: reading ends with 0 */
	bool nospace;              /* a writer found no room and wants to be told */
	struct timer timer;        /* SYN retries, or the end of FIN_WAIT2 and TIME_WAIT */
	unsigned syn_retries;
	int64_t connect_started_ns;
	/* Listening. */
	int backlog;
	unsigned nqueued;          /* in queue */
	unsigned nembryos;
	struct list queue;         /* struct tcp.in_listener: established, to be accepted, in order */
	struct list embryos;       /* struct tcp.in_listener: handshake not finished, or TCP_DEFER_ACCEPT */
	/* An end that a listener made and nobody has accepted yet. */
	struct tcp *listener;
	bool queued;               /* in its queue, else among its embryos */
	struct list in_listener;
	uint64_t bytes_in, bytes_out; /* for TCP_INFO */
};

enum { TCP_MSS = 65483 };          /* of a loopback device with its MTU of 65,536 */
enum { TCP_WINDOW = 512 * 1024 };  /* receive window when the program did not set SO_RCVBUF */
enum { TCP_SNDBUF_CONNECTED = 2626560, TCP_SNDBUF = 16384, TCP_RCVBUF = 131072 }; /* what a 6.x kernel shows */
#define TCP_FIN_TIMEOUT_NS (60 * NS_PER_S)   /* net.ipv4.tcp_fin_timeout */
#define TCP_TIME_WAIT_NS (60 * NS_PER_S)     /* TCP_TIMEWAIT_LEN */
#define TCP_SYN_RTO_NS (1 * NS_PER_S)        /* TCP_TIMEOUT_INIT; doubles with every try */
#define TCP_RTO_MIN_NS (200 * NS_PER_MS)     /* TCP_RTO_MIN; doubles with every try */
#define TCP_RTO_MAX_NS (120 * NS_PER_S)
enum { TCP_RETRIES2 = 15, TCP_ORPHAN_RETRIES = 8 }; /* net.ipv4.tcp_retries2, tcp_orphan_retries as 0 is understood */
enum { TCP_SYN_RETRIES = 6 };                /* net.ipv4.tcp_syn_retries: gives up after 127 s */

static inline struct tcp *tcp_of(struct sock *s)
{
	return container_of(s, struct tcp, sock);
}
static inline struct flow *tcp_out(struct tcp *t)
{
	return &t->conn->flow[t->side];
}
static inline struct flow *tcp_in(struct tcp *t)
{
	return &t->conn->flow[!t->side];
}
struct tcp *tcp_from_sock(struct sock *s); /* NULL: not TCP */

/* What TCP_INFO is made of. */
struct tcp_facts {
	enum tcp_state state;
	uint64_t bytes_in, bytes_out, unacked, notsent;
	unsigned nqueued, backlog;
	int64_t rtt_ns;
};
void tcp_facts(struct sock *s, struct tcp_facts *out); /* s is TCP */
struct tcp *tcp_alloc(struct net *n, struct node *node, const struct sock_cred *cred, int family);
void tcp_set_buffers(struct tcp *t); /* connected: sizes grow unless the program set them */

/* tcp_flow.c: segments and bytes */
struct conn *conn_new(struct net *n, struct tcp *client);
void conn_leave(struct tcp *t); /* t is no end any more; frees the connection with the last one */
struct node *conn_node(const struct conn *c, unsigned side);
void conn_delivered(struct conn *c); /* c->delivering is over */
void tcp_send_syn(struct tcp *client, struct node *to);
void tcp_send_syn_ack(struct tcp *server);
void tcp_send_handshake_ack(struct tcp *client);
void tcp_send_reset(struct conn *c, unsigned side); /* by that side */
void tcp_push(struct tcp *t);              /* sends what the window allows, and the FIN behind it */
void tcp_drop_unsent(struct tcp *t);       /* what is on its way still arrives */
void tcp_window_update(struct tcp *t);     /* the program has read */
size_t tcp_room(struct tcp *t);            /* bytes that fit into the send buffer */
bool tcp_writeable(struct tcp *t);         /* as poll(2) sees it */

/* tcp_state.c: what arrives, and how connections begin and end */
void tcp_on_syn(struct conn *c);
void tcp_on_syn_ack(struct tcp *t);
void tcp_on_handshake_ack(struct tcp *t);
void tcp_on_data(struct tcp *t);           /* a TCP_DEFER_ACCEPT listener waited for it */
void tcp_on_fin(struct tcp *t);
void tcp_on_fin_acked(struct tcp *t);
void tcp_on_reset(struct tcp *t);
void tcp_on_timeout(struct tcp *t);        /* what it sent was never acknowledged */
void tcp_break(struct conn *c);            /* something between the ends resets both */
bool tcp_refuses_data(const struct tcp *t); /* nobody will read what arrives */
void tcp_reset_both(struct tcp *t);        /* answers with a reset and fails itself */
void tcp_start_connect(struct tcp *t);
void tcp_finish(struct tcp *t);            /* to CLOSE; frees when closed by the program */
void tcp_disconnect(struct tcp *t);        /* to a fresh socket; a reset goes out where one is due */
void tcp_stop_listening(struct tcp *t);
void tcp_close(struct sock *s);
int tcp_shutdown(struct sock *s, int how);
void tcp_destroy(struct sock *s);
void tcp_vanish(struct sock *s);

#endif
