#include "tracer/insn.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/syscalls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { INSN_MAX = 15 };

void insns_init(struct insns *x)
{
	*x = (struct insns){0};
	ZydisDecoderInit(&x->dec, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

void insns_clear(struct insns *x)
{
	map_each(&x->at, i)
		free(x->at.vals[i]);
	map_clear(&x->at);
}

static bool leaves(const ZydisDecodedInstruction *i)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_HLT:
		return true;
	default:
		return false;
	}
}

const struct insn *insns_get(struct insns *x, pid_t tid, uint64_t rip)
{
	struct insn *i = map_get(&x->at, rip);
	unsigned char code[INSN_MAX];
	long n;

	if (i)
		return i;
	i = xnew(struct insn);
	map_put(&x->at, rip, i);
	n = gm_read_some(tid, code, rip, sizeof code);
	if (n <= 0 || ZYAN_FAILED(ZydisDecoderDecodeFull(&x->dec, code, (ZyanUSize)n, &i->ins, i->op)) || leaves(&i->ins))
		i->ends = true;
	return i;
}

static void fill_context(ZydisRegisterContext *c, const struct user_regs_struct *r)
{
	const uint64_t v[16] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	memset(c, 0, sizeof *c);
	for (int i = 0; i < 16; i++) {
		c->values[ZYDIS_REGISTER_RAX + i] = v[i];
		c->values[ZYDIS_REGISTER_EAX + i] = v[i] & 0xffffffff;
	}
}

bool insn_address(const struct insn *i, const ZydisDecodedOperand *o, const struct user_regs_struct *r, uint64_t *addr)
{
	ZydisRegisterContext c;
	ZyanU64 a;

	if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		return false;
	fill_context(&c, r);
	if (ZYAN_FAILED(ZydisCalcAbsoluteAddressEx(&i->ins, o, r->rip, &c, &a)))
		return false;
	if (o->mem.segment == ZYDIS_REGISTER_FS)
		a += r->fs_base;
	else if (o->mem.segment == ZYDIS_REGISTER_GS)
		a += r->gs_base;
	*addr = a;
	return true;
}

bool insn_unseen_call(const struct insn *i, const struct user_regs_struct *r)
{
	const struct sysrow *row;

	if (i->ins.mnemonic != ZYDIS_MNEMONIC_SYSCALL)
		return false;
	if (r->rax == SYS_mmap)
		return (r->r10 & (MAP_ANONYMOUS | MAP_SHARED)) == MAP_ANONYMOUS && !(r->rdx & PROT_EXEC);
	if (r->rax == SYS_mprotect)
		return !(r->rdx & PROT_EXEC);
	row = r->rax < SYSROW_MAX ? sysrow_get((long)r->rax) : NULL;
	return row && row->cls == CLS_NATIVE;
}
