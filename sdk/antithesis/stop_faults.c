/* What ANTITHESIS_STOP_FAULTS names in a run: "$ANTITHESIS_STOP_FAULTS" SECONDS begins a quiet period. Without libc. */
#include "sdk/c/simrun_wire.h"

#include <stddef.h>

static long call3(long nr, long a, const void *b, long c)
{
	register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
	return ret;
}

static char *digits(char *end, unsigned long v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

/* Seconds, with a fraction perhaps; 0 when it is no number. */
static unsigned long nanoseconds(const char *s)
{
	unsigned long v = 0, unit = 1000000000;

	for (; *s >= '0' && *s <= '9' && v < 1ul << 53; s++)
		v = v * 10 + (unsigned long)(*s - '0') * unit;
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9' && unit > 1; s++)
			v += (unsigned long)(*s - '0') * (unit /= 10);
	return *s ? 0 : v;
}

__attribute__((used)) int stop_faults(long *stack)
{
	static const char usage[] = "usage: stop-faults SECONDS\n", before[] = "{\"simrun\":\"quiet\",\"for\":";
	char **argv = (char **)(stack + 1), msg[64], number[24], *from, *at = msg;
	unsigned long ns = stack[0] == 2 ? nanoseconds(argv[1]) : 0;

	if (!ns) {
		call3(1, 2, usage, sizeof usage - 1);
		return 1;
	}
	for (const char *p = before; *p; p++)
		*at++ = *p;
	for (from = digits(number + sizeof number, ns); from < number + sizeof number; from++)
		*at++ = *from;
	*at++ = '}';
	return call3(SIMRUN_NR, SIMRUN_WIRE, msg, at - msg) < 0;
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall stop_faults\n"
	"\tmov %eax, %edi\n\tmov $231, %eax\n\tsyscall\n\thlt\n");
