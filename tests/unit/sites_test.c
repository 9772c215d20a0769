/* Counting sites: the list, its JSON, and which instructions a detour can move. */
#include "tracer/detour.h"
#include "tracer/sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void list_and_json(void **state)
{
	struct site a = {.digest = 0xfedcba9876543210, .size = 100, .offset = 0x1234, .file = "a.so"};
	struct site b = {.digest = 1, .size = 100, .offset = 0x7fffe0000000, .generated = true, .file = "java"};
	struct sites l = {0}, back = {0};
	struct err e = {0};
	json_t *j;

	assert_true(sites_add(&l, &a));
	assert_false(sites_add(&l, &a));
	assert_true(sites_add(&l, &b));
	j = sites_json(&l);
	assert_int_equal(sites_from_json(&back, j, &e), 0);
	json_decref(j);
	assert_int_equal(back.n, 2);
	assert_memory_equal(&back.v[0], &a, sizeof a);
	assert_memory_equal(&back.v[1], &b, sizeof b);
	while (l.n < SITES_MAX) {
		a.offset++;
		assert_true(sites_add(&l, &a));
	}
	a.offset++;
	assert_false(sites_add(&l, &a));
}

static void bad_json(void **state)
{
	static const char *const bad[] = {"{}", "[1]", "[{}]", "[{\"file\":\"a\",\"xxh3\":\"zz\",\"size\":1,\"offset\":1}]",
					  "[{\"file\":\"a\",\"xxh3\":\"1\",\"size\":\"1\",\"offset\":1}]",
					  "[{\"file\":\"a\",\"xxh3\":\"1\",\"size\":1}]"};
	struct sites l = {0};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = {0};
		json_t *j = json_loads(bad[i], 0, NULL);
		assert_non_null(j);
		assert_int_equal(sites_from_json(&l, j, &e), -1);
		assert_true(e.msg[0]);
		json_decref(j);
	}
}

static void moved_instructions(void **state)
{
	static const struct {
		unsigned char code[15];
		unsigned len;
	} t[] = {
		{{0x8b, 0x05, 1, 2, 3, 4}, 6},             /* mov eax, [rip+…] */
		{{0x48, 0x83, 0x44, 0x24, 0x08, 0x01}, 6}, /* add qword [rsp+8], 1 */
		{{0x48, 0x89, 0xe5}, 0},                   /* mov rbp, rsp: too short */
		{{0xe9, 1, 2, 3, 4}, 0},                   /* jmp */
		{{0xe8, 1, 2, 3, 4}, 0},                   /* call */
		{{0x0f, 0x84, 1, 2, 3, 4}, 0},             /* je */
		{{0xf0, 0x48, 0xff, 0x44, 0x24, 0x08}, 0}, /* lock inc: glibc jumps behind the prefix */
		{{0x06}, 0},                               /* no instruction */
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		assert_int_equal(detour_fits(t[i].code, sizeof t[i].code), t[i].len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_and_json),
		cmocka_unit_test(bad_json),
		cmocka_unit_test(moved_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
