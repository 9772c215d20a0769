#include "kernel/mqueue.h"

#include "kernel/cred.h"

#include <stdio.h>
#include <string.h>

/* Limits of the system: /proc/sys/fs/mqueue; those of root are HARD_MSGMAX and HARD_MSGSIZEMAX. */
enum { DEFAULT_MSGS = 10, DEFAULT_SIZE = 8192, MSGS_MAX = 10, MSGSIZE_MAX = 8192, QUEUES_MAX = 256 };
enum { HARD_MSGS = 65536, HARD_SIZE = 16 << 20 };
enum { LIM_MSGQUEUE = 12, MSG_BYTES = 48, NODE_BYTES = 48 }; /* what a queue counts against the limit with */

struct mq_message {
	struct list link;
	unsigned prio;
	size_t len;
	char *text;
};

struct mqueue {
	struct list link; /* in kern.mqueues; nowhere once unlinked */
	unsigned refs;    /* its name, and open files */
	char name[MQ_NAME_MAX + 1];
	uint32_t uid, gid, mode;
	int64_t maxmsg, msgsize, curmsgs;
	uint64_t bytes;        /* counted against the owner's limit */
	struct list messages;  /* struct mq_message, highest priority first */
	struct list files;     /* struct mq_file */
	struct waitq senders, receivers;
	struct procref notify; /* who is told of a message in the empty queue */
	int how, sig;
	int64_t value;
	bool registered;
};

struct mq_file {
	struct list link;
	struct file *file;
	struct mqueue *q;
};

static const struct file_ops mq_ops;

/* ---- life ---- */

static void unref(struct kern *k, struct mqueue *q)
{
	if (--q->refs)
		return;
	list_each_safe(m, tmp, &q->messages, struct mq_message, link) {
		arena_release(k->arena, m->text, m->len);
		arena_release_of(k->arena, m);
	}
	procref_drop(&q->notify);
	arena_release_of(k->arena, q);
}

static struct mqueue *find(struct kern *k, const char *name)
{
	list_each(q, &k->mqueues, struct mqueue, link)
		if (!strcmp(q->name, name))
			return q;
	return NULL;
}

static uint64_t used_bytes(struct kern *k, uint32_t uid, unsigned *n)
{
	uint64_t bytes = 0;

	*n = 0;
	list_each(q, &k->mqueues, struct mqueue, link) {
		bytes += q->uid == uid ? q->bytes : 0;
		++*n;
	}
	return bytes;
}

/* mqueue_get_inode(): 0 or -errno. */
static int check_attr(struct kern *k, struct proc *p, int64_t maxmsg, int64_t msgsize, uint64_t *bytes)
{
	bool root = p->euid == 0; /* CAP_SYS_RESOURCE */
	unsigned queues;
	uint64_t used = used_bytes(k, p->euid, &queues);

	if (queues >= QUEUES_MAX && !root)
		return -ENOSPC;
	if (maxmsg <= 0 || msgsize <= 0)
		return -EINVAL;
	if (maxmsg > (root ? HARD_MSGS : MSGS_MAX) || msgsize > (root ? HARD_SIZE : MSGSIZE_MAX))
		return -EINVAL;
	*bytes = (uint64_t)maxmsg * (uint64_t)(msgsize + MSG_BYTES) +
		 (uint64_t)(maxmsg < MQ_PRIORITIES ? maxmsg : MQ_PRIORITIES) * NODE_BYTES;
	return used + *bytes > p->rlim[LIM_MSGQUEUE][0] ? -EMFILE : 0;
}

static int create(struct kern *k, struct proc *p, const char *name, uint32_t mode, const struct mq_limits *attr,
		  struct mqueue **out)
{
	int64_t maxmsg = attr ? attr->maxmsg : DEFAULT_MSGS, msgsize = attr ? attr->msgsize : DEFAULT_SIZE;
	uint64_t bytes;
	struct mqueue *q;
	int rc = check_attr(k, p, maxmsg, msgsize, &bytes);

	if (rc)
		return rc;
	q = *out = arena_new_of(k->arena, struct mqueue);
	q->refs = 1;
	snprintf(q->name, sizeof q->name, "%s", name);
	q->uid = cred_of(k, p)->fsuid;
	q->gid = cred_of(k, p)->fsgid;
	q->mode = mode & 07777;
	q->maxmsg = maxmsg;
	q->msgsize = msgsize;
	q->bytes = bytes;
	list_init(&q->messages);
	list_init(&q->files);
	waitq_init(&q->senders);
	waitq_init(&q->receivers);
	list_init(&q->notify.link);
	list_add_tail(&k->mqueues, &q->link);
	return 0;
}

/* May p open it so? */
static bool allowed(struct kern *k, struct proc *p, const struct mqueue *q, uint32_t flags)
{
	uint32_t acc = flags & O_ACCMODE, want = acc == O_RDONLY ? 4 : acc == O_WRONLY ? 2 : 6, granted = q->mode;
	uint32_t uid = cred_of(k, p)->fsuid;

	if (uid == q->uid)
		granted >>= 6;
	else if (cred_in_group(k, p, q->gid))
		granted >>= 3;
	return !(want & ~granted & 7) || uid == 0;
}

static int look_up(struct kern *k, struct proc *p, const char *name, uint32_t flags, uint32_t mode, const struct mq_limits *attr,
		   struct mqueue **out)
{
	*out = find(k, name);
	if (!*out)
		return flags & O_CREAT ? create(k, p, name, mode, attr, out) : -ENOENT;
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	if ((flags & O_ACCMODE) == O_ACCMODE)
		return -EINVAL;
	return allowed(k, p, *out, flags) ? 0 : -EACCES;
}

int mq_open_queue(struct kern *k, struct proc *p, const char *name, uint32_t flags, uint32_t mode, const struct mq_limits *attr,
		  struct file **out)
{
	struct mqueue *q;
	struct mq_file *mf;
	int rc;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/'))
		return -EACCES;
	if (strlen(name) > MQ_NAME_MAX)
		return -ENAMETOOLONG;
	rc = look_up(k, p, name, flags, mode, attr, &q);
	if (rc)
		return rc;
	mf = arena_new_of(k->arena, struct mq_file);
	mf->q = q;
	q->refs++;
	list_add_tail(&q->files, &mf->link);
	*out = mf->file = file_new(k, &mq_ops, mf, flags & (O_ACCMODE | O_NONBLOCK));
	return 0;
}

int mq_unlink_queue(struct kern *k, struct proc *p, const char *name)
{
	struct mqueue *q;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/'))
		return -EACCES;
	q = find(k, name);
	if (!q)
		return strlen(name) > MQ_NAME_MAX ? -ENAMETOOLONG : -ENOENT;
	if (cred_of(k, p)->fsuid && cred_of(k, p)->fsuid != q->uid)
		return -EPERM; /* the directory is sticky */
	list_del(&q->link);
	unref(k, q);
	return 0;
}

/* ---- files ---- */

static struct mqueue *queue_of(const struct file *f)
{
	return ((struct mq_file *)f->obj)->q;
}

struct mqueue *mq_of(const struct file *f)
{
	return f->ops == &mq_ops ? queue_of(f) : NULL;
}

const char *mq_name(const struct mqueue *q)
{
	return q->name;
}

uint32_t mq_mode(const struct mqueue *q, uint32_t *uid, uint32_t *gid)
{
	*uid = q->uid;
	*gid = q->gid;
	return q->mode;
}

struct mq_limits mq_attr_of(const struct file *f)
{
	const struct mqueue *q = queue_of(f);

	return (struct mq_limits){f->flags & O_NONBLOCK, q->maxmsg, q->msgsize, q->curmsgs};
}

struct waitq *mq_waitq(struct mqueue *q, bool senders)
{
	return senders ? &q->senders : &q->receivers;
}

/* What a read of the file shows: mqueue_read_file(). */
static int64_t mq_pread(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos)
{
	const struct mqueue *q = queue_of(f);
	const struct proc *p = q->registered ? q->notify.p : NULL;
	uint64_t bytes = 0;
	char text[128];
	int n;

	list_each(m, &q->messages, struct mq_message, link)
		bytes += m->len;
	n = snprintf(text, sizeof text, "QSIZE:%-10llu NOTIFY:%-5d SIGNO:%-5d NOTIFY_PID:%-6d\n", (unsigned long long)bytes,
		     p ? q->how : 0, p && q->how == MQ_SIGEV_SIGNAL ? q->sig : 0, p ? proc_seen_pid(p) : 0);
	if (pos >= n)
		return 0;
	if (len > (size_t)(n - pos))
		len = (size_t)(n - pos);
	memcpy(buf, text + pos, len);
	return (int64_t)len;
}

static int64_t mq_end(struct kern *k, struct file *f)
{
	return 80; /* FILENT_SIZE */
}

static uint32_t mq_poll(struct kern *k, struct file *f)
{
	const struct mqueue *q = queue_of(f);

	return (q->curmsgs ? K_EPOLLIN | K_EPOLLRDNORM : 0) | (q->curmsgs < q->maxmsg ? K_EPOLLOUT | K_EPOLLWRNORM : 0);
}

static void mq_release(struct kern *k, struct file *f)
{
	struct mq_file *mf = f->obj;
	struct mqueue *q = mf->q;

	list_del(&mf->link);
	arena_release_of(k->arena, mf);
	unref(k, q);
}

/* Closing any descriptor of the queue ends the registration: mqueue_flush_file(). */
static void mq_closed(struct kern *k, struct file *f, struct proc *p)
{
	mq_unregister(k, p, queue_of(f));
}

static const struct file_ops mq_ops = {
	.kind = "mqueue",
	.pread = mq_pread,
	.end = mq_end,
	.poll = mq_poll,
	.release = mq_release,
	.closed = mq_closed,
};

static void tell(struct mqueue *q, uint32_t events)
{
	list_each(mf, &q->files, struct mq_file, link)
		file_notify(mf->file, events);
}

/* ---- messages ---- */

static void notify(struct kern *k, struct mqueue *q, const struct proc *sender)
{
	struct proc *p = q->notify.p;
	struct sigitem it = {.sig = q->sig, .code = SI_MESGQ, .pid = proc_seen_pid(sender), .uid = sender->uid, .value = q->value};

	if (!q->registered)
		return;
	q->registered = false;
	procref_drop(&q->notify);
	if (p && q->how == MQ_SIGEV_SIGNAL && q->sig)
		sig_send(k, p, NULL, &it);
}

int mq_send_message(struct kern *k, struct proc *p, struct mqueue *q, const void *text, size_t len, unsigned prio)
{
	struct mq_message *m;
	struct list *before = &q->messages;

	if (len > (uint64_t)q->msgsize)
		return -EMSGSIZE;
	if (q->curmsgs >= q->maxmsg)
		return -EAGAIN;
	m = arena_new_of(k->arena, struct mq_message);
	m->prio = prio;
	m->len = len;
	m->text = arena_alloc(k->arena, len);
	memcpy(m->text, text, len);
	list_each(o, &q->messages, struct mq_message, link)
		if (o->prio < prio) {
			before = &o->link;
			break;
		}
	list_add_tail(before, &m->link);
	/* Not when somebody waits for the message: it is as good as received. */
	if (q->curmsgs++ == 0 && list_empty(&q->receivers.waiters))
		notify(k, q, p);
	waitq_wake(&q->receivers, 0);
	tell(q, K_EPOLLIN | K_EPOLLRDNORM);
	return 0;
}

int64_t mq_receive_message(struct kern *k, struct mqueue *q, void *buf, size_t len, unsigned *prio)
{
	struct mq_message *m = list_first(&q->messages, struct mq_message, link);
	int64_t n;

	if (len < (uint64_t)q->msgsize)
		return -EMSGSIZE;
	if (!m)
		return -EAGAIN;
	n = (int64_t)m->len;
	memcpy(buf, m->text, m->len);
	*prio = m->prio;
	list_del(&m->link);
	arena_release(k->arena, m->text, m->len);
	arena_release_of(k->arena, m);
	q->curmsgs--;
	waitq_wake(&q->senders, 0);
	tell(q, K_EPOLLOUT | K_EPOLLWRNORM);
	return n;
}

int mq_register(struct kern *k, struct proc *p, struct mqueue *q, int how, int sig, int64_t value)
{
	if (q->registered && q->notify.p)
		return -EBUSY;
	q->registered = true;
	q->how = how;
	q->sig = sig;
	q->value = value;
	procref_set(&q->notify, p);
	return 0;
}

void mq_unregister(struct kern *k, struct proc *p, struct mqueue *q)
{
	if (!q->registered || q->notify.p != p)
		return;
	q->registered = false;
	procref_drop(&q->notify);
}
