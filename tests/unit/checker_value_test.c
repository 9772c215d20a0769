/* Values: exact equality of JSON and EDN, and what the readers refuse, with its place. */
#include "tests/unit/checker_help.h"

static val read_json(struct values *v, const char *text)
{
	struct err e = {0};
	struct scan s = {.p = text, .end = text + strlen(text), .text = text, .name = "t", .e = &e};
	val x = VAL_NONE;

	if (json_read(&s, v, &x))
		fail_msg("%s", e.msg);
	assert_ptr_equal(s.p, s.end);
	return x;
}

static val read_edn(struct values *v, const char *text)
{
	struct err e = {0};
	struct scan s = {.p = text, .end = text + strlen(text), .text = text, .name = "t", .e = &e};
	val x = VAL_NONE;

	if (edn_read(&s, v, &x))
		fail_msg("%s", e.msg);
	return x;
}

static void numbers_are_decimals(void **state)
{
	struct values *v = values_new();
	static const char *const same[][2] = {
		{"1", "1.0"}, {"1", "1e0"}, {"1", "10e-1"}, {"-0", "0"}, {"0.0e5", "0"}, {"100", "1e2"}, {"0.1", "1e-1"},
		{"9223372036854775807", "9223372036854775807.000"}, {"-9223372036854775808", "-9.223372036854775808e18"},
		{"18446744073709551615", "1844674407370955161.5e1"}, {"1e400", "10e399"}, {"1.50", "1.5"}};
	static const char *const different[][2] = {
		{"9007199254740992", "9007199254740993"}, {"1", "1.0000000000000000000001"}, {"1e400", "1e401"}, {"0.1", "0.10000001"},
		{"9223372036854775807", "9223372036854775808"}, {"1", "-1"}, {"1", "\"1\""}, {"0", "false"}, {"null", "false"},
		{"[]", "{}"}, {"\"\"", "null"}};

	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		assert_int_equal(read_json(v, same[i][0]), read_json(v, same[i][1]));
	for (size_t i = 0; i < ARRAY_LEN(different); i++)
		assert_int_not_equal(read_json(v, different[i][0]), read_json(v, different[i][1]));
	values_free(v);
}

static void numbers_are_ordered_by_value(void **state)
{
	struct values *v = values_new();
	static const char *const up[] = {"-1e400", "-9223372036854775809", "-5", "-0.5", "0", "1e-30", "0.5", "2", "10", "9007199254740992",
	                                 "9007199254740993", "1e19", "1e400"};

	for (size_t i = 0; i < ARRAY_LEN(up); i++)
		for (size_t k = 0; k < ARRAY_LEN(up); k++)
			assert_int_equal(val_compare(v, read_json(v, up[i]), read_json(v, up[k])), i < k ? -1 : i > k);
	values_free(v);
}

static void objects_have_no_order(void **state)
{
	struct values *v = values_new();

	assert_int_equal(read_json(v, "{\"a\":1,\"b\":[1.0,{\"x\":2,\"y\":3}]}"), read_json(v, "{\"b\":[1,{\"y\":3,\"x\":2}],\"a\":1}"));
	assert_int_not_equal(read_json(v, "[1,2]"), read_json(v, "[2,1]"));
	assert_int_equal(read_json(v, "{\"a\":1,\"a\":2}"), read_json(v, "{\"a\":2}"));
	assert_int_equal(read_edn(v, "#{3 1 2}"), read_edn(v, "#{1 2 3 3}"));
	assert_int_equal(read_edn(v, "{:a 1, :b 2}"), read_edn(v, "{:b 2 :a 1}"));
	values_free(v);
}

static void strings_by_content(void **state)
{
	struct values *v = values_new();

	assert_int_equal(read_json(v, "\"\\u0041\\n\""), read_json(v, "\"A\\n\""));
	assert_int_equal(read_json(v, "\"\\ud83d\\ude00\""), read_json(v, "\"\xf0\x9f\x98\x80\""));
	assert_int_not_equal(read_edn(v, "\"a\""), read_edn(v, ":a"));
	assert_int_equal(read_edn(v, "1N"), read_json(v, "1"));
	assert_int_equal(read_edn(v, "(1 2)"), read_edn(v, "[1, 2]"));
	assert_int_equal(read_edn(v, "[1 #_ 5 2 ; comment\n]"), read_edn(v, "[1 2]"));
	values_free(v);
}

static void many_values_keep_their_ids(void **state)
{
	struct values *v = values_new();
	val ids[3000];

	for (int i = 0; i < 3000; i++)
		ids[i] = val_int(v, i * 7919);
	for (int i = 0; i < 3000; i++) {
		char t[32];
		snprintf(t, sizeof t, "s%d", i);
		val_string(v, t);
		assert_int_equal(val_int(v, i * 7919), ids[i]);
	}
	values_free(v);
}

static void refuse(const char *text, const char *message)
{
	struct history h;
	struct err e = {0};

	assert_int_equal(hist_parse(&h, "f", xstrdup(text), strlen(text), FMT_AUTO, &e), -1);
	if (!strstr(e.msg, message))
		fail_msg("expected \"%s\", got \"%s\"", message, e.msg);
	hist_clear(&h);
}

static void malformed_input_has_a_place(void **state)
{
	refuse("{\"type\":\"invoke\",\"f\":\"get\",\n \"value\":[1,}", "f:2:13: expected a value, found '}'");
	refuse("{\"type\":\"invoked\",\"f\":\"get\"}", "f:1:9: expected one of \"invoke\", \"ok\", \"info\", \"fail\"");
	refuse("{\"type\":\"invoke\",\"f\":\"get\",\"value\":01}", "f:1:36: expected a value, found '0'");
	refuse("{\"type\":\"invoke\",\"f\":\"get\",\"value\":\"a\\q\"}", "expected an escape");
	refuse("{\"type\":\"invoke\",\"f\":\"get\"", "f:1:27: expected ',' or '}', found the end of the file");
	refuse("{\"type\":\"invoke\",\"process\":[],\"f\":\"get\"}", "expected a process");
	refuse("{\"type\":\"invoke\",\"f\":\"get\",\"time\":1.5}", "expected a time in nanoseconds");
	refuse("[{\"type\":\"invoke\",\"f\":\"get\"}", "expected ',' or ']'");
	refuse("{\"f\":\"get\"}\n{\"type\":\"ok\",\"f\":\"get\"}", "f:2: expected a whole operation");
	refuse("[{:type :invoke :f :read}", "expected the end of the vector of operations");
	refuse("{:type :invoke :f}", "f:1:18: expected a value for the map's last key");
	refuse("{:type :boom :f :read}", "a map whose :type is one of");
	refuse("?", "expected a history");
	refuse("{\"type\":\"ok\",\"process\":1,\"f\":\"get\"}", "f:1: a completion without an open invocation");
	refuse("{\"type\":\"invoke\",\"process\":1,\"f\":\"get\"}\n{\"type\":\"invoke\",\"process\":1,\"f\":\"get\"}",
	       "f:2: the process invokes an operation while its previous one (line 1) is open");
	refuse("{\"type\":\"invoke\",\"id\":3,\"f\":\"get\"}\n{\"type\":\"invoke\",\"id\":3,\"f\":\"get\"}", "f:2: operation id 3 was used before");
	refuse("{\"id\":1,\"f\":\"get\",\"after\":[7]}", "f:1: \"after\" names operation 7, which is not in the history");
	refuse("{\"id\":1,\"f\":\"get\",\"start\":5,\"end\":4}", "the operation ends before it starts");
}

static void deep_nesting_is_refused(void **state)
{
	struct buf b = {0};

	buf_adds(&b, "{\"type\":\"invoke\",\"f\":\"get\",\"value\":");
	for (int i = 0; i < 100000; i++)
		buf_addc(&b, '[');
	refuse(b.data, "not nested so deeply");
	buf_reset(&b);
	buf_adds(&b, "[{:type :invoke :value ");
	for (int i = 0; i < 100000; i++)
		buf_addc(&b, '[');
	refuse(b.data, "not nested so deeply");
	buf_clear(&b);
}

static void printed_json_is_read_back(void **state)
{
	struct values *v = values_new();
	static const char *const text[] = {"null", "true", "-12", "0.5", "1e400", "\"a\\\"b\\u0001\\n<\"", "[1,[2,{}],\"x\"]",
	                                   "{\"k\":[1.25,null],\"l\":{\"m\":false}}"};

	for (size_t i = 0; i < ARRAY_LEN(text); i++) {
		struct buf b = {0};
		val x = read_json(v, text[i]);
		val_json(v, x, &b);
		assert_int_equal(read_json(v, b.data), x);
		buf_clear(&b);
	}
	values_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_decimals), cmocka_unit_test(numbers_are_ordered_by_value),
		cmocka_unit_test(objects_have_no_order), cmocka_unit_test(strings_by_content),
		cmocka_unit_test(many_values_keep_their_ids), cmocka_unit_test(malformed_input_has_a_place),
		cmocka_unit_test(deep_nesting_is_refused), cmocka_unit_test(printed_json_is_read_back)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
