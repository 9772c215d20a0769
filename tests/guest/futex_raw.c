/* The futex call itself: EAGAIN, wake counts, bitsets, requeue, wake-op, timeouts, errors. */
#include "guest.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static int word, second, woken;

static long futex(int *addr, int op, int val, const void *timeout, int *addr2, int val3)
{
	return syscall(SYS_futex, addr, op | FUTEX_PRIVATE_FLAG, val, timeout, addr2, val3);
}

static void *waiter(void *arg)
{
	OK(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0));
	__atomic_add_fetch(&woken, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *bit_waiter(void *arg)
{
	OK(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, (int)(intptr_t)arg));
	__atomic_add_fetch(&woken, (int)(intptr_t)arg, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Wakes until n in all were found asleep: a thread may not have gone to sleep yet. */
static void wake_n(int *addr, int n)
{
	for (int got = 0; got < n; sched_yield()) {
		int w = (int)OK(futex(addr, FUTEX_WAKE, n - got, NULL, NULL, 0));

		CHECK(w <= n - got);
		got += w;
	}
}

static void test_requeue(void)
{
	pthread_t t[3];
	int moved = 0;

	for (int i = 0; i < 3; i++)
		t[i] = thread(waiter, NULL);
	CHECK_ERR(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)10, &second, 5), EAGAIN);
	/* The value counts those woken and those moved. */
	for (int got = 0; got < 3; got += moved, sched_yield())
		moved = (int)OK(futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)10, &second, 0));
	CHECK_EQ(futex(&word, FUTEX_WAKE, 10, NULL, NULL, 0), 0);
	CHECK_EQ(futex(&second, FUTEX_WAKE, 1, NULL, NULL, 0), 1);
	CHECK_EQ(futex(&second, FUTEX_WAKE, 10, NULL, NULL, 0), 2);
	for (int i = 0; i < 3; i++)
		join(t[i]);
}

static void test_wake_op(void)
{
	pthread_t t = thread(waiter, NULL);
	int got = 0;

	second = 5;
	while (!got) {
		/* second += 1; if second was 5 or more, wake there too (nobody waits). */
		got = (int)OK(futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &second,
				    FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GE, 5)));
		sched_yield();
	}
	CHECK(second >= 6);
	join(t);
}

int main(void)
{
	struct timespec t = {.tv_nsec = 10 * NS_PER_MS}, bad = {.tv_nsec = -1};
	int64_t start = mono_ns();

	CHECK_ERR(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
	CHECK_EQ(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0), 0);
	CHECK_ERR(futex(&word, FUTEX_WAIT, 0, &t, NULL, 0), ETIMEDOUT);
	CHECK(mono_ns() - start >= 10 * NS_PER_MS);
	t = timespec_of(mono_ns() + 10 * NS_PER_MS);
	CHECK_ERR(futex(&word, FUTEX_WAIT_BITSET, 0, &t, NULL, -1), ETIMEDOUT);
	CHECK(mono_ns() >= t.tv_sec * NS_PER_S + t.tv_nsec);
	t = timespec_of(clock_ns(CLOCK_REALTIME) + 10 * NS_PER_MS);
	CHECK_ERR(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &t, NULL, -1), ETIMEDOUT);
	CHECK_ERR(futex(&word, FUTEX_WAIT, 0, &bad, NULL, 0), EINVAL);
	CHECK_ERR(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0), EINVAL);
	CHECK_ERR(futex((int *)((char *)&word + 1), FUTEX_WAIT, 0, NULL, NULL, 0), EINVAL);
	CHECK_ERR(futex((int *)16, FUTEX_WAIT, 0, NULL, NULL, 0), EFAULT);
	CHECK_ERR(futex(&word, 99, 0, NULL, NULL, 0), ENOSYS);

	pthread_t w[5];
	for (int i = 0; i < 5; i++)
		w[i] = thread(waiter, NULL);
	wake_n(&word, 5);
	for (int i = 0; i < 5; i++)
		join(w[i]);
	CHECK_EQ(woken, 5);

	woken = 0;
	w[0] = thread(bit_waiter, (void *)1);
	w[1] = thread(bit_waiter, (void *)2);
	while (OK(futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 2)) == 0)
		sched_yield();
	join(w[1]);
	CHECK_EQ(woken, 2);
	while (OK(futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 5)) == 0)
		sched_yield();
	join(w[0]);

	test_requeue();
	test_wake_op();
	return guest_ok();
}
