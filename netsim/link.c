#include "netsim/link.h"

#include "netsim/port.h"
#include "netsim/sock.h"
#include "netsim/tcp.h"

void link_fault_add(struct net *n, struct link_fault *lf)
{
	list_add_tail(&n->link_faults, &lf->in_net);
}

void link_fault_remove(struct net *n, struct link_fault *lf)
{
	struct list held;

	list_del(&lf->in_net);
	/* They may be held again, by another. */
	list_init(&held);
	while (!list_empty(&n->link_held)) {
		struct list *l = n->link_held.next;
		list_del(l);
		list_add_tail(&held, l);
	}
	while (!list_empty(&held)) {
		struct link_waiter *w = list_first(&held, struct link_waiter, in_net);
		list_del(&w->in_net);
		w->go(w);
	}
}

static bool lucky(const struct link_fault *lf)
{
	return lf->chance >= 1000000 || rng_below(lf->rng, 1000000) < lf->chance;
}

static bool covers(const struct link_fault *lf, const struct node *from, const struct node *to)
{
	return node_index(from) != node_index(to) && lf->covers(lf, from, to);
}

/* Whether this fault keeps this packet. */
static enum link_fate fate(const struct link_fault *lf, enum link_packet kind)
{
	switch (lf->does) {
	case LINK_CUTS:
		return LINK_LOST;
	case LINK_CLOGS:
		return LINK_HELD;
	case LINK_LOSES:
		if (lf->datagrams_only && kind != PACKET_DATAGRAM)
			return LINK_PASSES;
		return lucky(lf) ? LINK_LOST : LINK_PASSES;
	case LINK_LOSES_SYN:
		return kind == PACKET_SYN && lucky(lf) ? LINK_LOST : LINK_PASSES;
	default:
		return LINK_PASSES;
	}
}

enum link_fate link_arrives(struct net *n, const struct node *from, const struct node *to, enum link_packet kind,
			    struct link_waiter *w)
{
	list_each(lf, &n->link_faults, struct link_fault, in_net) {
		enum link_fate f = covers(lf, from, to) ? fate(lf, kind) : LINK_PASSES;
		if (f == LINK_PASSES)
			continue;
		++*lf->count;
		if (f == LINK_HELD) {
			w->count = lf->count;
			list_add_tail(&n->link_held, &w->in_net);
		}
		return f;
	}
	return LINK_PASSES;
}

static int64_t delay_of(struct link_fault *lf, int64_t now, size_t bytes)
{
	int64_t d = lf->delay_ns;

	if (lf->jitter_ns)
		d += (int64_t)rng_below(lf->rng, (uint64_t)lf->jitter_ns);
	if (lf->bytes_per_s) {
		/* One after the other, as through a queue; headers count. */
		int64_t start = lf->busy_until_ns > now ? lf->busy_until_ns : now;
		lf->busy_until_ns = vclock_add(start, (int64_t)((bytes + 40) * (uint64_t)NS_PER_S / lf->bytes_per_s));
		d += lf->busy_until_ns - now;
	}
	return d;
}

int64_t link_delay(struct net *n, const struct node *from, const struct node *to, size_t bytes)
{
	int64_t d = 0;

	list_each(lf, &n->link_faults, struct link_fault, in_net)
		if (lf->does == LINK_DELAYS && covers(lf, from, to)) {
			d = vclock_add(d, delay_of(lf, n->k->clock.now_ns, bytes));
			++*lf->count;
		}
	return d;
}

struct link_datagram link_datagram(struct net *n, const struct node *from, const struct node *to, size_t len)
{
	struct link_datagram d = {.flip_bit = -1};

	list_each(lf, &n->link_faults, struct link_fault, in_net) {
		bool may = lf->does == LINK_DUPLICATES || lf->does == LINK_REORDERS || (lf->does == LINK_CORRUPTS && len);
		if (!may || !covers(lf, from, to) || !lucky(lf))
			continue;
		++*lf->count;
		if (lf->does == LINK_DUPLICATES)
			d.twice = true;
		else if (lf->does == LINK_REORDERS)
			d.later_ns += 1 + (int64_t)rng_below(lf->rng, (uint64_t)lf->delay_ns);
		else
			d.flip_bit = (int64_t)rng_below(lf->rng, (uint64_t)len * 8);
	}
	return d;
}

uint64_t link_reset_at(struct net *n, const struct node *from, const struct node *to, uint64_t upto)
{
	list_each(lf, &n->link_faults, struct link_fault, in_net)
		if (lf->does == LINK_RESETS && lf->left && upto >= lf->bytes && covers(lf, from, to)) {
			lf->left--;
			++*lf->count;
			return lf->bytes;
		}
	return UINT64_MAX;
}

/* ---- connections ---- */

/* Of its two ends, the one that is counted, so that each connection comes once. */
static struct conn *connection_of(struct sock *s)
{
	struct tcp *t = tcp_from_sock(s);

	if (!t || !t->conn || t->side != 0 || !t->conn->end[1] || t->state == TCP_SYN_SENT || t->state == TCP_CLOSE)
		return NULL;
	return t->conn;
}

unsigned link_reset_connections(struct net *n, const struct link_fault *lf, unsigned max)
{
	unsigned done = 0;

	/* A reset may free sockets: the list is looked at anew each time. */
	for (bool again = true; again && done < max;) {
		again = false;
		list_each(s, &n->socks, struct sock, in_net) {
			struct conn *c = connection_of(s);
			if (!c || !(covers(lf, conn_node(c, 0), conn_node(c, 1)) || covers(lf, conn_node(c, 1), conn_node(c, 0))))
				continue;
			tcp_break(c);
			done++;
			again = true;
			break;
		}
	}
	*lf->count += done;
	return done;
}

struct node *net_peer_node(struct sock *s, const struct netaddr *a)
{
	struct tcp *t = tcp_from_sock(s);

	if (t && t->conn && (!a || (a->port == s->remote.port && ip_equal(&a->ip, &s->remote.ip))))
		return conn_node(t->conn, !t->side);
	if (!a)
		a = &s->remote;
	if (a->family != K_AF_INET && a->family != K_AF_INET6)
		return NULL;
	list_each(o, &s->net->socks, struct sock, in_net)
		if (o->protocol == s->protocol && o->port && o->port->number == a->port && (o->listening || s->type == K_SOCK_DGRAM) &&
		    port_address_score(o, &a->ip))
			return o->node;
	return NULL;
}
