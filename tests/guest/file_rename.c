/* rename: replaces, over open files, directories, into itself; renameat2's NOREPLACE and EXCHANGE. */
#include "guest.h"

#include <stdio.h>

int main(void)
{
	char buf[8];

	workdir();
	int a = file_with("a", "aaa"), b = file_with("b", "bbb");
	OK(rename("a", "b"));
	CHECK_ERR(access("a", F_OK), ENOENT);
	CHECK_EQ(pread(a, buf, 8, 0), 3);
	CHECK_EQ(pread(b, buf, 8, 0), 3); /* the replaced one lives on while it is open */
	CHECK(memcmp(buf, "bbb", 3) == 0);
	int now = OK(open("b", O_RDONLY));
	CHECK_EQ(read(now, buf, 8), 3);
	CHECK(memcmp(buf, "aaa", 3) == 0);
	OK(link("b", "c"));
	OK(rename("b", "c")); /* the same file: nothing happens */
	OK(access("b", F_OK));

	OK(mkdir("d", 0755));
	OK(mkdir("d/e", 0755));
	OK(mkdir("f", 0755));
	CHECK_ERR(rename("d", "d/e/x"), EINVAL);
	CHECK_ERR(rename("f", "d"), ENOTEMPTY);
	CHECK_ERR(rename("f", "b"), ENOTDIR);
	CHECK_ERR(rename("b", "f"), EISDIR);
	CHECK_ERR(rename("none", "x"), ENOENT);
	OK(rename("f", "d/e")); /* over an empty directory */
	CHECK_ERR(access("f", F_OK), ENOENT);
	OK(rename("d", "moved"));
	OK(access("moved/e", F_OK));

	close(file_with("x", "x"));
	close(file_with("y", "yy"));
	CHECK_ERR(renameat2(AT_FDCWD, "x", AT_FDCWD, "y", RENAME_NOREPLACE), EEXIST);
	OK(renameat2(AT_FDCWD, "x", AT_FDCWD, "z", RENAME_NOREPLACE));
	OK(renameat2(AT_FDCWD, "y", AT_FDCWD, "z", RENAME_EXCHANGE));
	struct stat st;
	OK(stat("z", &st));
	CHECK_EQ(st.st_size, 2);
	CHECK_ERR(renameat2(AT_FDCWD, "y", AT_FDCWD, "none", RENAME_EXCHANGE), ENOENT);
	CHECK_ERR(renameat2(AT_FDCWD, "y", AT_FDCWD, "z", RENAME_EXCHANGE | RENAME_NOREPLACE), EINVAL);
	return guest_ok();
}
