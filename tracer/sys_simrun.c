/* The reserved call by which the SDK speaks to the simulator: docs/sdk.md. */
#include "sdk/c/simrun_wire.h"
#include "tracer/call.h"
#include "tracer/sdk.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

struct verdict sys_simrun(struct call *c)
{
	struct sender from = {.s = c->sim, .p = c->proc};
	uint64_t n = c->arg[2];
	char *text;
	int64_t answer;

	if (c->arg[0] != SIMRUN_WIRE && c->arg[0] != SIMRUN_WIRE_ANTITHESIS)
		return call_refuse(c, EPROTO, "a message of version %llu of the protocol", (unsigned long long)c->arg[0]);
	if (n > SIMRUN_MESSAGE_MAX)
		return FAIL(EMSGSIZE);
	text = xmalloc(n + 1);
	if (copy_in(c, text, c->arg[1], n)) {
		free(text);
		return FAIL(EFAULT);
	}
	text[n] = 0;
	call_note(c, "%.150s", text);
	answer = c->arg[0] == SIMRUN_WIRE ? sdk_take(&from, text, n) : sdk_take_antithesis(&from, text, n);
	free(text);
	if (answer >= 0 && from.has_random && c->arg[4] >= sizeof from.random &&
	    copy_out(c, c->arg[3], &from.random, sizeof from.random))
		return FAIL(EFAULT);
	return REPLY(answer);
}
