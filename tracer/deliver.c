/*
 * Delivery of a signal to a guest's handler. The simulated kernel has decided which; the real kernel builds the frame,
 * because the guest's rt_sigaction, masks and alternate stacks were given to it as well. See arch/x86/kernel/signal.c.
 */
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/gmem.h"
#include "tracer/sim.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UC_SIGMASK = 296 }; /* offset in struct ucontext of the x86-64 ABI */

static void fill_siginfo(siginfo_t *si, const struct sigitem *it)
{
	memset(si, 0, sizeof *si);
	si->si_signo = it->sig;
	si->si_code = it->code;
	si->si_pid = it->pid;
	si->si_uid = it->uid;
	if (it->sig == SIGCHLD && it->code > 0) {
		si->si_status = it->status;
	} else if (it->code == SI_TIMER) {
		si->si_timerid = it->pid;
		si->si_overrun = (int)it->uid;
		si->si_value.sival_ptr = (void *)it->value;
	} else if (it->code != SI_USER && it->code != SI_TKILL) {
		si->si_value.sival_ptr = (void *)it->value;
	}
}

/* The mask that the kernel sets while the handler runs. */
static void enter_handler(struct sim *s, struct task *t, int sig)
{
	struct thread *th = t->thread;
	struct k_sigaction *a = &th->proc->sighand->act[sig];
	uint64_t mask = th->sigmask | a->mask;

	if (!(a->flags & K_SA_NODEFER))
		mask |= K_SIGBIT(sig);
	mask &= ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP));
	if (a->flags & K_SA_RESETHAND)
		a->handler = 0;
	th->has_restore_mask = false;
	sig_set_mask(&s->kern, th, mask);
}

static int wait_stop(struct sim *s, struct task *t, const char *what)
{
	int status = pt_wait(t->tid);

	if (status != -1 && WIFSTOPPED(status))
		return status;
	sim_event(s, t->thread->proc, "thread %d was ended by the kernel while a signal was delivered (%s)", t->thread->tid,
		  what);
	t->exited = true;
	proc_doom(&s->kern, t->thread->proc, SIGSEGV);
	return -1;
}

static void queue_real(struct task *t, int sig)
{
	syscall(SYS_tgkill, t->tgid, t->tid, sig);
}

/* Lets the parked thread run on to its next stop, which a queued signal or interrupt makes come at once. */
static void unpark(struct sim *s, struct task *t)
{
	if (t->park != PARK_NOTIFY) {
		pt_cont(t->tid, 0);
		return;
	}
	if (t->reply.kind == V_CONTINUE)
		notify_continue(s->listener, t->notify_id);
	else
		notify_reply(s->listener, t->notify_id, t->reply.value);
}

/*
 * With a temporary mask (ppoll, sigsuspend …) the real kernel knows only the thread's own mask: the temporary one is set in
 * a stop on the way out, and the frame, which would restore it, is patched to restore the thread's own.
 */
static int enter_temp_mask(struct sim *s, struct task *t)
{
	uint64_t temp = t->thread->sigmask;

	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0)
		return -1;
	if (t->park == PARK_NOTIFY) {
		unpark(s, t);
		if (wait_stop(s, t, "interrupt") < 0)
			return -1;
		t->park = PARK_STOP;
	}
	if (ptrace(PTRACE_SETSIGMASK, t->tid, sizeof temp, &temp) < 0)
		BUG("cannot set the signal mask of %d: %s", t->tid, strerror(errno));
	return 0;
}

static void patch_frame(struct sim *s, struct task *t, uint64_t own_mask)
{
	struct user_regs_struct r;

	if (wait_stop(s, t, "handler entry") < 0)
		return;
	pt_getregs(t->tid, &r);
	gm_write(t->tid, r.rdx + UC_SIGMASK, &own_mask, sizeof own_mask);
	pt_cont(t->tid, 0);
}

void deliver_signal(struct sim *s, struct task *t, const struct sigitem *it)
{
	bool temp = t->thread->has_restore_mask;
	uint64_t own_mask = t->thread->restore_mask;
	const char *name = sigabbrev_np(it->sig);
	siginfo_t si;
	int status;

	if (name)
		sim_event(s, t->thread->proc, "SIG%s to thread %d", name, t->thread->tid);
	else
		sim_event(s, t->thread->proc, "signal %d to thread %d", it->sig, t->thread->tid);
	if (temp && enter_temp_mask(s, t) < 0)
		return;
	queue_real(t, it->sig);
	unpark(s, t);
	do {
		status = wait_stop(s, t, "delivery");
		if (status == -1)
			return;
		if (pt_event(status) == PTRACE_EVENT_STOP)
			pt_cont(t->tid, 0);
	} while (pt_event(status) == PTRACE_EVENT_STOP);
	if (WSTOPSIG(status) != it->sig)
		BUG("signal %d was to be delivered to %d, but the stop shows status 0x%x", it->sig, t->tid, (unsigned)status);
	fill_siginfo(&si, it);
	ptrace(PTRACE_SETSIGINFO, t->tid, 0, &si);
	enter_handler(s, t, it->sig);
	t->park = PARK_RUNNING;
	if (!temp) {
		pt_cont(t->tid, it->sig);
		return;
	}
	ptrace(PTRACE_SINGLESTEP, t->tid, 0, it->sig);
	patch_frame(s, t, own_mask);
}
