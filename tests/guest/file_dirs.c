/* mkdir, rmdir, chdir, fchdir, getcwd, relative paths, a removed working directory. */
#include "guest.h"

int main(void)
{
	char cwd[PATH_MAX], small[4];
	char top[PATH_MAX];

	workdir();
	CHECK(getcwd(top, sizeof top));
	OK(mkdir("a", 0755));
	CHECK_ERR(mkdir("a", 0755), EEXIST);
	CHECK_ERR(mkdir("no/b", 0755), ENOENT);
	OK(mkdir("a/b", 0700));
	CHECK_ERR(rmdir("a"), ENOTEMPTY);
	CHECK_ERR(rmdir("none"), ENOENT);
	close(file_with("f", ""));
	CHECK_ERR(rmdir("f"), ENOTDIR);
	CHECK_ERR(rmdir("a/."), EINVAL);
	CHECK_ERR(chdir("f"), ENOTDIR);
	CHECK_ERR(chdir("none"), ENOENT);

	int here = OK(open(".", O_RDONLY | O_DIRECTORY));
	OK(chdir("a/b"));
	CHECK(getcwd(cwd, sizeof cwd));
	CHECK(strncmp(cwd, top, strlen(top)) == 0 && strcmp(cwd + strlen(top), "/a/b") == 0);
	OK(access("../../f", F_OK));
	OK(access("./../b/../../f", F_OK));
	CHECK(getcwd(small, sizeof small) == NULL && errno == ERANGE);
	OK(fchdir(here));
	OK(access("f", F_OK));
	int file = OK(open("f", O_RDONLY));
	CHECK_ERR(fchdir(file), ENOTDIR);
	CHECK_ERR(fchdir(999), EBADF);
	OK(chdir("/"));
	CHECK(getcwd(cwd, sizeof cwd) && strcmp(cwd, "/") == 0);
	OK(access("..", F_OK));
	OK(fchdir(here));

	/* A thread shares the directory; a child has its own. */
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(chdir("a"));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK(getcwd(cwd, sizeof cwd) && strcmp(cwd, top) == 0);

	OK(chdir("a/b"));
	OK(rmdir("../b"));
	CHECK_ERR(open("x", O_WRONLY | O_CREAT, 0600), ENOENT);
	CHECK(getcwd(cwd, sizeof cwd) == NULL && errno == ENOENT);
	OK(chdir(".."));
	CHECK(getcwd(cwd, sizeof cwd));
	OK(chdir(top));
	return guest_ok();
}
