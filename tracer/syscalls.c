#include "tracer/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/*
 * Handlers are weak references: where one is missing, its address is NULL and the row of the same number in not_yet[]
 * stands in for it. tests/unit/syscalls_test.c says that none is missing.
 */
#define SYS(nr, name, cls, args, flags, reason) struct verdict sys_##name(struct call *c) __attribute__((weak));
#define SYS_ARGF(nr, name, cls, args, flags, argf, reason) SYS(nr, name, cls, args, flags, reason)
#define NATIVE(nr, name, args, reason)
#define REFUSE(nr, name, args, err, reason)
#define HYPER(nr, name, cls, args, flags, reason) SYS(nr, name, cls, args, flags, reason)
#include "tracer/syscalls.def"
#undef HYPER
#undef SYS
#undef SYS_ARGF
#undef NATIVE
#undef REFUSE

/* The words of the flags column. */
enum {
	HASH = SYSF_HASH_RESULT,
	CLOCK = SYSF_HASH_RESULT | SYSF_CLOCK,
	CTL = SYSF_HASH_RESULT | SYSF_NO_SIGNAL,
	NOSIG = SYSF_NO_SIGNAL,
};

#define UNUSED "quiet: no call has this number"

#define SYS(nr, name, cls, args, flags, reason)                                                                    \
	[nr] = {nr, #name, CLS_##cls, sys_##name, args, flags, 0, reason, ARGF_NONE},
#define SYS_ARGF(nr, name, cls, args, flags, argf, reason)                                                         \
	[nr] = {nr, #name, CLS_##cls, sys_##name, args, flags, 0, reason, argf},
#define NATIVE(nr, name, args, reason) [nr] = {nr, #name, CLS_NATIVE, NULL, args, 0, 0, reason, ARGF_NONE},
#define REFUSE(nr, name, args, err, reason) [nr] = {nr, #name, CLS_REFUSE, NULL, args, HASH, err, reason, ARGF_NONE},
static const struct sysrow rows[SYSROW_MAX] = {
#include "tracer/syscalls.def"
};
#undef SYS
#undef SYS_ARGF
#undef NATIVE
#undef REFUSE

#define SYS(nr, name, cls, args, flags, reason)                                                                    \
	[nr] = {nr, #name, CLS_REFUSE, NULL, args, HASH, ENOSYS, "not yet", ARGF_NONE},
#define SYS_ARGF(nr, name, cls, args, flags, argf, reason) SYS(nr, name, cls, args, flags, reason)
#define NATIVE(nr, name, args, reason)
#define REFUSE(nr, name, args, err, reason)
static const struct sysrow not_yet[SYSROW_MAX] = {
#include "tracer/syscalls.def"
};
#undef SYS
#undef SYS_ARGF
#undef NATIVE
#undef REFUSE

#define SYS(nr, name, cls, args, flags, reason)
#define SYS_ARGF(nr, name, cls, args, flags, argf, reason)
#define NATIVE(nr, name, args, reason)
#define REFUSE(nr, name, args, err, reason)
#define HYPER(nr, name, cls, args, flags, reason) {nr, #name, CLS_##cls, sys_##name, args, flags, 0, reason, ARGF_NONE}
static const struct sysrow own_row =
#include "tracer/syscalls.def"
;
#undef SYS
#undef SYS_ARGF
#undef NATIVE
#undef REFUSE
#undef HYPER

const struct sysrow *sysrow_get(long nr)
{
	if (nr == SIMRUN_NR)
		return own_row.handler ? &own_row : NULL;
	if (nr < 0 || nr >= SYSROW_MAX || !rows[nr].name)
		return NULL;
	if (not_yet[nr].name && !rows[nr].handler)
		return &not_yet[nr];
	return &rows[nr];
}

const struct sysrow *sysrow_find(const char *name)
{
	for (long nr = 0; nr < SYSROW_MAX; nr++) {
		const struct sysrow *r = sysrow_get(nr);
		if (r && !strcmp(r->name, name))
			return r;
	}
	if (!strcmp(own_row.name, name))
		return sysrow_get(own_row.nr);
	return NULL;
}

const char *sys_class_name(enum sys_class c)
{
	switch (c) {
	case CLS_EMULATE:
		return "EMULATE";
	case CLS_PROXY:
		return "PROXY";
	case CLS_OBSERVE:
		return "OBSERVE";
	case CLS_NATIVE:
		return "NATIVE";
	case CLS_REFUSE:
		return "REFUSE";
	}
	return "?";
}

/* By the letters that tell the words apart: this runs for every call. The test compares whole words. */
static enum sysarg_kind word_kind(const char *w)
{
	switch (w[0]) {
	case 'f':
		return ARG_FD;
	case 'i':
		return w[1] == '3' ? ARG_I32 : ARG_I64;
	case 'u':
		return w[1] == '3' ? ARG_U32 : ARG_U64;
	case 'x':
		return w[1] == '3' ? ARG_X32 : ARG_X64;
	case 'p':
		return w[1] == 't' ? ARG_PTR : w[1] == 'a' ? ARG_PATH : ARG_PID;
	case 'd':
		return ARG_DIRFD;
	case 's':
		return w[2] == 'g' ? ARG_SIG : ARG_SIZE;
	case 'm':
		return ARG_MODE;
	case '-':
		return ARG_SKIP;
	default:
		return ARG_END;
	}
}

static const unsigned char word_len[] = {
	[ARG_FD] = 2,   [ARG_I32] = 3,  [ARG_U32] = 3,   [ARG_I64] = 3, [ARG_U64] = 3, [ARG_X32] = 3,  [ARG_X64] = 3,
	[ARG_PTR] = 3,  [ARG_PATH] = 4, [ARG_DIRFD] = 5, [ARG_PID] = 3, [ARG_SIG] = 3, [ARG_MODE] = 4, [ARG_SIZE] = 4,
	[ARG_SKIP] = 1,
};

enum sysarg_kind sysarg_next(const char **spec)
{
	enum sysarg_kind k = word_kind(*spec);

	*spec += word_len[k];
	if (**spec == ',')
		++*spec;
	return k;
}

uint64_t sysarg_hashed(enum sysarg_kind k, uint64_t v)
{
	switch (k) {
	case ARG_FD:
	case ARG_I32:
	case ARG_DIRFD:
	case ARG_PID:
	case ARG_SIG:
		return (uint64_t)(int64_t)(int32_t)v;
	case ARG_U32:
	case ARG_X32:
		return (uint32_t)v;
	case ARG_MODE:
		return (uint16_t)v; /* umode_t of the kernel */
	case ARG_I64:
	case ARG_U64:
	case ARG_X64:
	case ARG_SIZE:
		return v;
	case ARG_PTR:
	case ARG_PATH:
		return v != 0;
	case ARG_SKIP:
	case ARG_END:
		return 0;
	}
	return 0;
}

/* The first path of a call is what its handler noted: resolved, or both of a rename. Any other shows as "...". */
static bool print_path(struct buf *out, uint64_t v, const char *note, bool first)
{
	if (!v) {
		buf_adds(out, "NULL");
	} else if (!first || !note || !note[0]) {
		buf_adds(out, "\"...\"");
	} else {
		buf_addc(out, '"');
		buf_add_escaped(out, note, strlen(note));
		buf_addc(out, '"');
	}
	return false;
}

static void print_arg(struct buf *out, enum sysarg_kind k, uint64_t v)
{
	v = sysarg_hashed(k, v);
	switch (k) {
	case ARG_FD:
	case ARG_I32:
	case ARG_I64:
	case ARG_PID:
	case ARG_SIG:
		buf_addf(out, "%lld", (long long)v);
		break;
	case ARG_DIRFD:
		if ((int)v == AT_FDCWD)
			buf_adds(out, "AT_FDCWD");
		else
			buf_addf(out, "%d", (int)v);
		break;
	case ARG_X32:
	case ARG_X64:
		buf_addf(out, "%#llx", (unsigned long long)v);
		break;
	case ARG_MODE:
		buf_addf(out, "%#o", (unsigned)v);
		break;
	case ARG_PTR:
		buf_adds(out, v ? "&" : "NULL");
		break;
	default:
		buf_addf(out, "%llu", (unsigned long long)v);
		break;
	}
}

void syscall_print(struct buf *out, const struct sysrow *row, const uint64_t arg[6], const char *note)
{
	const char *spec = row ? row->args : "";
	bool first_path = true, first_arg = true;

	buf_addf(out, "%s(", row ? row->name : "?");
	for (int i = 0; i < 6; i++) {
		enum sysarg_kind k = sysarg_next(&spec);
		if (k == ARG_END)
			break;
		if (k == ARG_SKIP)
			continue;
		if (!first_arg)
			buf_adds(out, ", ");
		first_arg = false;
		if (k == ARG_PATH)
			first_path = print_path(out, arg[i], note, first_path);
		else
			print_arg(out, k, arg[i]);
	}
	buf_addc(out, ')');
	/* No path to show the note at: a peer's address, a descriptor's kind … */
	if (first_path && note && note[0]) {
		buf_adds(out, " <");
		buf_add_escaped(out, note, strlen(note));
		buf_addc(out, '>');
	}
}
