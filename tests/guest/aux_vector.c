/* The auxiliary vector: page size, ids, program headers, entry, file name; /proc/self/auxv is the same one. */
#include "guest.h"

#include <elf.h>
#include <sys/auxv.h>

extern char _start[];

int main(int argc, char **argv)
{
	Elf64_auxv_t v[64];

	CHECK_EQ(getauxval(AT_PAGESZ), 4096);
	CHECK_EQ(getauxval(AT_PAGESZ), sysconf(_SC_PAGESIZE));
	CHECK_EQ(getauxval(AT_CLKTCK), 100);
	CHECK_EQ(getauxval(AT_UID), getuid());
	CHECK_EQ(getauxval(AT_EGID), getegid());
	CHECK_EQ(getauxval(AT_SECURE), 0);
	CHECK_EQ(getauxval(AT_ENTRY), (uintptr_t)_start);
	CHECK(getauxval(AT_PHNUM) > 3);
	const Elf64_Phdr *ph = (const void *)getauxval(AT_PHDR);
	CHECK(ph && ph->p_type == PT_PHDR);
	CHECK(getauxval(AT_BASE) != 0);
	const char *file = (const char *)getauxval(AT_EXECFN);
	CHECK(file && strstr(file, "aux_vector"));
	CHECK(strcmp((const char *)getauxval(AT_PLATFORM), "x86_64") == 0);
	CHECK(getauxval(AT_HWCAP) != 0);

	int fd = OK(open("/proc/self/auxv", O_RDONLY));
	ssize_t n = OK(read(fd, v, sizeof v));
	CHECK(n > 0 && n % sizeof *v == 0);
	size_t count = (size_t)n / sizeof *v;
	CHECK_EQ(v[count - 1].a_type, AT_NULL);
	for (size_t i = 0; i + 1 < count; i++)
		if (v[i].a_type != AT_HWCAP) /* the library has its own */
			CHECK_EQ(getauxval(v[i].a_type), v[i].a_un.a_val);
	return guest_ok();
}
