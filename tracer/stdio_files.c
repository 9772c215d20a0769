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

void stdio_files(struct sim *s, struct proc *p)
{
	fdtab_set(&s->kern, p->fds, p, 0, eof_new(&s->kern), false);
	fdtab_set(&s->kern, p->fds, p, 1, sink_new(&s->kern, emit_out, s), false);
	fdtab_set(&s->kern, p->fds, p, 2, sink_new(&s->kern, emit_err, s), false);
}
