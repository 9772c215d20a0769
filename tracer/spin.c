#include "tracer/spin.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/insn.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/trap.h"

#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <xxhash.h>

enum {
	XSTATE_MAX = 16384,
	LOG_MAX = 4096,     /* words that a period may write */
	STACK_WRITE = 64,   /* below rsp: what push, call and enter may write */
};

/* The words written since the reference state, with what they held then. */
struct writes {
	struct map at; /* address / 8 -> 1 + index */
	uint64_t addr[LOG_MAX], was[LOG_MAX];
	size_t n;
};

struct exam {
	struct task *t;
	struct insns insns;
	struct writes w;
	struct user_regs_struct now, ref;
	unsigned steps;
	unsigned char xref[XSTATE_MAX], xnow[XSTATE_MAX];
	int status;
	bool turn; /* a counting site's count is used up */
};

static size_t get_xstate(pid_t tid, unsigned char *x)
{
	struct iovec v = {x, XSTATE_MAX};

	memset(x, 0, XSTATE_MAX);
	return ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &v) < 0 ? 0 : v.iov_len;
}

static void forget_writes(struct writes *w)
{
	map_clear(&w->at);
	w->n = 0;
}

static bool note_write(struct exam *x, uint64_t addr, uint64_t bytes)
{
	struct writes *w = &x->w;

	for (uint64_t a = addr & ~7ull; a < addr + bytes; a += 8) {
		if (map_get(&w->at, a >> 3))
			continue;
		if (w->n == LOG_MAX || gm_read(x->t->tid, &w->was[w->n], a, 8))
			return false;
		w->addr[w->n++] = a;
		map_put(&w->at, a >> 3, (void *)(uintptr_t)w->n);
	}
	return true;
}

static bool memory_as_before(struct exam *x)
{
	for (size_t i = 0; i < x->w.n; i++) {
		uint64_t v;
		if (gm_read(x->t->tid, &v, x->w.addr[i], 8) || v != x->w.was[i])
			return false;
	}
	return true;
}

static bool note_operand(struct exam *x, const struct insn *i, const ZydisDecodedOperand *o)
{
	uint64_t addr;

	if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && o->mem.base == ZYDIS_REGISTER_RSP)
		return note_write(x, x->now.rsp - STACK_WRITE, STACK_WRITE);
	if (!insn_address(i, o, &x->now, &addr))
		return false;
	/* State-saving instructions have no fixed size. */
	return note_write(x, addr, o->size ? (o->size + 7) / 8 : 4096);
}

/* Executes one instruction. False: the examination is over (x->status is the other stop, or 0). */
static bool step(struct exam *x)
{
	const struct insn *i = insns_get(&x->insns, x->t->tid, x->now.rip);

	x->status = 0;
	if (i->ends)
		return false;
	for (unsigned k = 0; k < i->ins.operand_count; k++)
		if (i->op[k].type == ZYDIS_OPERAND_TYPE_MEMORY && (i->op[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
		    !note_operand(x, i, &i->op[k]))
			return false;
	x->steps++;
	if (!pt_step(x->t->tid, &x->status))
		return false;
	x->turn = count_step(x->t->sim, x->t);
	pt_getregs(x->t->tid, &x->now);
	return !x->turn;
}

static int compare(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	struct user_regs_struct u = *a, v = *b;

	if (u.rip != v.rip)
		return u.rip < v.rip ? -1 : 1;
	u.orig_rax = v.orig_rax = 0;
	/* Bit 16 and 8 of the flags come and go with stepping itself. */
	u.eflags &= ~0x10100ull;
	v.eflags &= ~0x10100ull;
	return memcmp(&u, &v, sizeof u);
}

static void take_reference(struct exam *x)
{
	x->ref = x->now;
	get_xstate(x->t->tid, x->xref);
	forget_writes(&x->w);
}

static bool recurs(struct exam *x)
{
	if (compare(&x->now, &x->ref) || !memory_as_before(x))
		return false;
	get_xstate(x->t->tid, x->xnow);
	return !memcmp(x->xnow, x->xref, XSTATE_MAX);
}

/* Brent's cycle finding: the length of the period in instructions, or 0. */
static unsigned find_period(struct exam *x, unsigned budget)
{
	unsigned power = 1, length = 0;

	take_reference(x);
	while (budget--) {
		if (!step(x))
			return 0;
		length++;
		if (recurs(x))
			return length;
		if (length == power) {
			take_reference(x);
			power *= 2;
			length = 0;
		}
	}
	return 0;
}

static bool go_to_least(struct exam *x, unsigned period)
{
	struct user_regs_struct least = x->now;

	for (unsigned i = 0; i < period; i++) {
		if (!step(x))
			return false;
		if (compare(&x->now, &least) < 0)
			least = x->now;
	}
	for (unsigned i = 0; i < period && compare(&x->now, &least); i++)
		if (!step(x))
			return false;
	return compare(&x->now, &least) == 0;
}

/* A thread that now spins elsewhere, or with other values, has got on since its last spin: it waits for something new. */
static void note_progress(struct task *t, const struct user_regs_struct *now)
{
	struct user_regs_struct r = *now;
	uint64_t state;

	r.orig_rax = 0;
	r.eflags &= ~0x10100ull;
	state = XXH3_64bits(&r, sizeof r);
	if (state != t->spin_state)
		t->spins = 0;
	t->spin_state = state;
}

enum spin spin_examine(struct sim *s, struct task *t, unsigned steps, int *status)
{
	struct exam *x = xnew(struct exam);
	unsigned period;
	bool found, turn;
	int st;

	x->t = t;
	insns_init(&x->insns);
	pt_getregs(t->tid, &x->now);
	period = find_period(x, steps);
	found = period && go_to_least(x, period);
	st = x->status;
	turn = x->turn;
	if (!st)
		restore_forced(s, t, SIGTRAP);
	s->spin_steps += x->steps;
	insns_clear(&x->insns);
	map_clear(&x->w.at);
	if (found)
		note_progress(t, &x->now);
	free(x);
	if (found && period > s->spin_period)
		s->spin_period = period;
	*status = st;
	return found ? SPIN_YES : turn ? SPIN_TURN : st ? SPIN_STOP : SPIN_NO;
}
