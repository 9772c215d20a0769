/* statfs and statvfs: a sane block size, free below total, the same numbers again. */
#include "guest.h"

#include <sys/statvfs.h>
#include <sys/vfs.h>

int main(void)
{
	struct statfs a;
	struct statvfs v;

	workdir();
	OK(statfs(".", &a));
	CHECK(a.f_bsize >= 512 && a.f_bsize <= 1 << 20);
	CHECK(a.f_bfree <= a.f_blocks && a.f_bavail <= a.f_bfree);
	CHECK(a.f_namelen >= 255);
	int fd = file_with("f", "");
	struct statfs b;
	OK(fstatfs(fd, &b));
	CHECK(b.f_bsize == a.f_bsize && b.f_blocks == a.f_blocks && b.f_type == a.f_type);
	OK(statvfs(".", &v));
	CHECK_EQ(v.f_frsize > 0, 1);
	OK(statfs("/proc", &a));
	CHECK_EQ(a.f_type, 0x9fa0);
	CHECK_ERR(statfs("none", &a), ENOENT);
	printf("%llu blocks, %llu free\n", (unsigned long long)b.f_blocks, (unsigned long long)b.f_bfree);
	return guest_ok();
}
