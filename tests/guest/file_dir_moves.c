/* Directories that move or go while they are in use: working directories, descriptors, "..", readers. */
#include "guest.h"

#include <dirent.h>

int main(void)
{
	char cwd[PATH_MAX], want[PATH_MAX];

	workdir();
	OK(mkdir("a", 0755));
	OK(mkdir("a/b", 0755));
	OK(mkdir("z", 0755));
	close(file_with("z/here", ""));
	int fd = OK(open("a/b", O_RDONLY | O_DIRECTORY));
	OK(chdir("a/b"));
	OK(rename("../../a", "../../z/moved"));
	CHECK(getcwd(cwd, sizeof cwd));
	snprintf(want, sizeof want, "%s/z/moved/b", guest_dir);
	CHECK(strcmp(cwd, want) == 0);
	OK(access("../../here", F_OK)); /* ".." is where it is now */
	close(OK(openat(fd, "new", O_WRONLY | O_CREAT, 0600)));
	snprintf(want, sizeof want, "%s/z/moved/b/new", guest_dir);
	OK(access(want, F_OK));
	ssize_t n = OK(readlink("/proc/self/cwd", cwd, sizeof cwd - 1));
	cwd[n] = 0;
	CHECK(strncmp(cwd, want, strlen(cwd)) == 0);

	/* Removed while open: empty, and nothing can be made in it. */
	OK(unlink("new"));
	OK(chdir(guest_dir));
	OK(rmdir("z/moved/b"));
	CHECK_ERR(openat(fd, "x", O_WRONLY | O_CREAT, 0600), ENOENT);
	CHECK_ERR(mkdirat(fd, "x", 0700), ENOENT);
	struct stat st;
	OK(fstat(fd, &st));
	CHECK(S_ISDIR(st.st_mode));
	DIR *d = fdopendir(fd);
	CHECK(d);
	CHECK(readdir(d) == NULL);
	closedir(d);

	/* The same name again is another directory. */
	OK(mkdir("z/moved/b", 0755));
	OK(access("z/moved/b", F_OK));
	return guest_ok();
}
