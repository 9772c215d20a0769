/*
 * System V shared memory (shmop(2), shmctl(2)): segments and who has attached them. The memory itself is the tracer's: a
 * segment carries its handle. After ipc/shm.c of Linux.
 */
#ifndef KERNEL_SYSV_SHM_H
#define KERNEL_SYSV_SHM_H

#include "kernel/sysv_ipc.h"

/* Bits of a segment's mode, include/linux/shm.h. */
enum { SYSV_SHM_DEST = 01000, SYSV_SHM_LOCKED = 02000 };
enum { SYSV_SHM_MNI = 4096 };
#define SYSV_SHM_MAX (UINT64_MAX - (1ull << 24)) /* both SHMMAX and SHMALL */

struct shm_segment {
	struct sysv_perm perm;
	uint64_t size;
	int64_t handle; /* of the tracer */
	unsigned attached;
	int64_t atime, dtime, ctime;
	int creator, last; /* pids */
};

/* One attachment: in struct mm.attaches, in the order of attaching. */
struct shm_attach {
	struct list link;
	struct shm_segment *seg;
	uint64_t addr;
};

/* The identifier or -errno; *seg is set. *created: its memory is still missing (handle). */
int shm_get(struct kern *k, struct proc *p, int key, uint64_t size, uint32_t flags, struct shm_segment **seg, bool *created);
struct shm_segment *shm_by_id(struct kern *k, int id, int *e);
void shm_attach(struct kern *k, struct proc *p, struct shm_segment *seg, uint64_t addr);
/* The attachment that begins there; NULL: none. */
struct shm_attach *shm_attached_at(const struct proc *p, uint64_t addr);
void shm_detach(struct kern *k, struct proc *p, struct shm_attach *a);
/* IPC_RMID: at once, or with the last detaching. */
void shm_remove(struct kern *k, struct shm_segment *seg);
/* fork; and the end of an address space: of p, which exits or calls exec. */
void shm_fork(struct kern *k, struct proc *parent, struct mm *child);
void shm_mm_gone(struct kern *k, struct proc *p, struct mm *mm);

#endif
