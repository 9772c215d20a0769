/* After kernel/sys.c and security/commoncap.c of Linux. */
#include "kernel/cred.h"

#include <string.h>

#define NO_ID UINT32_MAX
#define BIT(cap) CRED_CAPBIT(cap)

/* What root has among the guests: enough to own files and drop privileges, nothing that reaches the machine. CHOWN,
 * DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, SYS_CHROOT. */
#define ROOT_CAPS                                                                                                  \
	(BIT(0) | BIT(1) | BIT(3) | BIT(4) | BIT(5) | BIT(CRED_CAP_SETGID) | BIT(CRED_CAP_SETUID) | BIT(CRED_CAP_SETPCAP) | \
	 BIT(10) | BIT(18))

static void free_groups(struct kern *k, struct cred *c)
{
	arena_release(k->arena, c->groups, c->ngroups * sizeof *c->groups);
	c->groups = NULL;
	c->ngroups = 0;
}

static void copy_groups(struct kern *k, struct cred *c, const uint32_t *groups, unsigned n)
{
	c->groups = n ? arena_alloc(k->arena, n * sizeof *groups) : NULL;
	c->ngroups = n;
	if (n)
		memcpy(c->groups, groups, n * sizeof *groups);
}

struct cred *cred_of(struct kern *k, struct proc *p)
{
	struct cred *c = p->cred;

	if (c)
		return c;
	c = p->cred = arena_new_of(k->arena, struct cred);
	c->fsuid = p->euid;
	c->fsgid = p->egid;
	c->dumpable = 1;
	c->bounding = ROOT_CAPS;
	if (!p->uid || !p->euid || !p->suid)
		c->permitted = ROOT_CAPS;
	if (!p->euid)
		c->effective = ROOT_CAPS;
	/* A login's: its own group. */
	copy_groups(k, c, &p->gid, 1);
	return c;
}

void cred_fork(struct kern *k, struct proc *child, const struct proc *parent)
{
	if (!parent->cred)
		return;
	child->cred = arena_new_of(k->arena, struct cred);
	*child->cred = *parent->cred;
	copy_groups(k, child->cred, parent->cred->groups, parent->cred->ngroups);
}

void cred_release(struct kern *k, struct proc *p)
{
	if (!p->cred)
		return;
	free_groups(k, p->cred);
	arena_release_of(k->arena, p->cred);
	p->cred = NULL;
}

/* Set-user-ID bits and file capabilities have no effect: as under no_new_privs, which the run sets. */
void cred_exec(struct kern *k, struct proc *p)
{
	struct cred *c = p->cred;

	p->suid = p->euid;
	p->sgid = p->egid;
	if (!c)
		return;
	c->fsuid = p->euid;
	c->fsgid = p->egid;
	c->keepcaps = false;
	c->dumpable = p->uid == p->euid && p->gid == p->egid;
	c->permitted = !p->uid || !p->euid ? c->bounding | c->inheritable : 0;
	c->effective = !p->euid ? c->permitted : 0;
}

bool cred_capable(struct kern *k, struct proc *p, int cap)
{
	return cred_of(k, p)->effective & BIT(cap);
}

/* cap_emulate_setxuid(): what changing user ids does to capabilities. */
static void follow_uids(struct cred *c, const struct proc *p, const uint32_t old[3])
{
	bool was_root = !old[0] || !old[1] || !old[2], is_root = !p->uid || !p->euid || !p->suid;

	if (was_root && !is_root && !c->keepcaps)
		c->permitted = c->effective = 0;
	if (!old[1] && p->euid)
		c->effective = 0;
	if (old[1] && !p->euid)
		c->effective = c->permitted;
}

static void change_uids(struct kern *k, struct proc *p, uint32_t r, uint32_t e, uint32_t s)
{
	struct cred *c = cred_of(k, p);
	const uint32_t old[3] = {p->uid, p->euid, p->suid};

	if (p->euid != e)
		c->dumpable = 0; /* commit_creds(); suid_dumpable is 0 */
	p->uid = r;
	p->euid = e;
	p->suid = s;
	c->fsuid = e;
	follow_uids(c, p, old);
}

static void change_gids(struct kern *k, struct proc *p, uint32_t r, uint32_t e, uint32_t s)
{
	struct cred *c = cred_of(k, p);

	if (p->egid != e)
		c->dumpable = 0;
	p->gid = r;
	p->egid = e;
	p->sgid = s;
	c->fsgid = e;
}

int cred_setuid(struct kern *k, struct proc *p, uint32_t uid)
{
	if (uid == NO_ID)
		return -EINVAL;
	if (cred_capable(k, p, CRED_CAP_SETUID))
		change_uids(k, p, uid, uid, uid);
	else if (uid == p->uid || uid == p->suid)
		change_uids(k, p, p->uid, uid, p->suid);
	else
		return -EPERM;
	return 0;
}

int cred_setgid(struct kern *k, struct proc *p, uint32_t gid)
{
	if (gid == NO_ID)
		return -EINVAL;
	if (cred_capable(k, p, CRED_CAP_SETGID))
		change_gids(k, p, gid, gid, gid);
	else if (gid == p->gid || gid == p->sgid)
		change_gids(k, p, p->gid, gid, p->sgid);
	else
		return -EPERM;
	return 0;
}

/* -1 or one of the ids. */
static bool among(uint32_t id, uint32_t a, uint32_t b, uint32_t c)
{
	return id == NO_ID || id == a || id == b || id == c;
}

int cred_setreuid(struct kern *k, struct proc *p, uint32_t r, uint32_t e)
{
	uint32_t s = p->suid;

	if (!(among(r, p->uid, p->euid, p->euid) && among(e, p->uid, p->euid, p->suid)) && !cred_capable(k, p, CRED_CAP_SETUID))
		return -EPERM;
	if (r != NO_ID || (e != NO_ID && e != p->uid))
		s = e == NO_ID ? p->euid : e;
	change_uids(k, p, r == NO_ID ? p->uid : r, e == NO_ID ? p->euid : e, s);
	return 0;
}

int cred_setregid(struct kern *k, struct proc *p, uint32_t r, uint32_t e)
{
	uint32_t s = p->sgid;

	if (!(among(r, p->gid, p->egid, p->egid) && among(e, p->gid, p->egid, p->sgid)) && !cred_capable(k, p, CRED_CAP_SETGID))
		return -EPERM;
	if (r != NO_ID || (e != NO_ID && e != p->gid))
		s = e == NO_ID ? p->egid : e;
	change_gids(k, p, r == NO_ID ? p->gid : r, e == NO_ID ? p->egid : e, s);
	return 0;
}

int cred_setresuid(struct kern *k, struct proc *p, uint32_t r, uint32_t e, uint32_t s)
{
	bool own = among(r, p->uid, p->euid, p->suid) && among(e, p->uid, p->euid, p->suid) && among(s, p->uid, p->euid, p->suid);

	if (!own && !cred_capable(k, p, CRED_CAP_SETUID))
		return -EPERM;
	change_uids(k, p, r == NO_ID ? p->uid : r, e == NO_ID ? p->euid : e, s == NO_ID ? p->suid : s);
	return 0;
}

int cred_setresgid(struct kern *k, struct proc *p, uint32_t r, uint32_t e, uint32_t s)
{
	bool own = among(r, p->gid, p->egid, p->sgid) && among(e, p->gid, p->egid, p->sgid) && among(s, p->gid, p->egid, p->sgid);

	if (!own && !cred_capable(k, p, CRED_CAP_SETGID))
		return -EPERM;
	change_gids(k, p, r == NO_ID ? p->gid : r, e == NO_ID ? p->egid : e, s == NO_ID ? p->sgid : s);
	return 0;
}

/* The capabilities that go with files (CHOWN, DAC_*, FOWNER, FSETID and others guests never have). */
#define FS_CAPS (BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(4))

uint32_t cred_setfsuid(struct kern *k, struct proc *p, uint32_t uid)
{
	struct cred *c = cred_of(k, p);
	uint32_t old = c->fsuid;

	if (uid == NO_ID || uid == old)
		return old;
	if (!cred_capable(k, p, CRED_CAP_SETUID) && !among(uid, p->uid, p->euid, p->suid))
		return old;
	c->fsuid = uid;
	if (!old && uid)
		c->effective &= ~FS_CAPS;
	if (old && !uid)
		c->effective |= c->permitted & FS_CAPS;
	return old;
}

uint32_t cred_setfsgid(struct kern *k, struct proc *p, uint32_t gid)
{
	struct cred *c = cred_of(k, p);
	uint32_t old = c->fsgid;

	if (gid != NO_ID && (cred_capable(k, p, CRED_CAP_SETGID) || among(gid, p->gid, p->egid, p->sgid)))
		c->fsgid = gid;
	return old;
}

int cred_setgroups(struct kern *k, struct proc *p, const uint32_t *groups, unsigned n)
{
	struct cred *c = cred_of(k, p);

	if (!cred_capable(k, p, CRED_CAP_SETGID))
		return -EPERM;
	free_groups(k, c);
	copy_groups(k, c, groups, n);
	return 0;
}

bool cred_in_group(struct kern *k, struct proc *p, uint32_t gid)
{
	const struct cred *c = cred_of(k, p);

	for (unsigned i = 0; i < c->ngroups; i++)
		if (c->groups[i] == gid)
			return true;
	return gid == c->fsgid;
}

int cred_capset(struct kern *k, struct proc *p, uint64_t permitted, uint64_t effective, uint64_t inheritable)
{
	struct cred *c = cred_of(k, p);
	bool setpcap = c->effective & BIT(CRED_CAP_SETPCAP);

	if (!setpcap && (inheritable & ~(c->inheritable | c->permitted)))
		return -EPERM;
	if (inheritable & ~(c->inheritable | c->bounding))
		return -EPERM;
	if ((permitted & ~c->permitted) || (effective & ~permitted))
		return -EPERM;
	c->permitted = permitted;
	c->effective = effective;
	c->inheritable = inheritable;
	return 0;
}
