#include "tests/unit/kern_fixture.h"

#include "kernel/inotify.h"

#include <stdio.h>
#include <string.h>

struct ev {
	int32_t wd;
	uint32_t mask, cookie, len;
	char name[32];
};

static void expect_event(struct fixture *x, struct file *f, int wd, uint32_t mask, const char *name)
{
	struct ev e = {0};
	size_t size = name ? 16 + (strlen(name) + 16) / 16 * 16 : 16;

	assert_int_equal(f_read(x, f, &e, size), (int)size);
	assert_int_equal(e.wd, wd);
	assert_int_equal(e.mask, mask);
	assert_int_equal(e.len, size - 16);
	assert_string_equal(e.name, name ? name : "");
}

static void events(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct file *f = inotify_new(k, 0);
	char buf[200];

	assert_false(inotify_any(k));
	assert_int_equal(inotify_add(k, f, 10, IN_MODIFY | IN_CREATE), 1);
	assert_int_equal(inotify_add(k, f, 11, IN_DELETE), 2);
	assert_int_equal(inotify_add(k, f, 11, IN_CREATE | IN_MASK_ADD), 2);
	assert_int_equal(inotify_add(k, f, 11, IN_CREATE | IN_MASK_CREATE), -EEXIST);
	assert_int_equal(f_read(x, f, buf, sizeof buf), -EAGAIN);
	inotify_event(k, 10, IN_DELETE, 0, "no");
	inotify_event(k, 12, IN_CREATE, 0, "no");
	assert_false(file_poll(k, f) & K_EPOLLIN);
	inotify_event(k, 10, IN_CREATE | IN_ISDIR, 0, "a-name-of-16-chr");
	inotify_event(k, 10, IN_MODIFY, 0, NULL);
	inotify_event(k, 10, IN_MODIFY, 0, NULL); /* the same again */
	inotify_event(k, 11, IN_DELETE, 0, "x");
	assert_true(file_poll(k, f) & K_EPOLLIN);
	assert_int_equal(f->ops->bytes_readable(k, f), 48 + 16 + 32);
	assert_int_equal(f_read(x, f, buf, 47), -EINVAL);
	expect_event(x, f, 1, IN_CREATE | IN_ISDIR, "a-name-of-16-chr");
	expect_event(x, f, 1, IN_MODIFY, NULL);
	expect_event(x, f, 2, IN_DELETE, "x");
	assert_int_equal(inotify_remove(k, f, 7), -EINVAL);
	assert_int_equal(inotify_remove(k, f, 1), 0);
	expect_event(x, f, 1, IN_IGNORED, NULL);
	inotify_inode_gone(k, 11);
	expect_event(x, f, 2, IN_IGNORED, NULL); /* DELETE_SELF was not asked for */
	assert_false(inotify_any(k));
	assert_int_equal(inotify_add(k, f, 11, IN_DELETE), 3); /* numbers do not come back */
	file_unref(k, f);
	assert_nothing_leaked(x);
}

static void once_and_overflow(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct file *f = inotify_new(k, 0), *g = inotify_new(k, 0);
	char name[16];

	inotify_add(k, f, 1, IN_OPEN | IN_ONESHOT);
	inotify_add(k, g, 1, IN_OPEN | IN_ONESHOT);
	inotify_event(k, 1, IN_OPEN, 0, NULL);
	assert_false(inotify_watches(k, 1));
	expect_event(x, f, 1, IN_OPEN, NULL);
	expect_event(x, f, 1, IN_IGNORED, NULL);
	expect_event(x, g, 1, IN_OPEN, NULL);
	file_unref(k, g);
	inotify_add(k, f, 2, IN_CREATE);
	for (int i = 0; i < 17000; i++) {
		snprintf(name, sizeof name, "%d", i);
		inotify_event(k, 2, IN_CREATE, 0, name);
	}
	for (int i = 0; i < 16384; i++) {
		snprintf(name, sizeof name, "%d", i);
		expect_event(x, f, 2, IN_CREATE, name);
	}
	expect_event(x, f, -1, IN_Q_OVERFLOW, NULL);
	assert_int_equal(f_read(x, f, name, sizeof name), -EAGAIN);
	file_unref(k, f);
	assert_nothing_leaked(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(events), UNIT(once_and_overflow)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
