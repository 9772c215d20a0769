#include "tracer/vdso_image.h"

#include "base/err.h"
#include "tracer/vdso.h"

#include <elf.h>
#include <string.h>

uint64_t vdso_image_slot(void)
{
	const uint64_t magic = VDSO_PAGE_MAGIC;

	for (size_t i = 0; i + sizeof magic <= vdso_image_size(); i++)
		if (!memcmp(vdso_image_start + i, &magic, sizeof magic))
			return i;
	BUG("the vDSO image has no slot for the clock page");
}

/* The image's only segment starts at address 0, so an address is an offset. */
static const Elf64_Shdr *section(const Elf64_Ehdr *eh, unsigned type)
{
	const Elf64_Shdr *sh = (const void *)(vdso_image_start + eh->e_shoff);

	for (unsigned i = 0; i < eh->e_shnum; i++)
		if (sh[i].sh_type == type)
			return sh + i;
	BUG("the vDSO image has no section of type %u", type);
}

uint64_t vdso_image_syscall(void)
{
	const Elf64_Ehdr *eh = (const void *)vdso_image_start;
	const Elf64_Shdr *dyn = section(eh, SHT_DYNSYM);
	const Elf64_Shdr *str = (const Elf64_Shdr *)(const void *)(vdso_image_start + eh->e_shoff) + dyn->sh_link;
	const Elf64_Sym *sym = (const void *)(vdso_image_start + dyn->sh_offset);

	for (size_t i = 0; i < dyn->sh_size / sizeof *sym; i++)
		if (!strcmp((const char *)vdso_image_start + str->sh_offset + sym[i].st_name, "__simrun_syscall"))
			return sym[i].st_value;
	BUG("the vDSO image has no __simrun_syscall");
}
