/* POSIX message queues: mq_open(3) and its kin. Queues are in kernel/mqueue.c. */
#include "kernel/mqueue.h"

#include "kernel/wall.h"
#include "tracer/syscalls.h"
#include "tracer/task.h"
#include "tracer/timespec.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

struct abi_mq_attr {
	int64_t flags, maxmsg, msgsize, curmsgs, reserved[4];
};

static int name_arg(struct call *c, uint64_t addr, char out[PATH_MAX])
{
	int n = copy_in_str(c, out, PATH_MAX, addr);

	if (n >= 0)
		call_note(c, "%s", out);
	return n;
}

struct verdict sys_mq_open(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[1], mode = (uint32_t)c->arg[2];
	struct abi_mq_attr a;
	struct mq_limits limits;
	char name[PATH_MAX];
	struct file *f;
	int rc;

	if (c->arg[3] && copy_in(c, &a, c->arg[3], sizeof a))
		return FAIL(EFAULT);
	rc = name_arg(c, c->arg[0], name);
	if (rc < 0)
		return FAIL(-rc);
	if (c->arg[3])
		limits = (struct mq_limits){0, a.maxmsg, a.msgsize, 0};
	rc = mq_open_queue(c->k, c->proc, name, flags, mode & ~call_fs(c)->umask, c->arg[3] ? &limits : NULL, &f);
	return rc < 0 ? FAIL(-rc) : REPLY(call_install(c, f, true)); /* always close-on-exec */
}

struct verdict sys_mq_unlink(struct call *c)
{
	char name[PATH_MAX];
	int rc = name_arg(c, c->arg[0], name);

	return rc < 0 ? FAIL(-rc) : REPLY(mq_unlink_queue(c->k, c->proc, name));
}

/* ---- sending and receiving ---- */

/* The deadline on the wall clock in s[6], s[5] says that there is one. 0 or an errno. */
static int read_timeout(struct call *c, uint64_t addr)
{
	struct abi_timespec ts;

	if (!addr || c->tries)
		return 0;
	if (copy_in(c, &ts, addr, sizeof ts))
		return EFAULT;
	if (!timespec_valid(&ts))
		return EINVAL;
	c->s[5] = 1;
	c->s[6] = (uint64_t)timespec_ns(&ts);
	c->follows_wall = true;
	return 0;
}

static struct verdict wait_more(struct call *c, struct file *f, bool sending)
{
	if (f->flags & O_NONBLOCK)
		return FAIL(EAGAIN);
	if (c->thread->timed_out)
		return FAIL(ETIMEDOUT);
	c->thread->wait_what = sending ? "room in a message queue" : "a message in a queue";
	c->thread->wait_detail = f->id;
	thread_wait_on(c->k, c->thread, mq_waitq(mq_of(f), sending));
	if (c->s[5])
		thread_wait_until(c->k, c->thread, wall_deadline(c->k, c->proc->node, (int64_t)c->s[6]));
	call_keep(c, f);
	return BLOCK(-K_ERESTARTSYS);
}

struct verdict sys_mq_timedsend(struct call *c)
{
	size_t len = c->arg[2];
	unsigned prio = (unsigned)c->arg[3];
	struct file *f;
	void *text;
	int rc;

	if (prio >= MQ_PRIORITIES)
		return FAIL(EINVAL);
	rc = read_timeout(c, c->arg[4]);
	if (rc)
		return FAIL(rc);
	f = call_hold(c, c->arg[0]);
	if (!f || !mq_of(f) || (f->flags & O_ACCMODE) == O_RDONLY)
		return FAIL(EBADF);
	if (len > (uint64_t)mq_attr_of(f).msgsize)
		return FAIL(EMSGSIZE);
	text = call_scratch(c, len);
	if (copy_in(c, text, c->arg[1], len))
		return FAIL(EFAULT);
	rc = mq_send_message(c->k, c->proc, mq_of(f), text, len, prio);
	return rc == -EAGAIN ? wait_more(c, f, true) : REPLY(rc);
}

struct verdict sys_mq_timedreceive(struct call *c)
{
	size_t len = c->arg[2];
	struct file *f;
	unsigned prio;
	int64_t n;
	void *buf;
	int rc = read_timeout(c, c->arg[4]);

	if (rc)
		return FAIL(rc);
	f = call_hold(c, c->arg[0]);
	if (!f || !mq_of(f) || (f->flags & O_ACCMODE) == O_WRONLY)
		return FAIL(EBADF);
	if (len < (uint64_t)mq_attr_of(f).msgsize)
		return FAIL(EMSGSIZE);
	buf = call_scratch(c, (size_t)mq_attr_of(f).msgsize);
	n = mq_receive_message(c->k, mq_of(f), buf, len, &prio);
	if (n == -EAGAIN)
		return wait_more(c, f, false);
	if (c->arg[3] && copy_out(c, c->arg[3], &prio, sizeof prio))
		return FAIL(EFAULT);
	return copy_out(c, c->arg[1], buf, (size_t)n) ? FAIL(EFAULT) : REPLY(n);
}

/* ---- notification, attributes ---- */

static struct verdict do_notify(struct call *c, const struct sigevent *ev)
{
	struct file *f;

	if (ev && ev->sigev_notify == SIGEV_THREAD)
		return call_refuse(c, ENOSYS, "mq_notify with SIGEV_THREAD");
	if (ev && ev->sigev_notify != SIGEV_NONE && ev->sigev_notify != SIGEV_SIGNAL)
		return FAIL(EINVAL);
	if (ev && ev->sigev_notify == SIGEV_SIGNAL && (ev->sigev_signo < 0 || ev->sigev_signo > K_NSIG))
		return FAIL(EINVAL);
	f = call_file(c, c->arg[0]);
	if (!f || !mq_of(f))
		return FAIL(EBADF);
	if (!ev) {
		mq_unregister(c->k, c->proc, mq_of(f));
		return REPLY(0);
	}
	return REPLY(mq_register(c->k, c->proc, mq_of(f), ev->sigev_notify == SIGEV_NONE ? MQ_SIGEV_NONE : MQ_SIGEV_SIGNAL,
				 ev->sigev_signo, (int64_t)ev->sigev_value.sival_ptr));
}

struct verdict sys_mq_notify(struct call *c)
{
	struct sigevent ev;

	if (!c->arg[1])
		return do_notify(c, NULL);
	return copy_in_raw(c, &ev, c->arg[1], sizeof ev) ? FAIL(EFAULT) : do_notify(c, &ev);
}

struct verdict sys_mq_getsetattr(struct call *c)
{
	struct abi_mq_attr new, old;
	struct mq_limits now;
	struct file *f;

	if (c->arg[1]) {
		if (copy_in_raw(c, &new, c->arg[1], sizeof new))
			return FAIL(EFAULT);
		if (new.flags & ~(int64_t)O_NONBLOCK)
			return FAIL(EINVAL);
	}
	f = call_file(c, c->arg[0]);
	if (!f || !mq_of(f))
		return FAIL(EBADF);
	now = mq_attr_of(f);
	if (c->arg[1])
		f->flags = (f->flags & ~(uint32_t)O_NONBLOCK) | (uint32_t)new.flags;
	old = (struct abi_mq_attr){now.flags, now.maxmsg, now.msgsize, now.curmsgs, {0}};
	return c->arg[2] && copy_out(c, c->arg[2], &old, sizeof old) ? FAIL(EFAULT) : REPLY(0);
}
