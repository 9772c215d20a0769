/*
 * The life of one call: clock, handler, waiting and interruption, hash, trace, reply. What holds for every call is here
 * and nowhere else.
 */
#include "tracer/call.h"
#include "base/mem.h"
#include "kernel/posix_timer.h"
#include "tracer/fault.h"
#include "tracer/mem.h"
#include "tracer/preempt.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vdso.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* What enters the hash for one completed call, without padding. */
struct call_record {
	int64_t time_ns;
	uint32_t node, pid, tid, nr;
	uint64_t arg[6];
	int64_t result;
	uint64_t clock_reads;
};

enum { X32_BIT = 0x40000000 }; /* arch/x86/include/uapi/asm/unistd.h */
enum { CLOCK_FREE_READS = 64, CLOCK_LEVEL_MAX = 10 };

/* A loop that polls the clock must end: the cost of consecutive clock calls doubles every few reads, up to about 1 ms. */
static int64_t clock_cost(const struct sim *s, struct task *t)
{
	uint64_t level = t->clock_reads++ / CLOCK_FREE_READS;

	return s->cfg->call_cost_ns << MIN(level, (uint64_t)CLOCK_LEVEL_MAX);
}

static void charge(struct sim *s, struct task *t, int64_t ns)
{
	vclock_advance(&s->kern.clock, ns);
	t->thread->cpu_ns += ns;
	t->thread->proc->cpu_ns += ns;
	ptimer_cpu_charged(&s->kern, t->thread);
}

/* Reads of the clock page since the thread was resumed moved its clock on; now it is the run's clock again. */
static uint64_t absorb_reads(struct sim *s, struct task *t)
{
	struct clock_page *p = s->page;
	uint64_t reads = (uint64_t)p->reads;

	count_save(s, t);
	if (reads) {
		charge(s, t, p->mono_ns - s->kern.clock.now_ns);
		t->clock_step_ns = p->step_ns;
		p->reads = 0;
		if (p->wall_reads && t->thread->proc->node && t->thread->proc->node->wall_reads)
			*t->thread->proc->node->wall_reads += (uint64_t)p->wall_reads;
	}
	return reads;
}

static void hash_call(struct sim *s, struct call *c, int64_t result)
{
	struct call_record r = {.time_ns = c->k->clock.now_ns,
				.node = sim_node_of(s, c->proc)->index,
				.pid = (uint32_t)c->proc->pid,
				.tid = (uint32_t)c->thread->tid,
				.nr = (uint32_t)c->nr,
				.clock_reads = c->clock_reads};
	const char *spec = c->row ? c->row->args : "";

	for (int i = 0; i < 6; i++) {
		enum sysarg_kind k = sysarg_next(&spec);
		if (k == ARG_END)
			break;
		r.arg[i] = sysarg_hashed(k, c->arg[i]);
	}
	r.result = !c->row || (c->row->flags & SYSF_HASH_RESULT) || result < 0 ? result : 0;
	runhash_bytes(&s->hash, &r, sizeof r);
	trace_call(s, c, result);
	runhash_call_done(&s->hash);
}

/* The call has its result: what remains is to hand it over when the scheduler picks the thread. */
static void complete(struct sim *s, struct task *t, struct verdict v)
{
	int64_t slow_ns;

	t->in_call = false;
	t->reply = v;
	call_end(&t->call);
	hash_call(s, &t->call, v.value);
	if (s->faults)
		fault_after(&t->call, v.value);
	t->thread->wait_what = NULL;
	t->thread->timed_out = false;
	/* A temporary mask lasts until the handler that ends the wait, no longer (restore_saved_sigmask_unless() in Linux). */
	if (!t->interrupt.sig)
		thread_end_temp_mask(&s->kern, t->thread);
	if (t->thread->state != THREAD_RUNNING)
		return;
	if (s->faults && (slow_ns = fault_slowness(s, t->thread->proc)) > 0) {
		t->thread->wait_what = "its slow node";
		thread_wait_until(&s->kern, t->thread, vclock_add(s->kern.clock.now_ns, slow_ns));
		thread_block(&s->kern, t->thread);
	} else {
		thread_wake(&s->kern, t->thread);
	}
}

static struct verdict refused(struct sim *s, struct call *c)
{
	if (c->nr < 0)
		return call_refuse(c, ENOSYS, "a call of the 32-bit ABI (int $0x80), number %ld", -1 - c->nr);
	if (c->nr & X32_BIT)
		return call_refuse(c, ENOSYS, "a call of the x32 ABI, number %ld", c->nr & ~(long)X32_BIT);
	if (!c->row) {
		s->unlisted_call = true;
		return call_refuse(c, ENOSYS, "system call %ld, which has no row in the table: the verdict is unknown", c->nr);
	}
	if (!strncmp(c->row->reason, "quiet", 5))
		return FAIL(c->row->refuse_errno);
	return call_refuse(c, c->row->refuse_errno, "%s: %s", c->row->name, c->row->reason);
}

/*
 * Handlers whose calls to the host may be ended early by a signal that is pending for the supervisor: a copy to the upper
 * layer (ovl_copy_up_file() in fs/overlayfs/copy_up.c splices), fallocate of tmpfs (shmem_fallocate()), copies between files.
 * Reading and writing of regular files are ended by fatal signals only (generic_perform_write(), filemap_read() in
 * mm/filemap.c), and two calls more for each would be felt.
 */
static bool disturbed_by_signals(const struct call *c)
{
	switch (c->row->nr) {
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_readv:
	case SYS_writev:
	case SYS_lseek:
	case SYS_fstat:
		return false;
	case SYS_bind: /* makes the name of a unix socket */
		return true;
	default:
		return c->row->cls == CLS_PROXY;
	}
}

static struct verdict handle(struct call *c)
{
	struct verdict v;

	if (!disturbed_by_signals(c))
		return c->row->handler(c);
	sim_hold_signals(true);
	v = c->row->handler(c);
	sim_hold_signals(false);
	return v;
}

static void run_handler(struct sim *s, struct task *t)
{
	struct call *c = &t->call;
	struct verdict v;

	s->current = t;
	s->kern.current = t->thread;
	if (c->row && c->row->handler)
		v = handle(c);
	else
		v = c->row && c->row->cls == CLS_NATIVE ? mem_native(c) : refused(s, c);
	c->tries++;
	if (v.kind == V_GONE || c->proc->doomed) {
		/* It never returns: exit, or a signal to itself. Doomed processes are ended by the loop. */
		hash_call(s, c, 0);
		if (!c->proc->doomed)
			task_ended(s, t);
		return;
	}
	if (v.kind != V_BLOCK) {
		complete(s, t, v);
		return;
	}
	/* A deliverable signal ends the wait, but only after the handler found nothing to do: as in the kernel. */
	if (c->fault.interrupt) {
		thread_wake(&s->kern, t->thread);
		if (fault_interrupts(c, v.value)) /* else it is tried again */
			complete(s, t, REPLY(v.value <= -K_ERESTARTSYS ? -EINTR : v.value));
		return;
	}
	if (sig_deliverable(&s->kern, t->thread)) {
		/* Taken now: if another thread could take it first, the call would be interrupted by nothing. */
		ENSURE(sig_take(&s->kern, t->thread, &t->interrupt));
		thread_wake(&s->kern, t->thread); /* drops what it registered for */
		complete(s, t, REPLY(v.value));
		return;
	}
	if (t->thread->state == THREAD_RUNNING)
		thread_block(&s->kern, t->thread);
}

/* Injected faults come first. True: the call is not performed now. */
static bool faulted(struct sim *s, struct task *t)
{
	struct call *c = &t->call;
	bool stopped = t->park == PARK_STOP;

	s->current = t;
	s->kern.current = t->thread;
	switch (fault_before(c)) {
	case FAULT_GOES_ON:
		return false;
	case FAULT_ANSWERED:
		complete(s, t, stopped ? mem_fail(c, c->fault.answer) : REPLY(c->fault.answer));
		return true;
	case FAULT_PUT_ASIDE:
		return true;
	}
	return false;
}

void dispatch_call(struct sim *s, struct task *t)
{
	struct call *c = &t->call;

	c->sim = s;
	c->k = &s->kern;
	c->task = t;
	c->thread = t->thread;
	c->proc = t->thread->proc;
	c->row = sysrow_get(c->nr);
	c->tries = 0;
	memset(c->s, 0, sizeof c->s);
	c->note[0] = 0;
	c->follows_wall = false;
	c->clock_reads = absorb_reads(s, t);
	t->in_call = true;
	t->spins = 0;
	count_reset(s, t);
	t->thread->timed_out = false;
	if (c->row && (c->row->flags & SYSF_CLOCK)) {
		charge(s, t, clock_cost(s, t));
	} else {
		t->clock_reads = 0;
		t->clock_step_ns = 0;
		charge(s, t, s->cfg->call_cost_ns);
	}
	if (s->bytes.len)
		buf_reset(&s->bytes);
	if (c->proc->doomed)
		return; /* a timer of the CPU clock ended it */
	if (s->faults && faulted(s, t))
		return;
	run_handler(s, t);
}

void dispatch_retry(struct sim *s, struct task *t)
{
	if (!t->call.tries)
		t->thread->timed_out = false; /* a fault had put it aside */
	run_handler(s, t);
}

/* What is no call enters the hash like one, under a number that none has. */
static void hash_event(struct sim *s, struct task *t, uint32_t nr, uint64_t reads)
{
	struct call_record r = {.node = sim_node_of(s, t->thread->proc)->index,
				.pid = (uint32_t)t->thread->proc->pid,
				.tid = (uint32_t)t->thread->tid,
				.nr = nr,
				.clock_reads = reads,
				.time_ns = s->kern.clock.now_ns};

	runhash_bytes(&s->hash, &r, sizeof r);
}

void dispatch_clock_insn(struct sim *s, struct task *t)
{
	uint64_t reads = absorb_reads(s, t);

	charge(s, t, clock_cost(s, t));
	hash_event(s, t, UINT32_MAX, reads);
	t->reply = TRACED(0);
	thread_wake(&s->kern, t->thread);
}

/* The thread stands between two instructions, and others go. */
static void give_way(struct sim *s, struct task *t, int64_t wait_ns, const char *why)
{
	t->reply = TRACED(0);
	t->thread->wait_what = why;
	thread_wait_until(&s->kern, t->thread, vclock_add(s->kern.clock.now_ns, wait_ns));
	thread_block(&s->kern, t->thread);
}

/* The same, as if it had gone round in its loop meanwhile. */
static void go_round(struct sim *s, struct task *t, int64_t wait_ns, const char *why)
{
	t->thread->cpu_ns += wait_ns;
	t->thread->proc->cpu_ns += wait_ns;
	give_way(s, t, wait_ns, why);
}

/*
 * A pure spin: time passes for the thread as if it had gone round for a while, longer each time, so that a wait of any
 * length ends after few looks and at most twice too late.
 */
void dispatch_spin(struct sim *s, struct task *t)
{
	int64_t wait_ns = s->cfg->call_cost_ns << MIN(t->spins, 40u);

	hash_event(s, t, UINT32_MAX - 1, absorb_reads(s, t));
	t->spins++;
	t->spinning = true;
	s->nspinning++;
	go_round(s, t, wait_ns, "memory to change (it spins)");
	sim_event(s, t->thread->proc, "thread %d spins", t->thread->tid);
}

/* Whether it waits or computes is not known: time passes for it, but never so much at once that timeouts would fire. */
void dispatch_turn(struct sim *s, struct task *t)
{
	enum { TURN_NS_MAX = 10000000 };
	int64_t wait_ns = MIN(s->cfg->call_cost_ns << MIN(t->counted.turns, 30u), (int64_t)TURN_NS_MAX);

	hash_event(s, t, UINT32_MAX - 3, absorb_reads(s, t));
	go_round(s, t, wait_ns, "its turn (it passed a counting site often)");
	sim_event(s, t->thread->proc, "thread %d gives way at a counting site, time %u without a call", t->thread->tid,
		  t->counted.turns);
}

void dispatch_preempt(struct sim *s, struct task *t)
{
	hash_event(s, t, UINT32_MAX - 2, absorb_reads(s, t));
	give_way(s, t, preempt_hold_ns(s), "its turn (preempted between calls)");
	sim_event(s, t->thread->proc, "thread %d is preempted between calls", t->thread->tid);
}
