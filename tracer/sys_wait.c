/* wait4(2) and waitid(2). */
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include "kernel/pidfd.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* All that is known of a child's use of resources is its virtual CPU time. */
static int put_rusage(struct call *c, uint64_t addr, int64_t cpu_ns)
{
	struct rusage ru;

	if (!addr)
		return 0;
	memset(&ru, 0, sizeof ru);
	ru.ru_utime.tv_sec = cpu_ns / NS_PER_S;
	ru.ru_utime.tv_usec = cpu_ns % NS_PER_S / NS_PER_US;
	return copy_out(c, addr, &ru, sizeof ru);
}

static void set_options(struct wait_query *q, uint32_t opt)
{
	q->stopped = opt & WSTOPPED; /* = WUNTRACED */
	q->continued = opt & WCONTINUED;
	q->nowait = opt & WNOWAIT;
	q->all = opt & __WALL;
	q->only_clone = opt & __WCLONE;
}

static struct verdict wait_more(struct call *c)
{
	thread_wait_on(c->k, c->thread, &c->proc->child_wq);
	c->thread->wait_what = "a child's end";
	return BLOCK(-K_ERESTARTSYS);
}

struct verdict sys_wait4(struct call *c)
{
	int pid = (int)c->arg[0], rc;
	uint32_t opt = (uint32_t)c->arg[2];
	struct wait_query q = {.exited = true};
	struct wait_result r;

	if (opt & ~(uint32_t)(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return FAIL(EINVAL);
	if (pid == INT32_MIN)
		return FAIL(ESRCH);
	q.kind = pid == -1 ? WAIT_FOR_ANY : pid > 0 ? WAIT_FOR_PID : WAIT_FOR_GROUP;
	q.id = pid > 0 ? pid : pid ? -pid : c->proc->pgid;
	set_options(&q, opt);
	rc = proc_wait(c->k, c->proc, &q, &r);
	if (rc < 0)
		return REPLY(rc);
	if (!rc)
		return opt & WNOHANG ? REPLY(0) : wait_more(c);
	if ((c->arg[1] && copy_out(c, c->arg[1], &r.wstatus, sizeof r.wstatus)) || put_rusage(c, c->arg[3], r.cpu_ns))
		return FAIL(EFAULT);
	return REPLY(r.pid);
}

/* Whom waitid waits for. 0 or an errno; *nonblock: the pidfd says so. */
static int whom(struct call *c, struct wait_query *q, bool *nonblock)
{
	int id = (int)c->arg[1];
	struct file *f;
	struct proc *p;

	switch ((int)c->arg[0]) {
	case P_ALL:
		q->kind = WAIT_FOR_ANY;
		return 0;
	case P_PID:
		q->kind = WAIT_FOR_PID;
		q->id = id;
		return id <= 0 ? EINVAL : 0;
	case P_PGID:
		q->kind = WAIT_FOR_GROUP;
		q->id = id ? id : c->proc->pgid;
		return id < 0 ? EINVAL : 0;
	case P_PIDFD:
		f = call_file(c, c->arg[1]);
		if (id < 0)
			return EINVAL;
		if (!f || !file_is_pidfd(f))
			return EBADF;
		p = pidfd_proc(f);
		*nonblock = f->flags & O_NONBLOCK;
		q->kind = WAIT_FOR_PID;
		q->id = p ? p->pid : 0; /* 0: nobody's */
		return 0;
	}
	return EINVAL;
}

/* Only the fields that waitid(2) defines are written, as in the kernel. */
static int put_info(struct call *c, const struct wait_result *r)
{
	int32_t head[3] = {r ? SIGCHLD : 0, 0, r ? r->code : 0}, tail[3] = {0};

	if (!c->arg[2])
		return 0;
	if (r) {
		tail[0] = r->pid;
		tail[1] = (int32_t)r->uid;
		tail[2] = r->status;
	}
	return copy_out(c, c->arg[2], head, sizeof head) || copy_out(c, c->arg[2] + 16, tail, sizeof tail);
}

struct verdict sys_waitid(struct call *c)
{
	uint32_t opt = (uint32_t)c->arg[3];
	struct wait_query q = {.exited = opt & WEXITED};
	struct wait_result r;
	bool nonblock = false;
	int rc;

	if (opt & ~(uint32_t)(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return FAIL(EINVAL);
	if (!(opt & (WEXITED | WSTOPPED | WCONTINUED)))
		return FAIL(EINVAL);
	set_options(&q, opt);
	rc = -whom(c, &q, &nonblock);
	if (!rc)
		rc = proc_wait(c->k, c->proc, &q, &r);
	if (!rc && !(opt & WNOHANG)) {
		if (!nonblock)
			return wait_more(c);
		rc = -EAGAIN;
	}
	if ((rc == 1 && put_rusage(c, c->arg[4], r.cpu_ns)) || put_info(c, rc == 1 ? &r : NULL))
		return FAIL(EFAULT);
	return REPLY(rc == 1 ? 0 : rc);
}
