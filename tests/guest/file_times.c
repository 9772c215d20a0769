/* utimensat, futimens, utimes: set times, now, omit; errors. */
#include "guest.h"

#include <sys/time.h>

int main(void)
{
	struct stat st, old;

	workdir();
	int fd = file_with("f", "x");
	struct timespec t[2] = {{1000, 123456789}, {2000, 987654321}};
	OK(utimensat(AT_FDCWD, "f", t, 0));
	OK(stat("f", &st));
	CHECK(st.st_atim.tv_sec == 1000 && st.st_mtim.tv_sec == 2000);
	CHECK(st.st_mtim.tv_nsec == 987654321 && st.st_atim.tv_nsec == 123456789);

	t[0].tv_nsec = UTIME_OMIT;
	t[1].tv_nsec = UTIME_NOW;
	OK(futimens(fd, t));
	OK(stat("f", &st));
	CHECK_EQ(st.st_atim.tv_sec, 1000);
	CHECK(llabs(st.st_mtim.tv_sec - time(NULL)) <= 10);
	OK(utimensat(AT_FDCWD, "f", NULL, 0));
	OK(stat("f", &st));
	CHECK(llabs(st.st_atim.tv_sec - time(NULL)) <= 10);
	struct timeval tv[2] = {{5, 6}, {7, 8}};
	OK(utimes("f", tv));
	OK(stat("f", &st));
	CHECK(st.st_atim.tv_sec == 5 && st.st_atim.tv_nsec == 6000 && st.st_mtim.tv_sec == 7);

	/* Of the link itself. */
	OK(symlink("f", "s"));
	OK(stat("f", &old));
	t[0] = t[1] = (struct timespec){33, 0};
	OK(utimensat(AT_FDCWD, "s", t, AT_SYMLINK_NOFOLLOW));
	OK(lstat("s", &st));
	CHECK_EQ(st.st_mtim.tv_sec, 33);
	OK(stat("f", &st));
	CHECK_EQ(st.st_mtim.tv_sec, old.st_mtim.tv_sec);
	t[0].tv_nsec = -5;
	CHECK_ERR(utimensat(AT_FDCWD, "f", t, 0), EINVAL);
	CHECK_ERR(utimensat(AT_FDCWD, "none", NULL, 0), ENOENT);
	return guest_ok();
}
