#include "kernel/sysv_ipc.h"

#include "kernel/cred.h"
#include "kernel/wall.h"

#include <string.h>

enum { CYCLE_MIN = 64, SLOTS_MIN = 64 }; /* ipc_min_cycle: RADIX_TREE_MAP_SIZE */

struct sysv *sysv_of(struct kern *k)
{
	struct sysv *s = k->sysv;

	if (s)
		return s;
	s = k->sysv = arena_new_of(k->arena, struct sysv);
	s->shm.last = s->sem.last = s->msg.last = -1;
	return s;
}

int64_t sysv_now(const struct kern *k, const struct proc *p)
{
	return (k->clock.now_ns + wall_offset(k, p ? p->node : NULL)) / NS_PER_S;
}

/* ---- identifiers ---- */

static void grow(struct kern *k, struct sysv_ids *ids, unsigned want)
{
	unsigned cap = ids->cap ? ids->cap : SLOTS_MIN;
	struct sysv_perm **slot;

	while (cap < want)
		cap *= 2;
	if (cap == ids->cap)
		return;
	slot = arena_alloc(k->arena, cap * sizeof *slot);
	if (ids->cap)
		memcpy(slot, ids->slot, ids->cap * sizeof *slot);
	arena_release(k->arena, ids->slot, ids->cap * sizeof *slot);
	ids->slot = slot;
	ids->cap = cap;
}

/* idr_alloc_cyclic(): the next free index after the last one given out, within a window that grows with the number of
 * objects; so an identifier comes back late, and with another sequence number. */
static int next_index(const struct sysv_ids *ids, unsigned limit)
{
	unsigned window = ids->used * 3 / 2;

	if (window < CYCLE_MIN)
		window = CYCLE_MIN;
	if (window > limit)
		window = limit;
	for (unsigned n = 0; n < window; n++) {
		unsigned i = ((unsigned)(ids->last + 1) + n) % window;
		if (i >= ids->cap || !ids->slot[i])
			return (int)i;
	}
	return -ENOSPC;
}

int sysv_add(struct kern *k, struct sysv_ids *ids, struct sysv_perm *obj, struct proc *p, int key, uint32_t mode,
	     unsigned limit)
{
	int i;

	if (ids->used >= limit)
		return -ENOSPC;
	i = next_index(ids, limit);
	if (i < 0)
		return i;
	grow(k, ids, (unsigned)i + 1);
	if (i <= ids->last)
		ids->seq++;
	ids->last = i;
	ids->slot[i] = obj;
	ids->used++;
	obj->key = key;
	obj->mode = mode & 0777;
	obj->seq = ids->seq;
	obj->id = (int)((unsigned)(ids->seq & 0xffff) << SYSV_SEQ_SHIFT) + i;
	obj->uid = obj->cuid = p->euid;
	obj->gid = obj->cgid = p->egid;
	return obj->id;
}

void sysv_remove(struct sysv_ids *ids, struct sysv_perm *obj)
{
	ids->slot[obj->id % SYSV_INDEX_MAX] = NULL;
	ids->used--;
}

struct sysv_perm *sysv_by_index(const struct sysv_ids *ids, int id)
{
	unsigned i = (unsigned)id % SYSV_INDEX_MAX;

	return id >= 0 && i < ids->cap ? ids->slot[i] : NULL;
}

struct sysv_perm *sysv_by_id(const struct sysv_ids *ids, int id, int *e)
{
	struct sysv_perm *obj = sysv_by_index(ids, id);

	*e = !obj ? EINVAL : obj->id != id ? EIDRM : 0;
	return *e ? NULL : obj;
}

struct sysv_perm *sysv_by_key(const struct sysv_ids *ids, int key)
{
	for (unsigned i = 0; i < ids->cap; i++)
		if (ids->slot[i] && ids->slot[i]->key == key)
			return ids->slot[i];
	return NULL;
}

int sysv_last_index(const struct sysv_ids *ids)
{
	for (unsigned i = ids->cap; i > 0; i--)
		if (ids->slot[i - 1])
			return (int)i - 1;
	return 0;
}

/* ---- permissions ---- */

bool sysv_capable(const struct proc *p)
{
	return p->euid == 0;
}

bool sysv_allowed(struct kern *k, struct proc *p, const struct sysv_perm *obj, uint32_t flags)
{
	uint32_t want = flags >> 6 | flags >> 3 | flags, granted = obj->mode;

	if (p->euid == obj->cuid || p->euid == obj->uid)
		granted >>= 6;
	else if (cred_in_group(k, p, obj->cgid) || cred_in_group(k, p, obj->gid))
		granted >>= 3;
	return !(want & ~granted & 7) || sysv_capable(p);
}

int sysv_owned(const struct proc *p, const struct sysv_perm *obj)
{
	return p->euid == obj->cuid || p->euid == obj->uid || sysv_capable(p) ? 0 : -EPERM;
}

void sysv_set_perm(struct sysv_perm *obj, uint32_t uid, uint32_t gid, uint32_t mode)
{
	obj->uid = uid;
	obj->gid = gid;
	obj->mode = (obj->mode & ~0777u) | (mode & 0777);
}

struct sysv_perm *sysv_lookup(struct kern *k, struct sysv_ids *ids, int key, uint32_t flags, int *e)
{
	struct sysv_perm *obj = key == K_IPC_PRIVATE ? NULL : sysv_by_key(ids, key);

	(void)k;
	*e = 0;
	if (!obj && key != K_IPC_PRIVATE && !(flags & K_IPC_CREAT))
		*e = ENOENT;
	else if (obj && (flags & K_IPC_CREAT) && (flags & K_IPC_EXCL))
		*e = EEXIST;
	return *e ? NULL : obj;
}
