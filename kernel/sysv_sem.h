/*
 * System V semaphores (semop(2), semctl(2)). A set completes the operations that wait for it, in order of arrival; the waiting
 * thread only learns the result. After ipc/sem.c of Linux.
 */
#ifndef KERNEL_SYSV_SEM_H
#define KERNEL_SYSV_SEM_H

#include "kernel/sysv_ipc.h"

enum {
	SYSV_SEM_MSL = 32000,      /* semaphores in a set */
	SYSV_SEM_MNS = 1024000000, /* in all sets */
	SYSV_SEM_OPM = 500,        /* operations in a call */
	SYSV_SEM_MNI = 32000,      /* sets */
	SYSV_SEM_VMX = 32767,      /* value, and adjustment */
	SYSV_SEM_UNDO = 0x1000,
};

struct sembuf_abi {
	uint16_t num;
	int16_t op, flags;
};

struct sem {
	int value;
	int pid; /* who changed it last */
};

struct sem_set {
	struct sysv_perm perm;
	int64_t otime, ctime;
	unsigned n;
	struct sem *sem;
	struct list alter, zero; /* struct sem_wait: those that would change something, and those that only wait for zero */
	struct list undo;        /* struct sem_undo.of_set */
};

/* What one process gives back when it ends. */
struct sem_undo {
	struct list of_proc, of_set;
	struct sem_set *set;
	int16_t *adjust;
};

/* A waiting operation: thread.sem. */
struct sem_wait {
	struct list link;    /* in its set; nowhere once decided */
	struct thread *thread;
	struct sem_set *set; /* NULL once decided */
	struct sembuf_abi *ops;
	unsigned nops;
	struct sembuf_abi *blocking; /* the one that could not be performed */
	int pid;
	int status; /* of the decided one: 0 or -errno */
};

/* The identifier or -errno. */
int sem_get(struct kern *k, struct proc *p, int key, int n, uint32_t flags);
struct sem_set *sem_by_id(struct kern *k, int id, int *e);
/* semop: 0 done, -errno, or 1: it has to wait. Then sem_wait_start(), later sem_wait_result() (1: goes on waiting), and
 * sem_wait_end() whenever the thread gives up. */
int sem_operate(struct kern *k, struct thread *t, int id, struct sembuf_abi *ops, unsigned n);
void sem_wait_start(struct kern *k, struct thread *t, int id, const struct sembuf_abi *ops, unsigned n);
int sem_wait_result(struct kern *k, struct thread *t);
void sem_wait_end(struct kern *k, struct thread *t);

/* semctl. Values and numbers are checked by the caller. */
void sem_set_value(struct kern *k, struct proc *p, struct sem_set *set, unsigned num, int value);
void sem_set_all(struct kern *k, struct proc *p, struct sem_set *set, const uint16_t *value);
unsigned sem_waiters(const struct sem_set *set, unsigned num, bool for_zero);
void sem_remove(struct kern *k, struct sem_set *set);

/* The process ends: its adjustments are made. */
void sem_proc_ended(struct kern *k, struct proc *p);

#endif
