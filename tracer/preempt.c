#include "tracer/preempt.h"

#include "base/mem.h"
#include "tracer/insn.h"
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/trap.h"
#include "tracer/vdso.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/*
 * Swarm: each seed draws, between these, how often a resumption is cut short (one in 2^rarity) and how far it may go
 * (2^reach accesses to shared memory); so some seeds look closely at what follows a call and others far behind it. A
 * budget of instructions bounds the cost.
 */
static const struct level {
	const char *name;
	unsigned rarity[2], reach[2];
	uint64_t budget;
} levels[] = {
	[PREEMPT_OFF] = {"off", {0, 0}, {0, 0}, 0},
	[PREEMPT_LIGHT] = {"light", {4, 7}, {2, 8}, 10000},
	[PREEMPT_DEFAULT] = {"default", {1, 5}, {1, 10}, 30000},
	[PREEMPT_HEAVY] = {"heavy", {0, 3}, {1, 12}, 400000},
};

bool preempt_parse(const char *name, enum preempt_level *out)
{
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (!strcmp(name, levels[i].name)) {
			*out = (enum preempt_level)i;
			return true;
		}
	return false;
}

const char *preempt_name(enum preempt_level l)
{
	return levels[l].name;
}

void preempt_init(struct sim *s)
{
	const struct level *l = &levels[s->cfg->preempt];

	rng_init(&s->preempt_rng, s->cfg->seed, "preempt");
	s->preempt_left = l->budget;
	s->preempt_rarity = (unsigned)rng_range(&s->preempt_rng, l->rarity[0], l->rarity[1]);
	s->preempt_reach = (unsigned)rng_range(&s->preempt_rng, l->reach[0], l->reach[1]);
}

/* Somebody else could meet this thread in memory. */
static bool could_race(const struct thread *t)
{
	return t->proc->nthreads > 1 || t->proc->mm->has_shared || t->proc->mm->refs > 1;
}

unsigned preempt_draw(struct sim *s, struct task *t)
{
	if (!could_race(t->thread) || rng_below(&s->preempt_rng, 1ull << s->preempt_rarity))
		return 0;
	return 1 + (unsigned)rng_below(&s->preempt_rng, 1ull << s->preempt_reach);
}

int64_t preempt_hold_ns(struct sim *s)
{
	int64_t most = s->cfg->call_cost_ns << rng_below(&s->preempt_rng, 15);

	return 1 + (int64_t)rng_below(&s->preempt_rng, (uint64_t)most + 1);
}

enum {
	/* Instructions executed in search of one access that counts. */
	PATIENCE = 64,
	/* What lies this near to the stack pointer is the thread's own. */
	OWN_STACK = 1 << 16,
};

/* Reads or writes memory that another thread could know: neither the stack nor thread-local. */
static bool shared_access(const struct insn *i, const struct user_regs_struct *r)
{
	for (unsigned k = 0; k < i->ins.operand_count; k++) {
		const ZydisDecodedOperand *o = &i->op[k];
		uint64_t addr;
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || !o->actions || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
		    o->mem.segment == ZYDIS_REGISTER_FS || !insn_address(i, o, r, &addr))
			continue;
		if (addr - (r->rsp - OWN_STACK) > 2 * OWN_STACK)
			return true;
	}
	return false;
}

bool task_hold(struct sim *s, struct task *t, int *status)
{
	if (t->park == PARK_STOP)
		return true;
	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0)
		return false;
	/* What the kernel performs as well never sleeps, so the pending interrupt does not change its result. */
	if ((t->reply.kind == V_CONTINUE ? notify_continue(s->listener, t->notify_id) :
					   notify_reply(s->listener, t->notify_id, t->reply.value)) < 0)
		return false;
	*status = pt_wait(t->tid);
	return *status != -1 && WIFSTOPPED(*status) && pt_event(*status) == PTRACE_EVENT_STOP;
}

/* Executes one instruction; PREEMPT_SWITCH means: go on. */
static enum preempt_end one_step(struct sim *s, struct task *t, int *status)
{
	s->preempt_left -= s->preempt_left > 0;
	if (!pt_step(t->tid, status))
		return PREEMPT_STOP;
	if (count_step(s, t))
		s->page->site_left = 1; /* the next pass ends its turn */
	return PREEMPT_SWITCH;
}

static enum preempt_end walk(struct sim *s, struct task *t, struct insns *x, unsigned accesses, int *status)
{
	enum preempt_end end = PREEMPT_SWITCH;
	struct user_regs_struct r;

	for (uint64_t left = (uint64_t)accesses * PATIENCE; end == PREEMPT_SWITCH; left--) {
		const struct insn *i;
		pt_getregs(t->tid, &r);
		if ((!accesses || !left) && !detour_of(t, r.rip))
			break;
		i = insns_get(x, t->tid, r.rip);
		if (i->ends && !insn_unseen_call(i, &r))
			return PREEMPT_CALL;
		if (detour_of(t, r.rip))
			left++; /* what a stub does is nobody's business, and it is not left in its middle */
		else
			accesses -= shared_access(i, &r);
		end = one_step(s, t, status);
	}
	if (end != PREEMPT_SWITCH)
		return end;
	pt_getregs(t->tid, &r);
	return accesses || insns_get(x, t->tid, r.rip)->ends ? PREEMPT_CALL : PREEMPT_SWITCH;
}

enum preempt_end preempt_step(struct sim *s, struct task *t, unsigned accesses, int *status)
{
	enum preempt_end end;
	struct insns x;

	*status = -1;
	if (!task_hold(s, t, status))
		return PREEMPT_STOP;
	insns_init(&x);
	end = walk(s, t, &x, accesses, status);
	if (end != PREEMPT_STOP)
		restore_forced(s, t, SIGTRAP);
	insns_clear(&x);
	return end;
}
