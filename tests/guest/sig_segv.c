/*
 * Real faults: SIGSEGV with address and code, recovered by siglongjmp or by mapping the page; on the alternate stack.
 */
#include "guest.h"

#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf back;
static void *volatile addr;
static volatile sig_atomic_t code, hits;
static char *page;

static void jumps(int sig, siginfo_t *si, void *uc)
{
	addr = si->si_addr;
	code = si->si_code;
	siglongjmp(back, 1);
}

static void maps(int sig, siginfo_t *si, void *uc)
{
	CHECK(si->si_addr == page + 123);
	hits++;
	OK(mprotect(page, 4096, PROT_READ | PROT_WRITE));
}

static int overflow(int n)
{
	volatile char frame[4096];

	frame[n % 4096] = (char)n;
	return n < INT_MAX ? overflow(n + 1) + frame[0] : 0;
}

int main(void)
{
	on_siginfo(SIGSEGV, jumps, 0);
	if (sigsetjmp(back, 1) == 0)
		*(volatile int *)16 = 1;
	CHECK(addr == (void *)16);
	CHECK_EQ(code, SEGV_MAPERR);

	page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	if (sigsetjmp(back, 1) == 0)
		CHECK_EQ(*(volatile char *)(page + 5), 0);
	CHECK(addr == page + 5);
	CHECK_EQ(code, SEGV_ACCERR);

	on_siginfo(SIGSEGV, maps, 0);
	*(volatile char *)(page + 123) = 9;
	CHECK_EQ(page[123], 9);
	CHECK_EQ(hits, 1);

	/* A stack overflow needs the alternate stack. */
	static char alt[65536];
	stack_t ss = {.ss_sp = alt, .ss_size = sizeof alt};
	OK(sigaltstack(&ss, NULL));
	on_siginfo(SIGSEGV, jumps, SA_ONSTACK);
	if (sigsetjmp(back, 1) == 0)
		overflow(0);

	/* Blocked, a fault kills all the same. */
	pid_t pid = OK(fork());
	if (pid == 0) {
		block_signal(SIGSEGV);
		*(volatile int *)16 = 1;
		_exit(1);
	}
	CHECK_KILLED(pid, SIGSEGV);
	return guest_ok();
}
