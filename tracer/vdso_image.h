/* The vDSO image as it is put into guests; made at build time from tracer/vdso/. */
#ifndef TRACER_VDSO_IMAGE_H
#define TRACER_VDSO_IMAGE_H

#include <stddef.h>
#include <stdint.h>

extern const unsigned char vdso_image_start[], vdso_image_end[];

static inline size_t vdso_image_size(void)
{
	return (size_t)(vdso_image_end - vdso_image_start);
}
/* Offsets in the image: of the word that holds the clock page's address, and of the instruction for remote calls. */
uint64_t vdso_image_slot(void);
uint64_t vdso_image_syscall(void);

#endif
