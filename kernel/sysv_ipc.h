/*
 * What the three kinds of System V objects (sysvipc(7)) have in common: identifiers, keys, owners. After ipc/util.c of Linux.
 * One namespace serves the whole run, as one machine does.
 */
#ifndef KERNEL_SYSV_IPC_H
#define KERNEL_SYSV_IPC_H

#include "kernel/task.h"

/* include/uapi/linux/ipc.h */
enum { K_IPC_PRIVATE = 0, K_IPC_CREAT = 01000, K_IPC_EXCL = 02000, K_IPC_NOWAIT = 04000 };
/* Identifiers are index + sequence << this. */
enum { SYSV_SEQ_SHIFT = 15, SYSV_INDEX_MAX = 1 << SYSV_SEQ_SHIFT };

/* First member of every object. */
struct sysv_perm {
	int key, id;
	uint32_t uid, gid, cuid, cgid;
	uint32_t mode;
	uint16_t seq;
};

/* All objects of one kind, by index. */
struct sysv_ids {
	struct sysv_perm **slot;
	unsigned cap, used;
	int last; /* index given out last; -1: none yet */
	uint16_t seq;
};

struct sysv {
	struct sysv_ids shm, sem, msg;
	uint64_t shm_pages;  /* of all segments */
	unsigned sems;       /* in all sets */
	uint64_t msg_bytes, msg_count; /* in all queues */
};

/* The run's; made at the first use. */
struct sysv *sysv_of(struct kern *k);

/* Gives obj its identifier and owner. key and mode as the call got them. -ENOSPC when there are `limit` already. */
int sysv_add(struct kern *k, struct sysv_ids *ids, struct sysv_perm *obj, struct proc *p, int key, uint32_t mode,
	     unsigned limit);
void sysv_remove(struct sysv_ids *ids, struct sysv_perm *obj);
struct sysv_perm *sysv_by_key(const struct sysv_ids *ids, int key); /* NULL: none */
/* NULL and *e = EINVAL: never was there; EIDRM: its index has another one now. */
struct sysv_perm *sysv_by_id(const struct sysv_ids *ids, int id, int *e);
struct sysv_perm *sysv_by_index(const struct sysv_ids *ids, int id); /* for the STAT commands: only the index counts */
int sysv_last_index(const struct sysv_ids *ids);                     /* the highest in use; 0 when none is */

/* ipcperms(): may p do what the permission bits of `flags` say? */
bool sysv_allowed(struct kern *k, struct proc *p, const struct sysv_perm *obj, uint32_t flags);
/* IPC_SET and IPC_RMID: 0 or -EPERM. */
int sysv_owned(const struct proc *p, const struct sysv_perm *obj);
/* Root may do what CAP_IPC_OWNER, CAP_IPC_LOCK, CAP_SYS_ADMIN and CAP_SYS_RESOURCE allow to these objects. */
bool sysv_capable(const struct proc *p);
void sysv_set_perm(struct sysv_perm *obj, uint32_t uid, uint32_t gid, uint32_t mode);

/* What shmget, semget and msgget do with a key; the object, NULL: a new one is to be made, or *e is the errno. */
struct sysv_perm *sysv_lookup(struct kern *k, struct sysv_ids *ids, int key, uint32_t flags, int *e);

int64_t sysv_now(const struct kern *k, const struct proc *p); /* CLOCK_REALTIME of p's node, in seconds */

#endif
