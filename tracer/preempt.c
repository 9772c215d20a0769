#include "tracer/preempt.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* One resumption in `one_in` is cut short, after up to 2^log2_steps instructions, as long as the seed's budget lasts. */
static const struct level {
	const char *name;
	unsigned one_in, log2_steps;
	uint64_t budget;
} levels[] = {
	[PREEMPT_OFF] = {"off", 0, 0, 0},
	[PREEMPT_LIGHT] = {"light", 64, 10, 20000},
	[PREEMPT_DEFAULT] = {"default", 16, 11, 60000},
	[PREEMPT_HEAVY] = {"heavy", 4, 13, 400000},
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
	rng_init(&s->preempt_rng, s->cfg->seed, "preempt");
	s->preempt_left = levels[s->cfg->preempt].budget;
}

/* Somebody else who could meet this thread in memory is waiting to run. */
static bool could_race(const struct sim *s, const struct thread *t)
{
	if (!s->kern.sched.len)
		return false;
	if (t->proc->mm->has_shared)
		return true;
	list_each(o, &t->proc->threads, struct thread, in_proc)
		if (o != t && o->state == THREAD_READY)
			return true;
	return t->proc->mm->refs > 1;
}

unsigned preempt_draw(struct sim *s, struct task *t)
{
	const struct level *l = &levels[s->cfg->preempt];
	uint64_t most, steps;

	if (!s->preempt_left || !could_race(s, t->thread) || rng_below(&s->preempt_rng, l->one_in))
		return 0;
	/* Spread over magnitudes: most windows lie close behind a call, but a loop may be long. */
	most = 1ull << rng_below(&s->preempt_rng, l->log2_steps + 1);
	steps = 1 + rng_below(&s->preempt_rng, most);
	return (unsigned)MIN(steps, s->preempt_left);
}

int64_t preempt_hold_ns(struct sim *s)
{
	int64_t most = s->cfg->call_cost_ns << rng_below(&s->preempt_rng, 15);

	return 1 + (int64_t)rng_below(&s->preempt_rng, (uint64_t)most + 1);
}

static bool about_to_call(pid_t tid)
{
	struct user_regs_struct r;
	unsigned char op[2];

	pt_getregs(tid, &r);
	return gm_read(tid, op, r.rip, sizeof op) || (op[0] == 0x0f && op[1] == 0x05);
}

/* Answers the call and holds the thread right behind it. */
static bool hold_behind_call(struct sim *s, struct task *t, int *status)
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

enum preempt_end preempt_step(struct sim *s, struct task *t, unsigned steps, int *status)
{
	*status = -1;
	if (!hold_behind_call(s, t, status))
		return PREEMPT_STOP;
	for (; steps; steps--, s->preempt_left--) {
		if (about_to_call(t->tid))
			return PREEMPT_CALL;
		if (ptrace(PTRACE_SINGLESTEP, t->tid, 0, 0) < 0)
			return PREEMPT_STOP;
		*status = pt_wait(t->tid);
		if (*status == -1 || !WIFSTOPPED(*status) || WSTOPSIG(*status) != SIGTRAP || pt_event(*status))
			return PREEMPT_STOP;
	}
	return about_to_call(t->tid) ? PREEMPT_CALL : PREEMPT_SWITCH;
}
