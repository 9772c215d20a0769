/* Supplementary groups: counting, room, setting, inheritance. */
#include "guest.h"

#include <grp.h>

static void check_in_child(void *arg)
{
	gid_t got[4];

	CHECK_EQ(getgroups(4, got), 2);
	CHECK_EQ(got[0] + got[1], 12);
}

int main(void)
{
	const gid_t two[] = {5, 7};
	gid_t *all;
	volatile int minus = -1;
	int n = OK(getgroups(0, NULL));

	all = calloc((size_t)n + 1, sizeof *all);
	CHECK_EQ(getgroups(n, all), n);
	CHECK_ERR(getgroups(minus, all), EINVAL);
	if (n > 1)
		CHECK_ERR(getgroups(n - 1, all), EINVAL);
	if (geteuid()) {
		CHECK_ERR(setgroups(2, two), EPERM);
		return guest_ok();
	}
	OK(setgroups(2, two));
	check_in_child(NULL);
	CHECK_EXIT(child(check_in_child, NULL), 0);
	CHECK_ERR(setgroups(65537, two), EINVAL);
	OK(setgroups(0, NULL));
	CHECK_EQ(getgroups(0, NULL), 0);
	return guest_ok();
}
