/* fcntl record locks: ranges, F_GETLK names the owner, F_SETLKW waits, EDEADLK, lost by any close of the file. */
#include "guest.h"

static int p[2], go[2], fd;

static int lock(int f, int cmd, short type, off_t start, off_t len)
{
	struct flock fl = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};

	return fcntl(f, cmd, &fl);
}

static void holds(void *arg)
{
	OK(lock(fd, F_SETLK, F_WRLCK, 10, 10));
	tell(p[1]);
	await(go[0]);
}

static void crosses(void *arg)
{
	OK(lock(fd, F_SETLK, F_WRLCK, 0, 1));
	tell(p[1]);
	OK(lock(fd, F_SETLKW, F_WRLCK, 1, 1)); /* the parent's */
}

int main(void)
{
	workdir();
	OK(pipe(p));
	OK(pipe(go));
	fd = file_with("f", "");
	pid_t pid = child(holds, NULL);
	await(p[0]);
	OK(lock(fd, F_SETLK, F_WRLCK, 0, 10));
	OK(lock(fd, F_SETLK, F_RDLCK, 20, 0));
	CHECK_ERR(lock(fd, F_SETLK, F_WRLCK, 5, 10), EAGAIN);
	CHECK_ERR(lock(fd, F_SETLK, F_RDLCK, 19, 1), EAGAIN);
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
	OK(fcntl(fd, F_GETLK, &fl));
	CHECK_EQ(fl.l_type, F_WRLCK);
	CHECK_EQ(fl.l_pid, pid);
	CHECK(fl.l_start == 10 && fl.l_len == 10);
	fl = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
	OK(fcntl(fd, F_GETLK, &fl));
	CHECK_EQ(fl.l_type, F_UNLCK); /* one's own does not conflict */
	tell(go[1]);
	OK(lock(fd, F_SETLKW, F_WRLCK, 0, 0)); /* when the child has ended */
	CHECK_EXIT(pid, 0);
	OK(lock(fd, F_SETLK, F_UNLCK, 0, 0));

	/* Two processes that wait for each other: one is told. */
	OK(lock(fd, F_SETLK, F_WRLCK, 1, 1));
	pid = child(crosses, NULL);
	await(p[0]);
	nap_ms(50);
	int rc = lock(fd, F_SETLKW, F_WRLCK, 0, 1);
	if (rc == -1) {
		CHECK_EQ(errno, EDEADLK);
		OK(lock(fd, F_SETLK, F_UNLCK, 1, 1));
		CHECK_EXIT(pid, 0);
	} else {
		/* Under load the child may come last; then it was told. */
		CHECK_EXIT(pid, 1);
	}

	/* Not inherited by fork; lost when any descriptor of the file is closed. */
	OK(lock(fd, F_SETLK, F_WRLCK, 0, 0));
	pid = OK(fork());
	if (pid == 0) {
		CHECK_ERR(lock(fd, F_SETLK, F_WRLCK, 0, 1), EAGAIN);
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	close(OK(open("f", O_RDONLY)));
	pid = OK(fork());
	if (pid == 0) {
		OK(lock(fd, F_SETLK, F_WRLCK, 0, 1));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);

	int r = OK(open("f", O_RDONLY));
	CHECK_ERR(lock(r, F_SETLK, F_WRLCK, 0, 1), EBADF);
	CHECK_ERR(lock(fd, F_SETLK, 99, 0, 1), EINVAL);
	CHECK_ERR(lock(fd, F_SETLK, F_WRLCK, -5, 1), EINVAL);
	OK(lockf(fd, F_LOCK, 10));
	OK(lockf(fd, F_ULOCK, 10));
	return guest_ok();
}
