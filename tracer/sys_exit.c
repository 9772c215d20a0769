#include "tracer/call.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

/* What becomes of the real thread is done after the call has been hashed: see dispatch.c. */
struct verdict sys_exit(struct call *c)
{
	if (c->proc->nthreads == 1)
		proc_doom(c->k, c->proc, (int)(c->arg[0] & 0xff) << 8);
	return GONE();
}

struct verdict sys_exit_group(struct call *c)
{
	proc_doom(c->k, c->proc, (int)(c->arg[0] & 0xff) << 8);
	return GONE();
}
