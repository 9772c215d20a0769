#include "tracer/hwrand.h"

#include "base/mem.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* DW_EH_PE encodings of .eh_frame_hdr that linkers write (LSB core, "DWARF Extensions"). */
enum { EH_SDATA4_DATAREL = 0x3b, EH_UDATA4 = 0x03, EH_SDATA4_PCREL = 0x1b };

struct elf {
	const unsigned char *data;
	size_t size;
	const Elf64_Ehdr *eh;
	const Elf64_Phdr *ph;
	const int32_t (*table)[2]; /* function start and FDE, relative to hdr_vaddr; sorted */
	size_t nfuncs;
	uint64_t hdr_vaddr;
	ZydisDecoder dec;
};

static bool inside(const struct elf *e, uint64_t off, uint64_t n)
{
	return off <= e->size && n <= e->size - off;
}

static bool open_elf(struct elf *e, const unsigned char *data, size_t size)
{
	*e = (struct elf){.data = data, .size = size};
	if (size < sizeof *e->eh || memcmp(data, ELFMAG, SELFMAG) || data[EI_CLASS] != ELFCLASS64)
		return false;
	e->eh = (const void *)data;
	if (e->eh->e_machine != EM_X86_64 || e->eh->e_phentsize != sizeof *e->ph ||
	    e->eh->e_phoff % 8 || !inside(e, e->eh->e_phoff, (uint64_t)e->eh->e_phnum * sizeof *e->ph))
		return false;
	e->ph = (const void *)(data + e->eh->e_phoff);
	return true;
}

static void find_functions(struct elf *e)
{
	for (unsigned i = 0; i < e->eh->e_phnum; i++) {
		const Elf64_Phdr *p = e->ph + i;
		const unsigned char *h;
		uint32_t count;
		if (p->p_type != PT_GNU_EH_FRAME || p->p_filesz < 12 || p->p_offset % 4 ||
		    !inside(e, p->p_offset, p->p_filesz))
			continue;
		h = e->data + p->p_offset;
		if (h[0] != 1 || h[1] != EH_SDATA4_PCREL || h[2] != EH_UDATA4 || h[3] != EH_SDATA4_DATAREL)
			return;
		memcpy(&count, h + 8, sizeof count);
		if (count > (p->p_filesz - 12) / 8)
			return;
		e->table = (const void *)(h + 12);
		e->nfuncs = count;
		e->hdr_vaddr = p->p_vaddr;
	}
}

/* The start of the function that holds vaddr, or 0. */
static uint64_t function_of(const struct elf *e, uint64_t vaddr)
{
	int64_t want = (int64_t)(vaddr - e->hdr_vaddr);
	size_t lo = 0, hi = e->nfuncs;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (e->table[mid][0] <= want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? e->hdr_vaddr + (uint64_t)(int64_t)e->table[lo - 1][0] : 0;
}

/* Whether decoding from the function's start comes to an RDRAND or RDSEED whose opcode bytes are at `hit`. */
static bool confirmed(const struct elf *e, const Elf64_Phdr *p, uint64_t hit)
{
	uint64_t start = function_of(e, p->p_vaddr + hit - p->p_offset), at;
	ZydisDecodedInstruction ins;

	if (!start || start < p->p_vaddr)
		return false;
	at = p->p_offset + (start - p->p_vaddr);
	while (at <= hit) {
		if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&e->dec, NULL, e->data + at, e->size - at, &ins)))
			return false;
		if (at + ins.length > hit)
			return (ins.mnemonic == ZYDIS_MNEMONIC_RDRAND || ins.mnemonic == ZYDIS_MNEMONIC_RDSEED) &&
			       at + ins.length == hit + 3;
		at += ins.length;
	}
	return false;
}

static void scan_segment(const struct elf *e, const Elf64_Phdr *p, struct hwrand_sites *out)
{
	const unsigned char *from = e->data + p->p_offset, *end = from + p->p_filesz, *c = from;

	/* 0f c7 with a register operand: /6 RDRAND (f0 to f7), /7 RDSEED (f8 to ff); f3 in front makes RDPID of the latter. */
	while (c + 3 <= end && (c = memchr(c, 0x0f, (size_t)(end - c - 2)))) {
		if (c[1] == 0xc7 && c[2] >= 0xf0) {
			uint64_t hit = (uint64_t)(c - e->data);
			if (confirmed(e, p, hit)) {
				out->at = xrealloc(out->at, (out->n + 1) * sizeof *out->at);
				out->at[out->n++] = hit;
			} else {
				out->unconfirmed++;
			}
		}
		c++;
	}
}

void hwrand_scan(const unsigned char *data, size_t size, struct hwrand_sites *out)
{
	struct elf e;

	*out = (struct hwrand_sites){0};
	if (!open_elf(&e, data, size))
		return;
	ZydisDecoderInit(&e.dec, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	find_functions(&e);
	for (unsigned i = 0; i < e.eh->e_phnum; i++)
		if (e.ph[i].p_type == PT_LOAD && (e.ph[i].p_flags & PF_X) && inside(&e, e.ph[i].p_offset, e.ph[i].p_filesz) &&
		    e.ph[i].p_filesz >= 3)
			scan_segment(&e, e.ph + i, out);
}

void hwrand_sites_free(struct hwrand_sites *s)
{
	free(s->at);
	*s = (struct hwrand_sites){0};
}
