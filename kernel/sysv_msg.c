#include "kernel/sysv_msg.h"

#include <string.h>

static int new_queue(struct kern *k, struct proc *p, int key, uint32_t flags)
{
	struct msg_queue *q = arena_new_of(k->arena, struct msg_queue);
	int id = sysv_add(k, &sysv_of(k)->msg, &q->perm, p, key, flags, SYSV_MSG_MNI);

	if (id < 0) {
		arena_release_of(k->arena, q);
		return id;
	}
	q->ctime = sysv_now(k, p);
	q->bytes_max = SYSV_MSG_MNB;
	list_init(&q->messages);
	waitq_init(&q->senders);
	waitq_init(&q->receivers);
	return id;
}

int msg_get(struct kern *k, struct proc *p, int key, uint32_t flags)
{
	int e;
	struct sysv_perm *obj = sysv_lookup(k, &sysv_of(k)->msg, key, flags, &e);

	if (e)
		return -e;
	if (!obj)
		return new_queue(k, p, key, flags);
	return sysv_allowed(k, p, obj, flags & 0777) ? obj->id : -EACCES;
}

struct msg_queue *msg_by_id(struct kern *k, int id, int *e)
{
	return (struct msg_queue *)sysv_by_id(&sysv_of(k)->msg, id, e);
}

/* msg_fits_inqueue() */
static bool fits(const struct msg_queue *q, size_t len)
{
	return len + q->bytes <= q->bytes_max && 1 + q->count <= q->bytes_max;
}

int msg_send(struct kern *k, struct proc *p, struct msg_queue *q, int64_t type, const void *text, size_t len)
{
	struct sysv *s = sysv_of(k);
	struct msg *m;

	if (!sysv_allowed(k, p, &q->perm, 0222))
		return -EACCES;
	if (!fits(q, len))
		return -EAGAIN;
	m = arena_new_of(k->arena, struct msg);
	m->type = type;
	m->len = len;
	m->text = arena_alloc(k->arena, len);
	memcpy(m->text, text, len);
	list_add_tail(&q->messages, &m->link);
	q->bytes += len;
	q->count++;
	s->msg_bytes += len;
	s->msg_count++;
	q->sender = proc_seen_pid(p);
	q->stime = sysv_now(k, p);
	waitq_wake(&q->receivers, 0);
	return 0;
}

static bool matches(const struct msg *m, int64_t type, uint32_t flags)
{
	if (type < 0)
		return type == INT64_MIN || m->type <= -type;
	return !type || ((flags & SYSV_MSG_EXCEPT) ? m->type != type : m->type == type);
}

struct msg *msg_find(struct msg_queue *q, int64_t type, uint32_t flags)
{
	struct msg *best = NULL;

	list_each(m, &q->messages, struct msg, link) {
		if (!matches(m, type, flags))
			continue;
		if (type >= 0)
			return m;
		if (!best || m->type < best->type) /* the lowest type, of these the oldest */
			best = m;
	}
	return best;
}

struct msg *msg_at(struct msg_queue *q, int64_t n)
{
	list_each(m, &q->messages, struct msg, link)
		if (!n--)
			return m;
	return NULL;
}

static void free_msg(struct kern *k, struct msg *m)
{
	list_del(&m->link);
	arena_release(k->arena, m->text, m->len);
	arena_release_of(k->arena, m);
}

void msg_take(struct kern *k, struct proc *p, struct msg_queue *q, struct msg *m)
{
	struct sysv *s = sysv_of(k);

	q->count--;
	q->bytes -= m->len;
	s->msg_count--;
	s->msg_bytes -= m->len;
	q->rtime = sysv_now(k, p);
	q->receiver = proc_seen_pid(p);
	free_msg(k, m);
	waitq_wake(&q->senders, 0);
}

void msg_changed(struct kern *k, struct msg_queue *q)
{
	(void)k;
	waitq_wake(&q->senders, 0);
	waitq_wake(&q->receivers, 0);
}

void msg_remove(struct kern *k, struct msg_queue *q)
{
	struct sysv *s = sysv_of(k);

	sysv_remove(&s->msg, &q->perm);
	s->msg_bytes -= q->bytes;
	s->msg_count -= q->count;
	list_each_safe(m, tmp, &q->messages, struct msg, link)
		free_msg(k, m);
	msg_changed(k, q);
	/* Threads of a process that is being killed are not woken, only unlinked. */
	while (!list_empty(&q->senders.waiters))
		list_del(q->senders.waiters.next);
	while (!list_empty(&q->receivers.waiters))
		list_del(q->receivers.waiters.next);
	arena_release_of(k->arena, q);
}
