/* Extended attributes by descriptor and of links themselves: user.* is not for links. */
#include "guest.h"

#include <sys/xattr.h>

int main(void)
{
	char buf[64];

	workdir();
	int fd = file_with("f", "x");
	OK(symlink("f", "s"));
	if (setxattr("f", "user.a", "1", 1, 0) == -1 && errno == EOPNOTSUPP)
		return guest_ok(); /* this file system has none */
	CHECK_EQ(getxattr("s", "user.a", buf, sizeof buf), 1);
	CHECK_ERR(lsetxattr("s", "user.a", "1", 1, 0), EPERM);
	CHECK_EQ(lgetxattr("f", "user.a", buf, sizeof buf), 1);
	CHECK_EQ(lgetxattr("s", "user.a", buf, sizeof buf), -1);
	ssize_t n = OK(llistxattr("s", buf, sizeof buf));
	CHECK(memmem(buf, (size_t)n, "user.a", 6) == NULL);
	n = OK(flistxattr(fd, buf, sizeof buf));
	CHECK(memmem(buf, (size_t)n, "user.a", 7) != NULL);
	OK(lremovexattr("f", "user.a"));
	CHECK_ERR(fgetxattr(fd, "user.a", buf, sizeof buf), ENODATA);
	return guest_ok();
}
