/* getrlimit, setrlimit, prlimit: order of checks, lowering, inheritance, other processes. */
#include "guest.h"

#include <sys/resource.h>
#include <sys/syscall.h>

static void inherited(void *arg)
{
	struct rlimit r;

	OK(getrlimit(RLIMIT_CORE, &r));
	CHECK_EQ(r.rlim_max, 4096);
	r.rlim_max = 8192;
	if (geteuid())
		CHECK_ERR(setrlimit(RLIMIT_CORE, &r), EPERM);
}

int main(void)
{
	struct rlimit r, old;

	for (int i = 0; i < RLIM_NLIMITS; i++) {
		OK(getrlimit(i, &r));
		CHECK(r.rlim_cur <= r.rlim_max);
	}
	CHECK_ERR(getrlimit(RLIM_NLIMITS, &r), EINVAL);
	CHECK_ERR(syscall(SYS_getrlimit, RLIMIT_NOFILE, 8), EFAULT);
	r = (struct rlimit){.rlim_cur = 2, .rlim_max = 1};
	CHECK_ERR(setrlimit(RLIMIT_CORE, &r), EINVAL);
	r = (struct rlimit){.rlim_cur = 1024, .rlim_max = 4096};
	OK(setrlimit(RLIMIT_CORE, &r));
	CHECK_EXIT(child(inherited, NULL), 0);
	r.rlim_cur = 2048;
	OK(prlimit(getpid(), RLIMIT_CORE, &r, &old));
	CHECK_EQ(old.rlim_cur, 1024);
	OK(prlimit(0, RLIMIT_CORE, NULL, &old));
	CHECK_EQ(old.rlim_cur, 2048);
	CHECK_ERR(prlimit(999999, RLIMIT_CORE, NULL, &old), ESRCH);
	/* More descriptors than the kernel can have are refused even to root. */
	r = (struct rlimit){.rlim_cur = 1024, .rlim_max = RLIM_INFINITY};
	CHECK_ERR(setrlimit(RLIMIT_NOFILE, &r), EPERM);
	return guest_ok();
}
