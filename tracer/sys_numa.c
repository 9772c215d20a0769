/*
 * Memory policies (set_mempolicy(2), mbind(2) and their kin) on a machine with one node: they are checked, and there is nothing
 * to choose. And mincore(2), for which everything that is mapped is in memory.
 */
#include "tracer/call.h"

#include "base/mem.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, MASK_BITS_MAX = PAGE * 8, MODES = 7 /* MPOL_DEFAULT to MPOL_WEIGHTED_INTERLEAVE */ };

/* ---- which memory is mapped ---- */

/* Is [addr, addr + len) mapped without holes? */
static bool mapped(struct call *c, uint64_t addr, uint64_t len)
{
	char path[32], line[512];
	uint64_t at = addr, end = addr + len, lo, hi;
	FILE *f;
	int fd;

	snprintf(path, sizeof path, "%d/maps", c->task->tid);
	fd = openat(c->sim->host_proc, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "re");
	if (!f)
		return false;
	while (at < end && fgets(line, sizeof line, f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &lo, &hi) == 2 && at >= lo && at < hi)
			at = hi;
	fclose(f);
	return at >= end;
}

struct verdict sys_mincore(struct call *c)
{
	uint64_t addr = c->arg[0], len = c->arg[1], pages;
	void *all;

	if (addr % PAGE)
		return FAIL(EINVAL);
	pages = len / PAGE + (len % PAGE != 0);
	if (addr + len < addr || addr + len > 0x7ffffffff000ull)
		return FAIL(ENOMEM);
	if (pages > (1u << 26))
		return FAIL(ENOMEM); /* more than the machine has */
	if (pages && !mapped(c, addr, pages * PAGE))
		return FAIL(ENOMEM);
	all = call_scratch(c, pages);
	memset(all, 1, pages);
	return copy_out(c, c->arg[2], all, pages) ? FAIL(EFAULT) : REPLY(0);
}

/* ---- policies ---- */

/* A set of nodes as get_nodes() reads it: 1 when node 0 is in it, 0 when it is empty, -EINVAL when it has others. */
static int read_nodes(struct call *c, uint64_t addr, uint64_t maxnode)
{
	uint64_t bits, *set;
	size_t words;

	if (!addr || maxnode <= 1)
		return 0;
	bits = maxnode - 1;
	if (bits > MASK_BITS_MAX)
		return -EINVAL;
	words = (bits + 63) / 64;
	set = call_scratch(c, words * sizeof *set);
	if (copy_in(c, set, addr, words * sizeof *set))
		return -EFAULT;
	if (bits % 64)
		set[words - 1] &= (1ull << bits % 64) - 1;
	for (size_t i = 0; i < words; i++)
		if (i ? set[i] : set[i] & ~1ull)
			return -EINVAL;
	return (int)(set[0] & 1);
}

/* mpol_new(). 0 or -errno. */
static int check_policy(struct call *c, uint32_t how, uint64_t addr, uint64_t maxnode)
{
	uint32_t mode = how & ~(uint32_t)MPOL_MODE_FLAGS;
	int nodes = read_nodes(c, addr, maxnode);

	if (nodes < 0)
		return nodes;
	if (mode >= MODES)
		return -EINVAL;
	switch (mode) {
	case MPOL_DEFAULT:
	case MPOL_LOCAL:
		return nodes ? -EINVAL : 0;
	case MPOL_PREFERRED:
		return 0;
	default:
		return nodes ? 0 : -EINVAL;
	}
}

struct verdict sys_set_mempolicy(struct call *c)
{
	uint32_t how = (uint32_t)c->arg[0];
	int rc = check_policy(c, how, c->arg[1], c->arg[2]);

	if (!rc)
		c->thread->attrs.mempolicy = how;
	return REPLY(rc);
}

static struct verdict put_nodes(struct call *c, uint64_t maxnode, bool zero)
{
	uint64_t *set;
	size_t words;

	if (!c->arg[1])
		return REPLY(0);
	if (maxnode < 1 || maxnode > MASK_BITS_MAX)
		return FAIL(EINVAL);
	words = (maxnode + 63) / 64;
	set = call_scratch(c, words * sizeof *set);
	memset(set, 0, words * sizeof *set);
	set[0] = zero;
	return copy_out(c, c->arg[1], set, words * sizeof *set) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_get_mempolicy(struct call *c)
{
	uint64_t flags = c->arg[4];
	uint32_t policy = c->thread->attrs.mempolicy, mode = policy & ~(uint32_t)MPOL_MODE_FLAGS;
	int32_t shown = (int32_t)policy;

	if (flags & ~(uint64_t)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED))
		return FAIL(EINVAL);
	if (flags & MPOL_F_MEMS_ALLOWED) {
		if (flags & (MPOL_F_NODE | MPOL_F_ADDR))
			return FAIL(EINVAL);
		shown = 0;
		mode = MPOL_BIND;
	} else if (flags & MPOL_F_ADDR) {
		if (!mapped(c, c->arg[3], 1))
			return FAIL(EFAULT);
		shown = MPOL_DEFAULT; /* with MPOL_F_NODE: the node, which is 0 as well */
		mode = MPOL_DEFAULT;
	} else if (c->arg[3]) {
		return FAIL(EINVAL);
	} else if (flags & MPOL_F_NODE) {
		if (mode != MPOL_INTERLEAVE)
			return FAIL(EINVAL);
		shown = 0;
	}
	if (c->arg[0] && copy_out(c, c->arg[0], &shown, sizeof shown))
		return FAIL(EFAULT);
	return put_nodes(c, c->arg[2], mode == MPOL_BIND || mode == MPOL_INTERLEAVE || mode == MPOL_PREFERRED_MANY);
}

struct verdict sys_mbind(struct call *c)
{
	uint64_t addr = c->arg[0], len = (c->arg[1] + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	int rc;

	if ((uint32_t)c->arg[5] & ~(uint32_t)MPOL_MF_VALID || addr % PAGE)
		return FAIL(EINVAL);
	rc = check_policy(c, (uint32_t)c->arg[2], c->arg[3], c->arg[4]);
	if (rc)
		return REPLY(rc);
	if (addr + len < addr)
		return FAIL(EINVAL);
	return len && !mapped(c, addr, len) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_set_mempolicy_home_node(struct call *c)
{
	if (c->arg[0] % PAGE || c->arg[3] || c->arg[2])
		return FAIL(EINVAL);
	return REPLY(0);
}

struct verdict sys_migrate_pages(struct call *c)
{
	int pid = (int)c->arg[0];

	if (pid && !proc_find_any(c->k, pid))
		return FAIL(ESRCH);
	return REPLY(0); /* pages that could not be moved */
}

/* Every page is on node 0, and stays there. */
struct verdict sys_move_pages(struct call *c)
{
	uint64_t n = c->arg[1], page;
	const int pid = (int)c->arg[0];
	struct proc *p = pid ? proc_find_any(c->k, pid) : c->proc;

	if ((uint32_t)c->arg[5] & ~(uint32_t)(MPOL_MF_MOVE | MPOL_MF_MOVE_ALL))
		return FAIL(EINVAL);
	if (!p)
		return FAIL(ESRCH);
	if (p != c->proc)
		return FAIL(EPERM);
	for (uint64_t i = 0; i < n; i++) {
		int32_t status = 0, node = 0;
		if (copy_in_raw(c, &page, c->arg[2] + i * sizeof page, sizeof page))
			return FAIL(EFAULT);
		if (c->arg[3] && copy_in(c, &node, c->arg[3] + i * sizeof node, sizeof node))
			return FAIL(EFAULT);
		if (node)
			return FAIL(ENODEV);
		status = mapped(c, page, 1) ? 0 : -EFAULT;
		if (copy_out(c, c->arg[4] + i * sizeof status, &status, sizeof status))
			return FAIL(EFAULT);
	}
	return REPLY(0);
}
