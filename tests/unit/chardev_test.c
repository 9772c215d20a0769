#include "tests/unit/kern_fixture.h"

#include "kernel/chardev.h"
#include "kernel/node.h"

#include <string.h>

static void memory_devices(void **state)
{
	struct fixture *x = *state;
	struct file *null = chardev_open(&x->k, "null", O_RDWR), *zero = chardev_open(&x->k, "zero", O_RDWR),
		    *full = chardev_open(&x->k, "full", O_RDWR);
	char buf[4] = "abc";

	assert_null(chardev_open(&x->k, "kmem", O_RDWR));
	assert_int_equal(f_read(x, null, buf, 4), 0);
	assert_int_equal(f_write(x, null, buf, 4), 4);
	assert_int_equal(null->ops->pread(&x->k, null, buf, 4, 100), 0);
	assert_int_equal(null->ops->seek(&x->k, null, 100, SEEK_SET), 0);
	assert_int_equal(f_read(x, zero, buf, 4), 4);
	assert_memory_equal(buf, "\0\0\0", 4);
	assert_int_equal(f_write(x, full, buf, 1), -ENOSPC);
	assert_int_equal(f_read(x, full, buf, 4), 4);
	assert_int_equal(chardev_minor(null), 3);
	assert_int_equal(chardev_minor(zero), 5);
	assert_int_equal(chardev_minor(full), 7);
	assert_false(chardev_is_random(zero));
}

/* Bytes come from the reader's node, whoever opened the device. */
static void random_devices(void **state)
{
	struct fixture *x = *state;
	struct file *f = chardev_open(&x->k, "urandom", O_RDONLY);
	struct node n = {0};
	struct rng same;
	char got[100], want[100];

	same = x->k.guest_rng;
	rng_bytes(&same, want, sizeof want);
	assert_int_equal(f_read(x, f, got, sizeof got), sizeof got);
	assert_memory_equal(got, want, sizeof got);
	rng_init(&n.rng, 3, "guest:1");
	same = n.rng;
	x->p->node = &n;
	rng_bytes(&same, want, sizeof want);
	f_read(x, f, got, sizeof got);
	assert_memory_equal(got, want, sizeof got);
	assert_int_equal(f_write(x, f, got, 5), 5);
	assert_true(chardev_is_random(f));
	assert_int_equal(chardev_minor(f), 9);
	assert_int_equal(chardev_minor(chardev_open(&x->k, "random", O_RDONLY)), 8);
}

static void emit(void *ctx, const void *buf, size_t n)
{
	strncat(ctx, buf, n);
}

static void standard_files(void **state)
{
	struct fixture *x = *state;
	char out[20] = "", buf[4];
	struct file *in = eof_new(&x->k), *f = sink_new(&x->k, emit, out);

	assert_int_equal(f_read(x, in, buf, 4), 0);
	assert_int_equal(in->flags & O_ACCMODE, O_RDONLY);
	assert_int_equal(f_write(x, f, "hello", 5), 5);
	assert_int_equal(f_write(x, f, " you", 4), 4);
	assert_string_equal(out, "hello you");
	assert_true(file_is_sink(f));
	assert_false(file_is_sink(in));
	assert_int_equal(file_poll(&x->k, f), K_EPOLLOUT | K_EPOLLWRNORM);
	file_unref(&x->k, f);
	file_unref(&x->k, in);
	assert_nothing_leaked(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(memory_devices), UNIT(random_devices), UNIT(standard_files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
