#include "tests/unit/kern_fixture.h"

#include "tracer/inode.h"

#include <sys/sysmacros.h>

static const struct timespec early = {.tv_sec = 100}, now = {.tv_sec = 5000, .tv_nsec = 7}, later = {.tv_sec = 6000};

static struct stat host(dev_t dev, ino_t ino, mode_t mode)
{
	return (struct stat){.st_dev = dev, .st_ino = ino, .st_mode = mode, .st_nlink = 1, .st_mtim = early, .st_atim = later,
			     .st_ctim = later, .st_size = 5000, .st_blocks = 8, .st_blksize = 512};
}

/* Numbers depend on the order of appearance only, not on what the host calls them. */
static void numbers(void **state)
{
	struct inodes a, b;

	inodes_init(&a);
	inodes_init(&b);
	for (ino_t i = 0; i < 1000; i++)
		assert_int_equal(inodes_number(&a, 5, i * 7 + (1ull << 63)), inodes_number(&b, 77, 100000 - i));
	assert_int_equal(inodes_number(&a, 5, 1ull << 63), inodes_number(&b, 77, 100000));
	assert_int_not_equal(inodes_number(&a, 5, 1), inodes_number(&a, 6, 1));
	assert_int_equal(inodes_dev(&a, 5), makedev(0, 30));
	assert_int_equal(inodes_dev(&a, 9), makedev(0, 31));
	assert_int_equal(inodes_dev(&a, 5), makedev(0, 30));
	inodes_clear(&a);
	inodes_clear(&b);
}

static void untouched(void **state)
{
	struct stat st = host(1, 2, S_IFREG | 0644), dir = host(1, 3, S_IFDIR | 0755), other = host(1, 4, S_IFDIR | 0755);
	struct timespec btime;
	struct inodes in;

	inodes_init(&in);
	inodes_show(&in, &st, &btime);
	assert_int_equal(st.st_mtim.tv_sec, early.tv_sec);
	assert_int_equal(st.st_atim.tv_sec, early.tv_sec); /* not the host's access time */
	assert_int_equal(st.st_ctim.tv_sec, early.tv_sec);
	assert_int_equal(btime.tv_sec, early.tv_sec);
	assert_int_equal(st.st_blocks, 16); /* two blocks of 4 KiB for 5000 bytes */
	other.st_nlink = 9;
	other.st_size = 60;
	other.st_mtim = later;
	inodes_show(&in, &dir, NULL);
	inodes_show(&in, &other, NULL);
	assert_int_equal(dir.st_size, other.st_size);
	assert_int_equal(dir.st_nlink, other.st_nlink);
	assert_int_equal(dir.st_mtim.tv_sec, other.st_mtim.tv_sec);
	inodes_clear(&in);
}

/* What appeared on the host after the run began shows the simulated boot. */
static void no_real_time(void **state)
{
	struct stat st = host(1, 2, S_IFREG | 0644);
	struct inodes in;

	inodes_init(&in);
	in.started = later;
	in.boot = now;
	inodes_show(&in, &st, NULL);
	assert_int_equal(st.st_mtim.tv_sec, early.tv_sec);
	st = host(1, 2, S_IFREG | 0644);
	st.st_mtim = (struct timespec){.tv_sec = later.tv_sec, .tv_nsec = 1};
	inodes_show(&in, &st, NULL);
	assert_int_equal(st.st_mtim.tv_sec, now.tv_sec);
	inodes_clear(&in);
}

static void touching(void **state)
{
	struct stat raw = host(1, 2, S_IFREG | 0644), st = raw;
	struct timespec btime;
	struct inodes in;

	inodes_init(&in);
	inodes_touch(&in, &raw, TOUCH_CTIME, now);
	inodes_show(&in, &st, &btime);
	assert_int_equal(st.st_ctim.tv_sec, now.tv_sec);
	assert_int_equal(st.st_mtim.tv_sec, early.tv_sec);
	inodes_touch(&in, &raw, TOUCH_MTIME | TOUCH_CTIME, later);
	st = raw;
	inodes_show(&in, &st, &btime);
	assert_int_equal(st.st_mtim.tv_sec, later.tv_sec);
	assert_int_equal(st.st_atim.tv_sec, early.tv_sec);
	assert_int_equal(btime.tv_sec, early.tv_sec);
	inodes_touch(&in, &raw, TOUCH_CREATED, now);
	st = raw;
	inodes_show(&in, &st, &btime);
	assert_int_equal(st.st_atim.tv_sec, now.tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, now.tv_nsec);
	assert_int_equal(btime.tv_sec, now.tv_sec);
	inodes_clear(&in);
}

/* A removed file keeps its number and times while it is open, and no longer. */
static void unlinked_but_open(void **state)
{
	struct stat raw = host(1, 2, S_IFREG | 0644), st = raw;
	struct inode_times *t;
	struct inodes in;
	uint64_t number;

	inodes_init(&in);
	assert_null(inodes_hold(&in, 1, 2));
	inodes_drop(&in, NULL);
	inodes_touch(&in, &raw, TOUCH_CREATED, now);
	number = inodes_number(&in, 1, 2);
	t = inodes_hold(&in, 1, 2);
	inodes_unlinked(&in, 1, 2);
	inodes_show(&in, &st, NULL);
	assert_int_equal(st.st_ino, number);
	assert_int_equal(st.st_mtim.tv_sec, now.tv_sec);
	inodes_linked(&in, 1, 2); /* linkat of a descriptor gives it a name again */
	inodes_drop(&in, t);
	assert_int_equal(inodes_number(&in, 1, 2), number);
	inodes_unlinked(&in, 1, 2);
	assert_null(inodes_find_times(&in, 1, 2));
	assert_int_not_equal(inodes_number(&in, 1, 2), number);
	inodes_clear(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(untouched), cmocka_unit_test(no_real_time),
					   cmocka_unit_test(touching), cmocka_unit_test(unlinked_but_open)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
