/* What the machine is and what it has counted: the same everywhere, derived from virtual time where it must move. */
#include "base/mem.h"
#include "tracer/machine.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>

struct verdict sys_uname(struct call *c)
{
	struct utsname u = {.sysname = "Linux",
			    .release = MACHINE_RELEASE,
			    .version = MACHINE_VERSION,
			    .machine = "x86_64",
			    .domainname = "(none)"};

	snprintf(u.nodename, sizeof u.nodename, "%.64s", sim_node_of(c->sim, c->proc)->name);
	return copy_out(c, c->arg[0], &u, sizeof u) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_sysinfo(struct call *c)
{
	struct sysinfo si;

	memset(&si, 0, sizeof si); /* padding too */
	si.uptime = (c->k->clock.now_ns + NS_PER_S - 1) / NS_PER_S;
	si.totalram = MACHINE_MEM_TOTAL;
	si.freeram = MACHINE_MEM_FREE;
	si.bufferram = MACHINE_MEM_BUFFERS;
	si.procs = (unsigned short)MIN(c->k->threads.len, (size_t)UINT16_MAX);
	si.mem_unit = 1;
	return copy_out(c, c->arg[0], &si, sizeof si) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_getcpu(struct call *c)
{
	uint32_t cpu = thread_cpu(c->thread), numa_node = 0;

	if (c->arg[0] && copy_out(c, c->arg[0], &cpu, sizeof cpu))
		return FAIL(EFAULT);
	if (c->arg[1] && copy_out(c, c->arg[1], &numa_node, sizeof numa_node))
		return FAIL(EFAULT);
	return REPLY(0);
}

/* ---- CPU time: all of it counts as user time ---- */

struct verdict sys_getrusage(struct call *c)
{
	struct rusage ru;
	int64_t cpu;

	switch ((int)c->arg[0]) {
	case RUSAGE_SELF:
		cpu = c->proc->cpu_ns;
		break;
	case RUSAGE_CHILDREN:
		cpu = c->proc->child_cpu_ns;
		break;
	case RUSAGE_THREAD:
		cpu = c->thread->cpu_ns;
		break;
	default:
		return FAIL(EINVAL);
	}
	memset(&ru, 0, sizeof ru);
	ru.ru_utime.tv_sec = cpu / NS_PER_S;
	ru.ru_utime.tv_usec = cpu % NS_PER_S / NS_PER_US;
	ru.ru_maxrss = (int)c->arg[0] == RUSAGE_CHILDREN && !cpu ? 0 : (long)(MACHINE_RSS >> 10);
	return copy_out(c, c->arg[1], &ru, sizeof ru) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_times(struct call *c)
{
	struct tms t = {.tms_utime = c->proc->cpu_ns / MACHINE_TICK_NS, .tms_cutime = c->proc->child_cpu_ns / MACHINE_TICK_NS};

	if (c->arg[0] && copy_out(c, c->arg[0], &t, sizeof t))
		return FAIL(EFAULT);
	return REPLY(c->k->clock.now_ns / MACHINE_TICK_NS);
}

/* ---- limits ---- */

enum { NR_OPEN = 1 << 20 /* fs.nr_open */ };

/* Limits of the address space are kept by the real kernel, which makes the mappings. */
static void enforce(const struct proc *p, unsigned res, uint64_t soft)
{
	struct rlimit r;
	pid_t tgid = proc_host(p) ? proc_host(p)->tgid : 0;

	if (!tgid || (res != RLIMIT_STACK && res != RLIMIT_AS && res != RLIMIT_DATA))
		return;
	if (prlimit(tgid, (__rlimit_resource_t)res, NULL, &r) < 0)
		return;
	r.rlim_cur = soft < r.rlim_max ? soft : r.rlim_max;
	prlimit(tgid, (__rlimit_resource_t)res, &r, NULL);
}

/* do_prlimit() without CAP_SYS_RESOURCE, which no guest has. 0 or -errno. */
static int set_limit(struct proc *p, unsigned res, const uint64_t lim[2])
{
	if (lim[0] > lim[1])
		return -EINVAL;
	if (res == RLIMIT_NOFILE && lim[1] > NR_OPEN)
		return -EPERM;
	if (lim[1] > p->rlim[res][1])
		return -EPERM;
	p->rlim[res][0] = lim[0];
	p->rlim[res][1] = lim[1];
	enforce(p, res, lim[0]);
	return 0;
}

static bool may_see_limits(const struct proc *me, const struct proc *p)
{
	if (me == p || !me->euid)
		return true;
	return me->uid == p->euid && me->uid == p->suid && me->uid == p->uid && me->gid == p->egid && me->gid == p->sgid &&
	       me->gid == p->gid;
}

struct verdict sys_getrlimit(struct call *c)
{
	unsigned res = (unsigned)c->arg[0];

	if (res >= RLIM_NLIMITS)
		return FAIL(EINVAL);
	return copy_out(c, c->arg[1], c->proc->rlim[res], sizeof c->proc->rlim[res]) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_setrlimit(struct call *c)
{
	uint64_t lim[2];

	if (copy_in(c, lim, c->arg[1], sizeof lim))
		return FAIL(EFAULT);
	if ((unsigned)c->arg[0] >= RLIM_NLIMITS)
		return FAIL(EINVAL);
	return REPLY(set_limit(c->proc, (unsigned)c->arg[0], lim));
}

struct verdict sys_prlimit64(struct call *c)
{
	int pid = (int)c->arg[0];
	unsigned res = (unsigned)c->arg[1];
	struct proc *p = pid ? proc_find_any(c->k, pid) : c->proc;
	uint64_t lim[2], old[2];
	int rc;

	if (c->arg[2] && copy_in(c, lim, c->arg[2], sizeof lim))
		return FAIL(EFAULT);
	if (!p || p->zombie)
		return FAIL(ESRCH);
	if (!may_see_limits(c->proc, p))
		return FAIL(EPERM);
	if (res >= RLIM_NLIMITS)
		return FAIL(EINVAL);
	old[0] = p->rlim[res][0];
	old[1] = p->rlim[res][1];
	if (c->arg[2]) {
		rc = set_limit(p, res, lim);
		if (rc)
			return REPLY(rc);
	}
	return c->arg[3] && copy_out(c, c->arg[3], old, sizeof old) ? FAIL(EFAULT) : REPLY(0);
}
