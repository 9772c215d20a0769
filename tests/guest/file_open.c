/* open: flags and their errors, lowest descriptor, O_EXCL, O_TRUNC, O_DIRECTORY, O_NOFOLLOW, O_PATH, openat. */
#include "guest.h"

int main(void)
{
	char buf[16];

	workdir();
	CHECK_ERR(open("none", O_RDONLY), ENOENT);
	int fd = OK(open("f", O_WRONLY | O_CREAT | O_EXCL, 0600));
	CHECK_ERR(open("f", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST);
	CHECK_EQ(write(fd, "hello", 5), 5);
	CHECK_ERR(read(fd, buf, 1), EBADF);
	OK(close(fd));

	fd = OK(open("f", O_RDONLY));
	CHECK_ERR(write(fd, "x", 1), EBADF);
	CHECK_EQ(read(fd, buf, 16), 5);
	CHECK_EQ(read(fd, buf, 16), 0);
	CHECK_EQ(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	OK(close(fd));
	fd = OK(open("f", O_RDWR | O_TRUNC));
	CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
	OK(close(fd));

	CHECK_ERR(open("f", O_RDONLY | O_DIRECTORY), ENOTDIR);
	CHECK_ERR(open("f/x", O_RDONLY), ENOTDIR);
	CHECK_ERR(open("f/", O_RDONLY), ENOTDIR);
	CHECK_ERR(open(".", O_WRONLY), EISDIR);
	CHECK_ERR(open("", O_RDONLY), ENOENT);
	CHECK_ERR(open("none/x", O_WRONLY | O_CREAT, 0600), ENOENT);

	OK(symlink("f", "link"));
	OK(symlink("dangling", "broken"));
	CHECK_ERR(open("link", O_RDONLY | O_NOFOLLOW), ELOOP);
	CHECK_ERR(open("broken", O_RDONLY), ENOENT);
	CHECK_ERR(open("broken", O_WRONLY | O_CREAT | O_EXCL, 0600), EEXIST);
	OK(close(OK(open("broken", O_WRONLY | O_CREAT, 0600)))); /* creates the target */
	OK(access("dangling", F_OK));

	OK(mkdir("d", 0755));
	int dir = OK(open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	CHECK_EQ(fcntl(dir, F_GETFD), FD_CLOEXEC);
	CHECK_ERR(read(dir, buf, 1), EISDIR);
	fd = OK(openat(dir, "inner", O_WRONLY | O_CREAT, 0600));
	OK(close(fd));
	OK(access("d/inner", F_OK));
	CHECK_ERR(openat(999, "x", O_RDONLY), EBADF);
	fd = OK(open("f", O_RDONLY));
	CHECK_ERR(openat(fd, "x", O_RDONLY), ENOTDIR);

	int path = OK(open("f", O_PATH));
	CHECK_ERR(read(path, buf, 1), EBADF);
	struct stat st;
	OK(fstat(path, &st));
	CHECK(S_ISREG(st.st_mode));
	char *long_name = malloc(5001);
	memset(long_name, 'a', 5000);
	long_name[5000] = 0;
	CHECK_ERR(open(long_name, O_RDONLY), ENAMETOOLONG);
	long_name[256] = 0;
	CHECK_ERR(open(long_name, O_RDONLY | O_CREAT, 0600), ENAMETOOLONG);
	return guest_ok();
}
