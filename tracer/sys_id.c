/* User and group ids, groups, capabilities. The rules are kernel/cred.c. */
#include "kernel/cred.h"
#include "tracer/call.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <linux/capability.h>

struct verdict sys_getuid(struct call *c)
{
	return REPLY(c->proc->uid);
}

struct verdict sys_geteuid(struct call *c)
{
	return REPLY(c->proc->euid);
}

struct verdict sys_getgid(struct call *c)
{
	return REPLY(c->proc->gid);
}

struct verdict sys_getegid(struct call *c)
{
	return REPLY(c->proc->egid);
}

static struct verdict write_three(struct call *c, uint32_t r, uint32_t e, uint32_t s)
{
	if (copy_out(c, c->arg[0], &r, sizeof r) || copy_out(c, c->arg[1], &e, sizeof e) || copy_out(c, c->arg[2], &s, sizeof s))
		return FAIL(EFAULT);
	return REPLY(0);
}

struct verdict sys_getresuid(struct call *c)
{
	return write_three(c, c->proc->uid, c->proc->euid, c->proc->suid);
}

struct verdict sys_getresgid(struct call *c)
{
	return write_three(c, c->proc->gid, c->proc->egid, c->proc->sgid);
}

struct verdict sys_setuid(struct call *c)
{
	return REPLY(cred_setuid(c->k, c->proc, (uint32_t)c->arg[0]));
}

struct verdict sys_setgid(struct call *c)
{
	return REPLY(cred_setgid(c->k, c->proc, (uint32_t)c->arg[0]));
}

struct verdict sys_setreuid(struct call *c)
{
	return REPLY(cred_setreuid(c->k, c->proc, (uint32_t)c->arg[0], (uint32_t)c->arg[1]));
}

struct verdict sys_setregid(struct call *c)
{
	return REPLY(cred_setregid(c->k, c->proc, (uint32_t)c->arg[0], (uint32_t)c->arg[1]));
}

struct verdict sys_setresuid(struct call *c)
{
	return REPLY(cred_setresuid(c->k, c->proc, (uint32_t)c->arg[0], (uint32_t)c->arg[1], (uint32_t)c->arg[2]));
}

struct verdict sys_setresgid(struct call *c)
{
	return REPLY(cred_setresgid(c->k, c->proc, (uint32_t)c->arg[0], (uint32_t)c->arg[1], (uint32_t)c->arg[2]));
}

struct verdict sys_setfsuid(struct call *c)
{
	return REPLY(cred_setfsuid(c->k, c->proc, (uint32_t)c->arg[0]));
}

struct verdict sys_setfsgid(struct call *c)
{
	return REPLY(cred_setfsgid(c->k, c->proc, (uint32_t)c->arg[0]));
}

struct verdict sys_getgroups(struct call *c)
{
	const struct cred *cr = cred_of(c->k, c->proc);
	int room = (int)c->arg[0];

	if (room < 0)
		return FAIL(EINVAL);
	if (!room)
		return REPLY(cr->ngroups);
	if ((unsigned)room < cr->ngroups)
		return FAIL(EINVAL);
	if (copy_out(c, c->arg[1], cr->groups, cr->ngroups * sizeof *cr->groups))
		return FAIL(EFAULT);
	return REPLY(cr->ngroups);
}

struct verdict sys_setgroups(struct call *c)
{
	unsigned n = (unsigned)c->arg[0];
	uint32_t *groups;

	if (!cred_capable(c->k, c->proc, CRED_CAP_SETGID))
		return FAIL(EPERM);
	if (n > CRED_GROUPS_MAX)
		return FAIL(EINVAL);
	groups = call_scratch(c, n * sizeof *groups);
	if (copy_in(c, groups, c->arg[1], n * sizeof *groups))
		return FAIL(EFAULT);
	return REPLY(cred_setgroups(c->k, c->proc, groups, n));
}

/* ---- capabilities ---- */

/* How many words of 32 bits each set has in this version of the interface; 0: unknown, and the caller is told ours. */
static unsigned cap_words(struct call *c, const struct __user_cap_header_struct *h, struct verdict *v)
{
	uint32_t ours = _LINUX_CAPABILITY_VERSION_3;

	if (h->version == _LINUX_CAPABILITY_VERSION_1)
		return 1;
	if (h->version == _LINUX_CAPABILITY_VERSION_2 || h->version == _LINUX_CAPABILITY_VERSION_3)
		return 2;
	*v = copy_out(c, c->arg[0], &ours, sizeof ours) ? FAIL(EFAULT) : FAIL(EINVAL);
	return 0;
}

struct verdict sys_capget(struct call *c)
{
	struct __user_cap_header_struct h;
	struct __user_cap_data_struct d[2];
	struct proc *p = c->proc;
	const struct cred *cr;
	struct verdict v = REPLY(0);
	unsigned n;

	if (copy_in(c, &h, c->arg[0], sizeof h))
		return FAIL(EFAULT);
	n = cap_words(c, &h, &v);
	if (!n) /* asking for the version only, see capget(2) */
		return v.value == -EINVAL && !c->arg[1] ? REPLY(0) : v;
	if (h.pid < 0)
		return FAIL(EINVAL);
	if (h.pid && !(p = proc_find_any(c->k, h.pid)))
		return FAIL(ESRCH);
	if (!c->arg[1])
		return REPLY(0);
	cr = cred_of(c->k, p);
	for (unsigned i = 0; i < 2; i++)
		d[i] = (struct __user_cap_data_struct){.effective = (uint32_t)(cr->effective >> 32 * i),
						       .permitted = (uint32_t)(cr->permitted >> 32 * i),
						       .inheritable = (uint32_t)(cr->inheritable >> 32 * i)};
	return copy_out(c, c->arg[1], d, n * sizeof d[0]) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_capset(struct call *c)
{
	struct __user_cap_header_struct h;
	struct __user_cap_data_struct d[2] = {0};
	struct verdict v = REPLY(0);
	uint64_t set[3] = {0};
	unsigned n;

	if (copy_in(c, &h, c->arg[0], sizeof h))
		return FAIL(EFAULT);
	n = cap_words(c, &h, &v);
	if (!n)
		return v;
	if (h.pid && h.pid != c->thread->tid)
		return FAIL(EPERM);
	if (copy_in(c, d, c->arg[1], n * sizeof d[0]))
		return FAIL(EFAULT);
	for (unsigned i = 0; i < n; i++) {
		set[0] |= (uint64_t)d[i].permitted << 32 * i;
		set[1] |= (uint64_t)d[i].effective << 32 * i;
		set[2] |= (uint64_t)d[i].inheritable << 32 * i;
	}
	return REPLY(cred_capset(c->k, c->proc, set[0], set[1], set[2]));
}
