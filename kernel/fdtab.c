#include "base/mem.h"
#include "kernel/file.h"
#include "kernel/signalfd.h"

#include <string.h>

enum { FDTAB_MIN = 64 };

static void grow(struct kern *k, struct fdtab *t, unsigned want)
{
	unsigned cap = MAX(t->cap, (unsigned)FDTAB_MIN);
	struct fdent *ent;

	while (cap < want)
		cap *= 2;
	if (cap == t->cap)
		return;
	ent = arena_alloc(k->arena, cap * sizeof *ent);
	if (t->cap)
		memcpy(ent, t->ent, t->cap * sizeof *ent);
	arena_release(k->arena, t->ent, t->cap * sizeof *ent);
	t->ent = ent;
	t->cap = cap;
}

struct fdtab *fdtab_new(struct kern *k)
{
	struct fdtab *t = arena_new_of(k->arena, struct fdtab);

	t->refs = 1;
	return t;
}

struct fdtab *fdtab_copy(struct kern *k, const struct fdtab *t)
{
	struct fdtab *n = fdtab_new(k);

	if (!t->cap)
		return n;
	grow(k, n, t->cap);
	memcpy(n->ent, t->ent, t->cap * sizeof *t->ent);
	n->lowest = t->lowest;
	for (unsigned i = 0; i < n->cap; i++)
		if (n->ent[i].file)
			file_ref(n->ent[i].file);
	return n;
}

/* The entry goes first: what closing does (wake-ups, locks) must not find the number in use. */
static void drop(struct kern *k, struct fdtab *t, struct proc *p, unsigned fd)
{
	struct file *f = t->ent[fd].file;

	t->ent[fd] = (struct fdent){0};
	t->lowest = MIN(t->lowest, fd);
	if (f->ops->closed && p)
		f->ops->closed(k, f, p);
	file_unref(k, f);
}

void fdtab_unref(struct kern *k, struct fdtab *t, struct proc *p)
{
	if (p)
		signalfd_forget(k, p);
	if (--t->refs)
		return;
	for (unsigned i = 0; i < t->cap; i++)
		if (t->ent[i].file)
			drop(k, t, p, i);
	arena_release(k->arena, t->ent, t->cap * sizeof *t->ent);
	arena_release_of(k->arena, t);
}

int fdtab_add(struct kern *k, struct fdtab *t, struct file *f, unsigned min, unsigned limit, bool cloexec)
{
	unsigned fd = MAX(min, t->lowest);

	while (fd < t->cap && t->ent[fd].file)
		fd++;
	if (fd >= limit)
		return -EMFILE;
	grow(k, t, fd + 1);
	t->ent[fd] = (struct fdent){f, cloexec};
	if (min <= t->lowest)
		t->lowest = fd + 1;
	return (int)fd;
}

void fdtab_set(struct kern *k, struct fdtab *t, struct proc *p, unsigned fd, struct file *f, bool cloexec)
{
	grow(k, t, fd + 1);
	if (t->ent[fd].file)
		drop(k, t, p, fd);
	t->ent[fd] = (struct fdent){f, cloexec};
	if (t->lowest == fd)
		t->lowest++;
}

struct file *fdtab_get(const struct fdtab *t, int fd)
{
	return fd >= 0 && (unsigned)fd < t->cap ? t->ent[fd].file : NULL;
}

int fdtab_close(struct kern *k, struct fdtab *t, struct proc *p, int fd)
{
	if (!fdtab_get(t, fd))
		return -EBADF;
	drop(k, t, p, (unsigned)fd);
	return 0;
}

void fdtab_close_on_exec(struct kern *k, struct fdtab *t, struct proc *p)
{
	for (unsigned i = 0; i < t->cap; i++)
		if (t->ent[i].file && t->ent[i].cloexec)
			drop(k, t, p, i);
}
