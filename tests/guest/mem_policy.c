/* Memory policies on one node, and mincore: what every machine answers the same way. */
#include "guest.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int main(void)
{
	unsigned long none[16] = {0}, zero[16] = {1}, got[16];
	unsigned char vec[4];
	int mode = -1;
	char *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	memset(p, 1, 4 * 4096);
	CHECK_EQ(mincore(p, 4 * 4096, vec), 0);
	CHECK(vec[0] & 1 && vec[3] & 1);
	CHECK_ERR(mincore(p + 1, 4096, vec), EINVAL);
	OK(munmap(p + 8192, 4096));
	CHECK_ERR(mincore(p, 4 * 4096, vec), ENOMEM);
	CHECK_EQ(mincore(p, 8192, vec), 0);

	if (syscall(SYS_get_mempolicy, &mode, got, 1024ul, NULL, 0) == -1 && (errno == EPERM || errno == ENOSYS))
		return guest_ok(); /* a container natively */
	CHECK_EQ(mode, MPOL_DEFAULT);
	OK(syscall(SYS_set_mempolicy, MPOL_BIND, zero, 1024ul));
	OK(syscall(SYS_get_mempolicy, &mode, got, 1024ul, NULL, 0));
	CHECK_EQ(mode, MPOL_BIND);
	CHECK_EQ(got[0], 1);
	CHECK_ERR(syscall(SYS_set_mempolicy, MPOL_BIND, none, 1024ul), EINVAL);
	CHECK_ERR(syscall(SYS_set_mempolicy, 99, NULL, 0ul), EINVAL);
	CHECK_ERR(syscall(SYS_set_mempolicy, MPOL_DEFAULT, zero, 1024ul), EINVAL);
	OK(syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0ul));
	OK(syscall(SYS_mbind, p, 4096ul, MPOL_BIND, zero, 1024ul, 0));
	CHECK_ERR(syscall(SYS_mbind, p + 1, 4096ul, MPOL_BIND, zero, 1024ul, 0), EINVAL);
	CHECK_ERR(syscall(SYS_mbind, p + 8192, 4096ul, MPOL_BIND, zero, 1024ul, 0), EFAULT);
	OK(syscall(SYS_get_mempolicy, NULL, got, 1024ul, NULL, MPOL_F_MEMS_ALLOWED));
	CHECK(got[0] & 1);
	return guest_ok();
}
