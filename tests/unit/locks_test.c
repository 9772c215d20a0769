#include "tests/unit/kern_fixture.h"

#include "base/rng.h"
#include "tracer/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWNERS = 4, BYTES = 48, STEPS = 20000 };

static const uint64_t key[2] = {1, 2}, other_key[2] = {1, 3};
static char owner[OWNERS];

static struct lock want(unsigned who, bool write, int64_t start, int64_t end)
{
	return (struct lock){.kind = LOCK_KIND_POSIX, .write = write, .start = start, .end = end, .owner = &owner[who], .pid = (int)who};
}

static void set(struct locks *l, unsigned who, bool write, int64_t start, int64_t end)
{
	struct lock w = want(who, write, start, end);

	assert_null(locks_conflict(l, key, &w));
	locks_apply(l, key, &w, false);
}

static bool conflicts(struct locks *l, unsigned who, bool write, int64_t start, int64_t end)
{
	struct lock w = want(who, write, start, end);

	return locks_conflict(l, key, &w) != NULL;
}

/*
 * The same seeded operations here and on open file descriptions of the kernel below: what is granted and what is refused
 * is the same, and what F_OFD_GETLK shows is really held. Ranges may reach to the end of the file (length 0).
 */
static void twin_of_the_kernel(void **state)
{
	struct fixture *x = *state;
	char path[] = "/tmp/locks-XXXXXX";
	int fd[OWNERS], granted = 0, refused = 0;
	struct locks l;
	struct rng r;

	fd[0] = mkstemp(path);
	assert_true(fd[0] >= 0);
	for (int i = 1; i < OWNERS; i++)
		assert_true((fd[i] = open(path, O_RDWR)) >= 0);
	unlink(path);
	locks_init(&l, x->k.arena);
	rng_init(&r, 11, "locks");
	for (int step = 0; step < STEPS; step++) {
		unsigned who = (unsigned)rng_below(&r, OWNERS), kind = (unsigned)rng_below(&r, 3);
		int64_t start = (int64_t)rng_below(&r, BYTES), len = (int64_t)rng_below(&r, 9);
		struct lock w = want(who, kind == 1, start, len ? start + len - 1 : INT64_MAX);
		struct flock fl = {.l_type = kind == 0 ? F_RDLCK : kind == 1 ? F_WRLCK : F_UNLCK, .l_start = start, .l_len = len};
		struct flock get = fl;
		int rc = fcntl(fd[who], F_OFD_SETLK, &fl);
		const struct lock *c = kind == 2 ? NULL : locks_conflict(&l, key, &w);

		assert_int_equal(rc < 0 ? errno : 0, c ? EAGAIN : 0);
		granted += !c;
		refused += c != NULL;
		if (!c)
			locks_apply(&l, key, &w, kind == 2);
		if (kind == 2)
			continue;
		assert_int_equal(fcntl(fd[who], F_OFD_GETLK, &get), 0);
		assert_int_equal(get.l_type != F_UNLCK, c != NULL);
		if (c) { /* somebody here holds exactly that range, too */
			struct lock probe = want(OWNERS - 1, true, get.l_start, get.l_len ? get.l_start + get.l_len - 1 : INT64_MAX);
			bool found = false;
			list_each(li, &l.inodes, struct lock_inode, link)
				list_each(h, &li->held, struct lock, link)
					found |= h->start == probe.start && h->end == probe.end && h->write == (get.l_type == F_WRLCK);
			assert_true(found);
		}
	}
	assert_true(granted > STEPS / 10 && refused > STEPS / 10);
	for (unsigned i = 0; i < OWNERS; i++) {
		locks_release_owner(&l, key, LOCK_KIND_POSIX, &owner[i]);
		close(fd[i]);
	}
	assert_true(list_empty(&l.inodes));
	assert_nothing_leaked(x);
}

static void kinds_and_inodes(void **state)
{
	struct fixture *x = *state;
	struct lock flock_ = {.kind = LOCK_KIND_FLOCK, .write = true, .end = INT64_MAX, .owner = &owner[0]};
	struct lock ofd = {.kind = LOCK_KIND_OFD, .write = true, .end = INT64_MAX, .owner = &owner[1]};
	struct locks l;

	locks_init(&l, x->k.arena);
	set(&l, 0, false, 0, 9);
	set(&l, 1, false, 5, 9);
	assert_null(locks_conflict(&l, key, &flock_)); /* flock does not see record locks */
	assert_non_null(locks_conflict(&l, key, &ofd));
	assert_null(locks_conflict(&l, other_key, &ofd));
	locks_apply(&l, key, &flock_, false);
	assert_true(conflicts(&l, 2, true, 0, 0));
	assert_false(conflicts(&l, 2, true, 10, 10));
	assert_false(conflicts(&l, 2, false, 0, 100));
	locks_release_owner(&l, key, LOCK_KIND_POSIX, &owner[0]);
	assert_false(conflicts(&l, 2, true, 0, 4));
	assert_true(conflicts(&l, 2, true, 5, 5));
	locks_release_owner(&l, key, LOCK_KIND_POSIX, &owner[1]);
	locks_release_owner(&l, key, LOCK_KIND_FLOCK, &owner[0]);
	assert_nothing_leaked(x);
}

static void waiters_are_woken(void **state)
{
	struct fixture *x = *state;
	struct probe p = {0};
	struct locks l;
	struct lock part = want(0, true, 3, 4);

	locks_init(&l, x->k.arena);
	set(&l, 0, true, 0, 9);
	waitq_add(locks_waitq(&l, key), &p.w, probe_fn);
	locks_apply(&l, key, &part, true);
	assert_int_equal(p.woken, 1);
	set(&l, 0, false, 0, 2); /* a writer that becomes a reader lets readers in */
	assert_int_equal(p.woken, 2);
	list_del(&p.w.link);
	locks_release_owner(&l, key, LOCK_KIND_POSIX, &owner[0]);
	assert_nothing_leaked(x);
}

static bool waits_no_more(void *ctx, int tid)
{
	return tid != *(int *)ctx;
}

/* 0 holds byte 0, 1 holds 1, 2 holds 2; 0 waits for 1, 1 waits for 2: then 2 must not wait for 0. */
static void circles(void **state)
{
	struct fixture *x = *state;
	struct lock w01 = want(0, true, 1, 1), w12 = want(1, true, 2, 2), w20 = want(2, true, 0, 0), w30 = want(3, true, 0, 2);
	int gone = 101;
	struct locks l;

	locks_init(&l, x->k.arena);
	for (unsigned i = 0; i < 3; i++)
		set(&l, i, true, i, i);
	assert_false(locks_deadlock(&l, key, &w01));
	locks_wait_begin(&l, 100, key, &w01);
	assert_false(locks_deadlock(&l, key, &w12));
	locks_wait_begin(&l, 101, key, &w12);
	assert_true(locks_deadlock(&l, key, &w20));
	assert_false(locks_deadlock(&l, key, &w30)); /* nobody waits for 3 */
	/* A wait that a signal ended is no edge, even if nobody said so. */
	l.still_waits = waits_no_more;
	l.ctx = &gone;
	assert_false(locks_deadlock(&l, key, &w20));
	gone = 0;
	assert_true(locks_deadlock(&l, key, &w20));
	locks_wait_end(&l, 100);
	assert_false(locks_deadlock(&l, key, &w20));
	locks_wait_end(&l, 101);
	for (unsigned i = 0; i < 3; i++)
		locks_release_owner(&l, key, LOCK_KIND_POSIX, &owner[i]);
	assert_nothing_leaked(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(twin_of_the_kernel), UNIT(kinds_and_inodes), UNIT(waiters_are_woken), UNIT(circles)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
