/* Group ids: setregid, setresgid, setfsgid, supplementary groups decide on access. */
#include "guest.h"

#include <grp.h>
#include <sys/fsuid.h>

static void checks(void *arg)
{
	gid_t list[4] = {0}, r, e, s;

	OK(setgroups(2, (gid_t[]){1001, 1002}));
	CHECK_EQ(getgroups(4, list), 2);
	CHECK(list[0] == 1001 && list[1] == 1002);
	OK(setregid(2000, 2001));
	OK(getresgid(&r, &e, &s));
	CHECK(r == 2000 && e == 2001 && s == 2001);
	CHECK_EQ(setfsgid(2000), 2001); /* the value before */
	CHECK_EQ(setfsgid((gid_t)-1), 2000);
	OK(setresgid(2000, 2000, 2000));
	OK(setresuid(65534, 65534, 65534));
	CHECK_ERR(setgroups(0, NULL), EPERM);
	CHECK_ERR(setgid(1001), EPERM);
	close(OK(open("for1002", O_RDONLY)));
	CHECK_ERR(open("for1003", O_RDONLY), EACCES);
	CHECK_EQ(setfsuid(0), 65534);
	CHECK_ERR(open("for1003", O_RDONLY), EACCES); /* refused: still nobody */
}

int main(void)
{
	if (geteuid() != 0)
		return guest_ok();
	workdir();
	OK(chmod(".", 0755));
	close(file_with("for1002", "x"));
	close(file_with("for1003", "x"));
	OK(chown("for1002", 0, 1002));
	OK(chown("for1003", 0, 1003));
	OK(chmod("for1002", 0640));
	OK(chmod("for1003", 0640));
	CHECK_EXIT(child(checks, NULL), 0);
	return guest_ok();
}
