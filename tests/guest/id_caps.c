/* capget and capset: versions, subsets, what changing the user id does. */
#include "guest.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static struct __user_cap_header_struct hdr = {.version = _LINUX_CAPABILITY_VERSION_3};
static struct __user_cap_data_struct cap[2];

static int capget(void)
{
	return (int)syscall(SYS_capget, &hdr, cap);
}

static int capset(void)
{
	return (int)syscall(SYS_capset, &hdr, cap);
}

static void drop_some(void *arg)
{
	OK(capget());
	cap[0].effective = cap[0].permitted = 1u << CAP_SETUID;
	cap[1].effective = cap[1].permitted = 0;
	OK(capset());
	OK(capget());
	CHECK_EQ(cap[0].permitted, 1u << CAP_SETUID);
	cap[0].permitted |= 1u << CAP_KILL;
	CHECK_ERR(capset(), EPERM);
	CHECK_ERR(setgid(5), EPERM);
	OK(setuid(5));
	OK(capget());
	CHECK_EQ(cap[0].permitted, 0);
}

static void keep(void *arg)
{
	OK(prctl(PR_SET_KEEPCAPS, 1));
	CHECK_EQ(prctl(PR_GET_KEEPCAPS), 1);
	OK(setresuid(5, 5, 5));
	OK(capget());
	CHECK(cap[0].permitted & 1u << CAP_SETUID);
	CHECK_EQ(cap[0].effective, 0);
	cap[0].effective = 1u << CAP_SETUID;
	OK(capset());
	OK(setuid(6));
	CHECK_EQ(getuid(), 6);
}

int main(void)
{
	OK(capget());
	CHECK_EQ(cap[0].effective & ~cap[0].permitted, 0);
	hdr.version = 0x1234;
	CHECK_ERR(capget(), EINVAL);
	CHECK_EQ(hdr.version, _LINUX_CAPABILITY_VERSION_3);
	hdr.pid = getpid();
	OK(capget());
	hdr.pid = -1;
	CHECK_ERR(capget(), EINVAL);
	hdr.pid = 0;
	CHECK(OK(prctl(PR_CAPBSET_READ, CAP_SETUID)) <= 1);
	CHECK_ERR(prctl(PR_CAPBSET_READ, 1000), EINVAL);
	if (geteuid() == 0 && (cap[0].effective & 1u << CAP_SETUID)) {
		CHECK_EXIT(child(drop_some, NULL), 0);
		CHECK_EXIT(child(keep, NULL), 0);
	}
	return guest_ok();
}
