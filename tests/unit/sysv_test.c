#include "tests/unit/kern_fixture.h"

#include "base/rng.h"
#include "kernel/sysv_msg.h"
#include "kernel/sysv_sem.h"
#include "kernel/sysv_shm.h"

#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

static struct thread *more_threads(struct fixture *x, int pid)
{
	struct proc *p = proc_fork(&x->k, x->p, pid, false, false, false);

	return thread_new(&x->k, p, pid);
}

/* ---- identifiers ---- */

static void identifiers(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	int id, e;

	/* Indices go round in a window of 64; only then does the sequence number change. */
	for (int i = 0; i < 64; i++) {
		id = msg_get(k, x->p, 0, 0600);
		assert_int_equal(id, i);
		msg_remove(k, msg_by_id(k, id, &e));
		assert_null(msg_by_id(k, id, &e));
		assert_int_equal(e, EINVAL);
	}
	id = msg_get(k, x->p, 0, 0600);
	assert_int_equal(id, 1 << SYSV_SEQ_SHIFT);
	assert_null(msg_by_id(k, 0, &e));
	assert_int_equal(e, EIDRM);
	assert_int_equal(sysv_last_index(&sysv_of(k)->msg), 0);
}

static void keys(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	int id;

	assert_int_equal(sem_get(k, x->p, 5, 2, 0600), -ENOENT);
	id = sem_get(k, x->p, 5, 2, IPC_CREAT | 0600);
	assert_true(id >= 0);
	assert_int_equal(sem_get(k, x->p, 5, 2, IPC_CREAT), id);
	assert_int_equal(sem_get(k, x->p, 5, 0, 0), id);
	assert_int_equal(sem_get(k, x->p, 5, 3, 0), -EINVAL);
	assert_int_equal(sem_get(k, x->p, 5, 2, IPC_CREAT | IPC_EXCL), -EEXIST);
	assert_int_not_equal(sem_get(k, x->p, IPC_PRIVATE, 1, 0), sem_get(k, x->p, IPC_PRIVATE, 1, 0));
}

static void permissions(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct thread *other = more_threads(x, 101);
	int e, id;

	other->proc->euid = 1000;
	other->proc->egid = 1000;
	x->p->euid = 999;
	id = sem_get(k, x->p, 7, 1, IPC_CREAT | 0600);
	assert_int_equal(sem_get(k, other->proc, 7, 1, 0400), -EACCES);
	assert_int_equal(sem_get(k, other->proc, 7, 1, 0), id);
	assert_int_equal(sysv_owned(other->proc, &sem_by_id(k, id, &e)->perm), -EPERM);
	assert_int_equal(sysv_owned(x->p, &sem_by_id(k, id, &e)->perm), 0);
	other->proc->euid = 0;
	assert_int_equal(sysv_owned(other->proc, &sem_by_id(k, id, &e)->perm), 0);
}

/* ---- shared memory ---- */

static int64_t destroyed;

static void on_destroyed(struct kern *k, int64_t handle)
{
	destroyed = handle;
}

static void segments(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct shm_segment *s, *same;
	struct proc *kid, *thread_like;
	bool created;
	int id;

	k->shm_destroyed = on_destroyed;
	destroyed = 0;
	assert_int_equal(shm_get(k, x->p, 3, 0, IPC_CREAT, &s, &created), -EINVAL);
	id = shm_get(k, x->p, 3, 5000, IPC_CREAT | 0600, &s, &created);
	assert_true(id >= 0 && created);
	assert_int_equal(sysv_of(k)->shm_pages, 2);
	s->handle = 42;
	assert_int_equal(shm_get(k, x->p, 3, 100, 0, &same, &created), id);
	assert_false(created);
	assert_ptr_equal(same, s);
	shm_attach(k, x->p, s, 0x10000);
	shm_attach(k, x->p, s, 0x20000);
	kid = proc_fork(k, x->p, 101, false, false, false);
	thread_like = proc_fork(k, x->p, 102, true, false, false);
	assert_int_equal(s->attached, 4);
	assert_non_null(shm_attached_at(kid, 0x20000));
	assert_null(shm_attached_at(kid, 0x20001));
	shm_remove(k, s);
	assert_int_equal(shm_get(k, x->p, 3, 100, 0, &same, &created), -ENOENT);
	proc_ended(k, kid);
	assert_int_equal(s->attached, 2);
	assert_int_equal(s->last, 101);
	proc_ended(k, thread_like); /* shared the address space: detaches nothing */
	assert_int_equal(s->attached, 2);
	shm_detach(k, x->p, shm_attached_at(x->p, 0x10000));
	assert_int_equal(destroyed, 0);
	proc_exec(k, x->p);
	assert_int_equal(destroyed, 42);
	assert_int_equal(sysv_of(k)->shm_pages, 0);
	proc_reap(k, kid);
	proc_reap(k, thread_like);
}

/* ---- semaphores: the same random operations on a set of ours and on one of the kernel below ---- */

enum { TWIN_SEMS = 3 };

static int result(int rc)
{
	return rc < 0 ? -errno : rc;
}

static void same_values(struct sem_set *set, int host)
{
	for (int i = 0; i < TWIN_SEMS; i++)
		assert_int_equal(set->sem[i].value, semctl(host, i, GETVAL));
}

static void semaphores_as_linux(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct sembuf_abi ops[4];
	struct sembuf host_ops[4];
	struct rng rng;
	int e, id = sem_get(k, x->p, 0, TWIN_SEMS, 0600), host = semget(IPC_PRIVATE, TWIN_SEMS, 0600);

	if (host < 0)
		skip(); /* a sandbox without System V objects */
	rng_init(&rng, 1, "sysv");
	for (int round = 0; round < 20000; round++) {
		unsigned n = 1 + (unsigned)rng_below(&rng, 4);
		for (unsigned i = 0; i < n; i++) {
			ops[i].num = (uint16_t)rng_below(&rng, TWIN_SEMS + (rng_below(&rng, 50) == 0));
			ops[i].op = (int16_t)rng_range(&rng, -3, 3);
			if (rng_below(&rng, 100) == 0)
				ops[i].op = (int16_t)rng_range(&rng, -32768, 32767);
			ops[i].flags = IPC_NOWAIT | (rng_below(&rng, 4) ? 0 : SEM_UNDO);
			host_ops[i] = (struct sembuf){ops[i].num, ops[i].op, ops[i].flags};
		}
		assert_int_equal(sem_operate(k, x->t, id, ops, n), result(semop(host, host_ops, n)));
		if (rng_below(&rng, 100) == 0) {
			int v = (int)rng_below(&rng, 10), num = (int)rng_below(&rng, TWIN_SEMS);
			sem_set_value(k, x->p, sem_by_id(k, id, &e), (unsigned)num, v);
			assert_int_equal(semctl(host, num, SETVAL, v), 0);
		}
		same_values(sem_by_id(k, id, &e), host);
	}
	semctl(host, 0, IPC_RMID);
}

static struct sem_wait *start_waiting(struct fixture *x, struct thread *t, int id, int num, int op, int flags)
{
	struct sembuf_abi o = {(uint16_t)num, (int16_t)op, (int16_t)flags};

	assert_int_equal(sem_operate(&x->k, t, id, &o, 1), 1);
	sem_wait_start(&x->k, t, id, &o, 1);
	return t->sem;
}

static void semaphores_waiting(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct thread *a = more_threads(x, 101), *b = more_threads(x, 102), *z = more_threads(x, 103);
	struct sembuf_abi up = {0, 1, 0};
	int e, id = sem_get(k, x->p, 0, 2, 0600);
	struct sem_set *set = sem_by_id(k, id, &e);

	start_waiting(x, a, id, 0, -2, 0);
	start_waiting(x, b, id, 0, -1, 0);
	assert_int_equal(sem_waiters(set, 0, false), 2);
	assert_int_equal(sem_waiters(set, 1, false), 0);
	assert_int_equal(sem_operate(k, x->t, id, &up, 1), 0);
	/* The first needs more: the second gets it, and the value is gone already. */
	assert_int_equal(sem_wait_result(k, a), 1);
	assert_int_equal(sem_wait_result(k, b), 0);
	assert_int_equal(set->sem[0].value, 0);
	assert_int_equal(set->sem[0].pid, 102);
	sem_wait_end(k, a); /* a signal */
	assert_int_equal(sem_waiters(set, 0, false), 0);
	assert_int_equal(sem_operate(k, x->t, id, &up, 1), 0);
	start_waiting(x, z, id, 0, 0, 0);
	assert_int_equal(sem_waiters(set, 0, true), 1);
	sem_set_value(k, x->p, set, 0, 0);
	assert_int_equal(sem_wait_result(k, z), 0);
	start_waiting(x, a, id, 0, -1, 0);
	sem_remove(k, set);
	assert_int_equal(sem_wait_result(k, a), -EIDRM);
}

static void semaphores_undo(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct thread *a = more_threads(x, 101), *b = more_threads(x, 102);
	struct sembuf_abi take = {0, -1, SEM_UNDO};
	int e, id = sem_get(k, x->p, 0, 1, 0600);
	struct sem_set *set = sem_by_id(k, id, &e);

	sem_set_value(k, x->p, set, 0, 1);
	assert_int_equal(sem_operate(k, a, id, &take, 1), 0);
	start_waiting(x, b, id, 0, -1, SEM_UNDO);
	thread_dead(k, a);
	proc_ended(k, proc_find(k, 101));
	assert_int_equal(sem_wait_result(k, b), 0);
	assert_int_equal(set->sem[0].value, 0);
	/* And so does the one that got it by waiting. */
	thread_dead(k, b);
	proc_ended(k, proc_find(k, 102));
	assert_int_equal(set->sem[0].value, 1);
	assert_int_equal(set->sem[0].pid, 102);
}

/* ---- messages ---- */

static void messages_as_linux(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct {
		long type;
		char text[3000];
	} m;
	struct rng rng;
	int e, id = msg_get(k, x->p, 0, 0600), host = msgget(IPC_PRIVATE, 0600);
	struct msg_queue *q = msg_by_id(k, id, &e);

	if (host < 0)
		skip();
	rng_init(&rng, 2, "sysv");
	for (int round = 0; round < 20000; round++) {
		size_t len = rng_below(&rng, rng_below(&rng, 4) ? 100 : sizeof m.text);
		int64_t type = rng_range(&rng, -4, 4);
		if (rng_below(&rng, 2)) {
			m.type = type > 0 ? type : 1;
			rng_bytes(&rng, m.text, len);
			assert_int_equal(msg_send(k, x->p, q, m.type, m.text, len), result(msgsnd(host, &m, len, IPC_NOWAIT)));
		} else {
			int flags = rng_below(&rng, 4) ? 0 : SYSV_MSG_EXCEPT;
			struct msg *got = msg_find(q, type, (uint32_t)flags);
			int n = result((int)msgrcv(host, &m, sizeof m.text, type, flags | IPC_NOWAIT));
			assert_int_equal(got ? (int)got->len : -ENOMSG, n);
			if (got) {
				assert_int_equal(got->type, m.type);
				assert_memory_equal(got->text, m.text, got->len);
				msg_take(k, x->p, q, got);
			}
		}
		assert_true(q->bytes <= q->bytes_max);
	}
	msgctl(host, IPC_RMID, NULL);
	msg_remove(k, q);
	assert_int_equal(sysv_of(k)->msg_bytes, 0);
	assert_int_equal(sysv_of(k)->msg_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(identifiers),	   UNIT(keys),		  UNIT(permissions),	 UNIT(segments),
		UNIT(semaphores_as_linux), UNIT(semaphores_waiting), UNIT(semaphores_undo), UNIT(messages_as_linux),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
