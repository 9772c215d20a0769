/* System V message queues: msgget(2), msgsnd(2), msgrcv(2), msgctl(2). */
#include "tracer/sysv.h"

#include "base/mem.h"
#include "kernel/sysv_msg.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <string.h>
#include <sys/msg.h>

#ifndef MSG_STAT_ANY
#define MSG_STAT_ANY 13
#endif

/* include/uapi/linux/msg.h: numbers that mean nothing any more */
enum { MSGPOOL = SYSV_MSG_MNI * SYSV_MSG_MNB / 1024, MSGTQL = SYSV_MSG_MNB, MSGMAP = SYSV_MSG_MNB, MSGSSZ = 16, MSGSEG = 0xffff };

struct verdict sys_msgget(struct call *c)
{
	return REPLY(msg_get(c->k, c->proc, (int)c->arg[0], (uint32_t)c->arg[1]));
}

/* Removed while the call waited: EIDRM, whatever has its place now. */
static struct verdict not_there(const struct call *c, int e)
{
	return FAIL(c->tries ? EIDRM : e);
}

static struct verdict wait_on(struct call *c, struct waitq *q, const char *what)
{
	c->thread->wait_what = what;
	c->thread->wait_detail = (uint32_t)c->arg[0];
	thread_wait_on(c->k, c->thread, q);
	return BLOCK(-EINTR);
}

struct verdict sys_msgsnd(struct call *c)
{
	int id = (int)c->arg[0], e, rc;
	size_t len = c->arg[2];
	struct msg_queue *q;
	int64_t type;
	void *text;

	if (copy_in(c, &type, c->arg[1], sizeof type))
		return FAIL(EFAULT);
	if (len > SYSV_MSG_MAX || id < 0 || type < 1)
		return FAIL(EINVAL);
	text = call_scratch(c, len);
	if (copy_in(c, text, c->arg[1] + sizeof type, len))
		return FAIL(EFAULT);
	q = msg_by_id(c->k, id, &e);
	if (!q)
		return not_there(c, e);
	rc = msg_send(c->k, c->proc, q, type, text, len);
	if (rc == -EAGAIN && !((uint32_t)c->arg[3] & IPC_NOWAIT))
		return wait_on(c, &q->senders, "room in a message queue");
	return REPLY(rc);
}

/* ---- msgrcv ---- */

/* 0, or an errno for flags that do not go together. */
static int check_copy(const struct call *c, uint32_t flags)
{
	if (!(flags & SYSV_MSG_COPY))
		return 0;
	if ((flags & SYSV_MSG_EXCEPT) || !(flags & IPC_NOWAIT))
		return EINVAL;
	(void)c;
	return 0;
}

static struct verdict hand_out(struct call *c, struct msg_queue *q, struct msg *m, uint32_t flags)
{
	size_t max = c->arg[2], n = MIN(m->len, max);
	int rc;

	if (max < m->len && !(flags & MSG_NOERROR))
		return FAIL(E2BIG);
	/* Taken even when it cannot be delivered. */
	rc = copy_out(c, c->arg[1], &m->type, sizeof m->type);
	if (!rc)
		rc = copy_out(c, c->arg[1] + sizeof m->type, m->text, n);
	if (!(flags & SYSV_MSG_COPY))
		msg_take(c->k, c->proc, q, m);
	return rc ? FAIL(EFAULT) : REPLY(n);
}

struct verdict sys_msgrcv(struct call *c)
{
	int id = (int)c->arg[0], e;
	int64_t type = (int64_t)c->arg[3];
	uint32_t flags = (uint32_t)c->arg[4];
	struct msg_queue *q;
	struct msg *m;

	if (id < 0 || (int64_t)c->arg[2] < 0)
		return FAIL(EINVAL);
	e = check_copy(c, flags);
	if (e)
		return FAIL(e);
	q = msg_by_id(c->k, id, &e);
	if (!q)
		return not_there(c, e);
	if (!sysv_allowed(c->k, c->proc, &q->perm, 0444))
		return FAIL(EACCES);
	m = flags & SYSV_MSG_COPY ? msg_at(q, type) : msg_find(q, type, flags);
	if (m)
		return hand_out(c, q, m, flags);
	return flags & IPC_NOWAIT ? FAIL(ENOMSG) : wait_on(c, &q->receivers, "a message in a queue");
}

/* ---- msgctl ---- */

static struct verdict info(struct call *c, int cmd)
{
	const struct sysv *s = sysv_of(c->k);
	struct msginfo i;

	memset(&i, 0, sizeof i);
	i.msgmni = SYSV_MSG_MNI;
	i.msgmax = SYSV_MSG_MAX;
	i.msgmnb = SYSV_MSG_MNB;
	i.msgssz = MSGSSZ;
	i.msgseg = MSGSEG;
	i.msgpool = cmd == MSG_INFO ? (int)s->msg.used : MSGPOOL;
	i.msgmap = cmd == MSG_INFO ? (int)s->msg_count : MSGMAP;
	i.msgtql = cmd == MSG_INFO ? (int)s->msg_bytes : MSGTQL;
	return copy_out(c, c->arg[2], &i, sizeof i) ? FAIL(EFAULT) : REPLY(sysv_last_index(&s->msg));
}

static struct verdict stat_queue(struct call *c, int cmd)
{
	int e = EINVAL, id = (int)c->arg[0];
	struct msg_queue *q = cmd == IPC_STAT ? msg_by_id(c->k, id, &e) : (struct msg_queue *)sysv_by_index(&sysv_of(c->k)->msg, id);
	struct msqid_ds ds;

	if (!q)
		return FAIL(e);
	if (cmd != MSG_STAT_ANY && !sysv_allowed(c->k, c->proc, &q->perm, 0444))
		return FAIL(EACCES);
	memset(&ds, 0, sizeof ds);
	ds.msg_perm = sysv_perm_out(&q->perm);
	ds.msg_stime = q->stime;
	ds.msg_rtime = q->rtime;
	ds.msg_ctime = q->ctime;
	ds.__msg_cbytes = q->bytes;
	ds.msg_qnum = q->count;
	ds.msg_qbytes = q->bytes_max;
	ds.msg_lspid = q->sender;
	ds.msg_lrpid = q->receiver;
	return copy_out(c, c->arg[2], &ds, sizeof ds) ? FAIL(EFAULT) : REPLY(cmd == IPC_STAT ? 0 : q->perm.id);
}

static struct verdict set_or_remove(struct call *c, int cmd)
{
	struct msqid_ds ds;
	struct msg_queue *q;
	int e;

	if (cmd == IPC_SET && copy_in_raw(c, &ds, c->arg[2], sizeof ds))
		return FAIL(EFAULT);
	q = msg_by_id(c->k, (int)c->arg[0], &e);
	if (!q)
		return FAIL(e);
	e = sysv_owned(c->proc, &q->perm);
	if (e)
		return REPLY(e);
	if (cmd == IPC_RMID) {
		msg_remove(c->k, q);
		return REPLY(0);
	}
	if (ds.msg_qbytes > SYSV_MSG_MNB && !sysv_capable(c->proc))
		return FAIL(EPERM);
	if (ds.msg_perm.uid == UINT32_MAX || ds.msg_perm.gid == UINT32_MAX)
		return FAIL(EINVAL);
	sysv_set_perm(&q->perm, ds.msg_perm.uid, ds.msg_perm.gid, ds.msg_perm.mode);
	q->bytes_max = ds.msg_qbytes;
	q->ctime = sysv_now(c->k, c->proc);
	msg_changed(c->k, q);
	return REPLY(0);
}

struct verdict sys_msgctl(struct call *c)
{
	int cmd = (int)c->arg[1];

	if ((int)c->arg[0] < 0 || cmd < 0)
		return FAIL(EINVAL);
	switch (cmd) {
	case IPC_INFO:
	case MSG_INFO:
		return info(c, cmd);
	case IPC_STAT:
	case MSG_STAT:
	case MSG_STAT_ANY:
		return stat_queue(c, cmd);
	case IPC_SET:
	case IPC_RMID:
		return set_or_remove(c, cmd);
	}
	return FAIL(EINVAL);
}
