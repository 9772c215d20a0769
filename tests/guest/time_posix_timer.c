/* POSIX timers: a signal with a value, intervals with overruns, gettime, delete, SIGEV_NONE and SIGEV_THREAD. */
#include "guest.h"

#include <semaphore.h>

static volatile sig_atomic_t hits, value, code;
static sem_t called;

static void handler(int sig, siginfo_t *si, void *uc)
{
	hits++;
	value = si->si_value.sival_int;
	code = si->si_code;
}

static void notify(union sigval v)
{
	if (v.sival_int == 5)
		sem_post(&called);
}

int main(void)
{
	timer_t t;
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 42};
	struct itimerspec it = {.it_value.tv_nsec = 20 * NS_PER_MS}, cur;
	int64_t start = mono_ns();

	on_siginfo(SIGUSR1, handler, 0);
	OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
	OK(timer_settime(t, 0, &it, NULL));
	OK(timer_gettime(t, &cur));
	CHECK(cur.it_value.tv_sec == 0 && cur.it_value.tv_nsec <= 20 * NS_PER_MS);
	while (hits == 0)
		nap_ms(1);
	CHECK(mono_ns() - start >= 20 * NS_PER_MS);
	CHECK_EQ(value, 42);
	CHECK_EQ(code, SI_TIMER);
	OK(timer_gettime(t, &cur));
	CHECK_EQ(cur.it_value.tv_nsec, 0);

	/* While the signal is blocked, expirations are counted as overruns of the one that is queued. */
	block_signal(SIGUSR1);
	it = (struct itimerspec){.it_value.tv_nsec = NS_PER_MS, .it_interval.tv_nsec = NS_PER_MS};
	OK(timer_settime(t, 0, &it, NULL));
	nap_ms(50);
	sigset_t set = sigset_of(SIGUSR1);
	siginfo_t si;
	CHECK_EQ(sigwaitinfo(&set, &si), SIGUSR1);
	CHECK(timer_getoverrun(t) >= 20);
	OK(timer_delete(t));
	CHECK_ERR(timer_delete(t), EINVAL);

	ev.sigev_notify = SIGEV_NONE;
	OK(timer_create(CLOCK_REALTIME, &ev, &t));
	it = (struct itimerspec){.it_value.tv_sec = 100};
	OK(timer_settime(t, 0, &it, NULL));
	nap_ms(5);
	OK(timer_gettime(t, &cur));
	CHECK(cur.it_value.tv_sec == 99);
	OK(timer_delete(t));

	OK(sem_init(&called, 0, 0));
	ev = (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
	ev.sigev_value.sival_int = 5;
	OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
	it = (struct itimerspec){.it_value.tv_nsec = NS_PER_MS};
	OK(timer_settime(t, 0, &it, NULL));
	while (sem_wait(&called) == -1)
		CHECK_EQ(errno, EINTR);
	OK(timer_delete(t));
	return guest_ok();
}
