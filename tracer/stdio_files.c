#include "tracer/stdio_files.h"

#include "kernel/chardev.h"
#include "tracer/sim.h"

static struct proc *writer(const struct sim *s)
{
	return s->kern.current ? s->kern.current->proc : NULL;
}

static void emit_out(void *ctx, const void *buf, size_t n)
{
	output_emit(ctx, writer(ctx), false, buf, n);
}

static void emit_err(void *ctx, const void *buf, size_t n)
{
	output_emit(ctx, writer(ctx), true, buf, n);
}

void stdio_file(struct sim *s, struct proc *p, int fd)
{
	struct file *f = fd == 0 ? eof_new(&s->kern) : sink_new(&s->kern, fd == 1 ? emit_out : emit_err, s);

	fdtab_set(&s->kern, p->fds, p, (unsigned)fd, f, false);
}

void stdio_files(struct sim *s, struct proc *p)
{
	for (int fd = 0; fd < 3; fd++)
		stdio_file(s, p, fd);
}
