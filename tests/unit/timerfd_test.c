#include "tests/unit/kern_fixture.h"

#include "kernel/node.h"
#include "kernel/timerfd.h"

enum { SEC = 1000000000 };

/* What read(2) gives: expirations, or -errno. */
static int64_t expirations(struct fixture *x, struct file *f)
{
	uint64_t n;
	int64_t rc = f_read(x, f, &n, sizeof n);

	return rc == sizeof n ? (int64_t)n : rc;
}

static void set(struct file *f, int64_t value, int64_t interval, bool absolute)
{
	struct timerfd_spec spec = {value, interval}, old;

	timerfd_set(f, &spec, absolute, false, &old);
}

static void advance(struct fixture *x, int64_t ns)
{
	vclock_advance(&x->k.clock, ns);
	vclock_fire_due(&x->k.clock);
}

static void once(void **state)
{
	struct fixture *x = *state;
	struct file *f = timerfd_new(&x->k, false, 0);
	struct timerfd_spec s;
	struct probe p;

	probe_on(&p, f);
	assert_int_equal(expirations(x, f), -EAGAIN);
	set(f, 5, 0, false);
	advance(x, 4);
	assert_int_equal(file_poll(&x->k, f), 0);
	timerfd_get(f, &s);
	assert_int_equal(s.value, 1);
	assert_int_equal(s.interval, 0);
	advance(x, 1);
	assert_int_equal(p.woken, 1);
	assert_int_equal(p.events, K_EPOLLIN);
	assert_int_equal(file_poll(&x->k, f), K_EPOLLIN);
	timerfd_get(f, &s);
	assert_int_equal(s.value, 0);
	assert_int_equal(expirations(x, f), 1);
	assert_int_equal(expirations(x, f), -EAGAIN);
	advance(x, SEC);
	assert_int_equal(expirations(x, f), -EAGAIN);
	list_del(&p.w.link);
	file_unref(&x->k, f);
	assert_int_equal(vclock_next(&x->k.clock), VCLOCK_NEVER);
	assert_nothing_leaked(x);
}

static void periodic(void **state)
{
	struct fixture *x = *state;
	struct file *f = timerfd_new(&x->k, false, 0);
	struct timerfd_spec s;
	struct probe p;

	probe_on(&p, f);
	set(f, 10, 100, false);
	advance(x, 10);
	assert_int_equal(expirations(x, f), 1);
	advance(x, 350); /* at 360: 110, 210, 310 */
	assert_int_equal(p.woken, 2); /* nobody read: it fired once */
	assert_int_equal(vclock_next(&x->k.clock), VCLOCK_NEVER);
	assert_int_equal(expirations(x, f), 3);
	timerfd_get(f, &s);
	assert_int_equal(s.value, 50);
	assert_int_equal(s.interval, 100);
	advance(x, 50);
	assert_int_equal(expirations(x, f), 1);
	advance(x, 205); /* reading the time left counts what was missed, and arms it again */
	timerfd_get(f, &s);
	assert_int_equal(s.value, 95);
	assert_int_equal(expirations(x, f), 2);
	advance(x, 95);
	assert_int_equal(expirations(x, f), 1);
}

static void absolute(void **state)
{
	struct fixture *x = *state;
	struct file *f = timerfd_new(&x->k, false, 0);
	int64_t now = x->k.clock.now_ns;

	set(f, now + 7, 0, true);
	advance(x, 6);
	assert_int_equal(expirations(x, f), -EAGAIN);
	advance(x, 1);
	assert_int_equal(expirations(x, f), 1);
	set(f, now, 0, true); /* the past */
	assert_int_equal(expirations(x, f), 1);
	set(f, now - 3, 5, true); /* at now -3, +2, +7; the clock stands at now + 7 */
	assert_int_equal(expirations(x, f), 3);
	set(f, 1, 0, true);
	assert_int_equal(file_poll(&x->k, f), K_EPOLLIN);
	set(f, 0, 0, true); /* disarming forgets expirations that nobody read */
	assert_int_equal(expirations(x, f), -EAGAIN);
}

static void wall_clock(void **state)
{
	struct fixture *x = *state;
	struct node n = {.wall_offset_ns = -50};
	struct file *f;

	x->k.wall_offset_ns = 1000 * (int64_t)SEC;
	x->p->node = &n;
	f = timerfd_new(&x->k, true, 0);
	set(f, x->k.clock.now_ns + 1000 * (int64_t)SEC - 50 + 8, 0, true);
	advance(x, 7);
	assert_int_equal(expirations(x, f), -EAGAIN);
	advance(x, 1);
	assert_int_equal(expirations(x, f), 1);
	set(f, 8, 0, false); /* relative times know no wall clock */
	advance(x, 8);
	assert_int_equal(expirations(x, f), 1);
	set(f, 10, 0, true); /* long ago */
	assert_int_equal(expirations(x, f), 1);
}

static void the_old_setting(void **state)
{
	struct fixture *x = *state;
	struct file *f = timerfd_new(&x->k, false, 0);
	struct timerfd_spec spec = {100, 7}, old;

	timerfd_set(f, &spec, false, false, &old);
	assert_int_equal(old.value, 0);
	assert_int_equal(old.interval, 0);
	advance(x, 40);
	spec = (struct timerfd_spec){0, 0};
	timerfd_set(f, &spec, false, false, &old);
	assert_int_equal(old.value, 60);
	assert_int_equal(old.interval, 7);
	advance(x, 100);
	assert_int_equal(expirations(x, f), -EAGAIN);
}

static void far_future(void **state)
{
	struct fixture *x = *state;
	struct file *f = timerfd_new(&x->k, false, 0);

	set(f, VCLOCK_NEVER, VCLOCK_NEVER, false);
	assert_false(vclock_jump(&x->k.clock)); /* never comes */
	set(f, 1, VCLOCK_NEVER, false);
	advance(x, 1);
	assert_int_equal(expirations(x, f), 1);
	assert_false(vclock_jump(&x->k.clock));
}

static void short_reads(void **state)
{
	struct fixture *x = *state;
	struct file *f = timerfd_new(&x->k, false, 0);
	uint64_t n;

	set(f, 1, 0, false);
	advance(x, 1);
	assert_int_equal(f_read(x, f, &n, 7), -EINVAL);
	assert_int_equal(expirations(x, f), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(once),	    UNIT(periodic),   UNIT(absolute),	 UNIT(wall_clock),
		UNIT(the_old_setting), UNIT(far_future), UNIT(short_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
