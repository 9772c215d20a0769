/* User and group ids: what is asked agrees; root may give them up, for good or for a while; files obey. */
#include "guest.h"

#include <grp.h>

static void gives_up(void *arg)
{
	uid_t r, e, s;

	OK(setgroups(0, NULL));
	CHECK_EQ(getgroups(0, NULL), 0);
	OK(setresgid(65534, 65534, 65534));

	/* For a while: only the effective id. */
	OK(seteuid(65534));
	OK(getresuid(&r, &e, &s));
	CHECK(r == 0 && e == 65534 && s == 0);
	CHECK_ERR(open("secret", O_RDONLY), EACCES);
	OK(seteuid(0));
	close(OK(open("secret", O_RDONLY)));

	OK(setuid(65534));
	OK(getresuid(&r, &e, &s));
	CHECK(r == 65534 && e == 65534 && s == 65534);
	CHECK_ERR(setuid(0), EPERM);
	CHECK_ERR(open("secret", O_RDONLY), EACCES);
	CHECK_ERR(unlink("secret"), EACCES);
	CHECK_ERR(chmod("open", 0600), EPERM);
	CHECK_ERR(chown("open", 65534, 65534), EPERM);
	CHECK_ERR(kill(getppid(), 0), EPERM);
	OK(chdir("shared"));
	int fd = OK(open("mine", O_WRONLY | O_CREAT, 0600));
	struct stat st;
	OK(fstat(fd, &st));
	CHECK(st.st_uid == 65534 && st.st_gid == 65534);
	close(OK(open("../open", O_RDONLY)));
}

int main(void)
{
	uid_t r, e, s;

	OK(getresuid(&r, &e, &s));
	CHECK(r == getuid() && e == geteuid());
	OK(getresgid(&r, &e, &s));
	CHECK(r == getgid() && e == getegid());
	OK(setuid(getuid()));
	OK(setreuid(-1, -1));
	if (geteuid() != 0)
		return guest_ok();
	workdir();
	OK(chmod(".", 0755));
	close(file_with("secret", "x"));
	OK(chmod("secret", 0600));
	close(file_with("open", "x"));
	OK(chmod("open", 0644));
	OK(mkdir("shared", 0777));
	OK(chmod("shared", 01777));
	CHECK_EXIT(child(gives_up, NULL), 0);
	return guest_ok();
}
