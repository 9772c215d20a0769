/* Segments on their way, the bytes of a connection, and its windows. */
#include "netsim/tcp.h"

#include "base/err.h"
#include "base/mem.h"

enum segment_kind { SEG_SYN, SEG_SYN_ACK, SEG_HANDSHAKE_ACK, SEG_DATA, SEG_ACK, SEG_RESET };

struct segment {
	struct list link;
	int64_t sent_ns, at_ns;
	enum segment_kind kind;
	bool fin;      /* DATA: the stream ends here. ACK: the end has arrived */
	uint64_t upto; /* DATA: sequence number behind it. ACK: everything before has arrived */
	uint64_t edge; /* ACKs: the window */
};

static void flow_fire(struct timer *timer);
static void flow_goes_on(struct link_waiter *w);

static struct arena *flow_arena(const struct flow *f)
{
	return f->conn->net->k->arena;
}

/* ---- the connection object ---- */

struct conn *conn_new(struct net *n, struct tcp *client)
{
	struct conn *c = arena_new_of(n->k->arena, struct conn);

	c->net = n;
	for (int i = 0; i < 2; i++) {
		list_init(&c->flow[i].segments);
		c->flow[i].conn = c;
		list_init(&c->flow[i].held.in_net);
		c->flow[i].held.go = flow_goes_on;
	}
	c->end[0] = client;
	return c;
}

struct node *conn_node(const struct conn *c, unsigned side)
{
	return c->end[side] ? c->end[side]->sock.node : c->node[side];
}

static void flow_drop_segments(struct flow *f)
{
	timer_cancel(&f->conn->net->k->clock, &f->timer);
	list_del(&f->held.in_net);
	while (!list_empty(&f->segments)) {
		struct segment *g = list_first(&f->segments, struct segment, link);
		list_del(&g->link);
		arena_release_of(flow_arena(f), g);
	}
}

static void conn_free_if_unused(struct conn *c)
{
	if (c->end[0] || c->end[1] || c->delivering)
		return;
	for (int i = 0; i < 2; i++) {
		flow_drop_segments(&c->flow[i]);
		bytes_clear(c->net->k->arena, &c->flow[i].buf);
	}
	arena_release_of(c->net->k->arena, c);
}

void conn_delivered(struct conn *c)
{
	c->delivering = false;
	conn_free_if_unused(c);
}

void conn_leave(struct tcp *t)
{
	struct conn *c = t->conn;

	if (!c)
		return;
	c->node[t->side] = t->sock.node;
	c->end[t->side] = NULL;
	t->conn = NULL;
	/* Nobody will read what came for it. What it wrote still belongs to the other end. */
	bytes_clear(c->net->k->arena, &c->flow[!t->side].buf);
	c->flow[!t->side].read = c->flow[!t->side].written;
	conn_free_if_unused(c);
}

/* ---- sending ---- */

static void segment_schedule(struct flow *f)
{
	struct segment *g = list_first(&f->segments, struct segment, link);

	if (g && !timer_armed(&f->timer) && list_empty(&f->held.in_net))
		timer_arm(&f->conn->net->k->clock, &f->timer, g->at_ns, flow_fire);
}

static int64_t arrival(struct flow *f, size_t bytes)
{
	struct conn *c = f->conn;
	unsigned from = f == &c->flow[0] ? 0 : 1;

	return net_arrival(c->net, conn_node(c, from), conn_node(c, !from), bytes);
}

static struct segment *segment_send(struct flow *f, enum segment_kind kind, size_t bytes)
{
	struct segment *g = arena_new_of(flow_arena(f), struct segment);

	g->sent_ns = f->conn->net->k->clock.now_ns;
	g->at_ns = arrival(f, bytes);
	/* In order, whatever the link does. */
	if (!list_empty(&f->segments))
		g->at_ns = MAX(g->at_ns, list_entry(f->segments.prev, struct segment, link)->at_ns);
	g->kind = kind;
	list_add_tail(&f->segments, &g->link);
	segment_schedule(f);
	return g;
}

void tcp_send_syn(struct tcp *client, struct node *to)
{
	client->conn->node[1] = to;
	segment_send(tcp_out(client), SEG_SYN, 0);
}

static uint64_t window(const struct tcp *t)
{
	/* Half of the buffer is for the kernel's own overhead (tcp_adv_win_scale 1). */
	return t->sock.rcvbuf_locked ? (uint64_t)t->sock.opt[OPT_RCVBUF] / 2 : TCP_WINDOW;
}

static uint64_t tell_edge(struct tcp *t)
{
	struct flow *in = tcp_in(t);

	/* A window is never taken back, also when SO_RCVBUF shrinks. */
	in->edge_told = MAX(in->edge_told, in->read + window(t));
	return in->edge_told;
}

static void send_ack_kind(struct tcp *t, enum segment_kind kind)
{
	struct segment *g = segment_send(tcp_out(t), kind, 0);

	g->upto = tcp_in(t)->arrived;
	g->fin = tcp_in(t)->fin_arrived;
	g->edge = tell_edge(t);
}

void tcp_send_syn_ack(struct tcp *server)
{
	send_ack_kind(server, SEG_SYN_ACK);
}

void tcp_send_handshake_ack(struct tcp *client)
{
	send_ack_kind(client, SEG_HANDSHAKE_ACK);
}

void tcp_send_reset(struct conn *c, unsigned side)
{
	if (c->end[!side])
		segment_send(&c->flow[side], SEG_RESET, 0);
}

void tcp_push(struct tcp *t)
{
	struct flow *f = tcp_out(t);
	uint64_t upto = MIN(f->written, f->edge);
	bool fin = f->fin_queued && !f->fin_sent && upto == f->written;
	struct segment *g;

	if (upto <= f->sent && !fin)
		return;
	upto = MAX(upto, f->sent);
	/* What is written in one instant travels as one segment. */
	g = list_empty(&f->segments) ? NULL : list_entry(f->segments.prev, struct segment, link);
	if (!g || g->kind != SEG_DATA || g->fin || g->sent_ns != f->conn->net->k->clock.now_ns ||
	    !list_empty(&f->conn->net->link_faults))
		g = segment_send(f, SEG_DATA, upto - f->sent);
	t->bytes_out += upto - f->sent;
	g->upto = upto;
	g->fin = fin;
	f->sent = upto;
	f->fin_sent |= fin;
}

void tcp_drop_unsent(struct tcp *t)
{
	struct flow *f = tcp_out(t);

	/* When the reader has left, nothing is kept for it anyway. */
	f->read = MIN(f->read, f->sent);
	bytes_truncate(flow_arena(f), &f->buf, (size_t)(f->sent - f->read));
	f->written = f->sent;
}

void tcp_window_update(struct tcp *t)
{
	struct flow *in = tcp_in(t);
	uint64_t w = window(t);

	/* Not for every byte: as in __tcp_select_window(), when the window grew by a segment or half of the buffer. */
	if (t->state == TCP_CLOSE || in->fin_arrived)
		return;
	if (in->read + w >= in->edge_told + MIN(w / 2, (uint64_t)TCP_MSS))
		send_ack_kind(t, SEG_ACK);
}

/* ---- the send buffer ---- */

static uint64_t send_capacity(const struct tcp *t)
{
	/* As with the window: a program that sets a size gets twice that in its books, and about that for its bytes. */
	return t->sock.sndbuf_locked ? (uint64_t)t->sock.opt[OPT_SNDBUF] / 2 : TCP_SNDBUF_CONNECTED;
}

static uint64_t unacked(struct tcp *t)
{
	return tcp_out(t)->written - tcp_out(t)->acked;
}

size_t tcp_room(struct tcp *t)
{
	uint64_t cap = send_capacity(t), used = unacked(t);

	return used < cap ? (size_t)(cap - used) : 0;
}

bool tcp_writeable(struct tcp *t)
{
	uint64_t cap = send_capacity(t), used = unacked(t);
	uint64_t lowat = (uint32_t)t->sock.opt[OPT_TCP_NOTSENT_LOWAT];

	/* sk_stream_is_writeable(): a third must be free. tcp_stream_memory_free(): TCP_NOTSENT_LOWAT. */
	if (lowat && tcp_out(t)->written - tcp_out(t)->sent >= lowat)
		return false;
	return used <= cap && cap - used >= used / 2;
}

/* ---- arrival ---- */

/* A segment for an end that does not exist (any more) is answered with a reset, unless it is only an acknowledgement. */
static void answer_nobody(struct flow *f, const struct segment *g)
{
	struct conn *c = f->conn;
	unsigned from = f == &c->flow[0] ? 0 : 1;

	if (g->kind == SEG_SYN_ACK || g->kind == SEG_DATA || g->kind == SEG_HANDSHAKE_ACK)
		tcp_send_reset(c, !from);
}

static void on_data(struct tcp *t, const struct segment *g)
{
	struct flow *in = tcp_in(t);
	bool more = g->upto > in->arrived, fin;
	struct conn *c = t->conn;
	uint64_t reset_at = more && !list_empty(&c->net->link_faults)
				    ? link_reset_at(c->net, conn_node(c, !t->side), conn_node(c, t->side), g->upto)
				    : UINT64_MAX;

	if (reset_at != UINT64_MAX) {
		/* What came before that byte is there to be read. */
		t->bytes_in += reset_at > in->arrived ? reset_at - in->arrived : 0;
		in->arrived = MAX(in->arrived, reset_at);
		tcp_break(c);
		return;
	}
	if (more && tcp_refuses_data(t)) {
		tcp_reset_both(t);
		return;
	}
	t->bytes_in += g->upto - in->arrived;
	in->arrived = g->upto;
	fin = g->fin && !in->fin_arrived;
	in->fin_arrived |= g->fin;
	send_ack_kind(t, SEG_ACK);
	if (more)
		tcp_on_data(t);
	if (fin)
		tcp_on_fin(t);
}

static void on_ack(struct tcp *t, const struct segment *g)
{
	struct flow *out = tcp_out(t);
	bool fin_acked = g->fin && !out->fin_acked;

	out->acked = MAX(out->acked, g->upto);
	out->edge = MAX(out->edge, g->edge);
	out->fin_acked |= g->fin;
	tcp_push(t);
	if (t->nospace && tcp_writeable(t)) {
		t->nospace = false;
		sock_notify(&t->sock, K_EPOLLOUT | K_EPOLLWRNORM);
	}
	if (fin_acked)
		tcp_on_fin_acked(t);
}

static void segment_arrives(struct flow *f, const struct segment *g)
{
	struct conn *c = f->conn;
	struct tcp *t = c->end[f == &c->flow[0] ? 1 : 0];

	if (g->kind == SEG_SYN) {
		if (!t)
			tcp_on_syn(c);
		return;
	}
	if (!t) {
		answer_nobody(f, g);
		return;
	}
	if (g->kind == SEG_RESET) {
		tcp_on_reset(t);
		return;
	}
	if (t->state == TCP_CLOSE) {
		answer_nobody(f, g);
		return;
	}
	if (g->kind != SEG_DATA) {
		tcp_out(t)->edge = MAX(tcp_out(t)->edge, g->edge);
		if (g->kind == SEG_SYN_ACK)
			tcp_on_syn_ack(t);
		else if (g->kind == SEG_HANDSHAKE_ACK)
			tcp_on_handshake_ack(t);
		else
			on_ack(t, g);
		return;
	}
	on_data(t, g);
}

/* ---- faults of the link ---- */

static void drop_first(struct flow *f)
{
	struct segment *g = list_first(&f->segments, struct segment, link);

	list_del(&g->link);
	arena_release_of(flow_arena(f), g);
}

static bool has_data(const struct flow *f)
{
	list_each(g, &f->segments, struct segment, link)
		if (g->kind == SEG_DATA)
			return true;
	return false;
}

/* t has tried often enough, or for as long as TCP_USER_TIMEOUT allows: tcp_write_timeout() of net/ipv4/tcp_timer.c. */
static bool gives_up(const struct flow *f, const struct tcp *t)
{
	int64_t user_ns = (int64_t)t->sock.opt[OPT_TCP_USER_TIMEOUT] * NS_PER_MS;
	unsigned most = t->sock.file || t->listener ? TCP_RETRIES2 : TCP_ORPHAN_RETRIES;

	if (user_ns)
		return f->conn->net->k->clock.now_ns - f->lost_since_ns >= user_ns;
	return f->lost > most;
}

/* It will send something before long: what is not acknowledged again, or a probe of the closed window. */
static bool awaits_ack(struct tcp *t)
{
	const struct flow *out = tcp_out(t);

	return out->acked < out->written || (out->fin_queued && !out->fin_acked);
}

/* The other end has given up, and with it went what it had acknowledged: t sends again, and hears of it. */
static void send_to_nobody(struct tcp *t)
{
	struct flow *out = tcp_out(t);
	struct segment *g = segment_send(out, SEG_DATA, 0);

	g->upto = out->sent;
	g->fin = out->fin_sent;
}

/* Whoever waits for an acknowledgement that cannot come any more. True: somebody gave up, and f is empty. */
static bool time_out(struct flow *f)
{
	struct conn *c = f->conn;
	unsigned from = f == &c->flow[0] ? 0 : 1;
	struct tcp *sender = c->end[from], *receiver = c->end[!from];

	if (has_data(f) && (!sender || gives_up(f, sender))) {
		flow_drop_segments(f);
		if (sender)
			tcp_on_timeout(sender);
		if (c->end[!from] && awaits_ack(c->end[!from]))
			send_to_nobody(c->end[!from]);
		return true;
	}
	if (receiver && awaits_ack(receiver) && gives_up(f, receiver)) {
		flow_drop_segments(f);
		tcp_on_timeout(receiver);
		return true;
	}
	return false;
}

/* The segment did not arrive; it is sent again after the retransmission timeout, and nothing behind it is of use before. */
static void send_again(struct flow *f, struct segment *g)
{
	struct vclock *clock = &f->conn->net->k->clock;
	int64_t rto = g->kind == SEG_SYN_ACK || g->kind == SEG_HANDSHAKE_ACK ? TCP_SYN_RTO_NS : TCP_RTO_MIN_NS;

	if (!f->lost++)
		f->lost_since_ns = clock->now_ns;
	if (time_out(f))
		return;
	g->at_ns = vclock_add(clock->now_ns, MIN(rto << MIN(f->lost - 1, 20u), TCP_RTO_MAX_NS));
	segment_schedule(f);
}

/* Does the first segment, which is due, arrive? If not it is gone, or comes later. */
static bool first_arrives(struct flow *f, struct segment *g)
{
	struct conn *c = f->conn;
	unsigned from = f == &c->flow[0] ? 0 : 1;

	if (list_empty(&c->net->link_faults) && !f->lost)
		return true;
	switch (link_arrives(c->net, conn_node(c, from), conn_node(c, !from), g->kind == SEG_SYN ? PACKET_SYN : PACKET_TCP,
			     &f->held)) {
	case LINK_PASSES:
		f->lost = 0;
		return true;
	case LINK_HELD:
		return false;
	case LINK_LOST:
		break;
	}
	/* The client itself tries its SYN again. A reset comes again only if it answers somebody who goes on sending. */
	if (g->kind == SEG_SYN || (g->kind == SEG_RESET && !(c->end[!from] && awaits_ack(c->end[!from])))) {
		drop_first(f);
		segment_schedule(f);
	} else {
		send_again(f, g);
	}
	return false;
}

/* A clog is over. */
static void flow_goes_on(struct link_waiter *w)
{
	struct flow *f = container_of(w, struct flow, held);
	int64_t now = f->conn->net->k->clock.now_ns;
	uint64_t due = 0;

	list_each(g, &f->segments, struct segment, link)
		due += g->at_ns <= now;
	*w->count += due ? due - 1 : 0;
	segment_schedule(f);
}

static void flow_fire(struct timer *timer)
{
	struct flow *f = container_of(timer, struct flow, timer);
	struct conn *c = f->conn;
	struct vclock *clock = &c->net->k->clock;
	bool outer = !c->delivering;

	c->delivering = true;
	while (!list_empty(&f->segments)) {
		struct segment *g = list_first(&f->segments, struct segment, link);
		if (g->at_ns > clock->now_ns) {
			segment_schedule(f);
			break;
		}
		if (!first_arrives(f, g)) {
			if (!timer_armed(&f->timer) && list_empty(&f->held.in_net))
				continue;
			break;
		}
		list_del(&g->link);
		segment_arrives(f, g);
		arena_release_of(flow_arena(f), g);
	}
	if (outer)
		conn_delivered(c);
}
