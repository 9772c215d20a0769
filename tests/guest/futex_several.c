/* futex_waitv(2), and futex_wake, futex_wait, futex_requeue of Linux 6.7 where the kernel below has them. */
#include "guest.h"

#include <linux/futex.h>
#include <sys/syscall.h>

enum { NR_WAITV = 449, NR_WAKE = 454, NR_WAIT = 455, NR_REQUEUE = 456, U32 = 2, PRIVATE = 128 };

struct waitv {
	uint64_t val, addr;
	uint32_t flags, reserved;
};

static uint32_t word[4];

static struct waitv *all(uint32_t flags)
{
	static struct waitv v[4];

	for (int i = 0; i < 4; i++)
		v[i] = (struct waitv){word[i], (uintptr_t)&word[i], flags, 0};
	return v;
}

static long waitv(struct waitv *v, unsigned n, const struct timespec *t)
{
	return syscall(NR_WAITV, v, n, 0, t, CLOCK_MONOTONIC);
}

static void *wakes_third(void *arg)
{
	nap_ms(20);
	word[2] = 1;
	while (syscall(SYS_futex, &word[2], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0)
		nap_ms(5);
	return NULL;
}

static void handler(int sig)
{
}

static void several(void)
{
	struct timespec t = timespec_of(mono_ns() + 50 * NS_PER_MS), bad = {0, -1};
	pthread_t th = thread(wakes_third, NULL);
	int64_t from;
	struct waitv *v = all(U32 | PRIVATE);

	CHECK_EQ(waitv(v, 4, NULL), 2);
	join(th);
	CHECK_ERR(waitv(v, 4, NULL), EAGAIN); /* one has changed */
	v = all(U32 | PRIVATE);
	from = mono_ns();
	t = timespec_of(from + 50 * NS_PER_MS);
	CHECK_ERR(waitv(v, 4, &t), ETIMEDOUT);
	CHECK(mono_ns() - from >= 49 * NS_PER_MS);
	CHECK_ERR(waitv(v, 4, &bad), EINVAL);
	CHECK_ERR(waitv(v, 0, NULL), EINVAL);
	CHECK_ERR(waitv(v, 129, NULL), EINVAL);
	CHECK_ERR(waitv(NULL, 1, NULL), EINVAL);
	CHECK_ERR(syscall(NR_WAITV, v, 1, 1, NULL, 0), EINVAL);
	v[1].flags = 1; /* words of 16 bits */
	CHECK_ERR(waitv(v, 4, NULL), EINVAL);
	v[1].flags = U32;
	v[1].reserved = 1;
	CHECK_ERR(waitv(v, 4, NULL), EINVAL);
	v = all(U32);
	v[3].addr++;
	CHECK_ERR(waitv(v, 4, NULL), EINVAL);
	v[3].addr = 8;
	CHECK_ERR(waitv(v, 4, NULL), EFAULT);
	on_signal(SIGALRM, handler, 0);
	alarm(1);
	v = all(U32);
	CHECK_ERR(waitv(v, 4, NULL), EINTR);
}

static int woken;

static void *waits_masked(void *arg)
{
	while (__atomic_load_n(&word[0], __ATOMIC_SEQ_CST) == 0)
		if (syscall(NR_WAIT, &word[0], 0, (uint64_t)(uintptr_t)arg, U32 | PRIVATE, NULL, CLOCK_MONOTONIC) == -1)
			CHECK(errno == EAGAIN || errno == EINTR);
	__atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void single(void)
{
	struct waitv *v;
	struct timespec t;
	pthread_t a, b;
	int moved = 0;

	if (syscall(NR_WAKE, &word[0], 1ul, 1, U32 | PRIVATE) == -1 && errno == ENOSYS)
		return; /* an older kernel */
	word[0] = 0;
	CHECK_EQ(syscall(NR_WAKE, &word[0], 1ul, 1, U32 | PRIVATE), 0);
	CHECK_ERR(syscall(NR_WAKE, &word[0], 0ul, 1, U32 | PRIVATE), EINVAL);
	CHECK_ERR(syscall(NR_WAIT, &word[0], 5ul, 1ul, U32, NULL, CLOCK_MONOTONIC), EAGAIN);
	t = timespec_of(mono_ns() + 20 * NS_PER_MS);
	CHECK_ERR(syscall(NR_WAIT, &word[0], 0ul, 1ul, U32, &t, CLOCK_MONOTONIC), ETIMEDOUT);
	OK(clock_gettime(CLOCK_REALTIME, &t));
	CHECK_ERR(syscall(NR_WAIT, &word[0], 0ul, 1ul, U32, &t, CLOCK_REALTIME), ETIMEDOUT);
	a = thread(waits_masked, (void *)1);
	b = thread(waits_masked, (void *)2);
	nap_ms(50);
	word[0] = 1;
	CHECK_EQ(syscall(NR_WAKE, &word[0], 2ul, 10, U32 | PRIVATE), 1);
	CHECK_EQ(syscall(NR_WAKE, &word[0], 3ul, 10, U32 | PRIVATE), 1);
	join(a);
	join(b);
	CHECK_EQ(woken, 2);
	word[0] = 0;
	a = thread(waits_masked, (void *)1);
	nap_ms(50);
	v = all(U32 | PRIVATE);
	v[0].val = 7;
	CHECK_ERR(syscall(NR_REQUEUE, v, 0, 0, 1), EAGAIN);
	v[0].val = 0;
	CHECK_EQ(moved = (int)syscall(NR_REQUEUE, v, 0, 0, 1), 1);
	word[0] = 1;
	CHECK_EQ(syscall(NR_WAKE, &word[0], 1ul, 1, U32 | PRIVATE), 0);
	CHECK_EQ(syscall(NR_WAKE, &word[1], 1ul, 1, U32 | PRIVATE), 1);
	join(a);
}

int main(void)
{
	several();
	single();
	return guest_ok();
}
