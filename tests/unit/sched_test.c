/* Who goes next: each policy's order, what auto draws, and that nobody waits for ever. */
#include "base/mem.h"
#include "vclock/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 5, POLICIES = SCHED_POLICY_FIFO + 1 };

struct world {
	struct sched s;
	struct sched_node n[N];
	uint64_t passed;
};

static void start(struct world *w, enum sched_policy p, uint64_t seed)
{
	*w = (struct world){0};
	sched_init(&w->s, p, seed);
	for (int i = 0; i < N; i++)
		sched_add(&w->s, &w->n[i]);
}

static int pick(struct world *w)
{
	return (int)(sched_pick(&w->s) - w->n);
}

static int pick_again(struct world *w)
{
	int i = pick(w);

	sched_add(&w->s, &w->n[i]);
	return i;
}

static void test_names(void **state)
{
	enum sched_policy p;

	(void)state;
	for (int i = 0; i < POLICIES; i++) {
		assert_true(sched_policy_parse(sched_policy_name((enum sched_policy)i), &p));
		assert_int_equal(p, i);
	}
	assert_false(sched_policy_parse("Random", &p));
	assert_false(sched_policy_parse("", &p));
}

static void test_auto_draws_by_seed(void **state)
{
	int count[POLICIES] = {0};
	struct world a, b;

	(void)state;
	for (uint64_t seed = 1; seed <= 800; seed++) {
		enum sched_policy p = sched_policy_for(SCHED_POLICY_AUTO, seed);
		count[p]++;
		assert_int_equal(sched_policy_for(SCHED_POLICY_PCT, seed), SCHED_POLICY_PCT);
		if (seed > 20)
			continue;
		start(&a, SCHED_POLICY_AUTO, seed);
		start(&b, p, seed);
		for (int i = 0; i < 1000; i++)
			assert_int_equal(pick_again(&a), pick_again(&b));
		sched_clear(&a.s);
		sched_clear(&b.s);
	}
	assert_true(count[SCHED_POLICY_RANDOM] > 200 && count[SCHED_POLICY_STICKY] > 100 && count[SCHED_POLICY_PCT] > 200);
	assert_int_equal(count[SCHED_POLICY_AUTO] + count[SCHED_POLICY_FIFO], 0);
}

static void test_everybody_goes(void **state)
{
	struct world w;

	(void)state;
	for (int p = 0; p < POLICIES; p++)
		for (uint64_t seed = 1; seed <= 30; seed++) {
			int turns[N] = {0}, waited[N] = {0}, longest = 0;
			start(&w, (enum sched_policy)p, seed);
			for (int i = 0; i < 200000; i++) {
				int now = pick_again(&w);
				turns[now]++;
				for (int j = 0; j < N; j++) {
					waited[j] = j == now ? 0 : waited[j] + 1;
					longest = MAX(longest, waited[j]);
				}
			}
			for (int i = 0; i < N; i++)
				assert_true(turns[i] > 0);
			assert_true(longest < 100000);
			sched_clear(&w.s);
		}
}

static void test_fifo(void **state)
{
	struct world w;

	(void)state;
	start(&w, SCHED_POLICY_FIFO, 1);
	for (int i = 0; i < 3 * N; i++)
		assert_int_equal(pick_again(&w), i % N);
	sched_remove(&w.s, &w.n[1]);
	assert_int_equal(pick(&w), 0);
	assert_int_equal(pick(&w), 2);
	sched_clear(&w.s);
}

static int same_as_before(enum sched_policy p, uint64_t seed, int n)
{
	struct world w;
	int before, same = 0;

	start(&w, p, seed);
	before = pick_again(&w);
	for (int i = 0; i < n; i++) {
		int now = pick_again(&w);
		same += now == before;
		before = now;
	}
	sched_clear(&w.s);
	return same;
}

static void test_sticky_stays_and_pct_stays_longer(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		assert_in_range(same_as_before(SCHED_POLICY_RANDOM, seed, 10000), 1700, 2300);
		assert_in_range(same_as_before(SCHED_POLICY_STICKY, seed, 10000), 5000, 9999);
		assert_in_range(same_as_before(SCHED_POLICY_PCT, seed, 10000), 9000, 10000);
	}
}

/* A thread that had the highest priority keeps it over its waits. */
static void test_pct_priorities_outlive_waits(void **state)
{
	struct world w;
	int kept = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		int top;
		start(&w, SCHED_POLICY_PCT, seed);
		top = pick(&w);
		assert_true(pick_again(&w) != top);
		sched_add(&w.s, &w.n[top]);
		kept += pick_again(&w) == top;
		sched_clear(&w.s);
	}
	assert_true(kept > 80);
}

static void test_who_gave_way_is_passed_over(void **state)
{
	(void)state;
	for (int p = 0; p < POLICIES; p++)
		for (uint64_t seed = 1; seed <= 50; seed++) {
			struct world w;
			int first;
			start(&w, (enum sched_policy)p, seed);
			first = pick(&w);
			w.n[first].yielded = true;
			sched_add(&w.s, &w.n[first]);
			for (int i = 0; i < N - 1; i++)
				assert_true(pick(&w) != first);
			assert_int_equal(pick(&w), first);
			assert_false(w.n[first].yielded);
			assert_null(sched_pick(&w.s));
			sched_clear(&w.s);
		}
}

static void test_low_ones_go_last(void **state)
{
	(void)state;
	for (int p = 0; p < POLICIES; p++)
		for (uint64_t seed = 1; seed <= 50; seed++) {
			struct world w;
			start(&w, (enum sched_policy)p, seed);
			w.s.passed = &w.passed;
			w.n[2].low = w.n[4].low = true;
			for (int i = 0; i < N - 2; i++)
				assert_false(w.n[pick(&w)].low);
			assert_true(w.n[pick(&w)].low);
			assert_int_equal(w.passed, N - 2);
			sched_clear(&w.s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_auto_draws_by_seed),
		cmocka_unit_test(test_everybody_goes),
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_sticky_stays_and_pct_stays_longer),
		cmocka_unit_test(test_pct_priorities_outlive_waits),
		cmocka_unit_test(test_who_gave_way_is_passed_over),
		cmocka_unit_test(test_low_ones_go_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
