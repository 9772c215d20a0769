/* The 32-bit entry: a working call where the kernel has it; under simrun refused, without a signal. */
#include "guest.h"

#include <setjmp.h>

static sigjmp_buf back;

static void handler(int sig)
{
	siglongjmp(back, sig);
}

int main(void)
{
	long rv;

	on_signal(SIGSEGV, handler, 0);
	on_signal(SIGSYS, handler, 0);
	int sig = sigsetjmp(back, 1);
	if (sig == 0) {
		__asm__ volatile("int $0x80" : "=a"(rv) : "0"(20) : "r8", "r9", "r10", "r11", "memory"); /* getpid */
		if (native())
			CHECK((int)rv == getpid() || (int)rv == -ENOSYS);
		else
			CHECK_EQ((int)rv, -ENOSYS);
	} else {
		CHECK(native() && sig == SIGSEGV); /* a kernel built without it */
	}
	return guest_ok();
}
