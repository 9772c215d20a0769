/* Instructions of a stopped guest, decoded once each (Zydis), for those who step it. */
#ifndef TRACER_INSN_H
#define TRACER_INSN_H

#include "base/map.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct insn {
	ZydisDecodedInstruction ins;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	bool ends; /* a call, a trap, something that reads hardware, or not to be decoded: not stepped over blindly */
};

/* Valid while the code does not change: for one bout of stepping. */
struct insns {
	ZydisDecoder dec;
	struct map at; /* address -> struct insn */
};

void insns_init(struct insns *x);
void insns_clear(struct insns *x);
const struct insn *insns_get(struct insns *x, pid_t tid, uint64_t rip);
/* A call that the filter lets through (filter.c), as malloc makes them: stepped over like any instruction. */
bool insn_unseen_call(const struct insn *i, const struct user_regs_struct *r);
/* The address of a memory operand, segment base included; false for what has no single one. */
bool insn_address(const struct insn *i, const ZydisDecodedOperand *o, const struct user_regs_struct *r, uint64_t *addr);

#endif
