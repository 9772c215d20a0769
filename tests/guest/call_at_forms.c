/*
 * The forms with a directory descriptor: openat2, mkdirat, mknodat, symlinkat, renameat, fchownat, faccessat,
 * fchmodat2.
 */
#include "guest.h"

#include <linux/openat2.h>
#include <sys/syscall.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static long openat2_(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags, .resolve = resolve};

	return syscall(SYS_openat2, dir, path, &how, sizeof how);
}

int main(void)
{
	struct stat st;
	char buf[16];

	workdir();
	OK(mkdir("top", 0755));
	int top = OK(open("top", O_RDONLY | O_DIRECTORY));
	OK(mkdirat(top, "d", 0700));
	OK(mknodat(top, "fifo", S_IFIFO | 0600, 0));
	OK(symlinkat("d", top, "link"));
	OK(symlinkat("/", top, "outside"));
	CHECK_EQ(readlinkat(top, "link", buf, sizeof buf), 1);
	close(OK(openat(top, "d/f", O_WRONLY | O_CREAT, 0600)));
	OK(renameat(top, "d/f", AT_FDCWD, "moved"));
	OK(linkat(AT_FDCWD, "moved", top, "back", 0));
	OK(fchownat(top, "link", geteuid(), getegid(), AT_SYMLINK_NOFOLLOW));
	OK(fchownat(top, "", geteuid(), getegid(), AT_EMPTY_PATH));
	OK(syscall(SYS_faccessat, top, "back", R_OK));
	OK(faccessat(top, "d", X_OK, 0));
	if (syscall(SYS_fchmodat2, top, "back", 0640, 0) == -1)
		CHECK_EQ(errno, ENOSYS); /* before Linux 6.6 */
	else {
		OK(fstatat(top, "back", &st, 0));
		CHECK_EQ(st.st_mode & 0777, 0640);
	}
	OK(unlinkat(top, "back", 0));
	CHECK_ERR(unlinkat(top, "d", 0), EISDIR);
	CHECK_ERR(unlinkat(top, "link", AT_REMOVEDIR), ENOTDIR);

	close((int)OK(openat2_(AT_FDCWD, "moved", O_RDONLY, 0)));
	close((int)OK(openat2_(top, "link", O_RDONLY | O_DIRECTORY, RESOLVE_BENEATH)));
	CHECK_ERR(openat2_(top, "link", O_RDONLY, RESOLVE_NO_SYMLINKS), ELOOP);
	CHECK_ERR(openat2_(top, "../moved", O_RDONLY, RESOLVE_BENEATH), EXDEV);
	CHECK_ERR(openat2_(top, "outside/etc", O_RDONLY, RESOLVE_BENEATH), EXDEV);
	CHECK_ERR(openat2_(top, "d", 1ull << 40, 0), EINVAL);

	int fd = file_with("data", "0123456789");
	OK(readahead(fd, 0, 10));
	char full[PATH_MAX];
	snprintf(full, sizeof full, "%s/data", guest_dir);
	close(OK(openat(-1, full, O_RDONLY))); /* an absolute path needs no directory */
	return guest_ok();
}
