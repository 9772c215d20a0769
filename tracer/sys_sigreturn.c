#include "tracer/call.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

/*
 * The kernel does the work; the simulator learns the mask that it restores. At the call, rsp points to the ucontext: the
 * handler's return has popped the frame's first word (arch/x86/kernel/signal_64.c, struct rt_sigframe).
 */
struct verdict sys_rt_sigreturn(struct call *c)
{
	enum { UC_SIGMASK = 296 };
	uint64_t mask;

	if (!copy_in_raw(c, &mask, c->task->sp + UC_SIGMASK, sizeof mask))
		sig_set_mask(c->k, c->thread, mask & ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP)));
	/* Still in the entry stop: whatever is delivered now is delivered after the frame is gone. */
	return TRACED(0);
}
