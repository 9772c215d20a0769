#include "tracer/hwrand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two real ones, and their bytes as parts of other instructions. */
__attribute__((noinline, used)) static unsigned real_ones(void)
{
	unsigned a, b;

	__asm__ volatile("rdrand %0\n rdseed %1" : "=r"(a), "=r"(b)::"cc");
	return a ^ b;
}

__attribute__((noinline, used)) static unsigned decoys(void)
{
	unsigned a, b;

	__asm__ volatile("mov $0x90f0c70f, %0\n movl $0xffc70f90, %1" : "=r"(a), "=r"(b));
	return a ^ b;
}

static unsigned char *map_self(size_t *size)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	void *p;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_true(p != MAP_FAILED);
	close(fd);
	*size = (size_t)st.st_size;
	return p;
}

static void finds_the_real_ones(void **state)
{
	size_t size;
	unsigned char *elf = map_self(&size);
	struct hwrand_sites s;

	(void)state;
	hwrand_scan(elf, size, &s);
	assert_int_equal(s.n, 2);
	assert_true(s.unconfirmed >= 2);
	for (size_t i = 0; i < s.n; i++) {
		assert_int_equal(elf[s.at[i]], 0x0f);
		assert_int_equal(elf[s.at[i] + 1], 0xc7);
	}
	hwrand_sites_free(&s);
	munmap(elf, size);
}

/* Broken files are no files of ours: whatever is wrong with them, nothing outside is read (run with SAN=1). */
static void survives_broken_files(void **state)
{
	size_t size;
	unsigned char *elf = map_self(&size), *copy;
	unsigned seed = 1;

	(void)state;
	size = size < 20000 ? size : 20000;
	copy = malloc(size);
	for (int round = 0; round < 2000; round++) {
		struct hwrand_sites s;
		memcpy(copy, elf, size);
		for (int k = 0; k < 6; k++) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 8) % (k < 4 ? 600 : size)] = (unsigned char)(seed >> 3);
		}
		hwrand_scan(copy, size - (seed >> 4) % size, &s);
		hwrand_sites_free(&s);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_real_ones),
		cmocka_unit_test(survives_broken_files),
	};

	return real_ones() == decoys() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
