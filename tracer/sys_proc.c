/* Identity of processes, process groups and sessions; sched_yield. */
#include "tracer/sys_proc.h"
#include "tracer/syscalls.h"

#include "kernel/pidfd.h"

#include <errno.h>

int proc_pidfd(struct call *c, struct proc *p, bool cloexec)
{
	return call_install(c, pidfd_new(c->k, p, 0), cloexec);
}

/* ---- identity ---- */

struct verdict sys_getpid(struct call *c)
{
	return REPLY(c->proc->pid);
}

struct verdict sys_gettid(struct call *c)
{
	return REPLY(c->thread->tid);
}

/* An orphan's parent is init. The driver's is outside of the simulation: 0, as across pid namespaces. */
struct verdict sys_getppid(struct call *c)
{
	if (c->proc->parent)
		return REPLY(c->proc->parent->pid);
	return REPLY(c->proc->outside_parent ? 0 : 1);
}

/* ---- process groups and sessions ---- */

static bool group_in_session(const struct kern *k, int pgid, int sid)
{
	list_each(p, &k->proc_list, struct proc, in_kern)
		if (p->pgid == pgid && p->sid == sid)
			return true;
	return false;
}

/* The checks of setpgid(2), in the order of kernel/sys.c. */
static int check_setpgid(struct call *c, const struct proc *p, int pgid)
{
	if (p->parent == c->proc) {
		if (p->sid != c->proc->sid)
			return EPERM;
		if (p->exec_done)
			return EACCES;
	} else if (p != c->proc) {
		return ESRCH;
	}
	if (p->sid == p->pid)
		return EPERM;
	if (pgid != p->pid && pgid != proc_seen_pid(p) && !group_in_session(c->k, pgid, c->proc->sid))
		return EPERM;
	return 0;
}

struct verdict sys_setpgid(struct call *c)
{
	int pid = (int)c->arg[0], pgid = (int)c->arg[1], e;
	struct proc *p = pid ? proc_find(c->k, pid) : c->proc;

	if (!pgid)
		pgid = pid ? pid : c->proc->pid;
	if (pgid < 0)
		return FAIL(EINVAL);
	if (!p)
		return FAIL(thread_find(c->k, pid) ? EINVAL : ESRCH);
	e = check_setpgid(c, p, pgid);
	if (e)
		return FAIL(e);
	p->pgid = pgid;
	return REPLY(0);
}

static struct verdict id_of(struct call *c, bool session)
{
	int pid = (int)c->arg[0];
	const struct proc *p = pid ? proc_find_any(c->k, pid) : c->proc;

	if (!p)
		return FAIL(ESRCH);
	return REPLY(session ? p->sid : p->pgid);
}

struct verdict sys_getpgid(struct call *c)
{
	return id_of(c, false);
}

struct verdict sys_getsid(struct call *c)
{
	return id_of(c, true);
}

struct verdict sys_getpgrp(struct call *c)
{
	return REPLY(c->proc->pgid);
}

struct verdict sys_setsid(struct call *c)
{
	/* A leader must not leave its group behind: another process could still be in it. */
	if (proc_group_exists(c->k, c->proc->pid))
		return FAIL(EPERM);
	c->proc->sid = c->proc->pgid = c->proc->pid;
	c->proc->ctty = NULL;
	return REPLY(c->proc->pid);
}

/* ---- the scheduler ---- */

struct verdict sys_sched_yield(struct call *c)
{
	thread_yield(c->k, c->thread);
	return REPLY(0);
}
