/* prctl, arch_prctl, personality: each a family of its own behind one number, option by option. */
#include "kernel/cred.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/personality.h>

#define SLACK_DEFAULT_NS (50 * NS_PER_US)

/* Newer than Debian 12's headers. */
enum { K_PR_SET_MDWE = 65, K_PR_GET_MDWE = 66, K_PR_SET_MEMORY_MERGE = 67, K_PR_GET_MEMORY_MERGE = 68 };
enum { K_PR_SET_PTRACER = 0x59616d61 };

static bool rest_is_zero(const struct call *c, int from)
{
	for (int i = from; i < 5; i++)
		if (c->arg[i])
			return false;
	return true;
}

static struct verdict write_int(struct call *c, uint64_t to, int v)
{
	return copy_out(c, to, &v, sizeof v) ? FAIL(EFAULT) : REPLY(0);
}

/* ---- names ---- */

static struct verdict set_name(struct call *c)
{
	char name[sizeof c->thread->comm];

	/* Longer names are cut off. */
	if (copy_in_str(c, name, sizeof name, c->arg[1]) == -EFAULT)
		return FAIL(EFAULT);
	name[sizeof name - 1] = 0;
	memset(c->thread->comm, 0, sizeof c->thread->comm);
	strcpy(c->thread->comm, name);
	call_note(c, "%s", name);
	return REPLY(0);
}

static struct verdict get_name(struct call *c)
{
	char name[sizeof c->thread->comm] = {0};

	memcpy(name, c->thread->comm, strnlen(c->thread->comm, sizeof name - 1));
	return copy_out(c, c->arg[1], name, sizeof name) ? FAIL(EFAULT) : REPLY(0);
}

/* ---- privileges ---- */

static struct verdict capability_option(struct call *c, struct cred *cr)
{
	uint64_t cap = c->arg[1];

	switch ((int)c->arg[0]) {
	case PR_CAPBSET_READ:
		return cap > CRED_CAP_LAST ? FAIL(EINVAL) : REPLY((cr->bounding & CRED_CAPBIT(cap)) != 0);
	case PR_CAPBSET_DROP:
		if (!cred_capable(c->k, c->proc, CRED_CAP_SETPCAP))
			return FAIL(EPERM);
		if (cap > CRED_CAP_LAST)
			return FAIL(EINVAL);
		cr->bounding &= ~CRED_CAPBIT(cap);
		return REPLY(0);
	case PR_GET_KEEPCAPS:
		return REPLY(cr->keepcaps);
	case PR_SET_KEEPCAPS:
		if (cap > 1)
			return FAIL(EINVAL);
		cr->keepcaps = cap;
		return REPLY(0);
	case PR_GET_SECUREBITS:
		return REPLY(cr->keepcaps ? 1 << 4 : 0);
	case PR_SET_SECUREBITS:
		return call_refuse(c, EPERM, "prctl PR_SET_SECUREBITS");
	}
	return FAIL(EINVAL);
}

static struct verdict ambient(struct call *c)
{
	if (c->arg[1] == PR_CAP_AMBIENT_CLEAR_ALL)
		return rest_is_zero(c, 2) ? REPLY(0) : FAIL(EINVAL);
	if (!rest_is_zero(c, 3) || c->arg[2] > CRED_CAP_LAST)
		return FAIL(EINVAL);
	switch (c->arg[1]) {
	case PR_CAP_AMBIENT_IS_SET:
	case PR_CAP_AMBIENT_LOWER:
		return REPLY(0); /* the set is empty */
	case PR_CAP_AMBIENT_RAISE:
		return call_refuse(c, EPERM, "prctl PR_CAP_AMBIENT_RAISE");
	}
	return FAIL(EINVAL);
}

/* ---- the process ---- */

static struct verdict process_option(struct call *c, struct cred *cr)
{
	uint64_t v = c->arg[1];

	switch ((int)c->arg[0]) {
	case PR_SET_PDEATHSIG:
		if (v > K_NSIG)
			return FAIL(EINVAL);
		c->proc->pdeathsig = (int)v;
		return REPLY(0);
	case PR_GET_PDEATHSIG:
		return write_int(c, v, c->proc->pdeathsig);
	case PR_GET_DUMPABLE:
		return REPLY(cr->dumpable);
	case PR_SET_DUMPABLE:
		if (v > 1)
			return FAIL(EINVAL);
		cr->dumpable = (int)v;
		return REPLY(0);
	case PR_SET_CHILD_SUBREAPER:
		c->proc->child_subreaper = v != 0;
		return REPLY(0);
	case PR_GET_CHILD_SUBREAPER:
		return write_int(c, v, c->proc->child_subreaper);
	case PR_SET_NO_NEW_PRIVS:
		if (v != 1 || !rest_is_zero(c, 2))
			return FAIL(EINVAL);
		cr->no_new_privs = true;
		return REPLY(0);
	case PR_GET_NO_NEW_PRIVS:
		return rest_is_zero(c, 1) ? REPLY(cr->no_new_privs) : FAIL(EINVAL);
	case PR_SET_THP_DISABLE:
		if (!rest_is_zero(c, 2))
			return FAIL(EINVAL);
		cr->thp_disabled = v != 0;
		return REPLY(0);
	case PR_GET_THP_DISABLE:
		return rest_is_zero(c, 1) ? REPLY(cr->thp_disabled) : FAIL(EINVAL);
	}
	return FAIL(EINVAL);
}

/* ---- the thread ---- */

static struct verdict thread_option(struct call *c)
{
	struct thread_attrs *a = &c->thread->attrs;

	switch ((int)c->arg[0]) {
	case PR_SET_TIMERSLACK:
		a->timerslack_ns = (int64_t)c->arg[1] <= 0 ? 0 : c->arg[1];
		return REPLY(0);
	case PR_GET_TIMERSLACK:
		return REPLY(a->timerslack_ns ? a->timerslack_ns : (uint64_t)SLACK_DEFAULT_NS);
	case PR_GET_TIMING:
		return REPLY(PR_TIMING_STATISTICAL);
	case PR_SET_TIMING:
		return c->arg[1] == PR_TIMING_STATISTICAL ? REPLY(0) : FAIL(EINVAL);
	case PR_GET_TSC:
		return write_int(c, c->arg[1], PR_TSC_ENABLE);
	case PR_SET_TSC: /* reads are trapped and answered whatever is asked for */
		if (c->arg[1] == PR_TSC_ENABLE)
			return REPLY(0);
		return call_refuse(c, EINVAL, "prctl PR_SET_TSC %llu", (unsigned long long)c->arg[1]);
	case PR_GET_TID_ADDRESS:
		return copy_out_raw(c, c->arg[1], &c->thread->clear_tid_addr, sizeof c->thread->clear_tid_addr) ? FAIL(EFAULT) :
														   REPLY(0);
	}
	return FAIL(EINVAL);
}

/* What the machine does not have, or does without being asked: the answers of a plain kernel. */
static struct verdict machine_option(struct call *c)
{
	switch ((int)c->arg[0]) {
	case PR_GET_SECCOMP:
		return REPLY(0);
	case PR_MCE_KILL_GET:
		return rest_is_zero(c, 1) ? REPLY(PR_MCE_KILL_DEFAULT) : FAIL(EINVAL);
	case PR_TASK_PERF_EVENTS_ENABLE:
	case PR_TASK_PERF_EVENTS_DISABLE:
		return REPLY(0);
	case PR_SET_VMA: /* names of anonymous memory: seen in /proc/PID/maps only */
		return c->arg[1] == PR_SET_VMA_ANON_NAME ? REPLY(0) : FAIL(EINVAL);
	case K_PR_SET_PTRACER:
		return REPLY(0);
	case K_PR_GET_MDWE:
	case K_PR_GET_MEMORY_MERGE:
		return rest_is_zero(c, 1) ? REPLY(0) : FAIL(EINVAL);
	case PR_GET_UNALIGN:
	case PR_SET_UNALIGN:
	case PR_GET_ENDIAN:
	case PR_SET_ENDIAN:
	case PR_GET_FPEMU:
	case PR_SET_FPEMU:
	case PR_GET_FPEXC:
	case PR_SET_FPEXC:
		return FAIL(EINVAL); /* other processors' */
	case PR_GET_SPECULATION_CTRL:
		return REPLY(PR_SPEC_NOT_AFFECTED);
	case PR_SET_SPECULATION_CTRL:
		return FAIL(ENXIO);
	case PR_SET_MM:
		return call_refuse(c, EPERM, "prctl PR_SET_MM %llu", (unsigned long long)c->arg[1]);
	case PR_SET_SECCOMP:
		return call_refuse(c, EINVAL, "prctl PR_SET_SECCOMP: a guest's own filter would see calls before simrun does");
	}
	return call_refuse(c, EINVAL, "prctl option %d", (int)c->arg[0]);
}

struct verdict sys_prctl(struct call *c)
{
	struct cred *cr = cred_of(c->k, c->proc);

	switch ((int)c->arg[0]) {
	case PR_SET_NAME:
		return set_name(c);
	case PR_GET_NAME:
		return get_name(c);
	case PR_CAPBSET_READ:
	case PR_CAPBSET_DROP:
	case PR_GET_KEEPCAPS:
	case PR_SET_KEEPCAPS:
	case PR_GET_SECUREBITS:
	case PR_SET_SECUREBITS:
		return capability_option(c, cr);
	case PR_CAP_AMBIENT:
		return ambient(c);
	case PR_SET_PDEATHSIG:
	case PR_GET_PDEATHSIG:
	case PR_GET_DUMPABLE:
	case PR_SET_DUMPABLE:
	case PR_SET_CHILD_SUBREAPER:
	case PR_GET_CHILD_SUBREAPER:
	case PR_SET_NO_NEW_PRIVS:
	case PR_GET_NO_NEW_PRIVS:
	case PR_SET_THP_DISABLE:
	case PR_GET_THP_DISABLE:
		return process_option(c, cr);
	case PR_SET_TIMERSLACK:
	case PR_GET_TIMERSLACK:
	case PR_GET_TIMING:
	case PR_SET_TIMING:
	case PR_GET_TSC:
	case PR_SET_TSC:
	case PR_GET_TID_ADDRESS:
		return thread_option(c);
	default:
		return machine_option(c);
	}
}

/* ---- arch_prctl ---- */

/* arch/x86/include/uapi/asm/prctl.h */
enum {
	ARCH_SET_GS = 0x1001, ARCH_SET_FS, ARCH_GET_FS, ARCH_GET_GS,
	ARCH_GET_CPUID = 0x1011, ARCH_SET_CPUID,
	ARCH_CET_FIRST = 0x3001, ARCH_CET_LAST = 0x3004,     /* never merged; glibc before 2.39 asks */
	ARCH_SHSTK_FIRST = 0x5001, ARCH_SHSTK_LAST = 0x5005, /* glibc asks at every start */
};
#define TASK_SIZE_MAX 0x7ffffffff000ull

static struct verdict get_base(struct call *c)
{
	uint64_t probe = 0;

	/* The kernel writes the address itself; this only finds out whether it can. */
	if (copy_out_raw(c, c->arg[1], &probe, sizeof probe))
		return FAIL(EFAULT);
	return CONTINUE(0);
}

struct verdict sys_arch_prctl(struct call *c)
{
	int op = (int)c->arg[0];

	switch (op) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		return c->arg[1] >= TASK_SIZE_MAX ? FAIL(EPERM) : CONTINUE(0);
	case ARCH_GET_FS:
	case ARCH_GET_GS:
		return get_base(c);
	case ARCH_GET_CPUID:
		return REPLY(1);
	case ARCH_SET_CPUID:
		return FAIL(ENODEV); /* no CPUID faulting */
	}
	if ((op >= ARCH_CET_FIRST && op <= ARCH_CET_LAST) || (op >= ARCH_SHSTK_FIRST && op <= ARCH_SHSTK_LAST))
		return FAIL(EINVAL); /* no shadow stacks; not worth a warning, since every program asks */
	return call_refuse(c, EINVAL, "arch_prctl option 0x%x", op);
}

/* ---- personality ---- */

struct verdict sys_personality(struct call *c)
{
	struct cred *cr = cred_of(c->k, c->proc);
	uint32_t was = cr->personality, want = (uint32_t)c->arg[0];

	if (want == UINT32_MAX)
		return REPLY(was);
	/* Memory layout is the run's; the others would have to reach the real process. */
	if (want & ~(uint32_t)(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT))
		return call_refuse(c, EINVAL, "personality 0x%x", want);
	cr->personality = want;
	return REPLY(was);
}
