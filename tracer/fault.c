/* Signals that the processor raised: trapped TSC reads, which are emulated, and real faults of the guest. */
#include "tracer/gmem.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/vdso.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* The simulated TSC runs at 2 GHz from boot. */
enum { TSC_PER_NS = 2 };

/*
 * The kernel's forced SIGSEGV has unblocked the signal, and reset its action if it was blocked or ignored, before we saw the
 * stop (force_sig_info_to_task() in kernel/signal.c). The action travels through the clock page, behind its fields.
 */
static void restore_segv(struct sim *s, struct task *t)
{
	struct thread *th = t->thread;
	uint64_t mask = th->has_restore_mask ? th->restore_mask : th->sigmask;
	const struct k_sigaction *act = &th->proc->sighand->act[SIGSEGV];
	bool blocked = mask & K_SIGBIT(SIGSEGV);
	uint64_t page = proc_host(th->proc)->vdso - s->vvar_len;

	if (blocked)
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
	if (act->handler == 1 || (blocked && act->handler)) {
		const uint64_t arg[6] = {SIGSEGV, page + CLOCK_PAGE_SPARE, 0, 8, 0, 0};
		memcpy((char *)s->page + CLOCK_PAGE_SPARE, act, sizeof *act);
		pt_remote_notified(s, t, SYS_rt_sigaction, arg);
		memset((char *)s->page + CLOCK_PAGE_SPARE, 0, sizeof *act);
	}
}

/* rdtsc: 0f 31; rdtscp: 0f 01 f9. Anything else is a fault. */
static bool emulate_tsc(struct sim *s, struct task *t)
{
	struct user_regs_struct r;
	unsigned char op[3] = {0};
	uint64_t tsc;
	size_t len;

	pt_getregs(t->tid, &r);
	if (gm_read(t->tid, op, r.rip, sizeof op) && gm_read(t->tid, op, r.rip, 2))
		return false;
	if (op[0] == 0x0f && op[1] == 0x31)
		len = 2;
	else if (op[0] == 0x0f && op[1] == 0x01 && op[2] == 0xf9)
		len = 3;
	else
		return false;
	dispatch_clock_insn(s, t);
	tsc = (uint64_t)s->kern.clock.now_ns * TSC_PER_NS;
	r.rax = tsc & 0xffffffff;
	r.rdx = tsc >> 32;
	if (len == 3)
		r.rcx = 0; /* IA32_TSC_AUX: CPU 0, as getcpu says */
	r.rip += len;
	pt_setregs(t->tid, &r);
	restore_segv(s, t);
	return true;
}

static const char *signal_text(int sig)
{
	const char *n = sigabbrev_np(sig);

	return n ? n : "?";
}

static void crash(struct sim *s, struct task *t, int sig, const siginfo_t *si)
{
	struct proc *p = t->thread->proc;
	struct buf trace = {0};

	report_backtrace(s, t, &trace);
	sim_verdict(s, CLASS_CRASH, "%s: process %d (%s), thread %d: SIG%s at address 0x%llx\n%s", sim_node_of(s, p)->name, p->pid,
		    t->thread->comm, t->thread->tid, signal_text(sig), (unsigned long long)(uintptr_t)si->si_addr,
		    trace.data ? trace.data : "");
	buf_clear(&trace);
	proc_doom(&s->kern, p, sig);
}

/* Hands the fault to the guest's handler: the real kernel builds the frame; true when there is one. */
static bool to_handler(struct sim *s, struct task *t, int sig)
{
	struct thread *th = t->thread;
	struct k_sigaction *a = &th->proc->sighand->act[sig];
	uint64_t mask = th->sigmask | a->mask;

	if (a->handler < 2 || (th->sigmask & K_SIGBIT(sig)))
		return false;
	if (!(a->flags & K_SA_NODEFER))
		mask |= K_SIGBIT(sig);
	if (a->flags & K_SA_RESETHAND)
		a->handler = 0;
	sig_set_mask(&s->kern, th, mask & ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP)));
	sim_event(s, th->proc, "fault %d in thread %d, to its handler", sig, th->tid);
	t->park = PARK_RUNNING;
	pt_cont(t->tid, sig);
	return true;
}

void guest_fault(struct sim *s, struct task *t, int sig)
{
	siginfo_t si = {0};

	if (sig == SIGSEGV && emulate_tsc(s, t))
		return;
	ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si);
	if (si.si_code <= 0) {
		/* Not from the processor: something outside the simulation sent it, e.g. a terminal. */
		sim_warn(s, "a signal %d from outside the simulation was dropped", sig);
		pt_cont(t->tid, 0);
		t->park = PARK_RUNNING;
		return;
	}
	if (!to_handler(s, t, sig))
		crash(s, t, sig, &si);
}
