/*
 * Calls interrupted by a handler: read, wait and accept restart under SA_RESTART; poll, select, epoll, pause never
 * do.
 */
#include "guest.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>

static volatile sig_atomic_t hits;
static int p[2];

/* The third signal gives the restarted read what it waits for. */
static void handler(int sig)
{
	if (++hits == 3)
		tell(p[1]);
}

static void ticking(int on)
{
	struct itimerval it = {.it_value.tv_usec = on * 20000, .it_interval.tv_usec = on * 20000};

	OK(setitimer(ITIMER_REAL, &it, NULL));
}

static void naps(void *arg)
{
	nap_ms(100);
}

int main(void)
{
	char c;

	OK(pipe(p));
	on_signal(SIGALRM, handler, SA_RESTART);
	ticking(1);
	CHECK_EQ(read(p[0], &c, 1), 1);
	CHECK(hits >= 3);

	hits = 10;
	pid_t pid = child(naps, NULL); /* timers are not inherited */
	int st;
	CHECK_EQ(waitpid(pid, &st, 0), pid);
	CHECK(hits > 10);

	struct pollfd pf = {.fd = p[0], .events = POLLIN};
	CHECK_ERR(poll(&pf, 1, -1), EINTR);
	CHECK_ERR(poll(&pf, 1, 100000), EINTR);
	fd_set set;
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	CHECK_ERR(select(p[0] + 1, &set, NULL, NULL, NULL), EINTR);
	int ep = OK(epoll_create1(0));
	struct epoll_event ev;
	CHECK_ERR(epoll_wait(ep, &ev, 1, -1), EINTR);
	CHECK_ERR(pause(), EINTR);

	on_signal(SIGALRM, handler, 0);
	CHECK_ERR(read(p[0], &c, 1), EINTR);
	int s = OK(socket(AF_INET, SOCK_STREAM, 0));
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	OK(bind(s, (struct sockaddr *)&a, sizeof a));
	OK(listen(s, 1));
	CHECK_ERR(accept(s, NULL, NULL), EINTR);
	ticking(0);

	pid = OK(fork());
	if (pid == 0)
		sleep_forever();
	ticking(1);
	CHECK_ERR(waitpid(pid, &st, 0), EINTR);
	ticking(0);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);

	/* A write of which a part was done returns the part. */
	ticking(1);
	static char big[300000];
	ssize_t n = write(p[1], big, sizeof big);
	CHECK(n > 0 && n < (ssize_t)sizeof big);
	CHECK_ERR(write(p[1], big, sizeof big), EINTR);
	ticking(0);
	return guest_ok();
}
