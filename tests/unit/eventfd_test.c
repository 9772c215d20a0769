#include "tests/unit/kern_fixture.h"

#include "base/rng.h"
#include "kernel/eventfd.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The same seeded operations on ours and on the kernel's below. */
static void twins(struct fixture *x, uint64_t seed, bool semaphore)
{
	static const uint64_t values[] = {0, 1, 2, 100, UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX};
	uint64_t first = seed % 3, mine, theirs;
	struct file *f = eventfd_new(&x->k, first, semaphore, O_NONBLOCK);
	int fd = eventfd((unsigned)first, EFD_NONBLOCK | (semaphore ? EFD_SEMAPHORE : 0));
	struct rng rng;

	rng_init(&rng, seed, "test");
	for (int i = 0; i < 1000; i++) {
		struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};
		int64_t rc;
		mine = theirs = values[rng_below(&rng, sizeof values / sizeof *values)];
		if (rng_below(&rng, 2)) {
			rc = write(fd, &theirs, sizeof theirs);
			assert_int_equal(f_write(x, f, &mine, sizeof mine), rc < 0 ? -errno : rc);
		} else {
			rc = read(fd, &theirs, sizeof theirs);
			assert_int_equal(f_read(x, f, &mine, sizeof mine), rc < 0 ? -errno : rc);
		}
		assert_true(mine == theirs);
		poll(&p, 1, 0);
		assert_int_equal(file_poll(&x->k, f), p.revents);
	}
	file_unref(&x->k, f);
	close(fd);
}

static void same_as_linux(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		twins(*state, seed, false);
		twins(*state, seed, true);
	}
	assert_nothing_leaked(*state);
}

static void sizes(void **state)
{
	struct fixture *x = *state;
	struct file *f = eventfd_new(&x->k, 5, false, 0);
	uint64_t v[2] = {1, 1};

	assert_int_equal(f_read(x, f, v, 7), -EINVAL);
	assert_int_equal(f_write(x, f, v, 7), -EINVAL);
	assert_int_equal(f_write(x, f, v, 16), -EINVAL);
	assert_int_equal(f_read(x, f, v, 16), 8);
	assert_int_equal(v[0], 5);
}

static void wakes(void **state)
{
	struct fixture *x = *state;
	struct file *f = eventfd_new(&x->k, 0, false, 0);
	uint64_t v = 1;
	struct probe p;

	probe_on(&p, f);
	f_write(x, f, &v, sizeof v);
	f_write(x, f, &v, sizeof v); /* every write is an edge */
	assert_int_equal(p.woken, 2);
	assert_int_equal(p.events, K_EPOLLIN);
	f_read(x, f, &v, sizeof v);
	assert_int_equal(v, 2);
	assert_int_equal(p.events, K_EPOLLIN | K_EPOLLOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(same_as_linux), UNIT(sizes), UNIT(wakes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
