/* The table of system calls: complete, well formed, and in agreement with the kernel's own list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracer/syscalls.h"

enum { LAST_CALL = 471 };

static void every_number_has_a_row(void **state)
{
	for (long nr = 0; nr <= LAST_CALL; nr++) {
		const struct sysrow *r = sysrow_get(nr);
		if (!r)
			fail_msg("number %ld has no row", nr);
		assert_int_equal(r->nr, nr);
		assert_ptr_equal(sysrow_find(r->name), r); /* so no name comes twice */
	}
	assert_null(sysrow_get(-1));
	assert_null(sysrow_get(LAST_CALL + 1));
	assert_null(sysrow_get(SYSROW_MAX));
	assert_null(sysrow_get(1000000));
	assert_null(sysrow_find("no_such_call"));
}

/* Against the headers of the machine that builds: one line "#define __NR_read 0" for each call. */
static void names_are_the_kernels(void **state)
{
	FILE *f = popen("echo '#include <asm/unistd_64.h>' | ${CC:-cc} -E -dM -", "r");
	char line[256], name[128];
	long nr;
	int seen = 0;

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "#define __NR_%127s %ld", name, &nr) != 2)
			continue;
		seen++;
		if (!sysrow_get(nr))
			fail_msg("%s (%ld) has no row", name, nr);
		assert_string_equal(sysrow_get(nr)->name, name);
	}
	assert_int_equal(pclose(f), 0);
	assert_true(seen > 350);
}

static void handlers_go_with_classes(void **state)
{
	for (long nr = 0; nr <= LAST_CALL; nr++) {
		const struct sysrow *r = sysrow_get(nr);
		bool served = r->cls != CLS_NATIVE && r->cls != CLS_REFUSE;

		assert_true(r->reason && r->reason[0]);
		assert_int_equal(served, r->handler != NULL);
		if (r->cls == CLS_REFUSE)
			assert_true(r->refuse_errno > 0);
		else
			assert_int_equal(r->refuse_errno, 0);
		if (r->argf != ARGF_NONE)
			assert_int_equal(r->cls, CLS_OBSERVE);
		assert_string_not_equal(sys_class_name(r->cls), "?");
	}
}

/* A handler that the linker did not find leaves its row refused as "not yet", without a word about what it would be. */
static void no_handler_is_missing(void **state)
{
	int missing = 0;

	for (long nr = 0; nr <= LAST_CALL; nr++)
		if (!strcmp(sysrow_get(nr)->reason, "not yet")) {
			print_error("sys_%s is missing\n", sysrow_get(nr)->name);
			missing++;
		}
	assert_int_equal(missing, 0);
}

static const char *const words[] = {
	[ARG_FD] = "fd",     [ARG_I32] = "i32",     [ARG_U32] = "u32", [ARG_I64] = "i64", [ARG_U64] = "u64",
	[ARG_X32] = "x32",   [ARG_X64] = "x64",     [ARG_PTR] = "ptr", [ARG_PATH] = "path", [ARG_DIRFD] = "dirfd",
	[ARG_PID] = "pid",   [ARG_SIG] = "sig",     [ARG_MODE] = "mode", [ARG_SIZE] = "size", [ARG_SKIP] = "-",
};

static void argument_words_are_known(void **state)
{
	for (long nr = 0; nr <= LAST_CALL; nr++) {
		const char *spec = sysrow_get(nr)->args, *word = spec;
		enum sysarg_kind k;
		int n = 0;

		while ((k = sysarg_next(&spec)) != ARG_END) {
			size_t len = strcspn(word, ",");
			if (strlen(words[k]) != len || memcmp(words[k], word, len))
				fail_msg("%s: word %d of \"%s\" was read as %s", sysrow_get(nr)->name, n,
					 sysrow_get(nr)->args, words[k]);
			word = spec;
			n++;
		}
		if (*spec)
			fail_msg("%s: cannot read \"%s\"", sysrow_get(nr)->name, spec);
		assert_true(n <= 6);
	}
}

/* Upper halves of registers are garbage, and addresses must not matter. */
static void only_what_counts_is_hashed(void **state)
{
	const uint64_t garbage = 0xdeadbeef00000000;

	assert_int_equal(sysarg_hashed(ARG_FD, garbage | 5), 5);
	assert_true(sysarg_hashed(ARG_I32, garbage | 0xffffffff) == (uint64_t)-1);
	assert_true(sysarg_hashed(ARG_U32, garbage | 0xffffffff) == 0xffffffff);
	assert_int_equal(sysarg_hashed(ARG_X32, garbage | 0x80000), 0x80000);
	assert_int_equal(sysarg_hashed(ARG_MODE, garbage | 0xabcd01ff), 0x01ff);
	assert_true(sysarg_hashed(ARG_U64, garbage) == garbage);
	assert_true(sysarg_hashed(ARG_SIZE, garbage) == garbage);
	assert_int_equal(sysarg_hashed(ARG_PTR, garbage), 1);
	assert_int_equal(sysarg_hashed(ARG_PATH, 0x7fff12345678), 1);
	assert_int_equal(sysarg_hashed(ARG_PTR, 0), 0);
	assert_int_equal(sysarg_hashed(ARG_SKIP, 77), 0);
}

static void prints(const char *name, const uint64_t arg[6], const char *note, const char *want)
{
	struct buf b = {0};

	syscall_print(&b, sysrow_find(name), arg, note);
	assert_string_equal(b.data, want);
	buf_clear(&b);
}

static void calls_are_printed(void **state)
{
	const uint64_t at = (uint64_t)(uint32_t)-100;

	prints("openat", (uint64_t[6]){at, 0x1000, 0x80000, 0}, "/etc/passwd",
	       "openat(AT_FDCWD, \"/etc/passwd\", 0x80000, 0)");
	prints("openat", (uint64_t[6]){7, 0, 0, 0644}, "", "openat(7, NULL, 0, 0644)");
	prints("read", (uint64_t[6]){3, 0x7fffffff, 64}, "", "read(3, &, 64)");
	prints("rename", (uint64_t[6]){1, 1}, "/a -> /b\n", "rename(\"/a -> /b\\n\", \"...\")");
	prints("stat", (uint64_t[6]){1, 1}, "", "stat(\"...\", &)");
	prints("connect", (uint64_t[6]){4, 0x1000, 16}, "127.0.0.1:6379", "connect(4, &, 16) <127.0.0.1:6379>");
	prints("kill", (uint64_t[6]){0xffffffff, 9}, NULL, "kill(-1, 9)");
	prints("getcpu", (uint64_t[6]){0, 1, 1}, NULL, "getcpu(NULL, &)");
	prints("getpid", (uint64_t[6]){1, 2, 3}, NULL, "getpid()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_has_a_row),
		cmocka_unit_test(names_are_the_kernels),
		cmocka_unit_test(handlers_go_with_classes),
		cmocka_unit_test(no_handler_is_missing),
		cmocka_unit_test(argument_words_are_known),
		cmocka_unit_test(only_what_counts_is_hashed),
		cmocka_unit_test(calls_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
