/* link, symlink, readlink, unlink: what each refuses; unlinked files live until closed. */
#include "guest.h"

int main(void)
{
	char buf[64];
	struct stat st;

	workdir();
	int fd = file_with("f", "data");
	OK(unlink("f"));
	CHECK_ERR(unlink("f"), ENOENT);
	CHECK_EQ(read(fd, buf, 8), 4);
	OK(fstat(fd, &st));
	CHECK_EQ(st.st_nlink, 0);
	CHECK_EQ(write(fd, "more", 4), 4);

	/* The name is free for another file. */
	int g = file_with("f", "new");
	struct stat st2;
	OK(fstat(g, &st2));
	CHECK(st.st_ino != st2.st_ino);

	OK(symlink("target with spaces", "s"));
	memset(buf, 'x', sizeof buf);
	CHECK_EQ(readlink("s", buf, sizeof buf), 18);
	CHECK(memcmp(buf, "target with spacesx", 19) == 0);
	CHECK_EQ(readlink("s", buf, 3), 3);
	CHECK_ERR(readlink("f", buf, 3), EINVAL);
	CHECK_ERR(readlink("none", buf, 3), ENOENT);
	CHECK_ERR(symlink("a", "s"), EEXIST);
	CHECK_ERR(symlink("", "t"), ENOENT);
	OK(unlink("s"));

	CHECK_ERR(link("none", "l"), ENOENT);
	CHECK_ERR(link("f", "f"), EEXIST);
	OK(mkdir("d", 0755));
	CHECK_ERR(link("d", "l"), EPERM);
	CHECK_ERR(unlink("d"), EISDIR);
	OK(linkat(AT_FDCWD, "f", AT_FDCWD, "d/l", 0));
	OK(symlink("f", "s"));
	OK(linkat(AT_FDCWD, "s", AT_FDCWD, "hard", 0)); /* of the link itself */
	OK(lstat("hard", &st));
	CHECK(S_ISLNK(st.st_mode));
	OK(linkat(AT_FDCWD, "s", AT_FDCWD, "followed", AT_SYMLINK_FOLLOW));
	OK(lstat("followed", &st));
	CHECK(S_ISREG(st.st_mode));
	OK(unlinkat(AT_FDCWD, "d/l", 0));
	OK(unlinkat(AT_FDCWD, "d", AT_REMOVEDIR));
	OK(symlink("loop2", "loop1"));
	OK(symlink("loop1", "loop2"));
	CHECK_ERR(open("loop1", O_RDONLY), ELOOP);
	return guest_ok();
}
