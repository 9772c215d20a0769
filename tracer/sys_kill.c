/* Sending signals: kill(2), tkill(2), sigqueue(3), pidfd_send_signal(2). */
#include "tracer/procfs.h"
#include "tracer/siginfo.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include "kernel/cred.h"
#include "kernel/pidfd.h"

#include <errno.h>

enum { CAP_KILL_NR = 5 };

/* check_kill_permission() and kill_ok_by_cred() in kernel/signal.c. 0 or -errno. */
static int may_signal(struct call *c, const struct proc *p, int sig)
{
	const struct proc *me = c->proc;

	if (sig < 0 || sig > K_NSIG)
		return -EINVAL;
	if (p == me || me->euid == p->suid || me->euid == p->uid || me->uid == p->suid || me->uid == p->uid)
		return 0;
	if (cred_capable(c->k, c->proc, CAP_KILL_NR) || (sig == SIGCONT && me->sid == p->sid))
		return 0;
	return -EPERM;
}

static struct sigitem from_me(const struct call *c, int sig, int code)
{
	return (struct sigitem){.sig = sig, .code = code, .pid = c->proc->pid, .uid = c->proc->uid};
}

/* Signal 0 only asks. 0 or -errno. May free p, when it is held for a restart. */
static int send(struct call *c, struct proc *p, struct thread *t, const struct sigitem *it)
{
	int rc = may_signal(c, p, it->sig);

	if (rc || !it->sig)
		return rc;
	return sig_queue(c->k, p, t, it);
}

/* ---- kill ---- */

/* __kill_pgrp_info(): succeeds when it did for one. */
static int send_group(struct call *c, int pgid, const struct sigitem *it)
{
	int rc = -ESRCH;
	bool any = false;

	list_each_safe(p, tmp, &c->k->proc_list, struct proc, in_kern)
		if (p->pgid == pgid) {
			rc = send(c, p, NULL, it);
			any |= !rc;
		}
	return any ? 0 : rc;
}

/* kill(-1): everybody but init and the caller; what must not be signalled is passed over. */
static int send_all(struct call *c, const struct sigitem *it)
{
	int rc = 0;
	bool any = false;

	list_each_safe(p, tmp, &c->k->proc_list, struct proc, in_kern)
		if (p != c->proc) {
			int r = send(c, p, NULL, it);
			any = true;
			if (r != -EPERM)
				rc = r;
		}
	return any ? rc : -ESRCH;
}

static int send_pid(struct call *c, int pid, const struct sigitem *it)
{
	struct proc *p = proc_find_any(c->k, pid);

	return p ? send(c, p, NULL, it) : -ESRCH;
}

struct verdict sys_kill(struct call *c)
{
	int pid = (int)c->arg[0];
	struct sigitem it = from_me(c, (int)c->arg[1], SI_USER);

	if (pid > 0)
		return REPLY(send_pid(c, pid, &it));
	if (pid == INT32_MIN)
		return FAIL(ESRCH);
	if (pid == -1)
		return REPLY(send_all(c, &it));
	return REPLY(send_group(c, pid ? -pid : c->proc->pgid, &it));
}

/* ---- to one thread ---- */

/* tgid 0: of whatever process. A process that has ended, but was not waited for, still counts as its leader. */
static int send_thread(struct call *c, int tgid, int tid, const struct sigitem *it)
{
	struct thread *t = thread_find(c->k, tid);
	struct proc *p = t ? t->proc : proc_find(c->k, tid);

	if (!p || (tgid && p != proc_find(c->k, tgid)))
		return -ESRCH;
	if (!t && !p->zombie) /* the leader has exited before the others */
		return may_signal(c, p, it->sig);
	return send(c, p, t, it);
}

struct verdict sys_tkill(struct call *c)
{
	int tid = (int)c->arg[0];
	struct sigitem it = from_me(c, (int)c->arg[1], SI_TKILL);

	return tid <= 0 ? FAIL(EINVAL) : REPLY(send_thread(c, 0, tid, &it));
}

struct verdict sys_tgkill(struct call *c)
{
	int tgid = (int)c->arg[0], tid = (int)c->arg[1];
	struct sigitem it = from_me(c, (int)c->arg[2], SI_TKILL);

	return tid <= 0 || tgid <= 0 ? FAIL(EINVAL) : REPLY(send_thread(c, tgid, tid, &it));
}

/* ---- with information ---- */

/* Only to itself may a process claim that the kernel or kill(2) sent it. */
static bool forged(const siginfo_t *si)
{
	return si->si_code >= 0 || si->si_code == SI_TKILL;
}

struct verdict sys_rt_sigqueueinfo(struct call *c)
{
	int pid = (int)c->arg[0];
	siginfo_t si;
	struct sigitem it;

	if (copy_in_raw(c, &si, c->arg[2], sizeof si))
		return FAIL(EFAULT);
	if (forged(&si) && c->thread->tid != pid)
		return FAIL(EPERM);
	siginfo_parse(&it, (int)c->arg[1], &si);
	return REPLY(send_pid(c, pid, &it));
}

struct verdict sys_rt_tgsigqueueinfo(struct call *c)
{
	int tgid = (int)c->arg[0], tid = (int)c->arg[1];
	siginfo_t si;
	struct sigitem it;

	if (copy_in_raw(c, &si, c->arg[3], sizeof si))
		return FAIL(EFAULT);
	if (tid <= 0 || tgid <= 0)
		return FAIL(EINVAL);
	if (forged(&si) && c->thread->tid != tid)
		return FAIL(EPERM);
	siginfo_parse(&it, (int)c->arg[2], &si);
	return REPLY(send_thread(c, tgid, tid, &it));
}

/* ---- by descriptor ---- */

enum { TO_THREAD = 1, TO_PROCESS = 2, TO_GROUP = 4 };

static struct verdict send_pidfd(struct call *c, struct proc *p, const struct sigitem *it)
{
	switch ((uint32_t)c->arg[3]) {
	case TO_GROUP:
		return REPLY(send_group(c, proc_seen_pid(p), it)); /* the group it leads, if any */
	case TO_THREAD:
		return REPLY(send(c, p, proc_main_thread(p), it));
	default:
		return REPLY(send(c, p, NULL, it));
	}
}

/* A pidfd's process, or that of an open /proc/PID (tgid_pidfd_to_pid() in fs/proc/base.c). *p is NULL when it has been
 * reaped. 0 or -EBADF. */
static int proc_of_fd(struct call *c, struct file *f, struct proc **p)
{
	const char *path = f ? procfs_path_of(f) : NULL;
	int num[PROCFS_NUMS];

	if (f && file_is_pidfd(f))
		*p = pidfd_proc(f);
	else if (path && procfs_match("/proc/#", path, num) == 1)
		*p = proc_find(c->k, num[0]);
	else
		return -EBADF;
	return 0;
}

struct verdict sys_pidfd_send_signal(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[3];
	struct file *f = call_file(c, c->arg[0]);
	struct sigitem it = from_me(c, (int)c->arg[1], SI_USER);
	struct proc *p;
	siginfo_t si;

	if (flags & ~(uint32_t)(TO_THREAD | TO_PROCESS | TO_GROUP))
		return call_refuse(c, EINVAL, "pidfd_send_signal flags 0x%x", flags);
	if (flags & (flags - 1))
		return FAIL(EINVAL);
	if (proc_of_fd(c, f, &p))
		return FAIL(EBADF);
	if (c->arg[2]) {
		if (copy_in_raw(c, &si, c->arg[2], sizeof si))
			return FAIL(EFAULT);
		if (si.si_signo != it.sig)
			return FAIL(EINVAL);
		if ((p != c->proc || flags == TO_GROUP) && forged(&si))
			return FAIL(EPERM);
		siginfo_parse(&it, it.sig, &si);
	}
	return p ? send_pidfd(c, p, &it) : FAIL(ESRCH);
}

struct verdict sys_pidfd_open(struct call *c)
{
	enum { NONBLOCK = O_NONBLOCK, THREAD = O_EXCL };
	int pid = (int)c->arg[0];
	uint32_t flags = (uint32_t)c->arg[1];
	struct proc *p;

	if (flags & ~(uint32_t)(NONBLOCK | THREAD))
		return FAIL(EINVAL);
	if (flags & THREAD)
		return call_refuse(c, EINVAL, "pidfd_open of a thread");
	if (pid <= 0)
		return FAIL(EINVAL);
	p = proc_find(c->k, pid);
	if (!p)
		return FAIL(thread_find(c->k, pid) ? ENOENT : ESRCH);
	return REPLY(call_install(c, pidfd_new(c->k, p, flags & NONBLOCK), true));
}
