/*
 * select: sets are rewritten, the count is of all three, the timeout is written back, EBADF, pselect without the
 * race.
 */
#include "guest.h"

#include <sys/select.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

static void signals_parent(void *arg)
{
	nap_ms(20);
	OK(kill(getppid(), SIGUSR1));
}

int main(void)
{
	int p[2], q[2];
	fd_set r, w, e;
	struct timeval tv = {0};

	OK(pipe(p));
	OK(pipe(q));
	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_ZERO(&e);
	FD_SET(p[0], &r);
	FD_SET(q[0], &r);
	FD_SET(p[1], &w);
	FD_SET(p[0], &e);
	tell(q[1]);
	CHECK_EQ(select(q[1] + 1, &r, &w, &e, &tv), 2);
	CHECK(!FD_ISSET(p[0], &r) && FD_ISSET(q[0], &r) && FD_ISSET(p[1], &w) && !FD_ISSET(p[0], &e));

	FD_ZERO(&r);
	FD_SET(p[0], &r);
	tv = (struct timeval){.tv_usec = 20000};
	int64_t start = mono_ns();
	CHECK_EQ(select(p[0] + 1, &r, NULL, NULL, &tv), 0);
	CHECK(mono_ns() - start >= 20 * NS_PER_MS);
	CHECK(!FD_ISSET(p[0], &r));
	CHECK(tv.tv_sec == 0 && tv.tv_usec == 0);

	/* Ready early: the rest of the time is written back. */
	FD_SET(q[0], &r);
	tv.tv_sec = 1000;
	CHECK_EQ(select(q[0] + 1, &r, NULL, NULL, &tv), 1);
	CHECK(tv.tv_sec >= 900 && tv.tv_sec <= 1000);

	/* Descriptors from nfds on are not looked at. */
	FD_ZERO(&r);
	FD_SET(q[0], &r);
	tv = (struct timeval){0};
	CHECK_EQ(select(q[0], &r, NULL, NULL, &tv), 0);

	/* A closed one. */
	int closed = OK(dup(p[0]));
	close(closed);
	FD_ZERO(&r);
	FD_SET(closed, &r);
	CHECK_ERR(select(closed + 1, &r, NULL, NULL, &tv), EBADF);
	CHECK_ERR(select(-1, &r, NULL, NULL, &tv), EINVAL);
	tv.tv_sec = -1;
	CHECK_ERR(select(0, NULL, NULL, NULL, &tv), EINVAL);

	sigset_t none;
	sigemptyset(&none);
	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	for (int i = 0; i < 3; i++) {
		pid_t pid = child(signals_parent, NULL);

		FD_ZERO(&r);
		FD_SET(p[0], &r);
		CHECK_ERR(pselect(p[0] + 1, &r, NULL, NULL, NULL, &none), EINTR);
		CHECK_EQ(hits, i + 1);
		CHECK_EXIT(pid, 0);
	}
	return guest_ok();
}
