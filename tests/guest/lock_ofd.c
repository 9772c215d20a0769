/*
 * Open file description locks: between descriptions of one process, shared by dup and fork, waiting, released by
 * close.
 */
#include "guest.h"

static int lock(int f, int cmd, short type, off_t start, off_t len)
{
	struct flock fl = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};

	return fcntl(f, cmd, &fl);
}

static void *closes_later(void *arg)
{
	nap_ms(20);
	OK(close((int)(intptr_t)arg));
	return NULL;
}

int main(void)
{
	workdir();
	int a = file_with("f", ""), b = OK(open("f", O_RDWR)), c = OK(dup(a));

	OK(lock(a, F_OFD_SETLK, F_WRLCK, 0, 10));
	CHECK_ERR(lock(b, F_OFD_SETLK, F_RDLCK, 5, 1), EAGAIN);
	OK(lock(b, F_OFD_SETLK, F_WRLCK, 10, 1));
	OK(lock(c, F_OFD_SETLK, F_RDLCK, 0, 10)); /* the same description: converted */
	OK(lock(b, F_OFD_SETLK, F_RDLCK, 0, 1));
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2, .l_len = 1};
	OK(fcntl(b, F_OFD_GETLK, &fl));
	CHECK_EQ(fl.l_type, F_RDLCK);
	CHECK_EQ(fl.l_pid, -1);
	/* They conflict with traditional locks as well. */
	CHECK_ERR(lock(b, F_SETLK, F_WRLCK, 2, 1), EAGAIN);

	OK(close(c)); /* still open as a */
	CHECK_ERR(lock(b, F_OFD_SETLK, F_WRLCK, 5, 1), EAGAIN);
	pthread_t t = thread(closes_later, (void *)(intptr_t)a);
	OK(lock(b, F_OFD_SETLKW, F_WRLCK, 5, 1));
	join(t);
	fl.l_pid = 1;
	CHECK_ERR(fcntl(b, F_OFD_SETLK, &fl), EINVAL);
	return guest_ok();
}
