#include "tracer/trap.h"

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
 * The kernel's forced signal has unblocked the signal, and reset its action if it was blocked or ignored, before we saw the
 * stop (force_sig_info_to_task() in kernel/signal.c). The action travels through the clock page, behind its fields.
 */
void restore_forced(struct sim *s, struct task *t, int sig)
{
	struct thread *th = t->thread;
	uint64_t mask = th->has_restore_mask ? th->restore_mask : th->sigmask;
	const struct k_sigaction *act = &th->proc->sighand->act[sig];
	bool blocked = mask & K_SIGBIT(sig);
	uint64_t page = proc_host(th->proc)->vdso - s->vvar_len;

	if (blocked)
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask);
	if (act->handler == 1 || (blocked && act->handler)) {
		const uint64_t arg[6] = {(uint64_t)sig, page + CLOCK_PAGE_SPARE, 0, 8, 0, 0};
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
	restore_forced(s, t, SIGSEGV);
	return true;
}

static bool emulate_random(struct sim *s, struct task *t)
{
	struct user_regs_struct r;

	pt_getregs(t->tid, &r);
	if (!hwrand_emulate(s, t, &r))
		return false;
	pt_setregs(t->tid, &r);
	restore_forced(s, t, SIGILL);
	dispatch_clock_insn(s, t); /* a loop that retries ends as one that polls the clock does */
	return true;
}

static const char *signal_text(int sig)
{
	const char *n = sigabbrev_np(sig);

	return n ? n : "?";
}

/*
 * A node that dies of a fault or an abort has a bug, whatever the script makes of it. In the driver's own tree the script
 * sees the status and judges; there it is only told.
 */
void guest_crashed(struct sim *s, struct task *t, int sig, uint64_t addr)
{
	struct proc *p = t->thread->proc;
	struct node *n = sim_node_of(s, p);
	struct buf where = {0}, text = {0};

	report_backtrace(s, t, &where);
	buf_addf(&text, "%s: process %d (%s), thread %d: SIG%s", n->name, p->pid, t->thread->comm, t->thread->tid, signal_text(sig));
	if (sig != SIGABRT)
		buf_addf(&text, " at address 0x%llx", (unsigned long long)addr);
	if (n->index || p == s->driver) {
		sim_verdict(s, CLASS_CRASH, "%s", text.data);
		buf_add(&s->res->details, where.data, where.len);
	} else {
		sim_event(s, p, "%s\n%s", text.data, where.data ? where.data : "");
	}
	buf_clear(&where);
	buf_clear(&text);
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

	if ((sig == SIGSEGV && emulate_tsc(s, t)) || (sig == SIGILL && emulate_random(s, t)))
		return;
	ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si);
	if (si.si_code <= 0) {
		/* Not from the processor: something outside the simulation sent it, e.g. a terminal. */
		sim_warn(s, "a signal %d from outside the simulation was dropped", sig);
		pt_cont(t->tid, 0);
		t->park = PARK_RUNNING;
		return;
	}
	count_unmask(s, t);
	if (to_handler(s, t, sig))
		return;
	guest_crashed(s, t, sig, (uintptr_t)si.si_addr);
	proc_doom(&s->kern, t->thread->proc, sig);
}
