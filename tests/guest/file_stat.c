/* stat: type, size, mode, links, ids, times from the clock, inode identity; statx; fstatat flags. */
#include "guest.h"

#include <sys/sysmacros.h>

int main(void)
{
	struct stat a, b;
	int64_t before = clock_ns(CLOCK_REALTIME_COARSE);

	workdir();
	umask(022);
	int fd = file_with("f", "hello");
	OK(fstat(fd, &a));
	CHECK(S_ISREG(a.st_mode));
	CHECK_EQ(a.st_mode & 0777, 0644);
	CHECK_EQ(a.st_size, 5);
	CHECK_EQ(a.st_nlink, 1);
	CHECK_EQ(a.st_uid, geteuid());
	CHECK_EQ(a.st_blksize, 4096);
	int64_t mtime = a.st_mtim.tv_sec * NS_PER_S + a.st_mtim.tv_nsec;
	CHECK(mtime >= before - 20 * NS_PER_MS && mtime <= clock_ns(CLOCK_REALTIME));

	OK(link("f", "g"));
	OK(symlink("f", "s"));
	OK(stat("g", &b));
	CHECK(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	CHECK_EQ(b.st_nlink, 2);
	OK(stat("s", &b));
	CHECK_EQ(a.st_ino, b.st_ino);
	OK(lstat("s", &b));
	CHECK(S_ISLNK(b.st_mode));
	CHECK_EQ(b.st_size, 1);
	CHECK(a.st_ino != b.st_ino);
	OK(fstatat(AT_FDCWD, "s", &b, AT_SYMLINK_NOFOLLOW));
	CHECK(S_ISLNK(b.st_mode));
	OK(fstatat(fd, "", &b, AT_EMPTY_PATH));
	CHECK_EQ(a.st_ino, b.st_ino);
	CHECK_ERR(fstatat(AT_FDCWD, "", &b, 0), ENOENT);
	CHECK_ERR(fstatat(AT_FDCWD, "f", &b, 0x8000000), EINVAL);

	struct statx x;
	OK(statx(AT_FDCWD, "f", 0, STATX_BASIC_STATS, &x));
	CHECK_EQ(x.stx_mask & STATX_BASIC_STATS, STATX_BASIC_STATS);
	CHECK_EQ(x.stx_size, 5);
	CHECK_EQ(x.stx_ino, a.st_ino);
	CHECK_EQ(makedev(x.stx_dev_major, x.stx_dev_minor), a.st_dev);
	CHECK_EQ(x.stx_mtime.tv_sec, a.st_mtim.tv_sec);

	/* A write moves mtime and ctime on. */
	nap_ms(50);
	CHECK_EQ(write(fd, "x", 1), 1);
	OK(fstat(fd, &b));
	int64_t mtime2 = b.st_mtim.tv_sec * NS_PER_S + b.st_mtim.tv_nsec;
	CHECK(mtime2 - mtime >= 30 * NS_PER_MS);
	OK(chmod("f", 0400));
	OK(fstat(fd, &b));
	CHECK_EQ(b.st_mode & 0777, 0400);
	OK(stat("/dev/null", &b));
	CHECK(S_ISCHR(b.st_mode));
	CHECK_EQ(b.st_rdev, makedev(1, 3));
	printf("%lld\n", (long long)mtime);
	return guest_ok();
}
