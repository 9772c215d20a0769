/*
 * flock: shared and exclusive between processes, blocking, upgrade, released by close and death, kept across dup and
 * fork.
 */
#include "guest.h"

#include <sys/file.h>

static int p[2];

static void holds(void *arg)
{
	int fd = OK(open("f", O_RDWR));

	OK(flock(fd, (int)(intptr_t)arg));
	tell(p[1]);
	nap_ms(50);
}

static void holds_forever(void *arg)
{
	int fd = OK(open("f", O_RDWR));

	OK(flock(fd, LOCK_EX));
	tell(p[1]);
	sleep_forever();
}

int main(void)
{
	workdir();
	OK(pipe(p));
	int fd = file_with("f", "");

	pid_t pid = child(holds, (void *)LOCK_SH);
	await(p[0]);
	OK(flock(fd, LOCK_SH | LOCK_NB));
	CHECK_ERR(flock(fd, LOCK_EX | LOCK_NB), EWOULDBLOCK);
	int64_t start = mono_ns();
	OK(flock(fd, LOCK_EX)); /* until the child has ended */
	CHECK(mono_ns() - start >= 10 * NS_PER_MS);
	CHECK_EXIT(pid, 0);
	OK(flock(fd, LOCK_UN));

	pid = child(holds_forever, NULL);
	await(p[0]);
	CHECK_ERR(flock(fd, LOCK_SH | LOCK_NB), EWOULDBLOCK);
	OK(kill(pid, SIGKILL));
	OK(flock(fd, LOCK_SH));
	CHECK_KILLED(pid, SIGKILL);

	/* Two descriptions in one process exclude each other; a duplicate is the same lock. */
	OK(flock(fd, LOCK_EX));
	int other = OK(open("f", O_RDONLY)), copy = OK(dup(fd));
	CHECK_ERR(flock(other, LOCK_EX | LOCK_NB), EWOULDBLOCK);
	OK(flock(copy, LOCK_EX | LOCK_NB));
	OK(close(fd));
	CHECK_ERR(flock(other, LOCK_EX | LOCK_NB), EWOULDBLOCK);
	OK(close(copy));
	OK(flock(other, LOCK_EX | LOCK_NB));

	/* A forked child shares it: unlocking there unlocks. */
	pid = OK(fork());
	if (pid == 0) {
		OK(flock(other, LOCK_UN));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	int third = OK(open("f", O_RDONLY));
	OK(flock(third, LOCK_EX | LOCK_NB));
	CHECK_ERR(flock(third, 16), EINVAL);
	CHECK_ERR(flock(999, LOCK_EX), EBADF);
	return guest_ok();
}
