#include "kernel/sysv_sem.h"

#include "base/err.h"

#include <string.h>

/* ---- sets ---- */

static int new_set(struct kern *k, struct proc *p, int key, int n, uint32_t flags)
{
	struct sysv *s = sysv_of(k);
	struct sem_set *set;
	int id;

	if (!n)
		return -EINVAL;
	if (s->sems + (unsigned)n > SYSV_SEM_MNS)
		return -ENOSPC;
	set = arena_new_of(k->arena, struct sem_set);
	id = sysv_add(k, &s->sem, &set->perm, p, key, flags, SYSV_SEM_MNI);
	if (id < 0) {
		arena_release_of(k->arena, set);
		return id;
	}
	set->n = (unsigned)n;
	set->sem = arena_alloc(k->arena, set->n * sizeof *set->sem);
	set->ctime = sysv_now(k, p);
	list_init(&set->alter);
	list_init(&set->zero);
	list_init(&set->undo);
	s->sems += set->n;
	return id;
}

int sem_get(struct kern *k, struct proc *p, int key, int n, uint32_t flags)
{
	struct sysv_perm *obj;
	int e;

	if (n < 0 || n > SYSV_SEM_MSL)
		return -EINVAL;
	obj = sysv_lookup(k, &sysv_of(k)->sem, key, flags, &e);
	if (e)
		return -e;
	if (!obj)
		return new_set(k, p, key, n, flags);
	if ((unsigned)n > ((struct sem_set *)obj)->n)
		return -EINVAL;
	return sysv_allowed(k, p, obj, flags & 0777) ? obj->id : -EACCES;
}

struct sem_set *sem_by_id(struct kern *k, int id, int *e)
{
	return (struct sem_set *)sysv_by_id(&sysv_of(k)->sem, id, e);
}

/* ---- undo ---- */

static struct sem_undo *find_undo(const struct proc *p, const struct sem_set *set)
{
	list_each(u, &p->sem_undo, struct sem_undo, of_proc)
		if (u->set == set)
			return u;
	return NULL;
}

static struct sem_undo *undo_of(struct kern *k, struct proc *p, struct sem_set *set)
{
	struct sem_undo *u = find_undo(p, set);

	if (u)
		return u;
	u = arena_new_of(k->arena, struct sem_undo);
	u->set = set;
	u->adjust = arena_alloc(k->arena, set->n * sizeof *u->adjust);
	list_add_head(&p->sem_undo, &u->of_proc);
	list_add_head(&set->undo, &u->of_set);
	return u;
}

static void free_undo(struct kern *k, struct sem_undo *u)
{
	list_del(&u->of_proc);
	list_del(&u->of_set);
	arena_release(k->arena, u->adjust, u->set->n * sizeof *u->adjust);
	arena_release_of(k->arena, u);
}

/* ---- operations ---- */

static void take_back(struct sem_set *set, struct sem_undo *u, const struct sembuf_abi *ops, const struct sembuf_abi *end)
{
	while (end-- > ops) {
		set->sem[end->num].value -= end->op;
		if (end->flags & SYSV_SEM_UNDO)
			u->adjust[end->num] = (int16_t)(u->adjust[end->num] + end->op);
	}
}

/* perform_atomic_semop(): all or nothing. 0, -errno, or 1 when it has to wait for *blocking. */
static int perform(struct sem_set *set, struct sem_undo *u, struct sembuf_abi *ops, unsigned n, int pid,
		   struct sembuf_abi **blocking)
{
	struct sembuf_abi *o;
	int rc = 0;

	for (o = ops; o < ops + n; o++) {
		struct sem *s = &set->sem[o->num];
		int value = s->value + o->op;
		if ((!o->op && s->value) || value < 0) {
			*blocking = o;
			rc = o->flags & K_IPC_NOWAIT ? -EAGAIN : 1;
			break;
		}
		if (value > SYSV_SEM_VMX) {
			rc = -ERANGE;
			break;
		}
		if (o->flags & SYSV_SEM_UNDO) {
			int adjust = u->adjust[o->num] - o->op;
			if (adjust < -SYSV_SEM_VMX - 1 || adjust > SYSV_SEM_VMX) {
				rc = -ERANGE;
				break;
			}
			u->adjust[o->num] = (int16_t)adjust;
		}
		s->value = value;
	}
	if (rc) {
		take_back(set, u, ops, o);
		return rc;
	}
	for (o = ops; o < ops + n; o++)
		set->sem[o->num].pid = pid;
	return 0;
}

static void decide(struct kern *k, struct sem_wait *w, int status)
{
	list_del(&w->link);
	w->set = NULL;
	w->status = status;
	thread_wake(k, w->thread);
}

/* True when it has been decided, with success in *done. */
static bool try_waiting(struct kern *k, struct sem_set *set, struct sem_wait *w, bool *done)
{
	int rc = perform(set, find_undo(w->thread->proc, set), w->ops, w->nops, w->pid, &w->blocking);

	if (rc > 0)
		return false;
	*done = !rc;
	decide(k, w, rc);
	return true;
}

/* Those that wait for zeros change nothing, so one pass is enough. */
static bool complete_zero(struct kern *k, struct sem_set *set)
{
	bool any = false, done;

	list_each_safe(w, tmp, &set->zero, struct sem_wait, link)
		if (try_waiting(k, set, w, &done))
			any |= done;
	return any;
}

/* Values have changed: do_smart_update(). Each completed operation may make earlier ones possible: from the start again. */
static void update(struct kern *k, struct sem_set *set, struct proc *p, bool otime)
{
	bool again, done;

	otime |= complete_zero(k, set);
	do {
		again = false;
		list_each_safe(w, tmp, &set->alter, struct sem_wait, link) {
			if (!try_waiting(k, set, w, &done) || !done)
				continue;
			complete_zero(k, set);
			otime = again = true;
			break;
		}
	} while (again);
	if (otime)
		set->otime = sysv_now(k, p);
}

static bool changes(const struct sembuf_abi *ops, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (ops[i].op)
			return true;
	return false;
}

int sem_operate(struct kern *k, struct thread *t, int id, struct sembuf_abi *ops, unsigned n)
{
	struct sembuf_abi *blocking;
	struct sem_undo *u = NULL;
	bool alter = changes(ops, n), undo = false;
	unsigned max = 0;
	int e, rc;
	struct sem_set *set = sem_by_id(k, id, &e);

	if (!set)
		return -e;
	for (unsigned i = 0; i < n; i++) {
		undo |= ops[i].flags & SYSV_SEM_UNDO;
		max = ops[i].num > max ? ops[i].num : max;
	}
	if (max >= set->n)
		return -EFBIG;
	if (!sysv_allowed(k, t->proc, &set->perm, alter ? 0222 : 0444))
		return -EACCES;
	if (undo)
		u = undo_of(k, t->proc, set);
	rc = perform(set, u, ops, n, proc_seen_pid(t->proc), &blocking);
	if (!rc && alter)
		update(k, set, t->proc, true);
	else if (!rc)
		set->otime = sysv_now(k, t->proc);
	return rc;
}

/* ---- waiting ---- */

void sem_wait_start(struct kern *k, struct thread *t, int id, const struct sembuf_abi *ops, unsigned n)
{
	struct sem_wait *w = arena_new_of(k->arena, struct sem_wait);
	bool done;
	int e;

	ENSURE(!t->sem);
	t->sem = w;
	w->thread = t;
	w->set = sem_by_id(k, id, &e);
	w->pid = proc_seen_pid(t->proc);
	w->nops = n;
	w->ops = arena_alloc(k->arena, n * sizeof *ops);
	memcpy(w->ops, ops, n * sizeof *ops);
	list_add_tail(changes(ops, n) ? &w->set->alter : &w->set->zero, &w->link);
	ENSURE(!try_waiting(k, w->set, w, &done)); /* notes what blocks it */
}

int sem_wait_result(struct kern *k, struct thread *t)
{
	int status;

	if (t->sem->set)
		return 1;
	status = t->sem->status;
	sem_wait_end(k, t);
	return status;
}

void sem_wait_end(struct kern *k, struct thread *t)
{
	struct sem_wait *w = t->sem;

	if (!w)
		return;
	t->sem = NULL;
	list_del(&w->link);
	arena_release(k->arena, w->ops, w->nops * sizeof *w->ops);
	arena_release_of(k->arena, w);
}

/* ---- semctl ---- */

void sem_set_value(struct kern *k, struct proc *p, struct sem_set *set, unsigned num, int value)
{
	list_each(u, &set->undo, struct sem_undo, of_set)
		u->adjust[num] = 0;
	set->sem[num] = (struct sem){value, proc_seen_pid(p)};
	set->ctime = sysv_now(k, p);
	update(k, set, p, false);
}

void sem_set_all(struct kern *k, struct proc *p, struct sem_set *set, const uint16_t *value)
{
	for (unsigned i = 0; i < set->n; i++)
		set->sem[i] = (struct sem){value[i], proc_seen_pid(p)};
	list_each(u, &set->undo, struct sem_undo, of_set)
		memset(u->adjust, 0, set->n * sizeof *u->adjust);
	set->ctime = sysv_now(k, p);
	update(k, set, p, false);
}

/* A thread waits for the first operation that cannot be performed, and for no other. */
unsigned sem_waiters(const struct sem_set *set, unsigned num, bool for_zero)
{
	unsigned n = 0;

	list_each(w, &set->alter, struct sem_wait, link)
		n += w->blocking->num == num && (for_zero ? !w->blocking->op : w->blocking->op < 0);
	if (for_zero)
		list_each(w, &set->zero, struct sem_wait, link)
			n += w->blocking->num == num;
	return n;
}

void sem_remove(struct kern *k, struct sem_set *set)
{
	struct sysv *s = sysv_of(k);

	list_each_safe(u, tmp, &set->undo, struct sem_undo, of_set)
		free_undo(k, u);
	list_each_safe(w, tmp, &set->zero, struct sem_wait, link)
		decide(k, w, -EIDRM);
	list_each_safe(w, tmp, &set->alter, struct sem_wait, link)
		decide(k, w, -EIDRM);
	s->sems -= set->n;
	sysv_remove(&s->sem, &set->perm);
	arena_release(k->arena, set->sem, set->n * sizeof *set->sem);
	arena_release_of(k->arena, set);
}

/* ---- the end of a process: exit_sem() ---- */

static int clamp(int v)
{
	return v < 0 ? 0 : v > SYSV_SEM_VMX ? SYSV_SEM_VMX : v;
}

void sem_proc_ended(struct kern *k, struct proc *p)
{
	while (!list_empty(&p->sem_undo)) {
		struct sem_undo *u = list_first(&p->sem_undo, struct sem_undo, of_proc);
		struct sem_set *set = u->set;
		for (unsigned i = 0; i < set->n; i++) {
			if (!u->adjust[i])
				continue;
			set->sem[i].value = clamp(set->sem[i].value + u->adjust[i]);
			set->sem[i].pid = proc_seen_pid(p);
		}
		free_undo(k, u);
		update(k, set, p, true);
	}
}
