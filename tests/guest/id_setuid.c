/* set*uid and set*gid: root can drop for good or step aside; a user moves among its own ids only. */
#include "guest.h"

#include <sys/fsuid.h>

static void uids_are(uid_t r, uid_t e, uid_t s)
{
	uid_t gr, ge, gs;

	OK(getresuid(&gr, &ge, &gs));
	CHECK_EQ(gr, r);
	CHECK_EQ(ge, e);
	CHECK_EQ(gs, s);
	CHECK_EQ(getuid(), r);
	CHECK_EQ(geteuid(), e);
}

static void as_root(void *arg)
{
	OK(setresgid(100, 100, 100));
	CHECK_EQ(getgid(), 100);
	CHECK_EQ(getegid(), 100);
	OK(seteuid(1000));
	uids_are(0, 1000, 0);
	CHECK_ERR(setuid(7), EPERM);
	OK(seteuid(0));
	uids_are(0, 0, 0);
	CHECK_EQ(setfsuid(1000), 0);
	CHECK_EQ(setfsuid(0), 1000);
	OK(setreuid(1000, 1001));
	uids_are(1000, 1001, 1001);
	OK(setreuid(-1, 1000));
	uids_are(1000, 1000, 1001);
	OK(setresuid(1000, 1000, 1000));
	uids_are(1000, 1000, 1000);
	CHECK_ERR(setuid(0), EPERM);
	CHECK_ERR(setgid(0), EPERM);
	CHECK_ERR(setresuid(0, 0, 0), EPERM);
	OK(setresuid(-1, -1, -1));
	/* fork and exec keep it. */
	CHECK_EXIT(child((void (*)(void *))(void *)getuid, NULL), 0);
	execl("/bin/sh", "sh", "-c", "test $(id -u):$(id -g) = 1000:100", NULL);
	_exit(9);
}

static void as_user(void *arg)
{
	uid_t me = getuid();

	CHECK_ERR(setuid(me + 1), EPERM);
	CHECK_ERR(setresuid(me, me + 1, me), EPERM);
	CHECK_ERR(setregid(getgid() + 1, -1), EPERM);
	OK(setuid(me));
	uids_are(me, me, me);
	CHECK_EQ(setfsuid(-1), (int)me);
}

int main(void)
{
	CHECK_ERR(setuid(-1), EINVAL);
	CHECK_ERR(setgid(-1), EINVAL);
	CHECK_EXIT(child(geteuid() ? as_user : as_root, NULL), 0);
	return guest_ok();
}
