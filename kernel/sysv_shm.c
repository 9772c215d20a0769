#include "kernel/sysv_shm.h"

enum { PAGE = 4096 };

static uint64_t pages(uint64_t size)
{
	return size / PAGE + (size % PAGE != 0);
}

static int new_segment(struct kern *k, struct proc *p, int key, uint64_t size, uint32_t flags, struct shm_segment **out)
{
	struct sysv *s = sysv_of(k);
	struct shm_segment *seg;
	int id;

	if (size < 1 || size > SYSV_SHM_MAX)
		return -EINVAL;
	if (pages(size) > UINT64_MAX / PAGE || s->shm_pages + pages(size) > SYSV_SHM_MAX)
		return -ENOSPC;
	seg = arena_new_of(k->arena, struct shm_segment);
	id = sysv_add(k, &s->shm, &seg->perm, p, key, flags, SYSV_SHM_MNI);
	if (id < 0) {
		arena_release_of(k->arena, seg);
		return id;
	}
	seg->size = size;
	seg->handle = -1;
	seg->ctime = sysv_now(k, p);
	seg->creator = proc_seen_pid(p);
	s->shm_pages += pages(size);
	*out = seg;
	return id;
}

int shm_get(struct kern *k, struct proc *p, int key, uint64_t size, uint32_t flags, struct shm_segment **seg, bool *created)
{
	int e;
	struct sysv_perm *obj = sysv_lookup(k, &sysv_of(k)->shm, key, flags, &e);

	*created = false;
	if (e)
		return -e;
	if (!obj) {
		e = new_segment(k, p, key, size, flags, seg);
		*created = e >= 0;
		return e;
	}
	*seg = (struct shm_segment *)obj;
	if ((*seg)->size < size)
		return -EINVAL;
	return sysv_allowed(k, p, obj, flags & 0777) ? obj->id : -EACCES;
}

struct shm_segment *shm_by_id(struct kern *k, int id, int *e)
{
	return (struct shm_segment *)sysv_by_id(&sysv_of(k)->shm, id, e);
}

static void destroy(struct kern *k, struct shm_segment *seg)
{
	struct sysv *s = sysv_of(k);

	s->shm_pages -= pages(seg->size);
	sysv_remove(&s->shm, &seg->perm);
	if (k->shm_destroyed && seg->handle >= 0)
		k->shm_destroyed(k, seg->handle);
	arena_release_of(k->arena, seg);
}

static void add_attach(struct kern *k, struct mm *mm, struct shm_segment *seg, uint64_t addr)
{
	struct shm_attach *a = arena_new_of(k->arena, struct shm_attach);

	a->seg = seg;
	a->addr = addr;
	list_add_tail(&mm->attaches, &a->link);
	seg->attached++;
}

void shm_attach(struct kern *k, struct proc *p, struct shm_segment *seg, uint64_t addr)
{
	add_attach(k, p->mm, seg, addr);
	seg->atime = sysv_now(k, p);
	seg->last = proc_seen_pid(p);
}

struct shm_attach *shm_attached_at(const struct proc *p, uint64_t addr)
{
	list_each(a, &p->mm->attaches, struct shm_attach, link)
		if (a->addr == addr)
			return a;
	return NULL;
}

void shm_detach(struct kern *k, struct proc *p, struct shm_attach *a)
{
	struct shm_segment *seg = a->seg;

	list_del(&a->link);
	arena_release_of(k->arena, a);
	seg->last = proc_seen_pid(p);
	seg->dtime = sysv_now(k, p);
	if (!--seg->attached && (seg->perm.mode & SYSV_SHM_DEST))
		destroy(k, seg);
}

void shm_remove(struct kern *k, struct shm_segment *seg)
{
	if (!seg->attached) {
		destroy(k, seg);
		return;
	}
	seg->perm.mode |= SYSV_SHM_DEST;
	seg->perm.key = K_IPC_PRIVATE; /* not to be found any more */
}

void shm_fork(struct kern *k, struct proc *parent, struct mm *child)
{
	list_each(a, &parent->mm->attaches, struct shm_attach, link) {
		add_attach(k, child, a->seg, a->addr);
		a->seg->atime = sysv_now(k, parent);
		a->seg->last = proc_seen_pid(parent);
	}
}

void shm_mm_gone(struct kern *k, struct proc *p, struct mm *mm)
{
	while (!list_empty(&mm->attaches))
		shm_detach(k, p, list_first(&mm->attaches, struct shm_attach, link));
}
