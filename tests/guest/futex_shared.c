/* Shared futexes are keyed by the page's object: two mappings of one file, in unrelated addresses, meet. */
#include "guest.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static long futex(int *addr, int op, int val)
{
	return syscall(SYS_futex, addr, op, val, NULL, NULL, 0);
}

static int *map(const char *name)
{
	int fd = OK(open(name, O_RDWR));
	int *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

int main(void)
{
	workdir();
	int fd = file_with("f", "");
	OK(ftruncate(fd, 8192));
	int *p = map("f");
	pid_t pid = OK(fork());
	if (pid == 0) {
		/* Another address, and another open file description. */
		int *q = map("f");

		CHECK(q != p);
		while (__atomic_load_n(&q[1030], __ATOMIC_SEQ_CST) == 0)
			CHECK(futex(&q[1030], FUTEX_WAIT, 0) == 0 || errno == EAGAIN || errno == EINTR);
		__atomic_store_n(&q[0], 1, __ATOMIC_SEQ_CST);
		OK(futex(&q[0], FUTEX_WAKE, 1));
		_exit(0);
	}
	nap_ms(20);
	__atomic_store_n(&p[1030], 1, __ATOMIC_SEQ_CST);
	OK(futex(&p[1030], FUTEX_WAKE, 1));
	while (__atomic_load_n(&p[0], __ATOMIC_SEQ_CST) == 0)
		CHECK(futex(&p[0], FUTEX_WAIT, 0) == 0 || errno == EAGAIN || errno == EINTR);
	CHECK_EXIT(pid, 0);

	/* A private wait in one process is not reached by a wake from another. */
	int *anon = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = OK(fork());
	if (pid == 0) {
		struct timespec t = {.tv_nsec = 60 * NS_PER_MS};
		CHECK_ERR(syscall(SYS_futex, anon, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0), ETIMEDOUT);
		_exit(0);
	}
	nap_ms(20);
	CHECK_EQ(futex(anon, FUTEX_WAKE, 1), 0);
	CHECK_EQ(futex(anon, FUTEX_WAKE_PRIVATE, 1), 0);
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
