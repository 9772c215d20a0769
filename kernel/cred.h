/*
 * Identity and attributes of a process: user and group ids, capabilities, supplementary groups, what prctl(2) keeps.
 * All of it is virtual: the real processes keep the credentials that the run started with.
 */
#ifndef KERNEL_CRED_H
#define KERNEL_CRED_H

#include "kernel/task.h"

/* Capability numbers of include/uapi/linux/capability.h that guests have, and the highest there is. */
enum { CRED_CAP_SETGID = 6, CRED_CAP_SETUID = 7, CRED_CAP_SETPCAP = 8, CRED_CAP_LAST = 40 };
#define CRED_CAPBIT(cap) (1ull << (cap))

enum { CRED_GROUPS_MAX = 65536 };

struct cred {
	uint32_t fsuid, fsgid;
	uint32_t *groups; /* in the caller's order; NULL when none */
	unsigned ngroups;
	uint64_t permitted, effective, inheritable, bounding;
	uint32_t personality;
	int dumpable;
	bool keepcaps, no_new_privs, thp_disabled;
};

/* p's own; made from its uid and gid at the first use. Never NULL. */
struct cred *cred_of(struct kern *k, struct proc *p);
void cred_fork(struct kern *k, struct proc *child, const struct proc *parent);
void cred_exec(struct kern *k, struct proc *p);
void cred_release(struct kern *k, struct proc *p);

bool cred_capable(struct kern *k, struct proc *p, int cap); /* in the effective set */

/* The calls of that name. 0 or -errno; an id of -1 means "unchanged" where the call has that. */
int cred_setuid(struct kern *k, struct proc *p, uint32_t uid);
int cred_setreuid(struct kern *k, struct proc *p, uint32_t r, uint32_t e);
int cred_setresuid(struct kern *k, struct proc *p, uint32_t r, uint32_t e, uint32_t s);
int cred_setgid(struct kern *k, struct proc *p, uint32_t gid);
int cred_setregid(struct kern *k, struct proc *p, uint32_t r, uint32_t e);
int cred_setresgid(struct kern *k, struct proc *p, uint32_t r, uint32_t e, uint32_t s);
/* These return the previous id, whether or not it changed. */
uint32_t cred_setfsuid(struct kern *k, struct proc *p, uint32_t uid);
uint32_t cred_setfsgid(struct kern *k, struct proc *p, uint32_t gid);
/* Copies the list. 0 or -EPERM. */
int cred_setgroups(struct kern *k, struct proc *p, const uint32_t *groups, unsigned n);
/* 0 or -EPERM, as capset(2) says. */
int cred_capset(struct kern *k, struct proc *p, uint64_t permitted, uint64_t effective, uint64_t inheritable);
bool cred_in_group(struct kern *k, struct proc *p, uint32_t gid);

#endif
