/* A simulated kernel without guests: one process, one thread, whose calls the test makes. */
#ifndef TESTS_UNIT_KERN_FIXTURE_H
#define TESTS_UNIT_KERN_FIXTURE_H

/* clang-format off: cmocka wants these first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "kernel/file.h"
#include "kernel/kern.h"
#include "kernel/task.h"

struct fixture {
	struct kern k;
	struct proc *p;
	struct thread *t;
	size_t arena_at_start;
};

static inline int fixture_setup(void **state)
{
	struct fixture *x = test_calloc(1, sizeof *x);

	kern_init(&x->k, 7, SCHED_POLICY_FIFO);
	x->p = proc_new(&x->k, 100, NULL);
	x->t = thread_new(&x->k, x->p, 100);
	x->k.current = x->t;
	x->arena_at_start = arena_used(x->k.arena);
	*state = x;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *x = *state;

	kern_clear(&x->k);
	test_free(x);
	return 0;
}

/* Everything that the test made has been given back. */
static inline void assert_nothing_leaked(const struct fixture *x)
{
	assert_int_equal(arena_used(x->k.arena), x->arena_at_start);
}

static inline int64_t f_read(struct fixture *x, struct file *f, void *buf, size_t n)
{
	return f->ops->read(&x->k, f, buf, n);
}

static inline int64_t f_write(struct fixture *x, struct file *f, const void *buf, size_t n)
{
	return f->ops->write(&x->k, f, buf, n);
}

/* A waiter that counts what it is woken for. */
struct probe {
	struct waiter w;
	unsigned woken;
	uint32_t events;
};

static inline void probe_fn(struct waiter *w, uint32_t events)
{
	struct probe *p = container_of(w, struct probe, w);

	p->woken++;
	p->events |= events;
}

static inline void probe_on(struct probe *p, struct file *f)
{
	*p = (struct probe){0};
	waitq_add(&f->wq, &p->w, probe_fn);
}

#define UNIT(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif
