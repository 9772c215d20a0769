/*
 * RDRAND and RDSEED: instructions that read the host's randomness and that no setting makes trap. In code that is mapped
 * from a file each one is replaced, in the guest's private copy of the page, by an undefined instruction of the same
 * length, and served from the node's stream when it traps.
 *
 * A search for their bytes finds them in the middle of other instructions too (40 times in libLLVM, one of them real), so a
 * hit counts only if decoding from the start of the function that .eh_frame_hdr gives arrives exactly at it. Hits that
 * cannot be confirmed are left alone.
 */
#ifndef TRACER_HWRAND_H
#define TRACER_HWRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct task;
struct hostproc;
struct user_regs_struct;

/* The places in one file, as offsets, sorted. */
struct hwrand_sites {
	uint64_t *at;
	size_t n;
	size_t unconfirmed;
};

/* Scans an ELF file of `size` bytes. Pure. */
void hwrand_scan(const unsigned char *elf, size_t size, struct hwrand_sites *out);
void hwrand_sites_free(struct hwrand_sites *s);

/* `len` bytes of the file behind host_fd from `off` on have been mapped at addr, executable and private. In a stop. */
void hwrand_mapped(struct sim *s, struct task *t, int host_fd, uint64_t off, uint64_t len, uint64_t addr);
/* The program that exec has mapped. In a stop. */
void hwrand_exec(struct sim *s, struct task *t);
/* The thread trapped at r->rip: emulates when one of ours stands there (r is changed, not yet set). */
bool hwrand_emulate(struct sim *s, struct task *t, struct user_regs_struct *r);

/* What hostproc carries: the places that were patched. */
struct hwrand_patches {
	uint64_t *at; /* of the 0f 0b bytes */
	size_t n;
};
void hwrand_patches_copy(struct hwrand_patches *to, const struct hwrand_patches *from);
void hwrand_patches_clear(struct hwrand_patches *p);

#endif
