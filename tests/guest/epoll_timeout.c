/* Timeouts of epoll_wait, epoll_pwait2; EINTR; a wake-up before the timeout; epoll_pwait's mask. */
#include "guest.h"

#include <sys/epoll.h>

static int p[2];
static volatile sig_atomic_t hits;

static void *later(void *arg)
{
	nap_ms(20);
	tell(p[1]);
	return NULL;
}

static void handler(int sig)
{
	hits++;
}

int main(void)
{
	int ep = OK(epoll_create1(0));
	struct epoll_event ev = {.events = EPOLLIN}, got;

	OK(pipe(p));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	for (int ms = 1; ms < 100; ms *= 3) {
		int64_t start = mono_ns();

		CHECK_EQ(epoll_wait(ep, &got, 1, ms), 0);
		CHECK(mono_ns() - start >= ms * NS_PER_MS);
	}
	struct timespec t = {.tv_nsec = 1500000};
	int64_t start = mono_ns();
	CHECK_EQ(epoll_pwait2(ep, &got, 1, &t, NULL), 0);
	CHECK(mono_ns() - start >= 1500000);

	pthread_t th = thread(later, NULL);
	CHECK_EQ(epoll_wait(ep, &got, 1, 100000), 1);
	join(th);
	await(p[0]);

	/* Atomically unblocked while waiting: a signal that is already pending interrupts. */
	sigset_t none;
	sigemptyset(&none);
	on_signal(SIGUSR1, handler, SA_RESTART);
	block_signal(SIGUSR1);
	raise(SIGUSR1);
	CHECK_EQ(epoll_pwait(ep, &got, 1, 0, NULL), 0);
	CHECK_EQ(hits, 0);
	CHECK_ERR(epoll_pwait(ep, &got, 1, -1, &none), EINTR);
	CHECK_EQ(hits, 1);
	return guest_ok();
}
