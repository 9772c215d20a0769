#include "tracer/detour.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/vdso.h"

#include <Zydis/Zydis.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { JMP_LEN = 5, PAGE = 4096 };

static bool decode(const unsigned char *code, size_t n, ZydisDecodedInstruction *i, ZydisDecodedOperand *op)
{
	ZydisDecoder dec;

	ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&dec, code, n, i, op));
}

unsigned detour_fits(const unsigned char *code, size_t n)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	/* glibc jumps over a lock prefix; a repeated instruction is interrupted in its middle. */
	const ZydisInstructionAttributes no = ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
					      ZYDIS_ATTRIB_HAS_REPNE;

	if (!decode(code, n, &i, op) || i.length < JMP_LEN || (i.attributes & no))
		return 0;
	switch (i.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_RDRAND:
	case ZYDIS_CATEGORY_RDSEED:
		return 0;
	default:
		return i.length;
	}
}

/* Moves an operand relative to rip along. */
static bool relocate(unsigned char *code, unsigned len, uint64_t from, uint64_t to)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	int64_t disp;
	int32_t d;

	if (!decode(code, len, &i, op))
		return false;
	if (!(i.attributes & ZYDIS_ATTRIB_IS_RELATIVE))
		return true;
	if (i.raw.disp.size != 32)
		return false;
	disp = i.raw.disp.value + (int64_t)(from - to);
	d = (int32_t)disp;
	memcpy(code + i.raw.disp.offset, &d, sizeof d);
	return d == disp;
}

struct emit {
	unsigned char b[STUB_SIZE];
	unsigned n;
};

static void bytes(struct emit *x, const void *p, unsigned n)
{
	memcpy(x->b + x->n, p, n);
	x->n += n;
}

/* mov rax, [addr] (a1) and mov [addr], rax (a3): the only ones with an address of 64 bits. */
static void moffs(struct emit *x, unsigned char op, uint64_t addr)
{
	bytes(x, (unsigned char[]){0x48, op}, 2);
	bytes(x, &addr, sizeof addr);
}

static bool jump(struct emit *x, uint64_t here, uint64_t to)
{
	int64_t rel = (int64_t)(to - (here + JMP_LEN));
	int32_t r = (int32_t)rel;

	bytes(x, &(unsigned char){0xe9}, 1);
	bytes(x, &r, sizeof r);
	return r == rel;
}

/* Neither flags nor stack are touched: the red zone and what follows may need them. */
static bool build(struct emit *x, struct detour *d, const unsigned char *code, unsigned len, uint64_t page)
{
	const unsigned char lea_dec[] = {0x48, 0x8d, 0x40, 0xff}, xchg[] = {0x48, 0x91};
	const uint64_t count = page + offsetof(struct clock_page, site_left), keep = page + offsetof(struct clock_page, site_scratch);
	unsigned char moved[15];
	unsigned jrcxz, back;

	moffs(x, 0xa3, keep);
	moffs(x, 0xa1, count);
	bytes(x, lea_dec, sizeof lea_dec);
	moffs(x, 0xa3, count);
	bytes(x, xchg, sizeof xchg);
	bytes(x, (unsigned char[]){0xe3, 0}, 2);
	jrcxz = x->n;
	bytes(x, xchg, sizeof xchg);
	moffs(x, 0xa1, keep);
	memcpy(moved, code, len);
	if (!relocate(moved, len, d->at, d->stub + x->n))
		return false;
	bytes(x, moved, len);
	back = x->n;
	if (!jump(x, d->stub + back, d->at + len))
		return false;
	x->b[jrcxz - 1] = (unsigned char)(x->n - jrcxz);
	bytes(x, xchg, sizeof xchg);
	moffs(x, 0xa1, keep);
	bytes(x, &(unsigned char){0xcc}, 1);
	d->trap = d->stub + x->n;
	d->end = d->stub + STUB_SIZE;
	return true;
}

/* A page of the process for stubs near the address; 0: none is to be had. */
static uint64_t near_page(struct sim *s, struct task *t, struct detours *ds, uint64_t at)
{
	enum { STEP = 1 << 20, TRIES = 512 };

	for (unsigned i = 0; i < ds->npages; i++)
		if (ds->used[i] + STUB_SIZE <= PAGE && (int64_t)(ds->page[i] - at) == (int32_t)(ds->page[i] - at))
			return ds->page[i];
	for (unsigned i = 1; i < TRIES && ds->npages < DETOURS_MAX; i++) {
		uint64_t where = (at & ~(uint64_t)(STEP - 1)) - (uint64_t)i * STEP;
		const uint64_t arg[6] = {where, PAGE, PROT_READ | PROT_EXEC,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0};
		if (pt_remote_call(s, t, SYS_mmap, arg) == (int64_t)where) {
			ds->used[ds->npages] = 0;
			return ds->page[ds->npages++] = where;
		}
	}
	return 0;
}

static unsigned *used_of(struct detours *ds, uint64_t page)
{
	unsigned i = 0;

	while (ds->page[i] != page)
		i++;
	return &ds->used[i];
}

bool detour_put(struct sim *s, struct task *t, uint64_t at)
{
	struct detours *ds = &proc_host(t->thread->proc)->count.detours;
	struct detour d = {.at = at};
	unsigned char code[15];
	struct emit x = {0}, jmp = {0};
	long n = gm_read_some(t->tid, code, at, sizeof code);
	unsigned len = n > 0 ? detour_fits(code, (size_t)n) : 0;
	uint64_t page;

	if (!len || ds->n == DETOURS_MAX || !(page = near_page(s, t, ds, at)))
		return false;
	d.stub = page + *used_of(ds, page);
	if (!build(&x, &d, code, len, proc_host(t->thread->proc)->vdso - s->vvar_len) || !jump(&jmp, at, d.stub))
		return false;
	while (jmp.n < len)
		bytes(&jmp, &(unsigned char){0x90}, 1);
	if (gm_poke(t->tid, s->host_proc, d.stub, x.b, sizeof x.b) || gm_poke(t->tid, s->host_proc, at, jmp.b, jmp.n))
		return false;
	*used_of(ds, page) += STUB_SIZE;
	ds->v[ds->n++] = d;
	return true;
}

const struct detour *detour_of(const struct task *t, uint64_t rip)
{
	const struct detours *ds = &proc_host(t->thread->proc)->count.detours;

	for (unsigned i = 0; i < ds->n; i++)
		if (rip >= ds->v[i].stub && rip < ds->v[i].end)
			return &ds->v[i];
	return NULL;
}
