/* SIGPIPE kills the writer of a pipe nobody reads; ignored, write fails with EPIPE; a handler sees it. */
#include "guest.h"

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void writes(void *arg)
{
	signal(SIGPIPE, arg ? SIG_IGN : SIG_DFL);
	int *p = arg;
	int q[2];

	OK(pipe(q));
	close(q[0]);
	errno = 0;
	ssize_t n = write(q[1], "x", 1);
	CHECK_EQ(n, -1);
	CHECK_EQ(errno, EPIPE);
	CHECK(p);
}

int main(void)
{
	int q[2];

	CHECK_KILLED(child(writes, NULL), SIGPIPE);
	CHECK_EXIT(child(writes, q), 0);
	on_signal(SIGPIPE, handler, 0);
	OK(pipe(q));
	close(q[0]);
	CHECK_ERR(write(q[1], "x", 1), EPIPE);
	CHECK_EQ(hits, 1);
	CHECK_EQ(write(q[1], "", 0), 0); /* nothing to write: nothing happens */
	CHECK_EQ(hits, 1);
	return guest_ok();
}
