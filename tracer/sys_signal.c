/*
 * Calls about a thread's own signals. Actions, masks and alternate stacks are known to the simulated kernel, which decides
 * what is delivered when, and to the real one, which builds the frames: such calls are checked here, then performed there.
 */
#include "tracer/siginfo.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include <errno.h>
#include <string.h>

enum { SIGSET_SIZE = 8 };

/* ---- actions, masks, stacks: performed by the real kernel as well ---- */

struct verdict sys_rt_sigaction(struct call *c)
{
	int sig = (int)c->arg[0];
	struct k_sigaction act;

	if (c->arg[3] != SIGSET_SIZE)
		return FAIL(EINVAL);
	if (c->arg[1] && copy_in_raw(c, &act, c->arg[1], sizeof act))
		return FAIL(EFAULT);
	if (sig < 1 || sig > K_NSIG || (c->arg[1] && (sig == SIGKILL || sig == SIGSTOP)))
		return FAIL(EINVAL);
	if (c->arg[1])
		sig_set_action(c->k, c->proc, sig, &act);
	return CONTINUE(0);
}

struct verdict sys_rt_sigprocmask(struct call *c)
{
	uint64_t set, mask = c->thread->sigmask;

	if (c->arg[3] != SIGSET_SIZE)
		return FAIL(EINVAL);
	if (!c->arg[1])
		return CONTINUE(0);
	if (copy_in(c, &set, c->arg[1], sizeof set))
		return FAIL(EFAULT);
	switch ((int)c->arg[0]) {
	case SIG_BLOCK:
		mask |= set;
		break;
	case SIG_UNBLOCK:
		mask &= ~set;
		break;
	case SIG_SETMASK:
		mask = set;
		break;
	default:
		return FAIL(EINVAL);
	}
	sig_set_mask(c->k, c->thread, mask);
	return CONTINUE(0);
}

struct abi_stack {
	uint64_t sp;
	int32_t flags, pad;
	uint64_t size;
};

/* do_sigaltstack(); whether the caller stands on the stack right now (EPERM) only the real kernel can tell. */
struct verdict sys_sigaltstack(struct call *c)
{
	enum { MIN_SIZE = 2048, ON = 1, DISABLE = 2 };
	struct abi_stack ss;
	uint32_t mode;

	if (!c->arg[0])
		return CONTINUE(0);
	if (copy_in_raw(c, &ss, c->arg[0], sizeof ss))
		return FAIL(EFAULT);
	mode = (uint32_t)ss.flags & ~(1u << 31); /* SS_AUTODISARM */
	if (mode != DISABLE && mode != ON && mode != 0)
		return FAIL(EINVAL);
	if (mode != DISABLE && ss.size < MIN_SIZE)
		return FAIL(ENOMEM);
	return CONTINUE(0);
}

/* ---- waiting for signals ---- */

struct verdict sys_pause(struct call *c)
{
	c->thread->wait_what = "a signal";
	return BLOCK(-EINTR);
}

struct verdict sys_rt_sigsuspend(struct call *c)
{
	uint64_t mask;

	if (c->tries)
		return sys_pause(c);
	if (c->arg[1] != SIGSET_SIZE)
		return FAIL(EINVAL);
	if (copy_in(c, &mask, c->arg[0], sizeof mask))
		return FAIL(EFAULT);
	thread_set_temp_mask(c->k, c->thread, mask);
	return sys_pause(c);
}

struct verdict sys_rt_sigpending(struct call *c)
{
	uint64_t set = sig_pending_set(c->thread) & c->thread->sigmask;

	if (c->arg[1] > SIGSET_SIZE)
		return FAIL(EINVAL);
	return copy_out(c, c->arg[0], &set, c->arg[1]) ? FAIL(EFAULT) : REPLY(0);
}

/* First try of rt_sigtimedwait: s[0] the set, s[1] whether there is a timeout, s[2] how long. */
static int read_sigwait(struct call *c)
{
	struct abi_timespec ts;

	if (c->arg[3] != SIGSET_SIZE)
		return EINVAL;
	if (copy_in(c, &c->s[0], c->arg[0], SIGSET_SIZE))
		return EFAULT;
	c->s[0] &= ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP));
	if (!c->arg[2])
		return 0;
	if (copy_in(c, &ts, c->arg[2], sizeof ts))
		return EFAULT;
	if (!timespec_valid(&ts))
		return EINVAL;
	c->s[1] = 1;
	c->s[2] = (uint64_t)timespec_ns(&ts);
	return 0;
}

static struct verdict got_signal(struct call *c, const struct sigitem *it)
{
	siginfo_t si;

	siginfo_make(&si, it);
	if (c->arg[1] && copy_out(c, c->arg[1], &si, sizeof si))
		return FAIL(EFAULT);
	return REPLY(it->sig);
}

struct verdict sys_rt_sigtimedwait(struct call *c)
{
	struct sigitem it;
	int e = c->tries ? 0 : read_sigwait(c);

	c->thread->sigwait_set = 0;
	if (e)
		return FAIL(e);
	if (sig_take_from_set(c->k, c->thread, c->s[0], &it))
		return got_signal(c, &it);
	if (c->thread->timed_out || (c->s[1] && !c->s[2]))
		return FAIL(EAGAIN);
	if (call_interrupted(c))
		return BLOCK(-EINTR);
	c->thread->sigwait_set = c->s[0];
	if (c->s[1])
		call_wait_rel(c, (int64_t)c->s[2]);
	c->thread->wait_what = "a signal";
	return BLOCK(-EINTR);
}
