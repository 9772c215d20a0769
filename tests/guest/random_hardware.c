/* RDRAND and RDSEED: values come, the carry flag says so, registers of every width and number; the same bytes inside other
 * instructions are no such instruction. Printed, so that runs of one seed are compared. */
#include "guest.h"

#include <cpuid.h>

static bool has(unsigned leaf, unsigned bit, bool ebx)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(leaf, 0, &a, &b, &c, &d) && (((ebx ? b : c) >> bit) & 1);
}

static uint64_t rand64(void)
{
	uint64_t v;
	unsigned char ok;

	__asm__ volatile("1: rdrand %0\n setc %1\n" : "=r"(v), "=qm"(ok)::"cc");
	return ok ? v : 0;
}

static uint32_t rand32_r13(void)
{
	uint64_t v = ~0ull;

	__asm__ volatile("mov $-1, %%r13\n 1: rdrand %%r13d\n jnc 1b\n mov %%r13, %0" : "=r"(v)::"r13", "cc");
	CHECK_EQ(v >> 32, 0); /* a 32-bit destination clears the rest */
	return (uint32_t)v;
}

static uint16_t rand16(void)
{
	uint64_t v = 0x1122334455667788ull;

	__asm__ volatile("1: rdrand %w0\n jnc 1b" : "+r"(v)::"cc");
	CHECK_EQ(v >> 16, 0x112233445566ull); /* a 16-bit one leaves it */
	return (uint16_t)v;
}

static uint64_t seed64(void)
{
	uint64_t v;

	__asm__ volatile("1: rdseed %0\n jnc 1b" : "=r"(v)::"cc");
	return v;
}

/* 0f c7 f0 as an operand. */
__attribute__((noinline)) static uint32_t decoy(void)
{
	uint32_t v;

	__asm__ volatile("mov $0x90f0c70f, %0" : "=r"(v));
	return v;
}

int main(void)
{
	CHECK_EQ(decoy(), 0x90f0c70fu);
	if (has(1, 30, false)) {
		uint64_t a = rand64(), b = rand64();
		CHECK(a != b);
		printf("%llx %llx %x %x\n", (unsigned long long)a, (unsigned long long)b, rand32_r13(), rand16());
	}
	if (has(7, 18, true))
		printf("%llx\n", (unsigned long long)seed64());
	signal(SIGILL, SIG_IGN); /* a trapped instruction must not disturb this */
	if (has(1, 30, false))
		rand64();
	struct sigaction sa;
	OK(sigaction(SIGILL, NULL, &sa));
	CHECK(sa.sa_handler == SIG_IGN);
	return guest_ok();
}
