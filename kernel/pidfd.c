#include "kernel/pidfd.h"

struct pidfd {
	struct procref ref;
	struct waiter ended; /* on proc->exit_wq */
	struct file *file;
};

static void on_end(struct waiter *w, uint32_t events)
{
	list_del(&w->link); /* the process may be freed right after */
	file_notify(container_of(w, struct pidfd, ended)->file, events);
}

static uint32_t pidfd_poll(struct kern *k, struct file *f)
{
	const struct proc *p = pidfd_proc(f);

	(void)k;
	if (!p)
		return K_EPOLLIN | K_EPOLLRDNORM | K_EPOLLHUP;
	return p->zombie && !p->held ? K_EPOLLIN | K_EPOLLRDNORM : 0;
}

static void pidfd_release(struct kern *k, struct file *f)
{
	struct pidfd *d = f->obj;

	procref_drop(&d->ref);
	list_del(&d->ended.link);
	arena_release_of(k->arena, d);
}

static const struct file_ops pidfd_ops = {
	.kind = "pidfd",
	.poll = pidfd_poll,
	.release = pidfd_release,
};

struct file *pidfd_new(struct kern *k, struct proc *p, uint32_t flags)
{
	struct pidfd *d = arena_new_of(k->arena, struct pidfd);

	procref_set(&d->ref, p);
	list_init(&d->ended.link);
	if (!p->zombie || p->held)
		waitq_add(&p->exit_wq, &d->ended, on_end);
	d->file = file_new(k, &pidfd_ops, d, O_RDWR | flags);
	return d->file;
}

bool file_is_pidfd(const struct file *f)
{
	return f->ops == &pidfd_ops;
}

struct proc *pidfd_proc(const struct file *f)
{
	return ((struct pidfd *)f->obj)->ref.p;
}
