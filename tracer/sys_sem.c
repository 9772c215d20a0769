/* System V semaphores: semget(2), semop(2), semctl(2). Waiting and undo are in kernel/sysv_sem.c. */
#include "tracer/sysv.h"

#include "kernel/sysv_sem.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include <errno.h>
#include <string.h>
#include <sys/sem.h>

#ifndef SEM_STAT_ANY
#define SEM_STAT_ANY 20
#endif

/* include/uapi/linux/sem.h: numbers that mean nothing any more */
enum { SEMMNU = SYSV_SEM_MNS, SEMMAP = SYSV_SEM_MNS, SEMUME = SYSV_SEM_OPM, SEMUSZ = 20, SEMAEM = SYSV_SEM_VMX };

struct verdict sys_semget(struct call *c)
{
	return REPLY(sem_get(c->k, c->proc, (int)c->arg[0], (int)c->arg[1], (uint32_t)c->arg[2]));
}

/* ---- semop ---- */

/* It is queued already: has it been decided? */
static struct verdict go_on(struct call *c)
{
	int rc = sem_wait_result(c->k, c->thread);

	if (rc <= 0)
		return REPLY(rc);
	if (c->thread->timed_out || call_interrupted(c)) {
		sem_wait_end(c->k, c->thread);
		return c->thread->timed_out ? FAIL(EAGAIN) : BLOCK(-EINTR);
	}
	if (c->s[1])
		call_wait_rel(c, (int64_t)c->s[0]);
	return BLOCK(-EINTR);
}

static struct verdict operate(struct call *c, uint64_t timeout)
{
	struct sembuf_abi ops[SYSV_SEM_OPM];
	uint32_t n = (uint32_t)c->arg[2];
	struct abi_timespec ts;
	int id = (int)c->arg[0], rc;

	if (c->thread->sem)
		return go_on(c);
	if (timeout && copy_in(c, &ts, timeout, sizeof ts))
		return FAIL(EFAULT);
	if (n < 1 || id < 0)
		return FAIL(EINVAL);
	if (n > SYSV_SEM_OPM)
		return FAIL(E2BIG);
	if (copy_in(c, ops, c->arg[1], n * sizeof *ops))
		return FAIL(EFAULT);
	if (timeout && !timespec_valid(&ts))
		return FAIL(EINVAL);
	rc = sem_operate(c->k, c->thread, id, ops, n);
	if (rc <= 0)
		return REPLY(rc);
	if (call_interrupted(c))
		return BLOCK(-EINTR);
	sem_wait_start(c->k, c->thread, id, ops, n);
	c->thread->wait_what = "a System V semaphore";
	c->thread->wait_detail = (uint64_t)id;
	if (timeout) {
		c->s[0] = (uint64_t)timespec_ns(&ts);
		c->s[1] = 1;
		call_wait_rel(c, (int64_t)c->s[0]);
	}
	return BLOCK(-EINTR);
}

struct verdict sys_semop(struct call *c)
{
	return operate(c, 0);
}

struct verdict sys_semtimedop(struct call *c)
{
	return operate(c, c->arg[3]);
}

/* ---- semctl ---- */

static struct verdict info(struct call *c, int cmd)
{
	const struct sysv *s = sysv_of(c->k);
	struct seminfo i = {.semmap = SEMMAP, .semmni = SYSV_SEM_MNI, .semmns = SYSV_SEM_MNS, .semmnu = SEMMNU,
			    .semmsl = SYSV_SEM_MSL, .semopm = SYSV_SEM_OPM, .semume = SEMUME, .semusz = SEMUSZ,
			    .semvmx = SYSV_SEM_VMX, .semaem = SEMAEM};

	if (cmd == SEM_INFO) {
		i.semusz = (int)s->sem.used;
		i.semaem = (int)s->sems;
	}
	return copy_out(c, c->arg[3], &i, sizeof i) ? FAIL(EFAULT) : REPLY(sysv_last_index(&s->sem));
}

static struct verdict stat_set(struct call *c, int cmd)
{
	int e = EINVAL, id = (int)c->arg[0];
	struct sem_set *set = cmd == IPC_STAT ? sem_by_id(c->k, id, &e) : (struct sem_set *)sysv_by_index(&sysv_of(c->k)->sem, id);
	struct semid_ds ds;

	if (!set)
		return FAIL(e);
	if (cmd != SEM_STAT_ANY && !sysv_allowed(c->k, c->proc, &set->perm, 0444))
		return FAIL(EACCES);
	memset(&ds, 0, sizeof ds);
	ds.sem_perm = sysv_perm_out(&set->perm);
	ds.sem_otime = set->otime;
	ds.sem_ctime = set->ctime;
	ds.sem_nsems = set->n;
	return copy_out(c, c->arg[3], &ds, sizeof ds) ? FAIL(EFAULT) : REPLY(cmd == IPC_STAT ? 0 : set->perm.id);
}

static struct verdict get_all(struct call *c, const struct sem_set *set)
{
	uint16_t *v = call_scratch(c, set->n * sizeof *v);

	for (unsigned i = 0; i < set->n; i++)
		v[i] = (uint16_t)set->sem[i].value;
	return copy_out(c, c->arg[3], v, set->n * sizeof *v) ? FAIL(EFAULT) : REPLY(0);
}

static struct verdict set_all(struct call *c, struct sem_set *set)
{
	uint16_t *v = call_scratch(c, set->n * sizeof *v);

	if (copy_in(c, v, c->arg[3], set->n * sizeof *v))
		return FAIL(EFAULT);
	for (unsigned i = 0; i < set->n; i++)
		if (v[i] > SYSV_SEM_VMX)
			return FAIL(ERANGE);
	sem_set_all(c->k, c->proc, set, v);
	return REPLY(0);
}

static struct verdict set_value(struct call *c)
{
	int e, num = (int)c->arg[1], value = (int)c->arg[3];
	struct sem_set *set;

	if (value < 0 || value > SYSV_SEM_VMX)
		return FAIL(ERANGE);
	set = sem_by_id(c->k, (int)c->arg[0], &e);
	if (!set)
		return FAIL(e);
	if (num < 0 || (unsigned)num >= set->n)
		return FAIL(EINVAL);
	if (!sysv_allowed(c->k, c->proc, &set->perm, 0222))
		return FAIL(EACCES);
	sem_set_value(c->k, c->proc, set, (unsigned)num, value);
	return REPLY(0);
}

static struct verdict values(struct call *c, int cmd)
{
	int e, num = (int)c->arg[1];
	struct sem_set *set = sem_by_id(c->k, (int)c->arg[0], &e);

	if (!set)
		return FAIL(e);
	if (!sysv_allowed(c->k, c->proc, &set->perm, cmd == SETALL ? 0222 : 0444))
		return FAIL(EACCES);
	if (cmd == GETALL)
		return get_all(c, set);
	if (cmd == SETALL)
		return set_all(c, set);
	if (num < 0 || (unsigned)num >= set->n)
		return FAIL(EINVAL);
	switch (cmd) {
	case GETVAL:
		return REPLY(set->sem[num].value);
	case GETPID:
		return REPLY(set->sem[num].pid);
	default:
		return REPLY(sem_waiters(set, (unsigned)num, cmd == GETZCNT));
	}
}

static struct verdict set_or_remove(struct call *c, int cmd)
{
	struct semid_ds ds;
	struct sem_set *set;
	int e;

	if (cmd == IPC_SET && copy_in_raw(c, &ds, c->arg[3], sizeof ds))
		return FAIL(EFAULT);
	set = sem_by_id(c->k, (int)c->arg[0], &e);
	if (!set)
		return FAIL(e);
	e = sysv_owned(c->proc, &set->perm);
	if (e)
		return REPLY(e);
	if (cmd == IPC_RMID) {
		sem_remove(c->k, set);
		return REPLY(0);
	}
	if (ds.sem_perm.uid == UINT32_MAX || ds.sem_perm.gid == UINT32_MAX)
		return FAIL(EINVAL);
	sysv_set_perm(&set->perm, ds.sem_perm.uid, ds.sem_perm.gid, ds.sem_perm.mode);
	set->ctime = sysv_now(c->k, c->proc);
	return REPLY(0);
}

struct verdict sys_semctl(struct call *c)
{
	int cmd = (int)c->arg[2];

	if ((int)c->arg[0] < 0)
		return FAIL(EINVAL);
	switch (cmd) {
	case IPC_INFO:
	case SEM_INFO:
		return info(c, cmd);
	case IPC_STAT:
	case SEM_STAT:
	case SEM_STAT_ANY:
		return stat_set(c, cmd);
	case GETALL:
	case SETALL:
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
		return values(c, cmd);
	case SETVAL:
		return set_value(c);
	case IPC_SET:
	case IPC_RMID:
		return set_or_remove(c, cmd);
	}
	return FAIL(EINVAL);
}
