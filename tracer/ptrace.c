#include "tracer/ptrace.h"

#include "base/err.h"
#include "tracer/notify.h"
#include "tracer/sim.h"
#include "tracer/vdso_image.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int pt_seize(pid_t tid)
{
	return ptrace(PTRACE_SEIZE, tid, 0, PT_OPTIONS) < 0 ? -errno : 0;
}

int pt_wait(pid_t tid)
{
	int status;
	pid_t got;

	do
		got = waitpid(tid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	return got == tid ? status : -1;
}

void pt_getregs(pid_t tid, struct user_regs_struct *r)
{
	struct iovec v = {r, sizeof *r};

	memset(r, 0, sizeof *r);
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v) < 0 && errno != ESRCH)
		BUG("cannot read the registers of %d: %s", tid, strerror(errno));
}

void pt_setregs(pid_t tid, const struct user_regs_struct *r)
{
	struct iovec v = {(void *)(uintptr_t)r, sizeof *r};

	if (ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v) < 0 && errno != ESRCH)
		BUG("cannot set the registers of %d: %s", tid, strerror(errno));
}

int pt_cont(pid_t tid, int sig)
{
	return ptrace(PTRACE_CONT, tid, 0, sig) < 0 ? -errno : 0;
}

bool pt_step(pid_t tid, int *status)
{
	*status = ptrace(PTRACE_SINGLESTEP, tid, 0, 0) < 0 ? -1 : pt_wait(tid);
	if (*status == -1 || !WIFSTOPPED(*status) || WSTOPSIG(*status) != SIGTRAP || pt_event(*status))
		return false;
	*status = 0;
	return true;
}

int pt_to_exit(pid_t tid)
{
	if (ptrace(PTRACE_SYSCALL, tid, 0, 0) < 0)
		return -1;
	return pt_wait(tid);
}

uint64_t pt_message(pid_t tid)
{
	unsigned long m = 0;

	ptrace(PTRACE_GETEVENTMSG, tid, 0, &m);
	return m;
}

static void aim_remote(struct task *t, long nr, const uint64_t arg[6], const struct user_regs_struct *saved)
{
	struct user_regs_struct r = *saved;

	r.rip = proc_host(t->thread->proc)->vdso + vdso_image_syscall();
	r.orig_rax = (unsigned long)-1; /* no restart logic on the way */
	r.rax = (unsigned long)nr;
	r.rdi = arg[0];
	r.rsi = arg[1];
	r.rdx = arg[2];
	r.r10 = arg[3];
	r.r8 = arg[4];
	r.r9 = arg[5];
	pt_setregs(t->tid, &r);
}

static int64_t remote_result(struct sim *s, struct task *t, long nr, int status, const struct user_regs_struct *saved)
{
	struct user_regs_struct r;

	if (status == -1 || !WIFSTOPPED(status) ||
	    (WSTOPSIG(status) != PT_SYSCALL_STOP && pt_event(status) != PTRACE_EVENT_STOP)) {
		sim_verdict(s, CLASS_HARNESS, "a call (%ld) made inside process %d ended in status 0x%x", nr,
			    t->thread->tid, (unsigned)status);
		return -ESRCH;
	}
	pt_getregs(t->tid, &r);
	pt_setregs(t->tid, saved);
	return (int64_t)r.rax;
}

int64_t pt_remote_call(struct sim *s, struct task *t, long nr, const uint64_t arg[6])
{
	struct user_regs_struct saved;
	int status;

	pt_getregs(t->tid, &saved);
	aim_remote(t, nr, arg, &saved);
	ptrace(PTRACE_CONT, t->tid, 0, 0);
	status = pt_wait(t->tid);
	if (status != -1 && WIFSTOPPED(status) && pt_event(status) == PTRACE_EVENT_SECCOMP)
		status = pt_to_exit(t->tid);
	return remote_result(s, t, nr, status, &saved);
}

int64_t pt_remote_notified(struct sim *s, struct task *t, long nr, const uint64_t arg[6])
{
	struct user_regs_struct saved;
	long rc;

	pt_getregs(t->tid, &saved);
	aim_remote(t, nr, arg, &saved);
	ptrace(PTRACE_CONT, t->tid, 0, 0);
	do
		rc = notify_recv(s->listener, s->notif, &(const volatile int){0});
	while (rc == -EINTR);
	if (!rc) {
		/* The stop on the way out gives the registers back to us. */
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		notify_continue(s->listener, s->notif->id);
	}
	return remote_result(s, t, nr, rc ? -1 : pt_wait(t->tid), &saved);
}

/* A call number without a row, for which the filter notifies: never made by guests with this meaning. */
enum { NR_INSTALL = 511 };

/*
 * Gives the process a real descriptor for a file that it holds under a number at which nothing real stands. The thread is
 * in the entry stop of a call, where nothing can be installed; so it first makes a call that notifies, gets the
 * descriptor there, and is then put back to the same entry stop.
 */
int pt_install_fd(struct sim *s, struct task *t, int host_fd, int at)
{
	pid_t tid = t->tid;
	struct user_regs_struct saved, r;
	int rc, status;

	pt_getregs(tid, &saved);
	r = saved;
	r.orig_rax = NR_INSTALL;
	pt_setregs(tid, &r);
	pt_cont(tid, 0);
	do
		rc = (int)notify_recv(s->listener, s->notif, &(const volatile int){0});
	while (rc == -EINTR);
	if (rc)
		return rc;
	rc = notify_addfd(s->listener, s->notif->id, host_fd, at);
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	notify_reply(s->listener, s->notif->id, 0);
	status = pt_wait(tid);
	if (status == -1 || !WIFSTOPPED(status))
		return -ESRCH;
	r = saved;
	r.rip -= 2; /* the length of the syscall instruction */
	r.rax = saved.orig_rax;
	r.orig_rax = (unsigned long)-1;
	pt_setregs(tid, &r);
	pt_cont(tid, 0);
	status = pt_wait(tid);
	if (status == -1 || !WIFSTOPPED(status) || pt_event(status) != PTRACE_EVENT_SECCOMP)
		return -ESRCH;
	return rc;
}

struct verdict observe_fail(struct call *c, int64_t result)
{
	struct user_regs_struct r;

	/* A call number of -1 is skipped, and rax is what the caller sees (seccomp(2), SECCOMP_RET_TRACE). */
	pt_getregs(c->task->tid, &r);
	r.orig_rax = (unsigned long)-1;
	r.rax = (unsigned long)result;
	pt_setregs(c->task->tid, &r);
	return TRACED(result);
}
