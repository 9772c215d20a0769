/*
 * The table of system calls (syscalls.def), as data. The filter, the dispatcher, the hash, the trace and
 * `simrun syscalls` read it; nothing else knows which call is served how.
 */
#ifndef TRACER_SYSCALLS_H
#define TRACER_SYSCALLS_H

#include "base/buf.h"
#include "sdk/c/simrun_wire.h"
#include "tracer/call.h"

#include <stdbool.h>
#include <stdint.h>

/* Who performs a call; the letters of DESIGN section 2. */
enum sys_class {
	CLS_EMULATE, /* the simulator; the kernel only notifies */
	CLS_PROXY,   /* the supervisor, on the real file, for the guest */
	CLS_OBSERVE, /* the kernel, in the guest, between two ptrace stops */
	CLS_NATIVE,  /* the kernel, unseen: deterministic because everything else is */
	CLS_REFUSE,  /* nobody: an errno that makes callers fall back */
};

/* Calls that the filter tells apart by their arguments. */
enum sys_argf { ARGF_NONE, ARGF_MMAP, ARGF_MPROTECT };

/* Flags of a row. */
enum {
	SYSF_HASH_RESULT = 1 << 0, /* the result enters the hash (not: an address) */
	SYSF_CLOCK = 1 << 1,       /* a clock read: consecutive ones cost more and more */
	SYSF_NO_SIGNAL = 1 << 2,   /* no signal is delivered when it returns (exec, exit, sigreturn) */
};

struct sysrow {
	long nr;
	const char *name;
	enum sys_class cls;
	struct verdict (*handler)(struct call *c); /* NULL for NATIVE and REFUSE */
	const char *args;   /* "fd,ptr,len": see sysarg_next() */
	unsigned flags;
	int refuse_errno;   /* REFUSE: positive errno */
	const char *reason; /* why this class; never NULL */
	enum sys_argf argf;
};

/* Rows of the kernel's numbers lie below; there is one more, SIMRUN_NR, which is ours. */
enum { SYSROW_MAX = 512 };

const struct sysrow *sysrow_get(long nr); /* NULL: no such row */
const struct sysrow *sysrow_find(const char *name);
const char *sys_class_name(enum sys_class c);

/*
 * One argument of a row's spec. Kinds decide what is hashed and how it is printed:
 *   fd     int descriptor           i32/u32/i64/u64  number of that width (upper bits of the register are garbage)
 *   x32/x64  the same, printed in hex (flags)
 *   ptr    an address: only whether it is NULL is hashed or shown
 *   path   address of a path; the trace shows the call's note instead
 *   dirfd  descriptor or AT_FDCWD   pid  a pid or tid (virtual)      sig  signal number
 *   mode   octal                    size a byte count (u64)          -    unused, skipped
 */
enum sysarg_kind { ARG_END, ARG_FD, ARG_I32, ARG_U32, ARG_I64, ARG_U64, ARG_X32, ARG_X64, ARG_PTR, ARG_PATH, ARG_DIRFD, ARG_PID,
		   ARG_SIG, ARG_MODE, ARG_SIZE, ARG_SKIP };
/* Parses the next kind; *spec moves on. ARG_END at the end. */
enum sysarg_kind sysarg_next(const char **spec);
/* The value of argument `v` as it enters the hash (truncated to its width; 0/1 for addresses). */
uint64_t sysarg_hashed(enum sysarg_kind k, uint64_t v);
/* "openat(AT_FDCWD, "/etc/passwd", 0x80000)" without the result. */
void syscall_print(struct buf *out, const struct sysrow *row, const uint64_t arg[6], const char *note);

#define SYS(nr, name, cls, args, flags, reason) struct verdict sys_##name(struct call *c);
#define SYS_ARGF(nr, name, cls, args, flags, argf, reason) struct verdict sys_##name(struct call *c);
#define NATIVE(nr, name, args, reason)
#define REFUSE(nr, name, args, err, reason)
#define HYPER(nr, name, cls, args, flags, reason) struct verdict sys_##name(struct call *c);
#include "tracer/syscalls.def"
#undef HYPER
#undef SYS
#undef SYS_ARGF
#undef NATIVE
#undef REFUSE

#endif
