/* getrandom(2): the node's stream, and nothing else. */
#include "base/mem.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <sys/random.h>

#ifndef GRND_INSECURE
#define GRND_INSECURE 4
#endif

enum { CHUNK = 64 << 10, MOST = 0x7ffff000 /* MAX_RW_COUNT */ };

struct verdict sys_getrandom(struct call *c)
{
	size_t len = MIN(c->arg[1], (uint64_t)MOST), done = 0;
	unsigned flags = (unsigned)c->arg[2];
	char *buf = call_scratch(c, MIN(len, (size_t)CHUNK));
	/* -debug-leak N: the Nth call is answered by the host, so that a test sees it found (tests/cli.sh). */
	bool leaks = c->sim->cfg->debug_leak && ++c->sim->getrandoms == c->sim->cfg->debug_leak;

	if (flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
		return call_refuse(c, EINVAL, "getrandom with flags 0x%x", flags);
	if ((flags & GRND_RANDOM) && (flags & GRND_INSECURE))
		return FAIL(EINVAL);
	while (done < len) {
		size_t n = MIN(len - done, (size_t)CHUNK);
		rng_bytes(&sim_node_of(c->sim, c->proc)->rng, buf, n);
		if (leaks && getrandom(buf, n, 0) < 0)
			return FAIL(EFAULT);
		if (copy_out(c, c->arg[0] + done, buf, n))
			return done ? REPLY(done) : FAIL(EFAULT);
		done += n;
	}
	return REPLY(done);
}
