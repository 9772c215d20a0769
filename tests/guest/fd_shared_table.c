/* Threads share one descriptor table; a forked child has a copy. */
#include "guest.h"

static int opened;

static void *opens(void *arg)
{
	opened = OK(open("/dev/null", O_RDONLY));
	return NULL;
}

static void *closes(void *arg)
{
	OK(close(opened));
	return NULL;
}

int main(void)
{
	join(thread(opens, NULL));
	OK(fcntl(opened, F_GETFD));
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(close(opened));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	OK(fcntl(opened, F_GETFD));
	join(thread(closes, NULL));
	CHECK_ERR(fcntl(opened, F_GETFD), EBADF);
	return guest_ok();
}
