/* Signals and waiting: EINTR whatever SA_RESTART says, the time that is left, masks, partial writes. */
#include "guest.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>

static volatile sig_atomic_t seen;

static void handler(int sig)
{
	seen++;
}

static void alarm_in_ms(int ms)
{
	struct itimerval it = {.it_value.tv_usec = ms * 1000};

	OK(setitimer(ITIMER_REAL, &it, NULL));
}

static void never_restarted(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct epoll_event ev;
	int ep = OK(epoll_create1(0));

	alarm_in_ms(20);
	CHECK_ERR(poll(&p, 1, -1), EINTR);
	alarm_in_ms(20);
	CHECK_ERR(epoll_wait(ep, &ev, 1, 5000), EINTR);
	alarm_in_ms(20);
	CHECK_ERR(select(0, NULL, NULL, NULL, NULL), EINTR);
	CHECK_EQ(seen, 3);
	close(ep);
}

/* Linux writes back what is left, also when interrupted: select(2), NOTES. */
static void time_left(int fd)
{
	struct timeval tv = {.tv_sec = 10};
	struct timespec ts = {.tv_sec = 10};
	fd_set rd;

	FD_ZERO(&rd);
	FD_SET(fd, &rd);
	alarm_in_ms(100);
	CHECK_ERR(select(fd + 1, &rd, NULL, NULL, &tv), EINTR);
	CHECK(tv.tv_sec < 10 && tv.tv_sec >= 5);
	CHECK(FD_ISSET(fd, &rd)); /* the sets stay */
	alarm_in_ms(100);
	CHECK_ERR(syscall(SYS_ppoll, NULL, 0, &ts, NULL, 0), EINTR);
	CHECK(ts.tv_sec < 10 && ts.tv_sec >= 5);
	tv = (struct timeval){.tv_usec = 30000};
	CHECK_EQ(select(0, NULL, NULL, NULL, &tv), 0);
	CHECK_EQ(tv.tv_sec, 0);
	CHECK_EQ(tv.tv_usec, 0);
	tv = (struct timeval){.tv_usec = 1500000}; /* more than a second of microseconds is fine */
	int64_t t = mono_ns();
	CHECK_EQ(select(0, NULL, NULL, NULL, &tv), 0);
	CHECK(mono_ns() - t >= 1500 * NS_PER_MS);
	tv = (struct timeval){.tv_sec = -1};
	CHECK_ERR(select(0, NULL, NULL, NULL, &tv), EINVAL);
}

static void masks(void)
{
	struct timespec ts = {.tv_sec = 5};
	sigset_t none;
	int before = seen;

	sigemptyset(&none);
	block_signal(SIGALRM);
	raise(SIGALRM);
	CHECK_EQ(seen, before);
	CHECK_ERR(ppoll(NULL, 0, &ts, &none), EINTR); /* pending already: taken at once */
	CHECK_EQ(seen, before + 1);
	alarm_in_ms(20);
	CHECK_ERR(pselect(0, NULL, NULL, NULL, &ts, &none), EINTR);
	CHECK_EQ(seen, before + 2);
	sigset_t now;
	PT(pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHECK(sigismember(&now, SIGALRM)); /* the old mask is back */
	CHECK_ERR(syscall(SYS_ppoll, NULL, 0, &ts, &none, 4), EINVAL);
	unblock_signal(SIGALRM);
}

static void *drain_later(void *arg)
{
	static char buf[300000];
	int fd = *(int *)arg;
	size_t at = 0;

	nap_ms(100);
	while (at < sizeof buf)
		at += (size_t)OK(read(fd, buf, sizeof buf));
	return NULL;
}

/* A write that moved something ends short; one that moved nothing fails or is restarted. */
static void writes(void)
{
	static char buf[300000];
	int p[2];

	OK(pipe(p));
	on_signal(SIGALRM, handler, 0);
	alarm_in_ms(20);
	CHECK_EQ(write(p[1], buf, sizeof buf), 65536);
	alarm_in_ms(20);
	CHECK_ERR(write(p[1], buf, 1), EINTR);
	on_signal(SIGALRM, handler, SA_RESTART);
	pthread_t t = thread(drain_later, &p[0]);
	alarm_in_ms(20);
	CHECK_EQ(write(p[1], buf, sizeof buf - 65536), (ssize_t)sizeof buf - 65536);
	join(t);
}

int main(void)
{
	int p[2];

	on_signal(SIGALRM, handler, SA_RESTART);
	OK(pipe(p));
	never_restarted(p[0]);
	time_left(p[0]);
	masks();
	writes();
	return guest_ok();
}
