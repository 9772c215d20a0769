/* umask, chmod, fchmod, chown to oneself, access, faccessat; set-id and sticky bits. */
#include "guest.h"

static mode_t mode_of(const char *path)
{
	struct stat st;

	OK(stat(path, &st));
	return st.st_mode & 07777;
}

int main(void)
{
	workdir();
	umask(027);
	CHECK_EQ(umask(027), 027);
	close(OK(open("f", O_WRONLY | O_CREAT, 0666)));
	CHECK_EQ(mode_of("f"), 0640);
	OK(mkdir("d", 0777));
	CHECK_EQ(mode_of("d"), 0750);
	OK(mkfifo("p", 0666));
	CHECK_EQ(mode_of("p"), 0640);
	umask(0);
	close(OK(open("g", O_WRONLY | O_CREAT, 01666)));
	CHECK_EQ(mode_of("g"), 01666);
	OK(chmod("g", 0700));
	CHECK_EQ(mode_of("g"), 0700);
	int fd = OK(open("g", O_RDONLY));
	OK(fchmod(fd, 04755));
	CHECK_EQ(mode_of("g"), 04755);
	OK(fchmodat(AT_FDCWD, "g", 0600, 0));
	CHECK_EQ(mode_of("g"), 0600);
	OK(chown("g", geteuid(), getegid()));
	OK(fchown(fd, (uid_t)-1, (gid_t)-1));
	OK(symlink("g", "s"));
	OK(lchown("s", geteuid(), getegid()));

	OK(access("g", R_OK | W_OK));
	CHECK_ERR(access("g", X_OK), EACCES); /* for root, too: nobody may execute it */
	OK(access("d", X_OK));
	CHECK_ERR(access("none", F_OK), ENOENT);
	CHECK_ERR(access("g", 8), EINVAL);
	OK(faccessat(AT_FDCWD, "s", F_OK, AT_EACCESS));
	CHECK_ERR(chmod("none", 0600), ENOENT);
	return guest_ok();
}
