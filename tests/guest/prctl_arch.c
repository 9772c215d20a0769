/* arch_prctl: the thread pointer can be read and set again, bad addresses and unknown commands are refused. */
#include "guest.h"

#include <asm/prctl.h>
#include <sys/personality.h>
#include <sys/syscall.h>

static __thread int tls = 7;

int main(void)
{
	unsigned long fs = 0, gs = 1;

	OK(syscall(SYS_arch_prctl, ARCH_GET_FS, &fs));
	CHECK(fs != 0);
	OK(syscall(SYS_arch_prctl, ARCH_SET_FS, fs));
	CHECK_EQ(tls, 7);
	OK(syscall(SYS_arch_prctl, ARCH_SET_GS, 0x1000));
	OK(syscall(SYS_arch_prctl, ARCH_GET_GS, &gs));
	CHECK_EQ(gs, 0x1000);
	CHECK_ERR(syscall(SYS_arch_prctl, ARCH_SET_GS, ~0ul), EPERM);
	CHECK_ERR(syscall(SYS_arch_prctl, ARCH_GET_FS, 8), EFAULT);
	CHECK_ERR(syscall(SYS_arch_prctl, 0x7777, 0), EINVAL);

	CHECK_EQ(personality(0xffffffff) & ~(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT), 0);
	OK(personality(ADDR_NO_RANDOMIZE));
	CHECK_EQ(personality(0xffffffff), ADDR_NO_RANDOMIZE);
	return guest_ok();
}
