/* Extended attributes user.*: set, get, list, remove, flags. */
#include "guest.h"

#include <sys/xattr.h>

int main(void)
{
	char buf[256];

	workdir();
	int fd = file_with("f", "x");
	if (setxattr("f", "user.a", "1", 1, 0) == -1 && errno == EOPNOTSUPP)
		return guest_ok(); /* this file system has none */
	OK(setxattr("f", "user.a", "value", 5, 0));
	CHECK_EQ(getxattr("f", "user.a", buf, sizeof buf), 5);
	CHECK(memcmp(buf, "value", 5) == 0);
	CHECK_EQ(fgetxattr(fd, "user.a", NULL, 0), 5);
	CHECK_ERR(getxattr("f", "user.a", buf, 2), ERANGE);
	CHECK_ERR(getxattr("f", "user.b", buf, 2), ENODATA);
	CHECK_ERR(setxattr("f", "user.a", "v", 1, XATTR_CREATE), EEXIST);
	CHECK_ERR(setxattr("f", "user.b", "v", 1, XATTR_REPLACE), ENODATA);
	OK(fsetxattr(fd, "user.b", "", 0, XATTR_CREATE));
	ssize_t n = OK(listxattr("f", buf, sizeof buf));
	int names = 0;
	for (char *s = buf; s < buf + n; s += strlen(s) + 1)
		names += strcmp(s, "user.a") == 0 || strcmp(s, "user.b") == 0;
	CHECK_EQ(names, 2);
	OK(removexattr("f", "user.a"));
	CHECK_ERR(fremovexattr(fd, "user.a"), ENODATA);
	CHECK_ERR(setxattr("f", "nonsense", "v", 1, 0), EOPNOTSUPP);
	return guest_ok();
}
