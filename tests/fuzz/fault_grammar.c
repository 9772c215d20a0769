/*
 * The grammar of faults: -fault, -faults, plans and the member "faults" of configurations. Whatever is read is printed and read
 * again as the same; nothing else may happen than an error of one line.
 * fuzz: tracer/fault_value.c tracer/fault_spec.c tracer/fault_config.c tracer/fault_kinds.c tracer/fault_match.c tracer/syscalls.c
 */
#include "tracer/fault_config.h"
#include "tracer/fault_effects.h"

#include <stdlib.h>
#include <string.h>

/* What the table refers to, and nobody calls here. */
#define START(n) bool n(struct faults *fs, struct fault *f) { return false; }
#define STOP(n) void n(struct faults *fs, struct fault *f) {}
#define CHOOSE(n) bool n(struct faults *fs, struct fault *f, struct rng *r) { return false; }
#define ACT(n) void n(struct faults *fs, struct fault *f, struct call *c) {}
CHOOSE(fault_choose_node) CHOOSE(fault_choose_groups) CHOOSE(fault_choose_ends) CHOOSE(fault_choose_some)
START(fault_crash_start) STOP(fault_crash_stop) START(fault_stop_start) STOP(fault_stop_stop) START(fault_pause_start)
STOP(fault_pause_stop) START(fault_pause_thread_start) START(fault_slow_start) STOP(fault_slow_stop) START(fault_unfair_start)
STOP(fault_unfair_stop) START(fault_partition_start) START(fault_link_start) STOP(fault_link_stop) START(fault_swizzle_start)
STOP(fault_swizzle_stop) START(fault_call_start) STOP(fault_call_stop) ACT(fault_short_act) ACT(fault_eintr_act)
ACT(fault_eagain_act) ACT(fault_errno_act) ACT(fault_fork_act) ACT(fault_thread_act) ACT(fault_delay_act) ACT(fault_resolve_act)
START(fault_jump_start) STOP(fault_jump_stop) START(fault_drift_start) STOP(fault_drift_stop) START(fault_strobe_start)
STOP(fault_strobe_stop) START(fault_leap_start) START(fault_buggify_start) STOP(fault_buggify_stop)

static void one_line(const struct err *e)
{
	if (!e->msg[0] || strchr(e->msg, '\n'))
		abort();
}

static void spec(const char *text)
{
	struct fault_spec a, b;
	struct buf x = {0}, y = {0};
	struct err e = {0};
	json_t *j;

	if (fault_spec_parse(&a, text, &e) < 0) {
		one_line(&e);
		return;
	}
	fault_spec_print(&a, &x);
	if (fault_spec_parse(&b, x.data, &e) < 0)
		abort();
	fault_spec_print(&b, &y);
	if (strcmp(x.data, y.data))
		abort();
	fault_spec_clear(&b);
	j = fault_spec_json(&a);
	if (a.id[0] ? fault_spec_from_json(&b, j, &e) < 0 : (json_object_del(j, "id"), fault_spec_from_json(&b, j, &e) < 0))
		abort();
	buf_reset(&y);
	fault_spec_print(&b, &y);
	if (strcmp(x.data, y.data))
		abort();
	json_decref(j);
	fault_spec_clear(&a);
	fault_spec_clear(&b);
	buf_clear(&x);
	buf_clear(&y);
}

static void same(const struct fault_config *a)
{
	struct fault_config b = {0};
	json_t *x = fault_config_json(a), *y;
	struct err e = {0};

	if (fault_config_from_json(&b, x, &e) < 0)
		abort();
	y = fault_config_json(&b);
	if (!json_equal(x, y))
		abort();
	json_decref(x);
	json_decref(y);
	fault_config_clear(&b);
}

static void config(const char *text)
{
	struct fault_config c = {0};
	struct err e = {0};

	if (fault_config_add(&c, text, &e) < 0)
		one_line(&e);
	else
		same(&c);
	fault_config_clear(&c);
}

static void plan(const char *text, size_t n)
{
	struct fault_config c = {0};
	struct err e = {0};
	json_t *j = json_loadb(text, n, 0, NULL);

	if (!j)
		return;
	if (fault_config_from_json(&c, j, &e) < 0)
		one_line(&e);
	else
		same(&c);
	fault_config_clear(&c);
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	char *text = malloc(n + 1);

	memcpy(text, data, n);
	text[n] = 0;
	if (n && text[0] == '{') {
		plan(text, n);
	} else {
		spec(text);
		config(text);
	}
	free(text);
	return 0;
}
