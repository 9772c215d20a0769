/* The entries of an open directory, in the order in which guests see them: ".", "..", then by name. */
#ifndef TRACER_VDIR_H
#define TRACER_VDIR_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct vdirent {
	uint64_t ino;
	size_t name;  /* offset in struct vdir's names */
	uint8_t type; /* DT_* */
};

struct vdir {
	struct buf names;
	struct vdirent *ent;
	size_t n, cap;
	bool filled;
};

void vdir_reset(struct vdir *d);
void vdir_clear(struct vdir *d);
void vdir_add(struct vdir *d, const char *name, uint8_t type, uint64_t ino);
void vdir_sort(struct vdir *d);
static inline const char *vdir_name(const struct vdir *d, size_t i)
{
	return d->names.data + d->ent[i].name;
}

#endif
