/* Every way to wait with a timeout waits in virtual time: an hour each, natively a few milliseconds. */
#include "guest.h"

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static int64_t wait_ns, start;

static struct timespec in(clockid_t id)
{
	return timespec_of(clock_ns(id) + wait_ns);
}

static void begin(void)
{
	start = mono_ns();
}

static void ended(void)
{
	CHECK(mono_ns() - start >= wait_ns - NS_PER_MS);
	if (!native())
		CHECK(mono_ns() - start <= wait_ns + NS_PER_S);
}

int main(void)
{
	int p[2], sv[2];
	char c;
	uint64_t v;
	struct epoll_event ev;
	sem_t sem;
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	sigset_t set = sigset_of(SIGUSR1);

	wait_ns = native() ? 5 * NS_PER_MS : 3600 * NS_PER_S;
	struct timespec rel = timespec_of(wait_ns), at;
	struct timeval tv = {.tv_sec = rel.tv_sec, .tv_usec = rel.tv_nsec / 1000};
	OK(pipe(p));
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));

	begin();
	struct pollfd pf = {.fd = p[0], .events = POLLIN};
	CHECK_EQ(poll(&pf, 1, (int)(wait_ns / NS_PER_MS)), 0);
	ended();

	begin();
	fd_set fds;
	FD_ZERO(&fds);
	FD_SET(p[0], &fds);
	struct timeval tv2 = tv;
	CHECK_EQ(select(p[0] + 1, &fds, NULL, NULL, &tv2), 0);
	ended();

	begin();
	int ep = OK(epoll_create1(0));
	CHECK_EQ(epoll_wait(ep, &ev, 1, (int)(wait_ns / NS_PER_MS)), 0);
	ended();

	begin();
	OK(setsockopt(sv[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
	CHECK_ERR(read(sv[0], &c, 1), EAGAIN);
	ended();

	begin();
	OK(sem_init(&sem, 0, 0));
	at = in(CLOCK_REALTIME);
	CHECK_ERR(sem_timedwait(&sem, &at), ETIMEDOUT);
	ended();

	begin();
	PT(pthread_mutex_lock(&lock));
	at = in(CLOCK_REALTIME);
	PT_ERR(pthread_cond_timedwait(&cond, &lock, &at), ETIMEDOUT);
	ended();

	begin();
	PT(pthread_sigmask(SIG_BLOCK, &set, NULL));
	CHECK_ERR(sigtimedwait(&set, NULL, &rel), EAGAIN);
	ended();

	begin();
	int tfd = OK(timerfd_create(CLOCK_MONOTONIC, 0));
	struct itimerspec it = {.it_value = rel};
	OK(timerfd_settime(tfd, 0, &it, NULL));
	CHECK_EQ(read(tfd, &v, 8), 8);
	ended();

	begin();
	OK(system(native() ? "sleep 0.01" : "sleep 3600"));
	ended();
	return guest_ok();
}
