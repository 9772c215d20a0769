#include "kernel/tty.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* One open file of either side. */
struct tty_end {
	struct list link; /* in tty.slaves */
	struct file *file;
	struct tty *tty;
	bool hung;        /* a slave whose master is closed */
};

static const struct file_ops master_ops, slave_ops;

static struct tty_end *end_of(const struct file *f)
{
	return f->obj;
}

static bool is_slave(const struct file *f)
{
	return f->ops == &slave_ops;
}

bool tty_is_master(const struct file *f)
{
	return f->ops == &master_ops;
}

struct tty *tty_of(const struct file *f)
{
	return is_slave(f) || tty_is_master(f) ? end_of(f)->tty : NULL;
}

bool tty_hung_up(const struct file *f)
{
	return is_slave(f) && end_of(f)->hung;
}

struct tty *tty_by_index(struct kern *k, int index)
{
	return index < 0 ? NULL : map_get(&k->ttys, (uint64_t)index);
}

/* ---- telling ---- */

static void tell_slaves(struct tty *t, uint32_t events)
{
	list_each(e, &t->slaves, struct tty_end, link)
		file_notify(e->file, events);
}

static void tell_master(struct tty *t, uint32_t events)
{
	if (t->master)
		file_notify(t->master, events);
}

void tty_output_changed(struct kern *k, struct tty *t)
{
	if (ring_used(&t->out))
		tell_master(t, K_EPOLLIN | K_EPOLLRDNORM);
	if (ring_room(&t->out))
		tell_slaves(t, K_EPOLLOUT | K_EPOLLWRNORM);
}

void tty_input_changed(struct kern *k, struct tty *t)
{
	if (ldisc_readable(t, false))
		tell_slaves(t, K_EPOLLIN | K_EPOLLRDNORM);
	if (ring_room(&t->wire))
		tell_master(t, K_EPOLLOUT | K_EPOLLWRNORM);
}

void tty_packet_event(struct kern *k, struct tty *t, uint8_t set, uint8_t clear)
{
	if (!t->packet)
		return;
	t->packet_status = (uint8_t)((t->packet_status & ~clear) | set);
	tell_master(t, K_EPOLLIN | K_EPOLLPRI);
}

/* ---- the master's side ---- */

static int64_t master_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct tty *t = end_of(f)->tty;
	uint8_t *p = buf;
	size_t n = 0;

	if (!len)
		return 0;
	if (t->packet && t->packet_status) {
		p[0] = t->packet_status;
		t->packet_status = 0;
		return 1;
	}
	if (!ring_used(&t->out))
		return t->slave_gone ? -EIO : -EAGAIN;
	if (t->packet)
		p[n++] = 0;
	n += ring_take(&t->out, p + n, len - n);
	ldisc_flush_echo(t);
	tell_slaves(t, K_EPOLLOUT | K_EPOLLWRNORM);
	return (int64_t)n;
}

static int64_t master_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	struct tty *t = end_of(f)->tty;
	size_t done = 0, n;

	if (!len)
		return 0;
	do {
		n = ring_put(&t->wire, (const char *)buf + done, len - done);
		done += n;
		ldisc_receive(k, t);
	} while (n && done < len);
	return done ? (int64_t)done : -EAGAIN;
}

static uint32_t master_poll(struct kern *k, struct file *f)
{
	const struct tty *t = end_of(f)->tty;
	uint32_t mask = 0;

	if (ring_used(&t->out))
		mask |= K_EPOLLIN | K_EPOLLRDNORM;
	if (t->packet && t->packet_status)
		mask |= K_EPOLLPRI | K_EPOLLIN | K_EPOLLRDNORM;
	if (t->slave_gone)
		mask |= K_EPOLLHUP;
	if (ring_room(&t->wire))
		mask |= K_EPOLLOUT | K_EPOLLWRNORM;
	return mask;
}

/* ---- the slave's side ---- */

int64_t tty_read_now(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct tty *t = end_of(f)->tty;
	size_t n = end_of(f)->hung ? 0 : ldisc_read(t, buf, len);

	ldisc_receive(k, t); /* there may be room again */
	tell_master(t, K_EPOLLOUT | K_EPOLLWRNORM);
	return (int64_t)n;
}

/* The number of bytes that read(2) waits for. */
static size_t wanted(const struct tty *t, size_t len)
{
	size_t min = t->t.cc[K_VMIN];

	return t->t.lflag & K_ICANON || !min ? 1 : MIN(min, len);
}

static int64_t slave_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct tty *t = end_of(f)->tty;
	bool raw = !(t->t.lflag & K_ICANON);

	if (!len || end_of(f)->hung)
		return 0;
	if (!ldisc_readable(t, false))
		return raw && !t->t.cc[K_VMIN] && !t->t.cc[K_VTIME] ? 0 : -EAGAIN;
	if (raw && t->head - t->tail < wanted(t, len) && !(f->flags & O_NONBLOCK))
		return -EAGAIN;
	return tty_read_now(k, f, buf, len);
}

int64_t tty_read_deadline(const struct tty *t, int64_t started_ns)
{
	int64_t time = t->t.cc[K_VTIME] * (NS_PER_S / 10);

	if ((t->t.lflag & K_ICANON) || !time)
		return VCLOCK_NEVER;
	if (!t->t.cc[K_VMIN])
		return started_ns + time;
	/* Between bytes: it begins with the first one. */
	return t->head == t->tail ? VCLOCK_NEVER : MAX(t->last_input_ns, started_ns) + time;
}

static int64_t slave_write(struct kern *k, struct file *f, const void *buf, size_t len)
{
	struct tty *t = end_of(f)->tty;
	size_t n;

	if (end_of(f)->hung)
		return -EIO;
	if (!len)
		return 0;
	n = ldisc_write(t, buf, len);
	if (ring_used(&t->out))
		tell_master(t, K_EPOLLIN | K_EPOLLRDNORM);
	return n ? (int64_t)n : -EAGAIN;
}

static uint32_t slave_poll(struct kern *k, struct file *f)
{
	const struct tty *t = end_of(f)->tty;
	uint32_t mask = 0;

	if (end_of(f)->hung)
		return K_EPOLLIN | K_EPOLLOUT | K_EPOLLERR | K_EPOLLHUP | K_EPOLLRDNORM | K_EPOLLWRNORM;
	if (ldisc_readable(t, true))
		mask |= K_EPOLLIN | K_EPOLLRDNORM;
	if (ring_room(&t->out) && !t->stopped && !t->flow_stopped)
		mask |= K_EPOLLOUT | K_EPOLLWRNORM;
	return mask;
}

/* Bytes of complete lines, without what stands for ends of files; or all. */
uint32_t tty_input_bytes(const struct file *f)
{
	const struct tty *t = end_of(f)->tty;
	uint32_t n = 0;

	if (tty_is_master(f))
		return ring_used(&t->out);
	if (!(t->t.lflag & K_ICANON))
		return t->head - t->tail;
	for (uint32_t at = t->tail; at != t->canon; at++) {
		uint32_t i = at % TTY_INPUT;
		n += !((t->delim[i / 8] >> (i % 8) & 1) && !t->in[i]);
	}
	return n;
}

static int64_t bytes_readable(struct kern *k, struct file *f)
{
	return tty_input_bytes(f);
}

/* ---- life ---- */

static void ring_new(struct kern *k, struct tty_ring *r, uint32_t cap)
{
	r->data = arena_alloc(k->arena, cap);
	r->cap = cap;
}

static void free_if_unused(struct kern *k, struct tty *t)
{
	struct tty_ring *rings[] = {&t->wire, &t->out, &t->echo};

	if (t->master || !list_empty(&t->slaves))
		return;
	list_each(p, &k->proc_list, struct proc, in_kern)
		if (p->ctty == t)
			p->ctty = NULL;
	for (size_t i = 0; i < ARRAY_LEN(rings); i++)
		arena_release(k->arena, rings[i]->data, rings[i]->cap);
	arena_release_of(k->arena, t);
}

static void master_release(struct kern *k, struct file *f)
{
	struct tty_end *e = end_of(f);
	struct tty *t = e->tty;

	t->master = NULL;
	map_del(&k->ttys, (uint64_t)t->index);
	if (k->tty_gone)
		k->tty_gone(k, t->index);
	list_each(s, &t->slaves, struct tty_end, link)
		s->hung = true;
	tty_hangup(k, t);
	tell_slaves(t, K_EPOLLHUP | K_EPOLLERR | K_EPOLLIN | K_EPOLLOUT);
	arena_release_of(k->arena, e);
	free_if_unused(k, t);
}

static void slave_release(struct kern *k, struct file *f)
{
	struct tty_end *e = end_of(f);
	struct tty *t = e->tty;

	list_del(&e->link);
	arena_release_of(k->arena, e);
	if (list_empty(&t->slaves) && t->master) {
		t->slave_gone = true;
		tell_master(t, K_EPOLLHUP);
		if (t->sid)
			tty_session_cleared(k, t->sid);
	}
	free_if_unused(k, t);
}

static const struct file_ops master_ops = {
	.kind = "ptmx",
	.read = master_read,
	.write = master_write,
	.poll = master_poll,
	.release = master_release,
	.bytes_readable = bytes_readable,
};
static const struct file_ops slave_ops = {
	.kind = "tty",
	.read = slave_read,
	.write = slave_write,
	.poll = slave_poll,
	.release = slave_release,
	.bytes_readable = bytes_readable,
};

/* What a new terminal is set to: tty_std_termios of Linux. */
static const struct k_termios initial = {
	.iflag = K_ICRNL | K_IXON,
	.oflag = K_OPOST | K_ONLCR,
	.cflag = K_B38400 | K_CS8 | K_CREAD,
	.lflag = K_ISIG | K_ICANON | K_ECHO | K_ECHOE | K_ECHOK | K_ECHOCTL | K_ECHOKE | K_IEXTEN,
	.cc = {[K_VINTR] = 3, [K_VQUIT] = 28, [K_VERASE] = 127, [K_VKILL] = 21, [K_VEOF] = 4, [K_VMIN] = 1, [K_VSTART] = 17,
	       [K_VSTOP] = 19, [K_VSUSP] = 26, [K_VREPRINT] = 18, [K_VDISCARD] = 15, [K_VWERASE] = 23, [K_VLNEXT] = 22},
	.ispeed = 38400,
	.ospeed = 38400,
};

static struct tty_end *new_end(struct kern *k, struct tty *t, const struct file_ops *ops, uint32_t flags)
{
	struct tty_end *e = arena_new_of(k->arena, struct tty_end);

	e->tty = t;
	list_init(&e->link);
	e->file = file_new(k, ops, e, flags);
	return e;
}

struct file *tty_new(struct kern *k, uint32_t flags)
{
	struct tty *t;
	int index = 0;

	while (index < TTY_MAX && tty_by_index(k, index))
		index++;
	if (index == TTY_MAX)
		return NULL;
	t = arena_new_of(k->arena, struct tty);
	t->index = index;
	t->t = initial;
	t->locked = true;
	list_init(&t->slaves);
	ring_new(k, &t->wire, TTY_WIRE);
	ring_new(k, &t->out, TTY_OUTPUT);
	ring_new(k, &t->echo, TTY_ECHO);
	map_put(&k->ttys, (uint64_t)index, t);
	t->master = new_end(k, t, &master_ops, flags)->file;
	return t->master;
}

int tty_open_slave(struct kern *k, struct tty *t, uint32_t flags, bool noctty, struct file **out)
{
	struct tty_end *e;

	if (!t->master || t->locked)
		return -EIO;
	if (t->exclusive && k->current && k->current->proc->euid)
		return -EBUSY;
	e = new_end(k, t, &slave_ops, flags);
	list_add_tail(&t->slaves, &e->link);
	t->slave_gone = false;
	if (!noctty && (flags & O_ACCMODE) != O_WRONLY)
		tty_opened(k, t);
	*out = e->file;
	return 0;
}

/* ---- requests ---- */

static bool usual_flow(const struct k_termios *t)
{
	return (t->iflag & K_IXON) && t->cc[K_VSTOP] == 19 && t->cc[K_VSTART] == 17;
}

void tty_set_termios(struct kern *k, struct tty *t, const struct k_termios *n)
{
	struct k_termios old = t->t;

	t->t = *n;
	t->t.cflag = (n->cflag & ~(uint32_t)(K_CSIZE | K_PARENB)) | K_CS8 | K_CREAD;
	if (usual_flow(&old) != usual_flow(&t->t))
		tty_packet_event(k, t, usual_flow(&t->t) ? PKT_DOSTOP : PKT_NOSTOP, PKT_DOSTOP | PKT_NOSTOP);
	if ((old.lflag | t->t.lflag) & K_EXTPROC)
		tty_packet_event(k, t, PKT_IOCTL, 0);
	ldisc_mode_changed(t, &old);
	ldisc_receive(k, t);
	tell_slaves(t, 0);
	tty_output_changed(k, t);
}

void tty_set_winsize(struct kern *k, struct tty *t, const struct k_winsize *w)
{
	if (!memcmp(w, &t->win, sizeof *w))
		return;
	t->win = *w;
	tty_signal_group(k, t->pgrp, SIGWINCH);
}

void tty_flush_input(struct kern *k, struct tty *t)
{
	ldisc_reset(t);
	tty_packet_event(k, t, PKT_FLUSHREAD, 0);
	ldisc_receive(k, t);
	tty_input_changed(k, t);
}

/* What the master's own line discipline has got already stays. */
void tty_flush_output(struct kern *k, struct tty *t)
{
	enum { DELIVERED = 4095 };

	t->out.head = t->out.tail + MIN(ring_used(&t->out), (uint32_t)DELIVERED);
	tty_packet_event(k, t, PKT_FLUSHWRITE, 0);
	tty_output_changed(k, t);
}

void tty_set_stopped(struct kern *k, struct tty *t, bool stopped)
{
	if (t->flow_stopped == stopped)
		return;
	t->flow_stopped = stopped;
	if (!stopped)
		t->stopped = false;
	tty_packet_event(k, t, stopped ? PKT_STOP : PKT_START, stopped ? PKT_START : PKT_STOP);
	ldisc_flush_echo(t);
	tty_output_changed(k, t);
}

void tty_send_char(struct kern *k, struct tty *t, uint8_t c)
{
	if (c)
		ring_put(&t->out, &c, 1);
	tty_output_changed(k, t);
}

void tty_set_packet(struct tty *t, bool on)
{
	if (on && !t->packet)
		t->packet_status = 0;
	t->packet = on;
}
