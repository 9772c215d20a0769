/* SIGFPE of a division, SIGILL of ud2, SIGTRAP of int3, SIGBUS beyond the end of a mapped file. */
#include "guest.h"

#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile sig_atomic_t sig_seen, code;

static void handler(int sig, siginfo_t *si, void *uc)
{
	sig_seen = sig;
	code = si->si_code;
	siglongjmp(back, 1);
}

int main(void)
{
	const int sigs[] = {SIGFPE, SIGILL, SIGTRAP, SIGBUS};

	for (int i = 0; i < 4; i++)
		on_siginfo(sigs[i], handler, 0);
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("xor %%edx, %%edx; xor %%ecx, %%ecx; div %%ecx" ::: "eax", "edx", "ecx");
	CHECK_EQ(sig_seen, SIGFPE);
	CHECK_EQ(code, FPE_INTDIV);
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("ud2");
	CHECK_EQ(sig_seen, SIGILL);
	CHECK_EQ(code, ILL_ILLOPN);
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("int3");
	CHECK_EQ(sig_seen, SIGTRAP);

	workdir();
	int fd = file_with("f", "x");
	char *p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	CHECK_EQ(p[0], 'x');
	CHECK_EQ(p[4095], 0);
	if (sigsetjmp(back, 1) == 0)
		CHECK_EQ(*(volatile char *)(p + 4096), 0);
	CHECK_EQ(sig_seen, SIGBUS);
	CHECK_EQ(code, BUS_ADRERR);
	return guest_ok();
}
