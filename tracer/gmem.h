/* Guest memory by address, as the kernel's own copies see it (process_vm_readv(2) respects protections). */
#ifndef TRACER_GMEM_H
#define TRACER_GMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sim;
struct task;

int gm_read(pid_t tid, void *dst, uint64_t src, size_t n);        /* 0 or -EFAULT */
int gm_write(pid_t tid, uint64_t dst, const void *src, size_t n); /* 0 or -EFAULT */
/* Bytes readable from src on, up to n (stops at the first hole); -EFAULT when none. */
long gm_read_some(pid_t tid, void *dst, uint64_t src, size_t n);
/* Writes through protections, in a ptrace stop only. 0 or -errno. */
int gm_poke(pid_t tid, int host_proc, uint64_t dst, const void *src, size_t n);
/* The mapping that an address lies in, as proc_pid_maps(5) has it. False: there is none. */
struct gm_mapping {
	uint64_t lo, hi, off, ino;
	unsigned major, minor;
	char perm[8];
	char file[4096]; /* a path, [a name], or empty */
};
bool gm_mapping_at(struct sim *s, pid_t tid, uint64_t addr, struct gm_mapping *m);
/* The key of a shared futex: {device<<32|inode, offset} when addr lies in a shared mapping (returns 1), else 0. */
int gm_shared_key(struct task *t, uint64_t addr, uint64_t key[2]);

#endif
