/* Layouts of the ABI that the System V calls share. On x86-64 the C library's structures are the kernel's. */
#ifndef TRACER_SYSV_H
#define TRACER_SYSV_H

#include "kernel/sysv_ipc.h"

#include <sys/ipc.h>

struct sim;
struct buf;

static inline struct ipc_perm sysv_perm_out(const struct sysv_perm *p)
{
	return (struct ipc_perm){.__key = p->key, .uid = p->uid, .gid = p->gid, .cuid = p->cuid, .cgid = p->cgid,
				 .mode = p->mode, .__seq = p->seq};
}

/* A segment of System V shared memory is gone: so is its memory. */
void shm_memory_gone(struct kern *k, int64_t handle);

#endif
