/*
 * Scheduling attributes. The simulator's scheduler heeds none of them (except that a thread is shown on a CPU of its
 * affinity mask); they are kept per thread, inherited, and shown again.
 */
#include "base/mem.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <sys/resource.h>

/* include/uapi/linux/sched.h */
enum { POLICY_NORMAL, POLICY_FIFO, POLICY_RR, POLICY_BATCH, POLICY_IDLE = 5, POLICY_DEADLINE, POLICY_EXT };
enum { RESET_ON_FORK = 0x40000000, RT_PRIO_MAX = 99 };
#define RR_INTERVAL_NS (100 * NS_PER_MS)
#define NORMAL_SLICE_NS (3 * NS_PER_MS)

static struct thread *target(struct call *c, int pid)
{
	struct thread *t = pid ? thread_find(c->k, pid) : c->thread;
	const struct proc *p = t ? NULL : proc_find(c->k, pid); /* a restarted node, by the pid its parent knows */

	return p ? proc_main_thread(p) : t;
}

/* Whether the caller may change t: the same user, or root (check_same_owner()). */
static bool may_change(const struct call *c, const struct thread *t)
{
	uint32_t e = c->proc->euid;

	return !e || e == t->proc->euid || e == t->proc->uid;
}

/* ---- affinity ---- */

static uint64_t all_cpus(const struct call *c)
{
	unsigned n = MIN(sim_cpus(c->sim), 64u);

	return n == 64 ? UINT64_MAX : (1ull << n) - 1;
}

struct verdict sys_sched_getaffinity(struct call *c)
{
	const struct thread *t = target(c, (int)c->arg[0]);
	uint64_t mask;

	/* The kernel's masks are whole words; 64 CPUs fit into the first. */
	if (c->arg[1] < sizeof mask || c->arg[1] % sizeof mask)
		return FAIL(EINVAL);
	if (!t || (int)c->arg[0] < 0)
		return FAIL(ESRCH);
	mask = t->attrs.affinity ? t->attrs.affinity & all_cpus(c) : all_cpus(c);
	return copy_out(c, c->arg[2], &mask, sizeof mask) ? FAIL(EFAULT) : REPLY(sizeof mask);
}

struct verdict sys_sched_setaffinity(struct call *c)
{
	struct thread *t = target(c, (int)c->arg[0]);
	uint64_t mask = 0;

	if (copy_in(c, &mask, c->arg[2], MIN(c->arg[1], sizeof mask)))
		return FAIL(EFAULT);
	if (!t)
		return FAIL(ESRCH);
	if (!may_change(c, t))
		return FAIL(EPERM);
	if (!(mask & all_cpus(c)))
		return FAIL(EINVAL);
	t->attrs.affinity = mask & all_cpus(c);
	return REPLY(0);
}

/* ---- policy ---- */

static bool is_rt(int policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR;
}

/* Only down, but for what the limit allows: no guest has CAP_SYS_NICE. */
static bool can_nice(const struct thread *t, int nice)
{
	return nice >= t->attrs.nice || (uint64_t)(20 - nice) <= t->proc->rlim[RLIMIT_NICE][0];
}

/* __sched_setscheduler() for a caller without CAP_SYS_NICE. 0 or -errno. */
static int set_policy(struct call *c, struct thread *t, int policy, int prio, int nice, bool reset)
{
	struct thread_attrs *a = &t->attrs;

	if (!is_rt(policy) && policy != POLICY_NORMAL && policy != POLICY_BATCH && policy != POLICY_IDLE)
		return policy == POLICY_DEADLINE ? -EPERM : -EINVAL;
	if (prio < 0 || prio > RT_PRIO_MAX || is_rt(policy) != (prio != 0))
		return -EINVAL;
	if (is_rt(policy) && (uint64_t)prio > t->proc->rlim[RLIMIT_RTPRIO][0] && (policy != a->policy || prio > a->rt_prio))
		return -EPERM;
	if (!may_change(c, t) || (a->reset_on_fork && !reset) || !can_nice(t, nice))
		return -EPERM;
	a->policy = policy;
	a->rt_prio = prio;
	a->nice = nice;
	a->reset_on_fork = reset;
	return 0;
}

struct verdict sys_sched_setscheduler(struct call *c)
{
	struct thread *t = target(c, (int)c->arg[0]);
	int policy = (int)c->arg[1], prio;

	if (policy < 0 || !c->arg[2] || (int)c->arg[0] < 0)
		return FAIL(EINVAL);
	if (copy_in(c, &prio, c->arg[2], sizeof prio))
		return FAIL(EFAULT);
	if (!t)
		return FAIL(ESRCH);
	if ((policy & ~RESET_ON_FORK) == POLICY_DEADLINE)
		return FAIL(EINVAL);
	return REPLY(set_policy(c, t, policy & ~RESET_ON_FORK, prio, t->attrs.nice, policy & RESET_ON_FORK));
}

struct verdict sys_sched_setparam(struct call *c)
{
	struct thread *t = target(c, (int)c->arg[0]);
	int prio;

	if (!c->arg[1] || (int)c->arg[0] < 0)
		return FAIL(EINVAL);
	if (copy_in(c, &prio, c->arg[1], sizeof prio))
		return FAIL(EFAULT);
	if (!t)
		return FAIL(ESRCH);
	return REPLY(set_policy(c, t, t->attrs.policy, prio, t->attrs.nice, t->attrs.reset_on_fork));
}

struct verdict sys_sched_getscheduler(struct call *c)
{
	const struct thread *t = target(c, (int)c->arg[0]);

	if ((int)c->arg[0] < 0)
		return FAIL(EINVAL);
	return t ? REPLY(t->attrs.policy | (t->attrs.reset_on_fork ? RESET_ON_FORK : 0)) : FAIL(ESRCH);
}

struct verdict sys_sched_getparam(struct call *c)
{
	const struct thread *t = target(c, (int)c->arg[0]);

	if ((int)c->arg[0] < 0 || !c->arg[1])
		return FAIL(EINVAL);
	if (!t)
		return FAIL(ESRCH);
	return copy_out(c, c->arg[1], &t->attrs.rt_prio, sizeof t->attrs.rt_prio) ? FAIL(EFAULT) : REPLY(0);
}

static struct verdict rt_limit(int policy, int value)
{
	if (is_rt(policy))
		return REPLY(value);
	if (policy == POLICY_NORMAL || policy == POLICY_BATCH || policy == POLICY_IDLE || policy == POLICY_DEADLINE ||
	    policy == POLICY_EXT)
		return REPLY(0);
	return FAIL(EINVAL);
}

struct verdict sys_sched_get_priority_max(struct call *c)
{
	return rt_limit((int)c->arg[0], RT_PRIO_MAX);
}

struct verdict sys_sched_get_priority_min(struct call *c)
{
	return rt_limit((int)c->arg[0], 1);
}

struct verdict sys_sched_rr_get_interval(struct call *c)
{
	const struct thread *t = target(c, (int)c->arg[0]);
	int64_t out[2] = {0, NORMAL_SLICE_NS};

	if ((int)c->arg[0] < 0)
		return FAIL(EINVAL);
	if (!t)
		return FAIL(ESRCH);
	if (is_rt(t->attrs.policy))
		out[1] = t->attrs.policy == POLICY_RR ? RR_INTERVAL_NS : 0;
	return copy_out(c, c->arg[1], out, sizeof out) ? FAIL(EFAULT) : REPLY(0);
}

/* struct sched_attr, include/uapi/linux/sched/types.h */
struct guest_sched_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};
enum { SCHED_ATTR_SIZE_0 = 48, ATTR_RESET_ON_FORK = 1, ATTR_KEEP_POLICY = 8, ATTR_KEEP_PARAMS = 0x10 };

struct verdict sys_sched_getattr(struct call *c)
{
	const struct thread *t = target(c, (int)c->arg[0]);
	unsigned size = (unsigned)c->arg[2];
	struct guest_sched_attr a = {0};

	if (!c->arg[1] || (int)c->arg[0] < 0 || size < SCHED_ATTR_SIZE_0 || size > 4096 || (unsigned)c->arg[3])
		return FAIL(EINVAL);
	if (!t)
		return FAIL(ESRCH);
	a.size = MIN(size, (unsigned)sizeof a);
	a.policy = (uint32_t)t->attrs.policy;
	a.flags = t->attrs.reset_on_fork ? ATTR_RESET_ON_FORK : 0;
	a.priority = (uint32_t)t->attrs.rt_prio;
	if (!is_rt(t->attrs.policy)) {
		a.nice = t->attrs.nice;
		a.runtime = NORMAL_SLICE_NS;
	}
	return copy_out(c, c->arg[1], &a, a.size) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_sched_setattr(struct call *c)
{
	struct thread *t = target(c, (int)c->arg[0]);
	struct guest_sched_attr a = {0};
	uint32_t size;

	if (!c->arg[1] || (int)c->arg[0] < 0 || (unsigned)c->arg[2])
		return FAIL(EINVAL);
	if (copy_in(c, &size, c->arg[1], sizeof size))
		return FAIL(EFAULT);
	if (!size)
		size = SCHED_ATTR_SIZE_0;
	if (size < SCHED_ATTR_SIZE_0 || size > sizeof a)
		return FAIL(E2BIG);
	if (copy_in(c, &a, c->arg[1], size))
		return FAIL(EFAULT);
	if (!t)
		return FAIL(ESRCH);
	if (a.flags & ~(uint64_t)(ATTR_RESET_ON_FORK | ATTR_KEEP_POLICY | ATTR_KEEP_PARAMS))
		return call_refuse(c, EINVAL, "sched_setattr with flags 0x%llx", (unsigned long long)a.flags);
	if (a.flags & ATTR_KEEP_POLICY)
		a.policy = (uint32_t)t->attrs.policy;
	if (a.flags & ATTR_KEEP_PARAMS) {
		a.priority = (uint32_t)t->attrs.rt_prio;
		a.nice = t->attrs.nice;
	}
	a.nice = MAX(-20, MIN(19, a.nice));
	return REPLY(set_policy(c, t, (int)a.policy, (int)a.priority, a.nice, a.flags & ATTR_RESET_ON_FORK));
}

/* ---- nice and I/O priority: of a thread, a group's, or a user's ---- */

enum who { WHO_PROCESS, WHO_GROUP, WHO_USER };

/* Whether t is meant by (who, id); id 0: the caller's. */
static bool meant(const struct call *c, const struct thread *t, enum who who, int id)
{
	switch (who) {
	case WHO_PROCESS:
		return t->tid == (id ? id : c->thread->tid);
	case WHO_GROUP:
		return t->proc->pgid == (id ? id : c->proc->pgid);
	case WHO_USER:
		return t->proc->uid == (id ? (uint32_t)id : c->proc->uid);
	}
	return false;
}

#define each_meant(c, t, who, id)                                                                                  \
	list_each(p_, &(c)->k->proc_list, struct proc, in_kern)                                                    \
		list_each(t, &p_->threads, struct thread, in_proc)                                                 \
			if (meant(c, t, who, id))

struct verdict sys_getpriority(struct call *c)
{
	int best = 0; /* as the call returns it: 40 (nice -20) to 1 (nice 19) */

	if ((unsigned)c->arg[0] > WHO_USER)
		return FAIL(EINVAL);
	each_meant(c, t, (enum who)c->arg[0], (int)c->arg[1])
		best = MAX(best, 20 - t->attrs.nice);
	return best ? REPLY(best) : FAIL(ESRCH);
}

struct verdict sys_setpriority(struct call *c)
{
	int nice = MAX(-20, MIN(19, (int)c->arg[2])), rc = -ESRCH;

	if ((unsigned)c->arg[0] > WHO_USER)
		return FAIL(EINVAL);
	each_meant(c, t, (enum who)c->arg[0], (int)c->arg[1]) {
		if (!may_change(c, t)) {
			rc = -EPERM;
		} else if (!can_nice(t, nice)) {
			rc = -EACCES;
		} else {
			t->attrs.nice = nice;
			rc = rc == -ESRCH ? 0 : rc;
		}
	}
	return REPLY(rc);
}

enum { IOPRIO_NONE, IOPRIO_RT, IOPRIO_BE, IOPRIO_IDLE };

struct verdict sys_ioprio_get(struct call *c)
{
	int best = -1;

	if ((int)c->arg[0] < 1 || (int)c->arg[0] > 3)
		return FAIL(EINVAL);
	/* Lower is better, and "none" counts as the middle of best effort (ioprio_best()). */
	each_meant(c, t, (enum who)(c->arg[0] - 1), (int)c->arg[1]) {
		int v = t->attrs.ioprio;
		if (best < 0 || (v && v < best))
			best = v;
	}
	return best < 0 ? FAIL(ESRCH) : REPLY(best);
}

struct verdict sys_ioprio_set(struct call *c)
{
	int prio = (int)c->arg[2], class = prio >> 13 & 7, level = prio & 7, rc = -ESRCH;

	if (class == IOPRIO_RT)
		return FAIL(EPERM);
	if (class > IOPRIO_IDLE || (class == IOPRIO_NONE && level) || (int)c->arg[0] < 1 || (int)c->arg[0] > 3)
		return FAIL(EINVAL);
	each_meant(c, t, (enum who)(c->arg[0] - 1), (int)c->arg[1]) {
		if (!may_change(c, t)) {
			rc = -EPERM;
			continue;
		}
		t->attrs.ioprio = prio;
		rc = rc == -ESRCH ? 0 : rc;
	}
	return REPLY(rc);
}
