/*
 * A descriptor that is closed, or replaced, while another thread waits on it: the wait goes on with the same open
 * file.
 */
#include "guest.h"

static int p[2];

static void *reader(void *arg)
{
	static char c;

	CHECK_EQ(read(p[0], &c, 1), 1);
	return &c;
}

int main(void)
{
	int q[2], keep;

	OK(pipe(p));
	pthread_t t = thread(reader, NULL);
	settle();
	OK(close(p[0]));
	CHECK_ERR(fcntl(p[0], F_GETFD), EBADF);
	OK(pipe(q)); /* takes the number */
	CHECK_EQ(q[0], p[0]);
	CHECK_EQ(write(q[1], "q", 1), 1);
	nap_ms(20);
	CHECK_EQ(write(p[1], "p", 1), 1);
	CHECK_EQ(*(char *)join(t), 'p');
	signal(SIGPIPE, SIG_IGN);
	CHECK_ERR(write(p[1], "p", 1), EPIPE); /* now it is really gone */
	close(p[1]);

	/* a killed reader lets go of it too */
	OK(pipe(p));
	keep = OK(dup(p[1]));
	pid_t pid = OK(fork());
	if (!pid) {
		close(keep);
		thread(reader, NULL);
		settle();
		close(p[0]);
		sleep_forever();
	}
	close(p[0]);
	nap_ms(native() ? 600 : 50);
	CHECK_EQ(write(keep, "x", 1), 1);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	CHECK_ERR(write(keep, "x", 1), EPIPE);
	return guest_ok();
}
