/* Futex queues: order, bitsets, moving, operations; two keys in one slot. */
#include "tests/unit/kern_fixture.h"

#include "kernel/futex.h"

static const struct futex_key A = {FUTEX_KEY_PRIVATE | 1, 0x1000}, B = {FUTEX_KEY_PRIVATE | 1, 0x1004};

struct crowd {
	struct thread *t[8];
};

static struct crowd crowd(struct fixture *x)
{
	struct crowd c;

	for (int i = 0; i < 8; i++)
		c.t[i] = thread_new(&x->k, x->p, 200 + i);
	return c;
}

static void disperse(struct fixture *x, struct crowd *c)
{
	for (int i = 0; i < 8; i++)
		thread_dead(&x->k, c->t[i]);
	assert_nothing_leaked(x);
	assert_int_equal(x->k.futexes.len, 0);
}

static void test_fifo(void **state)
{
	struct fixture *x = *state;
	struct crowd c = crowd(x);

	for (int i = 0; i < 4; i++)
		futex_enqueue(&x->k, c.t[i], A, FUTEX_ANY);
	assert_int_equal(futex_wake(&x->k, B, 9, FUTEX_ANY), 0);
	assert_int_equal(futex_wake(&x->k, A, 2, FUTEX_ANY), 2);
	assert_true(futex_was_woken(c.t[0]) && futex_was_woken(c.t[1]));
	assert_false(futex_was_woken(c.t[2]));
	assert_int_equal(c.t[0]->state, THREAD_READY);
	assert_int_equal(c.t[2]->state, THREAD_BLOCKED);
	/* A waiter that gives up does not count as woken, one that was woken first does. */
	assert_true(futex_finish(&x->k, c.t[0]));
	assert_false(futex_finish(&x->k, c.t[0]));
	assert_false(futex_finish(&x->k, c.t[2]));
	assert_int_equal(futex_wake(&x->k, A, 100, FUTEX_ANY), 1);
	assert_true(futex_was_woken(c.t[3]));
	disperse(x, &c);
}

static void test_bitset(void **state)
{
	struct fixture *x = *state;
	struct crowd c = crowd(x);

	futex_enqueue(&x->k, c.t[0], A, 1);
	futex_enqueue(&x->k, c.t[1], A, 2);
	futex_enqueue(&x->k, c.t[2], A, 3);
	assert_int_equal(futex_wake(&x->k, A, 1, 2), 1);
	assert_true(futex_was_woken(c.t[1]));
	assert_int_equal(futex_wake(&x->k, A, 9, 4), 0);
	assert_int_equal(futex_wake(&x->k, A, 9, 2), 1);
	assert_true(futex_was_woken(c.t[2]));
	assert_false(futex_was_woken(c.t[0]));
	disperse(x, &c);
}

static void test_requeue(void **state)
{
	struct fixture *x = *state;
	struct crowd c = crowd(x);
	unsigned moved;

	futex_enqueue(&x->k, c.t[7], B, FUTEX_ANY);
	for (int i = 0; i < 6; i++)
		futex_enqueue(&x->k, c.t[i], A, FUTEX_ANY);
	assert_int_equal(futex_requeue(&x->k, A, B, 1, 3, &moved), 1);
	assert_int_equal(moved, 3);
	assert_true(futex_was_woken(c.t[0]));
	/* The moved ones stand behind who waited there before, in their order. */
	assert_int_equal(futex_wake(&x->k, B, 2, FUTEX_ANY), 2);
	assert_true(futex_was_woken(c.t[7]) && futex_was_woken(c.t[1]));
	assert_int_equal(futex_wake(&x->k, B, 1, FUTEX_ANY), 1);
	assert_true(futex_was_woken(c.t[2]));
	assert_int_equal(futex_requeue(&x->k, A, B, 0, 100, &moved), 0);
	assert_int_equal(moved, 2);
	assert_int_equal(futex_wake(&x->k, A, 1, FUTEX_ANY), 0);
	assert_int_equal(futex_requeue(&x->k, B, B, 1, 100, &moved), 1);
	assert_int_equal(moved, 2);
	assert_true(futex_was_woken(c.t[3]));
	assert_int_equal(futex_wake(&x->k, B, 1, FUTEX_ANY), 1);
	assert_true(futex_was_woken(c.t[4]));
	assert_int_equal(futex_requeue(&x->k, A, B, 1, 1, &moved), 0);
	assert_int_equal(moved, 0);
	disperse(x, &c);
}

static void test_pi(void **state)
{
	struct fixture *x = *state;
	struct crowd c = crowd(x);
	struct futex_key key;
	unsigned n;

	assert_null(futex_pi_first(&x->k, A, &n));
	assert_false(futex_pi_owned(&x->k, c.t[0], &key));
	for (int i = 1; i < 3; i++) {
		futex_enqueue(&x->k, c.t[i], A, FUTEX_ANY);
		c.t[i]->futex->pi = true;
		futex_pi_set_owner(&x->k, A, c.t[0]);
	}
	assert_false(futex_has_plain(&x->k, A));
	assert_ptr_equal(futex_pi_owner(&x->k, A), c.t[0]);
	assert_true(futex_pi_owned(&x->k, c.t[0], &key));
	assert_int_equal(key.b, A.b);
	assert_ptr_equal(futex_pi_first(&x->k, A, &n), c.t[1]->futex);
	assert_int_equal(n, 2);
	futex_wake_one(&x->k, c.t[1]->futex);
	futex_pi_set_owner(&x->k, A, c.t[1]);
	assert_false(futex_pi_owned(&x->k, c.t[0], &key));
	/* The owner dies while somebody waits: the queue must not keep pointing at it. */
	assert_true(futex_pi_owned(&x->k, c.t[1], &key));
	futex_forget_thread(&x->k, c.t[1]);
	assert_null(futex_pi_owner(&x->k, A));
	futex_enqueue(&x->k, c.t[4], A, FUTEX_ANY);
	assert_true(futex_has_plain(&x->k, A));
	disperse(x, &c);
}

/* The odd multiplier's inverse, to make a second key for the same slot. */
static struct futex_key collide(struct futex_key key, uint64_t b)
{
	const uint64_t mul = 0x9e3779b97f4a7c15u;
	uint64_t inv = mul, slot = (key.a ^ (key.b << 1)) * mul ^ key.b;

	for (int i = 0; i < 6; i++)
		inv *= 2 - mul * inv;
	return (struct futex_key){((slot ^ b) * inv) ^ (b << 1), b};
}

static void test_collision(void **state)
{
	struct fixture *x = *state;
	struct crowd c = crowd(x);
	struct futex_key key[4] = {A, collide(A, 8), collide(A, 12), collide(A, 16)};

	for (int i = 0; i < 4; i++)
		futex_enqueue(&x->k, c.t[i], key[i], FUTEX_ANY);
	assert_int_equal(x->k.futexes.len, 1); /* they do share it */
	for (int i = 0; i < 4; i++) {
		int at = (i + 2) % 4; /* from the middle of the chain, its end, its head */
		assert_int_equal(futex_wake(&x->k, key[at], 9, FUTEX_ANY), 1);
		assert_true(futex_was_woken(c.t[at]));
	}
	disperse(x, &c);
}

static uint32_t enc(unsigned op, unsigned cmp, int oparg, int cmparg)
{
	return op << 28 | cmp << 24 | ((uint32_t)oparg & 0xfff) << 12 | ((uint32_t)cmparg & 0xfff);
}

static void test_op(void **state)
{
	uint32_t v;

	(void)state;
	assert_int_equal(futex_op_value(enc(0, 0, 5, 0), 9, &v), 0);
	assert_int_equal(v, 5);
	assert_int_equal(futex_op_value(enc(1, 0, -1, 0), 9, &v), 0);
	assert_int_equal(v, 8);
	assert_int_equal(futex_op_value(enc(2, 0, 6, 0), 9, &v), 0);
	assert_int_equal(v, 15);
	assert_int_equal(futex_op_value(enc(3, 0, 8, 0), 9, &v), 0);
	assert_int_equal(v, 1);
	assert_int_equal(futex_op_value(enc(4, 0, 3, 0), 9, &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(futex_op_value(enc(8 | 2, 0, 4, 0), 0, &v), 0); /* FUTEX_OP_OPARG_SHIFT */
	assert_int_equal(v, 16);
	assert_int_equal(futex_op_value(enc(5, 0, 4, 0), 0, &v), -ENOSYS);
	for (int old = -2; old <= 2; old++)
		for (int arg = -2; arg <= 2; arg++) {
			assert_int_equal(futex_op_compare(enc(0, 0, 0, arg), (uint32_t)old), old == arg);
			assert_int_equal(futex_op_compare(enc(0, 1, 0, arg), (uint32_t)old), old != arg);
			assert_int_equal(futex_op_compare(enc(0, 2, 0, arg), (uint32_t)old), old < arg);
			assert_int_equal(futex_op_compare(enc(0, 3, 0, arg), (uint32_t)old), old <= arg);
			assert_int_equal(futex_op_compare(enc(0, 4, 0, arg), (uint32_t)old), old > arg);
			assert_int_equal(futex_op_compare(enc(0, 5, 0, arg), (uint32_t)old), old >= arg);
		}
	assert_int_equal(futex_op_compare(enc(0, 6, 0, 0), 0), -ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_fifo), UNIT(test_bitset),    UNIT(test_requeue),
		UNIT(test_pi),	 UNIT(test_collision), cmocka_unit_test(test_op),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
