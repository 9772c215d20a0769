/* Code made at run time: written, made executable, run; a call made from it; shared executable memory of a memfd. */
#include "guest.h"

#include <sys/mman.h>

/* mov eax, 39 (getpid); syscall; ret */
static const unsigned char getpid_code[] = {0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xc3};
/* lea eax, [rdi + rdi*2]; ret */
static const unsigned char triple_code[] = {0x8d, 0x04, 0x7f, 0xc3};

int main(void)
{
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	memcpy(p, triple_code, sizeof triple_code);
	memcpy(p + 64, getpid_code, sizeof getpid_code);
	OK(mprotect(p, 4096, PROT_READ | PROT_EXEC));
	int (*triple)(int) = (int (*)(int))(uintptr_t)p;
	int (*pid)(void) = (int (*)(void))(uintptr_t)(p + 64);
	CHECK_EQ(triple(14), 42);
	CHECK_EQ(pid(), getpid());

	/* Changed and run again. */
	OK(mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
	p[2] = 0xbf; /* lea eax, [rdi + rdi*4 + disp32] */
	p[3] = 1;
	p[4] = p[5] = p[6] = 0;
	p[1] = 0x84;
	p[7] = 0xc3;
	CHECK_EQ(triple(2), 11);

	/* One memory, writable at one address and executable at another: how .NET and others do it. */
	int m = OK(memfd_create("jit", 0));
	OK(ftruncate(m, 4096));
	unsigned char *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, m, 0);
	unsigned char *x = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, m, 0);
	CHECK(w != MAP_FAILED && x != MAP_FAILED);
	memcpy(w, triple_code, sizeof triple_code);
	memcpy(w + 64, getpid_code, sizeof getpid_code);
	CHECK_EQ(((int (*)(int))(uintptr_t)x)(5), 15);
	CHECK_EQ(((int (*)(void))(uintptr_t)(x + 64))(), getpid());
	return guest_ok();
}
