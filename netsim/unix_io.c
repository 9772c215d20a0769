/* What is sent over unix sockets, and how it is read. The kernel's functions are in net/unix/af_unix.c. */
#include "netsim/unix.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

enum { MSG_OVERHEAD = 576, STREAM_PIECE_MAX = 65536 };

/* What a message costs its sender's buffer: SKB_TRUESIZE, rounded as kmalloc does for small ones. */
static size_t charge_of(size_t len)
{
	return (len + MSG_OVERHEAD + 255) & ~(size_t)255;
}

bool unix_queue_full(const struct unix_sock *u)
{
	return u->nqueue > (unsigned)u->backlog;
}

bool unix_writeable(const struct unix_sock *u)
{
	return u->wmem << 2 <= (size_t)u->sock.opt[OPT_SNDBUF];
}

size_t unix_room(struct sock *s)
{
	struct unix_sock *u = unix_of(s);
	size_t cap = (size_t)s->opt[OPT_SNDBUF];

	return u->wmem < cap ? cap - u->wmem : 0;
}

/* ---- messages ---- */

/* Takes a message out of u's queue and frees it. Its descriptors go last: closing them may free other sockets. */
static void msg_free(struct unix_sock *u, struct unix_msg *g)
{
	struct kern *k = u->sock.net->k;
	struct unix_sock *sender = g->sender;
	struct file **files = g->files;
	unsigned nfiles = g->nfiles;

	list_del(&g->link);
	u->nqueue--;
	if (sender) {
		list_del(&g->of_sender);
		sender->wmem -= g->charge;
	}
	arena_release(k->arena, g, sizeof *g + g->len);
	if (sender && unix_writeable(sender))
		sock_notify(&sender->sock, K_EPOLLOUT | K_EPOLLWRNORM | K_EPOLLWRBAND);
	unix_count_in_flight(u->sock.net, files, nfiles, -1);
	for (unsigned i = 0; i < nfiles; i++)
		file_unref(k, files[i]);
	arena_release(k->arena, files, nfiles * sizeof *files);
}

/* A message was read. Others may have waited for a place in the queue. */
static void msg_consumed(struct unix_sock *u, struct unix_msg *g)
{
	bool was_full = unix_queue_full(u);

	msg_free(u, g);
	if (!was_full || u->sock.type != K_SOCK_DGRAM)
		return;
	waitq_wake(&u->sock.room_wq, 0);
	list_each(p, &u->peers, struct unix_sock, of_peer)
		sock_notify(&p->sock, K_EPOLLOUT | K_EPOLLWRNORM | K_EPOLLWRBAND);
}

void unix_drop_queue(struct unix_sock *u)
{
	while (!list_empty(&u->queue))
		msg_free(u, list_first(&u->queue, struct unix_msg, link));
}

void unix_disown_sent(struct unix_sock *u)
{
	while (!list_empty(&u->sent)) {
		struct unix_msg *g = list_first(&u->sent, struct unix_msg, of_sender);
		list_del(&g->of_sender);
		g->sender = NULL;
	}
}

/* Puts len bytes into other's queue. What travels beside them goes with this message. */
static void deliver(struct unix_sock *u, struct unix_sock *other, const struct sock_msg *m, size_t len)
{
	struct unix_msg *g = arena_alloc(sock_arena(&u->sock), sizeof *g + len);

	g->sender = u;
	g->from = u->sock.local;
	g->len = len;
	g->charge = charge_of(len);
	memcpy(g->data, m->data, len);
	g->cred = m->scm && m->scm->has_cred ? m->scm->cred : unix_current_cred(u);
	if (m->scm && m->scm->nfiles) {
		size_t bytes = m->scm->nfiles * sizeof *g->files;
		g->nfiles = m->scm->nfiles;
		g->files = arena_alloc(sock_arena(&u->sock), bytes);
		memcpy(g->files, m->scm->files, bytes);
		unix_count_in_flight(u->sock.net, g->files, g->nfiles, 1);
		m->scm->nfiles = 0;
	}
	list_add_tail(&u->sent, &g->of_sender);
	u->wmem += g->charge;
	list_add_tail(&other->queue, &g->link);
	other->nqueue++;
	sock_notify(&other->sock, K_EPOLLIN | K_EPOLLRDNORM);
}

/* ---- sending ---- */

/* unix_stream_sendmsg() */
static int64_t stream_send(struct unix_sock *u, struct sock_msg *m)
{
	struct sock *s = &u->sock;
	size_t n;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (m->has_name)
		return u->state == UNIX_CONNECTED ? -EISCONN : -EOPNOTSUPP;
	if (u->state != UNIX_CONNECTED)
		return -ENOTCONN;
	if ((s->shut & SOCK_SHUT_SND) || !u->peer || (u->peer->sock.shut & SOCK_SHUT_RCV))
		return -EPIPE;
	if (!m->len)
		return 0;
	if (s->err)
		return sock_take_error(s);
	n = MIN(m->len, MIN(unix_room(s), (size_t)STREAM_PIECE_MAX));
	if (!n)
		return -EAGAIN;
	deliver(u, u->peer, m, n);
	return (int64_t)n;
}

/* A connected datagram socket finds that the other end is gone. */
static int64_t dgram_peer_is_gone(struct unix_sock *u)
{
	u->peer_died = false;
	u->state = UNIX_CLOSE;
	unix_dgram_disconnected(u, NULL);
	return -ECONNREFUSED;
}

/* unix_dgram_sendmsg(), also for seqpacket. */
static int64_t dgram_send(struct unix_sock *u, struct sock_msg *m)
{
	struct sock *s = &u->sock;
	struct unix_sock *other = u->peer;
	int rc;

	s->block_on = NULL;
	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (s->opt[OPT_PASSCRED] && !s->local.pathlen)
		unix_name_bind(u, &(struct netaddr){.family = K_AF_UNIX});
	if (m->len + 32 > (size_t)s->opt[OPT_SNDBUF])
		return -EMSGSIZE;
	/* sock_alloc_send_pskb(), before anything is known about the destination. */
	if (s->err)
		return sock_take_error(s);
	if (s->shut & SOCK_SHUT_SND)
		return -EPIPE;
	if (!unix_room(s))
		return -EAGAIN;
	if (m->has_name) {
		rc = unix_name_find(s->net, &m->name, s->type, &other);
		if (rc)
			return rc;
	} else if (u->peer_died) {
		return dgram_peer_is_gone(u);
	}
	if (!other)
		return -ENOTCONN;
	if (!unix_may_send(u, other))
		return -EPERM;
	if (other->sock.shut & SOCK_SHUT_RCV)
		return -EPIPE;
	if (other != u && other->peer != u && unix_queue_full(other)) {
		s->block_on = &other->sock.room_wq;
		return -EAGAIN;
	}
	deliver(u, other, m, m->len);
	return (int64_t)m->len;
}

static int64_t seqpacket_send(struct unix_sock *u, struct sock_msg *m)
{
	/* unix_seqpacket_sendmsg(): a destination is ignored. */
	if (u->sock.err)
		return sock_take_error(&u->sock);
	if (u->state != UNIX_CONNECTED)
		return -ENOTCONN;
	m->has_name = false;
	if (!u->peer)
		return -EPIPE;
	return dgram_send(u, m);
}

int64_t unix_send(struct sock *s, struct sock_msg *m)
{
	struct unix_sock *u = unix_of(s);

	if (s->type == K_SOCK_STREAM)
		return stream_send(u, m);
	return s->type == K_SOCK_SEQPACKET ? seqpacket_send(u, m) : dgram_send(u, m);
}

/* ---- receiving ---- */

/* Descriptors and credentials of g, to the reader: moved, or with MSG_PEEK one more reference of each. */
static void take_scm(struct net *n, struct unix_msg *g, struct sock_msg *m, bool peek)
{
	struct scm *to = m->scm;

	if (!to)
		return;
	to->cred = g->cred;
	to->has_cred = true;
	for (unsigned i = 0; i < g->nfiles; i++)
		to->files[i] = peek ? file_ref(g->files[i]) : g->files[i];
	to->nfiles = g->nfiles;
	if (peek || !g->nfiles)
		return;
	unix_count_in_flight(n, g->files, g->nfiles, -1);
	arena_release(n->k->arena, g->files, g->nfiles * sizeof *g->files);
	g->files = NULL;
	g->nfiles = 0;
}

static bool same_writer(const struct sock_cred *a, const struct sock_cred *b)
{
	return a->pid == b->pid && a->uid == b->uid && a->gid == b->gid;
}

/* Marks n bytes of the message at the front as read. */
static void stream_use(struct unix_sock *u, struct unix_msg *g, size_t n)
{
	g->used += n;
	if (g->used == g->len)
		msg_consumed(u, g);
}

/* unix_stream_read_generic(): messages are glued together, up to one that carried descriptors, and, where the reader asked
 * for credentials, never across writers. */
static int64_t stream_read(struct unix_sock *u, struct sock_msg *m)
{
	bool peek = m->flags & K_MSG_PEEK, creds = u->sock.opt[OPT_PASSCRED], files = false;
	struct sock_cred writer = list_first(&u->queue, struct unix_msg, link)->cred;
	struct list *at = u->queue.next;
	size_t moved = 0;

	while (at != &u->queue && moved < m->len && !files) {
		struct unix_msg *g = list_entry(at, struct unix_msg, link);
		size_t n = MIN(m->len - moved, g->len - g->used);
		if (creds && !same_writer(&writer, &g->cred))
			break;
		memcpy((char *)m->data + moved, g->data + g->used, n);
		files = g->nfiles;
		if (files || !moved)
			take_scm(u->sock.net, g, m, peek);
		moved += n;
		at = at->next;
		if (!peek) {
			stream_use(u, g, n);
			at = u->queue.next; /* closing descriptors may have changed anything */
		}
	}
	return (int64_t)moved;
}

static int64_t stream_recv(struct unix_sock *u, struct sock_msg *m)
{
	struct sock *s = &u->sock;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (u->state != UNIX_CONNECTED)
		return -EINVAL;
	if (!m->len)
		return 0;
	if (!list_empty(&u->queue))
		return stream_read(u, m);
	if (s->err)
		return sock_take_error(s);
	return s->shut & SOCK_SHUT_RCV ? 0 : -EAGAIN;
}

/* __unix_dgram_recvmsg() */
static int64_t dgram_recv(struct unix_sock *u, struct sock_msg *m)
{
	struct sock *s = &u->sock;
	struct unix_msg *g;
	size_t n, len;

	if (m->flags & K_MSG_OOB)
		return -EOPNOTSUPP;
	if (s->type == K_SOCK_SEQPACKET && u->state != UNIX_CONNECTED)
		return -ENOTCONN;
	if (s->err)
		return sock_take_error(s);
	g = list_first(&u->queue, struct unix_msg, link);
	/* "Signal EOF on disconnected non-blocking SEQPACKET socket"; of datagrams, only who would block hears of it. */
	if (!g)
		return (s->shut & SOCK_SHUT_RCV) && (s->type == K_SOCK_SEQPACKET || !(m->flags & K_MSG_DONTWAIT)) ? 0 : -EAGAIN;
	len = g->len;
	n = MIN(m->len, len);
	memcpy(m->data, g->data, n);
	if (n < len)
		m->out_flags |= K_MSG_TRUNC;
	m->name = g->from;
	take_scm(s->net, g, m, m->flags & K_MSG_PEEK);
	if (!(m->flags & K_MSG_PEEK))
		msg_consumed(u, g);
	return (int64_t)(m->flags & K_MSG_TRUNC ? len : n);
}

int64_t unix_recv(struct sock *s, struct sock_msg *m)
{
	return s->type == K_SOCK_STREAM ? stream_recv(unix_of(s), m) : dgram_recv(unix_of(s), m);
}

int64_t unix_inq(struct sock *s)
{
	struct unix_sock *u = unix_of(s);
	struct unix_msg *g = list_first(&u->queue, struct unix_msg, link);
	int64_t sum = 0;

	if (u->state == UNIX_LISTEN)
		return -EINVAL;
	if (s->type == K_SOCK_DGRAM)
		return g ? (int64_t)g->len : 0;
	list_each(each, &u->queue, struct unix_msg, link)
		sum += (int64_t)(each->len - each->used);
	return sum;
}

int64_t unix_outq(struct sock *s)
{
	return (int64_t)unix_of(s)->wmem;
}
