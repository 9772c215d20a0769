/* clone, clone3, fork, vfork: the kernel makes the thread or process, the simulator gives it its place. */
#include "tracer/call.h"
#include "tracer/node.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/sys_proc.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include "base/mem.h"
#include "kernel/cred.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The arguments of clone(2), whichever call brought them. */
struct spawn {
	uint64_t flags; /* without the exit signal */
	int exit_signal;
	uint64_t stack, parent_tid, child_tid, tls, pidfd;
};

/* Namespaces, tracing and cgroups are no business of guests; CLONE_CLEAR_SIGHAND is answered as an older kernel does. */
#define REFUSED_FLAGS                                                                                                      \
	((uint64_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |            \
	 CLONE_NEWNET | CLONE_IO | 0xffffffff00000000ull)

static int check(const struct spawn *sp)
{
	uint64_t f = sp->flags;

	if ((f & CLONE_SIGHAND) && !(f & CLONE_VM))
		return -EINVAL;
	if ((f & CLONE_THREAD) && !(f & CLONE_SIGHAND))
		return -EINVAL;
	if ((f & CLONE_PIDFD) && (f & (CLONE_THREAD | CLONE_DETACHED)))
		return -EINVAL;
	if (sp->exit_signal < 0 || sp->exit_signal > K_NSIG)
		return -EINVAL;
	return 0;
}

/*
 * The watchdog's interrupt may reach a thread that already stands in the stop of this call, unseen by us yet. It is pending
 * then, and copy_process() in kernel/fork.c makes nothing while a signal is: the kernel restarts the call after the
 * interrupt's stop, with the same registers, and it comes to its entry stop anew.
 */
static int clone_exit(struct task *t)
{
	enum { ERESTARTNOINTR_ = 513 };

	for (;;) {
		int status = pt_to_exit(t->tid);
		struct user_regs_struct r;
		if (status == -1 || !WIFSTOPPED(status) || pt_event(status))
			return status;
		pt_getregs(t->tid, &r);
		if ((int64_t)r.rax != -ERESTARTNOINTR_)
			return status;
		do {
			pt_cont(t->tid, 0);
			status = pt_wait(t->tid);
		} while (status != -1 && WIFSTOPPED(status) && pt_event(status) == PTRACE_EVENT_STOP);
		if (status == -1 || !WIFSTOPPED(status) || pt_event(status) != PTRACE_EVENT_SECCOMP)
			return status;
	}
}

/* Lets the call happen with the registers for clone(2); the new thread's tid as the supervisor sees it, or -errno. */
static int64_t perform(struct sim *s, struct task *t, const struct spawn *sp, struct user_regs_struct *saved)
{
	struct user_regs_struct r;
	uint64_t flags = sp->flags & ~(uint64_t)(CLONE_PIDFD | CLONE_UNTRACED | CLONE_PTRACE);
	int status;

	pt_getregs(t->tid, saved);
	r = *saved;
	if (!(flags & CLONE_THREAD)) {
		/* Real parents are all the supervisor, so that it can reap every guest in its own order; and what real
		 * processes share in descriptors is only a cache, see realfile.c. */
		flags |= CLONE_PARENT | SIGCHLD;
		flags &= ~(uint64_t)CLONE_FILES;
	}
	r.orig_rax = SYS_clone;
	r.rdi = flags;
	r.rsi = sp->stack;
	r.rdx = sp->parent_tid;
	r.r10 = sp->child_tid;
	r.r8 = sp->tls;
	pt_setregs(t->tid, &r);
	status = clone_exit(t);
	if (status == -1 || !WIFSTOPPED(status)) {
		sim_verdict(s, CLASS_HARNESS, "process %d ended inside clone", t->thread->proc->pid);
		return -ESRCH;
	}
	if (pt_event(status) == PTRACE_EVENT_CLONE || pt_event(status) == PTRACE_EVENT_FORK ||
	    pt_event(status) == PTRACE_EVENT_VFORK)
		return (int64_t)pt_message(t->tid);
	pt_getregs(t->tid, &r);
	return (int64_t)r.rax;
}

static void restore_regs(pid_t tid, const struct user_regs_struct *saved)
{
	struct user_regs_struct r;

	pt_getregs(tid, &r);
	r.rdi = saved->rdi;
	r.rsi = saved->rsi;
	r.rdx = saved->rdx;
	r.r10 = saved->r10;
	r.r8 = saved->r8;
	pt_setregs(tid, &r);
}

static struct proc *child_proc(struct sim *s, struct call *c, const struct spawn *sp, int pid, pid_t tid)
{
	struct proc *p = proc_fork(c->k, c->proc, pid, (sp->flags & CLONE_VM) != 0, (sp->flags & CLONE_FILES) != 0,
				   (sp->flags & CLONE_SIGHAND) != 0);

	p->exit_signal = sp->exit_signal;
	if (sp->flags & CLONE_PARENT)
		proc_set_parent(p, c->proc->parent);
	p->host = hostproc_copy(s, proc_host(c->proc), tid, (sp->flags & CLONE_FS) != 0);
	return p;
}

static struct task *child_task(struct sim *s, struct call *c, const struct spawn *sp, int pid, pid_t tid)
{
	struct proc *p = sp->flags & CLONE_THREAD ? c->proc : child_proc(s, c, sp, pid, tid);
	struct thread *th = thread_new(c->k, p, pid);
	struct task *t = task_new(s, th, tid, proc_host(p)->tgid);

	t->steppable = true;
	memcpy(th->comm, c->thread->comm, sizeof th->comm);
	th->sigmask = c->thread->sigmask;
	if (sp->flags & CLONE_CHILD_CLEARTID)
		th->clear_tid_addr = sp->child_tid;
	return t;
}

/* The child's first stop, which attaching makes; nothing of it has run. */
static void await_birth(struct sim *s, pid_t tid, const struct user_regs_struct *saved)
{
	int status = pt_wait(tid);

	if (status == -1 || !WIFSTOPPED(status))
		sim_verdict(s, CLASS_HARNESS, "a new thread ended before it ran");
	else
		restore_regs(tid, saved);
}

static int64_t give_pidfd(struct call *c, struct proc *child, uint64_t addr)
{
	int fd = proc_pidfd(c, child, true);

	if (fd >= 0)
		copy_out(c, addr, &fd, sizeof fd);
	return fd;
}

/* RLIMIT_NPROC counts the threads of a real user, zombies too; root and privileged processes exceed it (copy_process()). */
static bool too_many(struct call *c)
{
	const uint64_t limit = c->proc->rlim[RLIMIT_NPROC][0];
	uint64_t n = 0;

	if (!c->proc->uid || limit >= 32768 || cred_capable(c->k, c->proc, CAP_SYS_ADMIN) ||
	    cred_capable(c->k, c->proc, CAP_SYS_RESOURCE))
		return false;
	list_each(p, &c->k->proc_list, struct proc, in_kern)
		n += p->uid == c->proc->uid ? MAX(p->nthreads, 1U) : 0;
	return n >= limit;
}

static struct verdict spawn(struct call *c, const struct spawn *sp)
{
	struct sim *s = c->sim;
	struct task *t = c->task, *child;
	struct user_regs_struct saved;
	int pid = s->next_pid, rc = check(sp);
	int64_t tid;

	if (!rc && (sp->flags & REFUSED_FLAGS))
		return observe_fail(c, call_refuse(c, EINVAL, "clone flags 0x%llx", (unsigned long long)(sp->flags & REFUSED_FLAGS)).value);
	if (rc)
		return observe_fail(c, rc);
	if (too_many(c))
		return observe_fail(c, -EAGAIN);
	tid = perform(s, t, sp, &saved);
	if (tid < 0) {
		restore_regs(t->tid, &saved);
		sim_warn(s, "the host refused a new thread: %s", strerror((int)-tid));
		return TRACED(tid);
	}
	s->next_pid++;
	await_birth(s, (pid_t)tid, &saved);
	child = child_task(s, c, sp, pid, (pid_t)tid);
	if (sp->flags & CLONE_PIDFD)
		give_pidfd(c, child->thread->proc, sp->pidfd);
	sim_event(s, c->proc, "%s %d", sp->flags & CLONE_THREAD ? "thread" : "process", pid);
	thread_wake(c->k, child->thread);
	if (sp->flags & CLONE_VFORK) {
		restore_regs(t->tid, &saved);
		t->park = PARK_VFORK;
		t->vfork_child = child->thread->proc;
		proc_host(child->thread->proc)->vfork_parent = t;
		c->thread->wait_what = "vfork";
		thread_block(c->k, c->thread);
		return TRACED(pid);
	}
	if (pt_to_exit(t->tid) == -1)
		return GONE();
	restore_regs(t->tid, &saved);
	return TRACED(pid);
}

struct verdict sys_fork(struct call *c)
{
	return spawn(c, &(struct spawn){.exit_signal = SIGCHLD});
}

struct verdict sys_vfork(struct call *c)
{
	return spawn(c, &(struct spawn){.flags = CLONE_VFORK | CLONE_VM, .exit_signal = SIGCHLD});
}

struct verdict sys_clone(struct call *c)
{
	struct spawn sp = {.flags = c->arg[0] & 0xffffff00u,
			   .exit_signal = (int)(c->arg[0] & 0xff),
			   .stack = c->arg[1],
			   .parent_tid = c->arg[2],
			   .child_tid = c->arg[3],
			   .tls = c->arg[4],
			   .pidfd = c->arg[2]};

	return spawn(c, &sp);
}

struct verdict sys_clone3(struct call *c)
{
	struct clone_args a = {0};
	struct spawn sp;

	if (c->arg[1] < CLONE_ARGS_SIZE_VER0)
		return observe_fail(c, -EINVAL);
	if (c->arg[1] > 4096)
		return observe_fail(c, -E2BIG);
	if (copy_in_raw(c, &a, c->arg[0], MIN(c->arg[1], sizeof a)))
		return observe_fail(c, -EFAULT);
	if (a.set_tid_size || a.exit_signal > K_NSIG)
		return observe_fail(c, -EINVAL);
	sp = (struct spawn){.flags = a.flags,
			    .exit_signal = (int)a.exit_signal,
			    .stack = a.stack ? a.stack + a.stack_size : 0,
			    .parent_tid = a.parent_tid,
			    .child_tid = a.child_tid,
			    .tls = a.tls,
			    .pidfd = a.pidfd};
	return spawn(c, &sp);
}
