#include "tracer/vdir.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void vdir_reset(struct vdir *d)
{
	buf_reset(&d->names);
	d->n = 0;
	d->filled = false;
}

void vdir_clear(struct vdir *d)
{
	buf_clear(&d->names);
	free(d->ent);
	*d = (struct vdir){0};
}

void vdir_add(struct vdir *d, const char *name, uint8_t type, uint64_t ino)
{
	if (d->n == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 32;
		d->ent = xrealloc(d->ent, d->cap * sizeof *d->ent);
	}
	d->ent[d->n++] = (struct vdirent){.ino = ino, .name = d->names.len, .type = type};
	buf_add(&d->names, name, strlen(name) + 1);
}

static int by_name(const void *a, const void *b, void *names)
{
	const struct vdirent *x = a, *y = b;

	return strcmp((char *)names + x->name, (char *)names + y->name);
}

void vdir_sort(struct vdir *d)
{
	size_t dots = 0;

	/* "." and ".." come first, whatever else begins with characters below '.'. */
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(vdir_name(d, i), ".") || !strcmp(vdir_name(d, i), "..")) {
			struct vdirent e = d->ent[i];
			d->ent[i] = d->ent[dots];
			d->ent[dots++] = e;
		}
	if (dots == 2 && vdir_name(d, 0)[1]) {
		struct vdirent e = d->ent[0];
		d->ent[0] = d->ent[1];
		d->ent[1] = e;
	}
	if (d->n > dots)
		qsort_r(d->ent + dots, d->n - dots, sizeof *d->ent, by_name, d->names.data);
}
