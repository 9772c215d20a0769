#include "tests/unit/kern_fixture.h"

enum { LIMIT = 1024 };

struct object {
	unsigned closed, released;
	struct proc *by;
	struct fdtab *tab; /* looked at while closing */
	int fd;
	struct file *found;
};

static void on_closed(struct kern *k, struct file *f, struct proc *p)
{
	struct object *o = f->obj;

	o->closed++;
	o->by = p;
	if (o->tab)
		o->found = fdtab_get(o->tab, o->fd);
}

static void on_release(struct kern *k, struct file *f)
{
	((struct object *)f->obj)->released++;
}

static const struct file_ops ops = {.kind = "test", .closed = on_closed, .release = on_release};

static int add(struct fixture *x, struct fdtab *t, struct object *o, unsigned min)
{
	return fdtab_add(&x->k, t, file_new(&x->k, &ops, o, O_RDWR), min, LIMIT, false);
}

static void lowest_free_number(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k);
	struct object o = {0};

	for (int i = 0; i < 200; i++)
		assert_int_equal(add(x, t, &o, 0), i);
	assert_int_equal(fdtab_close(&x->k, t, x->p, 150), 0);
	assert_int_equal(fdtab_close(&x->k, t, x->p, 3), 0);
	assert_int_equal(fdtab_close(&x->k, t, x->p, 70), 0);
	assert_int_equal(fdtab_close(&x->k, t, x->p, 70), -EBADF);
	assert_int_equal(add(x, t, &o, 71), 150); /* a minimum leaves lower holes alone */
	assert_int_equal(add(x, t, &o, 0), 3);
	assert_int_equal(add(x, t, &o, 0), 70);
	assert_int_equal(add(x, t, &o, 0), 200);
	assert_int_equal(add(x, t, &o, 500), 500);
	assert_int_equal(add(x, t, &o, 0), 201);
	fdtab_unref(&x->k, t, x->p);
	assert_int_equal(o.closed, o.released);
	assert_nothing_leaked(x);
}

static void the_limit(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k);
	struct object o = {0};
	struct file *f;

	for (int i = 0; i < 4; i++)
		assert_int_equal(fdtab_add(&x->k, t, file_new(&x->k, &ops, &o, 0), 0, 4, false), i);
	f = file_new(&x->k, &ops, &o, 0);
	assert_int_equal(fdtab_add(&x->k, t, f, 0, 4, false), -EMFILE);
	assert_int_equal(f->refs, 1); /* still the caller's */
	fdtab_close(&x->k, t, x->p, 1);
	assert_int_equal(fdtab_add(&x->k, t, f, 2, 4, false), -EMFILE);
	assert_int_equal(fdtab_add(&x->k, t, f, 0, 4, false), 1);
	fdtab_unref(&x->k, t, x->p);
	assert_int_equal(o.released, 5);
}

static void dup_shares_the_file(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k);
	struct object a = {0}, b = {0};
	struct file *f;

	assert_int_equal(add(x, t, &a, 0), 0);
	assert_int_equal(add(x, t, &b, 0), 1);
	f = fdtab_get(t, 0);
	fdtab_set(&x->k, t, x->p, 1, file_ref(f), true); /* dup3(0, 1, O_CLOEXEC) */
	assert_int_equal(b.released, 1);
	assert_int_equal(b.closed, 1);
	assert_ptr_equal(b.by, x->p);
	assert_ptr_equal(fdtab_get(t, 1), f);
	assert_true(t->ent[1].cloexec);
	fdtab_set(&x->k, t, x->p, 300, file_ref(f), false);
	assert_ptr_equal(fdtab_get(t, 300), f);
	assert_int_equal(add(x, t, &b, 0), 2);
	fdtab_close(&x->k, t, x->p, 0);
	assert_int_equal(a.closed, 1); /* every close of a descriptor drops POSIX locks … */
	assert_int_equal(a.released, 0);
	fdtab_close(&x->k, t, x->p, 300);
	fdtab_close(&x->k, t, x->p, 1);
	assert_int_equal(a.closed, 3);
	assert_int_equal(a.released, 1); /* … but only the last one releases */
	fdtab_unref(&x->k, t, x->p);
}

static void set_keeps_the_lowest_number_right(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k);
	struct object o = {0};

	fdtab_set(&x->k, t, x->p, 0, file_new(&x->k, &ops, &o, 0), false);
	fdtab_set(&x->k, t, x->p, 2, file_new(&x->k, &ops, &o, 0), false);
	assert_int_equal(add(x, t, &o, 0), 1);
	assert_int_equal(add(x, t, &o, 0), 3);
	fdtab_unref(&x->k, t, x->p);
}

static void a_copy_has_references_of_its_own(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k), *n;
	struct object o = {0};

	add(x, t, &o, 0);
	add(x, t, &o, 0);
	t->ent[1].cloexec = true;
	n = fdtab_copy(&x->k, t);
	assert_true(n->ent[1].cloexec);
	fdtab_unref(&x->k, t, x->p);
	assert_int_equal(o.released, 0);
	assert_non_null(fdtab_get(n, 1));
	fdtab_close_on_exec(&x->k, n, x->p);
	assert_null(fdtab_get(n, 1));
	assert_non_null(fdtab_get(n, 0));
	assert_int_equal(o.released, 1);
	n->refs++; /* CLONE_FILES */
	fdtab_unref(&x->k, n, x->p);
	assert_non_null(fdtab_get(n, 0));
	fdtab_unref(&x->k, n, x->p);
	assert_int_equal(o.released, 2);
	assert_nothing_leaked(x);
}

static void the_number_is_free_while_closing(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k);
	struct object o = {.tab = t, .fd = 0, .found = (void *)&o};

	add(x, t, &o, 0);
	fdtab_close(&x->k, t, x->p, 0);
	assert_null(o.found);
	fdtab_unref(&x->k, t, x->p);
}

static void numbers_out_of_range(void **state)
{
	struct fixture *x = *state;
	struct fdtab *t = fdtab_new(&x->k);

	assert_null(fdtab_get(t, -1));
	assert_null(fdtab_get(t, 0));
	assert_null(fdtab_get(t, 1 << 30));
	assert_int_equal(fdtab_close(&x->k, t, x->p, -1), -EBADF);
	fdtab_unref(&x->k, t, x->p);
	assert_nothing_leaked(x);
}

static void a_released_file_wakes_its_waiters(void **state)
{
	struct fixture *x = *state;
	struct object o = {0};
	struct file *f = file_new(&x->k, &ops, &o, 0);
	struct probe p;

	probe_on(&p, f);
	file_unref(&x->k, f);
	assert_int_equal(p.woken, 1);
	assert_ptr_equal(p.w.link.next, &p.w.link); /* and lets them go */
	assert_nothing_leaked(x);
}

static int64_t ten(struct kern *k, struct file *f)
{
	return 10;
}

static void seeking(void **state)
{
	static const struct file_ops sized = {.kind = "test", .end = ten};
	struct fixture *x = *state;
	struct file *f = file_new(&x->k, &sized, NULL, 0);

	assert_int_equal(file_seek(&x->k, f, 4, SEEK_SET), 4);
	assert_int_equal(file_seek(&x->k, f, 3, SEEK_CUR), 7);
	assert_int_equal(file_seek(&x->k, f, -8, SEEK_CUR), -EINVAL);
	assert_int_equal(file_seek(&x->k, f, INT64_MAX, SEEK_CUR), -EOVERFLOW);
	assert_int_equal(file_seek(&x->k, f, -1, SEEK_END), 9);
	assert_int_equal(file_seek(&x->k, f, 100, SEEK_END), 110);
	assert_int_equal(file_seek(&x->k, f, 3, SEEK_DATA), 3);
	assert_int_equal(file_seek(&x->k, f, 3, SEEK_HOLE), 10);
	assert_int_equal(file_seek(&x->k, f, 10, SEEK_DATA), -ENXIO);
	assert_int_equal(file_seek(&x->k, f, 10, SEEK_HOLE), -ENXIO);
	assert_int_equal(f->pos, 10);
	file_unref(&x->k, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(lowest_free_number),
		UNIT(the_limit),
		UNIT(dup_shares_the_file),
		UNIT(set_keeps_the_lowest_number_right),
		UNIT(a_copy_has_references_of_its_own),
		UNIT(the_number_is_free_while_closing),
		UNIT(numbers_out_of_range),
		UNIT(a_released_file_wakes_its_waiters),
		UNIT(seeking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
